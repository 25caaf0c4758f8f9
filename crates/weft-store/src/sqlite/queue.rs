//! The queue before the writer: bounded in bytes, taken in groups.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use super::options::SqliteOptions;
use super::vitals::CLOSED;
use super::write::Write;
use super::writer::Answer;
use crate::error::StoreError;

/// A write and where its answer goes.
pub(super) struct Job {
    pub(super) write: Write,
    pub(super) reply: oneshot::Sender<Answer>,
}

/// The queue. A write that does not fit is refused, so that a slow disk shows as an answer and
/// not as growth.
pub(super) struct Queue {
    limits: Limits,
    waiting: Mutex<Waiting>,
    /// Signalled when there is a first job, and when the queue closes.
    arrived: Condvar,
}

#[derive(Clone, Copy)]
struct Limits {
    queue_bytes: usize,
    write_bytes: usize,
    group_max: usize,
    group_bytes: usize,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<(Job, usize)>,
    bytes: usize,
    closed: bool,
}

impl Queue {
    pub(super) fn new(options: &SqliteOptions) -> Queue {
        let limits = Limits {
            queue_bytes: options.queue_bytes,
            write_bytes: options.commit_bytes,
            group_max: options.group_max.max(1),
            group_bytes: options.group_bytes,
        };
        Queue { limits, waiting: Mutex::default(), arrived: Condvar::new() }
    }

    /// Puts a write at the end.
    pub(super) fn push(&self, job: Job) -> Result<(), StoreError> {
        let bytes = job.write.size();
        if bytes > self.limits.write_bytes {
            return Err(StoreError::TooLarge { bytes, limit: self.limits.write_bytes });
        }
        let mut waiting = self.waiting.lock();
        if waiting.closed {
            return Err(StoreError::Stopped { reason: CLOSED.to_owned() });
        }
        // An empty queue takes any write that is allowed at all, or a small bound would refuse it
        // for ever.
        if waiting.bytes > 0 && waiting.bytes + bytes > self.limits.queue_bytes {
            return Err(StoreError::Busy { queue: "write" });
        }
        waiting.bytes += bytes;
        waiting.jobs.push_back((job, bytes));
        drop(waiting);
        self.arrived.notify_one();
        Ok(())
    }

    /// Takes what waits, up to a group; waits for the first job. `None` once the queue is closed
    /// and empty. There is no waiting for a fuller group: while one group is being flushed the
    /// next one gathers by itself, and a lone client is never delayed.
    pub(super) fn take_group(&self, group: &mut Vec<Job>) -> Option<()> {
        let mut waiting = self.waiting.lock();
        while waiting.jobs.is_empty() {
            if waiting.closed {
                return None;
            }
            self.arrived.wait(&mut waiting);
        }
        let mut taken = 0;
        while let Some((_, bytes)) = waiting.jobs.front() {
            if group.len() >= self.limits.group_max || (taken > 0 && taken + bytes > self.limits.group_bytes) {
                break;
            }
            let (job, bytes) = waiting.jobs.pop_front().expect("the front was just seen");
            taken += bytes;
            group.push(job);
        }
        waiting.bytes -= taken;
        Some(())
    }

    /// Whether nothing waits right now.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.lock().jobs.is_empty()
    }

    /// Bytes that wait.
    pub(super) fn bytes(&self) -> usize {
        self.waiting.lock().bytes
    }

    /// Takes no more writes; what waits is still written.
    pub(super) fn close(&self) {
        self.waiting.lock().closed = true;
        self.arrived.notify_all();
    }
}
