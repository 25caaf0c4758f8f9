//! The pool of reading threads. Each has a connection of its own, so that no read waits for the
//! writer.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::committer::spawn;
use super::vitals::{CLOSED, Vitals};
use crate::error::StoreError;

type Job = Box<dyn FnOnce(&Connection) + Send>;

/// The queue before the readers, bounded in reads.
pub(super) struct Readers {
    vitals: Arc<Vitals>,
    waiting_max: usize,
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    closed: bool,
}

impl Readers {
    pub(super) fn new(waiting_max: usize, vitals: Arc<Vitals>) -> Readers {
        Readers { vitals, waiting_max, waiting: Mutex::default(), arrived: Condvar::new() }
    }

    /// Starts a thread on a connection. It ends when the pool is closed.
    pub(super) fn start(self: &Arc<Self>, conn: Connection) -> std::io::Result<JoinHandle<()>> {
        let readers = Arc::clone(self);
        spawn("weft-store-read", move || {
            while let Some(job) = readers.take() {
                // A reader that panics must not shrink the pool; its caller sees a lost answer.
                if catch_unwind(AssertUnwindSafe(|| job(&conn))).is_err() {
                    tracing::error!("a read of the store panicked");
                }
            }
        })
    }

    /// Has a reader run `query`. The answer comes over the receiver.
    pub(super) fn ask<T, F>(self: &Arc<Self>, query: F) -> Result<oneshot::Receiver<Result<T, StoreError>>, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let vitals = Arc::clone(&self.vitals);
        self.push(Box::new(move |conn| {
            if reply.is_closed() {
                return;
            }
            let result = query(conn).map_err(|error| as_read(&vitals, error));
            // A caller that has gone away needs no answer.
            let _ = reply.send(result);
        }))?;
        Ok(answer)
    }

    /// Ends the threads once what waits is answered.
    pub(super) fn close(&self) {
        self.waiting.lock().closed = true;
        self.arrived.notify_all();
    }

    fn push(&self, job: Job) -> Result<(), StoreError> {
        let mut waiting = self.waiting.lock();
        if waiting.closed {
            return Err(StoreError::Stopped { reason: CLOSED.to_owned() });
        }
        if waiting.jobs.len() >= self.waiting_max {
            return Err(StoreError::Busy { queue: "read" });
        }
        waiting.jobs.push_back(job);
        drop(waiting);
        self.arrived.notify_one();
        Ok(())
    }

    fn take(&self) -> Option<Job> {
        let mut waiting = self.waiting.lock();
        loop {
            match waiting.jobs.pop_front() {
                Some(job) => return Some(job),
                None if waiting.closed => return None,
                None => self.arrived.wait(&mut waiting),
            }
        }
    }
}

/// An error as readers mean it: a disk that cannot be read does not stop the writer.
fn as_read(vitals: &Vitals, error: StoreError) -> StoreError {
    vitals.note(&error);
    match error {
        StoreError::Stopped { reason } => StoreError::Failed { reason },
        StoreError::Full => StoreError::Failed { reason: "there is no room to read".to_owned() },
        error => error,
    }
}
