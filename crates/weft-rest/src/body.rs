//! The body of an answer, without a box unless it is a stream.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use crate::gzip::GzipBody;
use crate::sse::EventBody;

/// The body of every answer of this door.
pub struct RestBody(Kind);

enum Kind {
    Full(Bytes),
    Compressed(Box<GzipBody>),
    Events(Box<EventBody>),
}

/// Why a body ended before its end. The connection is then broken off, so that the peer does not
/// take what it has for the whole.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The source of a stream failed.
    #[error("the event stream failed")]
    Stream,
    /// Compressing failed.
    #[error("the body could not be compressed")]
    Compress(#[source] std::io::Error),
}

impl RestBody {
    /// A body of these bytes.
    pub(crate) fn full(bytes: Bytes) -> RestBody {
        RestBody(Kind::Full(bytes))
    }

    /// No body.
    pub(crate) fn empty() -> RestBody {
        RestBody(Kind::Full(Bytes::new()))
    }

    pub(crate) fn compressed(body: GzipBody) -> RestBody {
        RestBody(Kind::Compressed(Box::new(body)))
    }

    pub(crate) fn events(body: EventBody) -> RestBody {
        RestBody(Kind::Events(Box::new(body)))
    }
}

impl Body for RestBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let next = match &mut self.get_mut().0 {
            Kind::Full(bytes) if bytes.is_empty() => None,
            Kind::Full(bytes) => Some(Ok(std::mem::take(bytes))),
            Kind::Compressed(body) => body.next_chunk(),
            Kind::Events(body) => std::task::ready!(body.poll_chunk(context)),
        };
        Poll::Ready(next.map(|chunk| chunk.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Kind::Full(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Kind::Compressed(_) | Kind::Events(_) => SizeHint::default(),
        }
    }
}
