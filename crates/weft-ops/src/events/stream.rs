//! `streamRunEvents`: the log as frames, live.
//!
//! The engine's reader yields every event once and in order; here they are filtered by mode, shown
//! and gathered. A slow subscriber holds a cursor and one page, never a queue.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, stream};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use weft_auth::Caller;
use weft_engine::EventReader;
use weft_model::event::{EventType, StreamSelection};
use weft_model::{EncodedEvent, ErrorCode, OperationId, RunId};

use super::fold::SnapshotFold;
use super::frame::{self, Frame};
use super::mode::{self, Shown};
use super::params;
use crate::authorize::authorize_run;
use crate::engine_error::engine_error;
use crate::error::{OpError, OpResult, RETRY_OVERLOADED_SECONDS};
use crate::host::Host;

/// The parameters of a stream, as received.
#[derive(Clone, Copy, Debug, Default)]
pub struct StreamEvents<'a> {
    /// `streamMode`.
    pub stream_mode: Option<&'a str>,
    /// `bufferMs`.
    pub buffer_ms: Option<&'a str>,
    /// `resumable`.
    pub resumable: Option<&'a str>,
    /// The `Last-Event-ID` header.
    pub last_event_id: Option<&'a str>,
}

/// The frames of a stream. It ends after the run's terminal event; an error ends it too.
pub type FrameStream = Pin<Box<dyn Stream<Item = OpResult<Frame>> + Send>>;

/// Opens a stream of a run's events.
pub async fn stream(
    host: &Arc<Host>,
    caller: &Caller,
    run_id: &RunId,
    request: StreamEvents<'_>,
) -> OpResult<FrameStream> {
    authorize_run(caller, OperationId::StreamRunEvents, run_id)?;
    let record = host.find_run(run_id).await?;
    // Only now: an unreadable run answers the same whatever the parameters (R-SSE-15).
    let selection = mode::parse(request.stream_mode)?;
    let buffer = params::buffer(request.buffer_ms)?;
    params::resumable(request.resumable)?;
    let after = params::last_event_id(request.last_event_id)?;
    let permit = Arc::clone(&host.streams).try_acquire_owned().map_err(|_| {
        OpError::new(ErrorCode::RateLimited, "Too many streams are open on this host.")
            .with_retry_after(RETRY_OVERLOADED_SECONDS)
    })?;
    let (fold, from) = match selection {
        // A snapshot is folded from the start of the log whatever it resumes after.
        StreamSelection::Values => (Some(SnapshotFold::new(host, &record).await?), None),
        StreamSelection::Events(_) => (None, after),
    };
    let subscriber = Subscriber {
        reader: host.engine.reader(&record, from),
        selection,
        fold,
        resumed_at: after,
        buffer: buffer.map(Buffer::new),
        ready: VecDeque::new(),
        ended: false,
        _permit: permit,
    };
    Ok(Box::pin(stream::unfold(subscriber, async |mut subscriber| {
        let item = subscriber.next().await?;
        Some((item, subscriber))
    })))
}

/// One subscriber.
struct Subscriber {
    reader: EventReader,
    selection: StreamSelection,
    fold: Option<SnapshotFold>,
    /// The sequence to resume after; nothing up to it is sent (R-SSE-12).
    resumed_at: Option<u64>,
    buffer: Option<Buffer>,
    ready: VecDeque<Frame>,
    ended: bool,
    /// Counts the stream against the host's limit for as long as it lives.
    _permit: OwnedSemaphorePermit,
}

/// Frames gathered for one batch.
struct Buffer {
    time: Duration,
    frames: Vec<Frame>,
    due: Option<Instant>,
}

impl Buffer {
    fn new(time: Duration) -> Buffer {
        Buffer { time, frames: Vec::new(), due: None }
    }

    fn add(&mut self, frame: Frame) {
        self.due.get_or_insert_with(|| Instant::now() + self.time);
        self.frames.push(frame);
    }

    fn take(&mut self) -> Option<Frame> {
        self.due = None;
        frame::batch(&std::mem::take(&mut self.frames))
    }
}

impl Subscriber {
    /// The next frame; `None` when the stream is over.
    async fn next(&mut self) -> Option<OpResult<Frame>> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Some(Ok(frame));
            }
            if self.ended {
                return None;
            }
            if let Err(error) = self.advance().await {
                self.ended = true;
                return Some(Err(error));
            }
        }
    }

    /// Reads the next events, unless the buffered frames are due before there are any.
    async fn advance(&mut self) -> OpResult<()> {
        let read = match self.buffer.as_ref().and_then(|buffer| buffer.due) {
            None => self.reader.next().await,
            Some(due) => match tokio::time::timeout_at(due, self.reader.next()).await {
                Ok(read) => read,
                Err(_) => {
                    self.flush();
                    return Ok(());
                }
            },
        };
        let Some(page) = read.map_err(engine_error)? else {
            self.finish();
            return Ok(());
        };
        for event in &page.events {
            self.take(event)?;
            if self.ended {
                break;
            }
        }
        Ok(())
    }

    fn take(&mut self, event: &EncodedEvent) -> OpResult<()> {
        if let Some(fold) = &mut self.fold {
            fold.apply(event)?;
        }
        if self.resumed_at.is_none_or(|resumed_at| event.sequence > resumed_at) {
            self.show(event);
        } else if self.resumed_at == Some(event.sequence) {
            self.resume_snapshot(event);
        }
        if event.event_type.row().terminal {
            self.finish();
        } else if event.event_type == EventType::NodeSuspended {
            self.flush();
        }
        Ok(())
    }

    fn show(&mut self, event: &EncodedEvent) {
        let frame = match mode::show(self.selection, &event.event_type) {
            None => return,
            Some(Shown::Snapshot) => self.snapshot(event.sequence),
            Some(shown) => frame::of_event(event, shown),
        };
        if let Some(frame) = frame {
            self.push(frame);
        }
    }

    /// A resumed snapshot stream first says where the run stands (R-SSE-16), unless the run is
    /// over: then its stream closes without a frame (R-SSE-13).
    fn resume_snapshot(&mut self, event: &EncodedEvent) {
        if event.event_type.row().terminal {
            return;
        }
        if let Some(frame) = self.snapshot(event.sequence) {
            self.push(frame);
        }
    }

    fn snapshot(&self, sequence: u64) -> Option<Frame> {
        self.fold.as_ref().map(|fold| frame::of_snapshot(sequence, fold.render()))
    }

    fn push(&mut self, frame: Frame) {
        match &mut self.buffer {
            Some(buffer) => buffer.add(frame),
            None => self.ready.push_back(frame),
        }
    }

    fn flush(&mut self) {
        if let Some(frame) = self.buffer.as_mut().and_then(Buffer::take) {
            self.ready.push_back(frame);
        }
    }

    fn finish(&mut self) {
        self.flush();
        self.ended = true;
    }
}
