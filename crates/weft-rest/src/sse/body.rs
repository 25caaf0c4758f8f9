//! A stream of frames as the body of a response.
//!
//! Frames that are ready together leave in one chunk: after a commit of several events one write
//! reaches the socket. The body pulls; nothing is gathered for a client that does not read.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use weft_ops::events::{Frame, FrameStream};
use weft_ops::{OpError, OpResult};

use super::frame::{self, KEEP_ALIVE};
use crate::body::BodyError;
use crate::errors;
use crate::stats::OpenStream;

/// A chunk is handed on when it has this many bytes, even if more frames are ready. It bounds what
/// one subscriber holds beside the connection's own buffers.
const CHUNK_BYTES: usize = 32 * 1024;

/// The body of an event stream.
pub(crate) struct EventBody {
    frames: FrameStream,
    state: State,
    keep_alive: Duration,
    silence: Pin<Box<Sleep>>,
    closing: Pin<Box<WaitForCancellationFutureOwned>>,
    _open: OpenStream,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// What was read is still to be sent, then the connection is broken off.
    Failed,
    Over,
}

impl EventBody {
    pub(crate) fn new(
        frames: FrameStream,
        keep_alive: Duration,
        closing: CancellationToken,
        open: OpenStream,
    ) -> EventBody {
        EventBody {
            frames,
            state: State::Open,
            keep_alive,
            silence: Box::pin(tokio::time::sleep(keep_alive)),
            closing: Box::pin(closing.cancelled_owned()),
            _open: open,
        }
    }

    /// The next chunk; `None` at the end of the stream.
    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, BodyError>>> {
        let chunk = self.gather(context);
        if !chunk.is_empty() {
            self.hush();
            return Poll::Ready(Some(Ok(chunk.freeze())));
        }
        match self.state {
            State::Over => return Poll::Ready(None),
            State::Failed => {
                self.state = State::Over;
                return Poll::Ready(Some(Err(BodyError::Stream)));
            }
            State::Open => {}
        }
        // A clean end: the client comes back with the id that it has and misses nothing.
        if self.closing.as_mut().poll(context).is_ready() {
            self.state = State::Over;
            return Poll::Ready(None);
        }
        if self.silence.as_mut().poll(context).is_ready() {
            self.hush();
            // The timer was set again and must know whom to wake.
            let _ = self.silence.as_mut().poll(context);
            return Poll::Ready(Some(Ok(KEEP_ALIVE)));
        }
        Poll::Pending
    }

    /// Everything that is ready, up to the size of a chunk.
    fn gather(&mut self, context: &mut Context<'_>) -> BytesMut {
        let mut chunk = BytesMut::new();
        while self.state == State::Open && chunk.len() < CHUNK_BYTES {
            match self.poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => frame::write(&mut chunk, &frame),
                Poll::Ready(Some(Err(error))) => {
                    tracing::error!(
                        code = error.code().as_str(),
                        cause = error.cause().map(tracing::field::display),
                        "an event stream failed"
                    );
                    self.state = State::Failed;
                }
                Poll::Ready(None) => self.state = State::Over,
                Poll::Pending => break,
            }
        }
        chunk
    }

    /// The stream's next frame. A panic inside ends this stream and not the connection's task.
    fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<OpResult<Frame>>> {
        let frames = &mut self.frames;
        match catch_unwind(AssertUnwindSafe(|| frames.as_mut().poll_next(context))) {
            Ok(polled) => polled,
            Err(panic) => Poll::Ready(Some(Err::<Frame, OpError>(errors::of_panic(&*panic)))),
        }
    }

    fn hush(&mut self) {
        self.silence.as_mut().reset(Instant::now() + self.keep_alive);
    }
}
