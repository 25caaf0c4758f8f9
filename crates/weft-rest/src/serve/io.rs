//! A connection's socket with a watch on its peer.
//!
//! Four things the HTTP implementation leaves open are closed here: a peer that connects and
//! says nothing, a peer that stops reading, a peer that still sends while it is refused, and a
//! head that is refused without an envelope.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::limits::ServeLimits;
use super::unread_head;

/// The HTTP/2 preface. Until as many bytes are there the version of the connection may be open,
/// and the HTTP implementation's own deadline does not run yet.
const PREFACE_BYTES: usize = 24;
/// Bytes thrown away at a time.
const DISCARD_BYTES: usize = 8 * 1024;

/// Set by the connection's service when an answer leaves a request's body unread.
#[derive(Clone, Default)]
pub(super) struct Linger(Arc<AtomicBool>);

impl Linger {
    pub(super) fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The watched socket.
pub(super) struct WatchedIo<T> {
    inner: T,
    limits: ServeLimits,
    linger: Linger,
    /// Bytes read so far, as far as the preface.
    opening: usize,
    /// Whether anything was written, after which the opening is over.
    answered: bool,
    opening_deadline: Deadline,
    stall_deadline: Deadline,
    linger_deadline: Deadline,
    discarded: usize,
    sent_end: bool,
    /// What is left to send in place of the write that is being asked for.
    instead: Option<Bytes>,
}

/// A deadline that costs nothing until it is first needed.
#[derive(Default)]
struct Deadline {
    timer: Option<Pin<Box<Sleep>>>,
    running: bool,
}

impl Deadline {
    /// Whether the time since the first call, or since the last [`Deadline::stop`], is over.
    fn is_over(&mut self, within: Duration, context: &mut Context<'_>) -> bool {
        let timer = self.timer.get_or_insert_with(|| {
            self.running = true;
            Box::pin(tokio::time::sleep(within))
        });
        if !self.running {
            self.running = true;
            timer.as_mut().reset(Instant::now() + within);
        }
        timer.as_mut().poll(context).is_ready()
    }

    fn stop(&mut self) {
        self.running = false;
    }
}

impl<T> WatchedIo<T> {
    pub(super) fn new(inner: T, limits: ServeLimits, linger: Linger) -> WatchedIo<T> {
        WatchedIo {
            inner,
            limits,
            linger,
            opening: 0,
            answered: false,
            opening_deadline: Deadline::default(),
            stall_deadline: Deadline::default(),
            linger_deadline: Deadline::default(),
            discarded: 0,
            sent_end: false,
            instead: None,
        }
    }

    fn is_opening(&self) -> bool {
        self.opening < PREFACE_BYTES && !self.answered
    }

    /// Whether another answer takes the place of these bytes: a refusal that the implementation
    /// wrote by itself. Its peer may still be sending the head that was refused.
    fn is_replaced(&mut self, bytes: &[u8]) -> bool {
        if self.instead.is_none() {
            self.instead = unread_head::answer_instead_of(bytes);
            if self.instead.is_some() {
                self.linger.ask();
            }
        }
        self.instead.is_some()
    }

    /// Judges a write: progress restarts the clock, standing still lets it run out.
    fn judge(&mut self, written: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.answered = true;
            self.stall_deadline.stop();
            return written;
        }
        if self.stall_deadline.is_over(self.limits.write_stalled_for, context) {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer stopped reading")));
        }
        Poll::Pending
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for WatchedIo<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        if !self.is_opening() {
            return read;
        }
        match read {
            Poll::Ready(outcome) => {
                self.opening += buffer.filled().len() - before;
                Poll::Ready(outcome)
            }
            Poll::Pending => {
                let within = self.limits.head_read_within;
                if self.opening_deadline.is_over(within, context) {
                    return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer said nothing")));
                }
                Poll::Pending
            }
        }
    }
}

impl<T: AsyncWrite + Unpin> WatchedIo<T> {
    /// Sends the answer that takes the place of `bytes`, and counts these as written at its end.
    fn write_instead(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        while let Some(left) = self.instead.as_mut().filter(|left| !left.is_empty()) {
            match Pin::new(&mut self.inner).poll_write(context, left) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => left.advance(count),
                other => return other,
            }
        }
        self.instead = None;
        Poll::Ready(Ok(bytes.len()))
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncWrite for WatchedIo<T> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.is_replaced(bytes) {
            let written = self.write_instead(context, bytes);
            return self.judge(written, context);
        }
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.judge(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let [only] = bytes
            && self.is_replaced(only)
        {
            let written = self.write_instead(context, only);
            return self.judge(written, context);
        }
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, bytes);
        self.judge(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    /// Closing while the peer still sends would reset the connection, and a reset throws away the
    /// answer that the peer has not read yet. So, when asked, what it sends is read and dropped
    /// until it stops, within a time and an amount.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if !this.sent_end {
            ready!(Pin::new(&mut this.inner).poll_shutdown(context))?;
            this.sent_end = true;
        }
        if !this.linger.is_asked() {
            return Poll::Ready(Ok(()));
        }
        let mut scratch = [0u8; DISCARD_BYTES];
        while this.discarded < this.limits.linger_bytes {
            let mut buffer = ReadBuf::new(&mut scratch);
            match Pin::new(&mut this.inner).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => this.discarded += buffer.filled().len(),
                Poll::Ready(_) => return Poll::Ready(Ok(())),
                Poll::Pending if this.linger_deadline.is_over(this.limits.linger_for, context) => break,
                Poll::Pending => return Poll::Pending,
            }
        }
        Poll::Ready(Ok(()))
    }
}
