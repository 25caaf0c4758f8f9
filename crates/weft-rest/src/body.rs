//! The body of an answer, without a box unless it is a stream.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;

use crate::gzip::GzipBody;
use crate::sse::EventBody;

/// The body of every answer of this door.
pub struct RestBody {
    kind: Kind,
    /// Its share of what all answers together may keep in memory.
    share: Option<OwnedSemaphorePermit>,
}

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
        RestBody::of(Kind::Full(bytes))
    }

    /// No body.
    pub(crate) fn empty() -> RestBody {
        RestBody::full(Bytes::new())
    }

    pub(crate) fn compressed(body: GzipBody) -> RestBody {
        RestBody::of(Kind::Compressed(Box::new(body)))
    }

    pub(crate) fn events(body: EventBody) -> RestBody {
        RestBody::of(Kind::Events(Box::new(body)))
    }

    fn of(kind: Kind) -> RestBody {
        RestBody { kind, share: None }
    }

    /// The bytes that stay in memory until the peer has taken them. A stream pages its log and
    /// keeps a page at most.
    pub(crate) fn kept_bytes(&self) -> usize {
        match &self.kind {
            Kind::Full(bytes) => bytes.len(),
            Kind::Compressed(body) => body.kept_bytes(),
            Kind::Events(_) => 0,
        }
    }

    /// Gives the share back when the last of the bytes is gone, and not before: the connection
    /// keeps them longer than it keeps this body.
    pub(crate) fn hold(mut self, share: OwnedSemaphorePermit) -> RestBody {
        match self.kind {
            Kind::Full(bytes) => RestBody::full(Bytes::from_owner(Held { bytes, _share: share })),
            Kind::Compressed(_) | Kind::Events(_) => {
                self.share = Some(share);
                self
            }
        }
    }
}

/// Bytes and their share.
struct Held {
    bytes: Bytes,
    _share: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Body for RestBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let next = match &mut self.get_mut().kind {
            Kind::Full(bytes) if bytes.is_empty() => None,
            Kind::Full(bytes) => Some(Ok(std::mem::take(bytes))),
            Kind::Compressed(body) => body.next_chunk(),
            Kind::Events(body) => std::task::ready!(body.poll_chunk(context)),
        };
        Poll::Ready(next.map(|chunk| chunk.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.kind, Kind::Full(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Kind::Compressed(_) | Kind::Events(_) => SizeHint::default(),
        }
    }
}
