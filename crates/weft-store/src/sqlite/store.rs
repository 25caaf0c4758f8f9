//! The store as its owner holds it: its threads from opening to closing.

use std::future::ready;
use std::sync::Arc;
use std::thread::JoinHandle;

use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::checkpointer::{Alarm, Checkpointer};
use super::committer::{Committer, spawn};
use super::open::{self, OpenError};
use super::options::SqliteOptions;
use super::queue::{Job, Queue};
use super::readers::Readers;
use super::vitals::Vitals;
use super::write::{Write, Written};
use super::writer::{BeforeCommit, Writer};
use crate::error::StoreError;
use crate::status::{StoreCounters, StoreHealth};
use crate::store::BoxFuture;

/// A store in one SQLite file. It owns its threads; dropping it ends them like
/// [`SqliteStore::close`], but waits on the spot.
pub struct SqliteStore {
    queue: Arc<Queue>,
    readers: Arc<Readers>,
    vitals: Arc<Vitals>,
    alarm: Arc<Alarm>,
    threads: Arc<Mutex<Option<Threads>>>,
}

struct Threads {
    working: Vec<JoinHandle<()>>,
    checkpointing: JoinHandle<()>,
}

impl SqliteStore {
    /// Opens or creates the database and brings its schema up to date. Takes the same time for
    /// any number of runs.
    pub fn open(options: SqliteOptions) -> Result<SqliteStore, OpenError> {
        SqliteStore::open_with(&options, Box::new(|| Ok(())))
    }

    pub(super) fn open_with(options: &SqliteOptions, before_commit: BeforeCommit) -> Result<SqliteStore, OpenError> {
        let path = &options.path;
        let vitals = Arc::new(Vitals::new());
        let conn = open::writer(options)?;
        let writer = Writer::new(conn, Arc::clone(&vitals), before_commit)
            .map_err(|source| OpenError::Database { path: path.clone(), source })?;
        let store = SqliteStore {
            queue: Arc::new(Queue::new(options)),
            readers: Arc::new(Readers::new(options.read_queue, Arc::clone(&vitals))),
            vitals,
            alarm: Arc::new(Alarm::new(options.checkpoint_pages)),
            threads: Arc::default(),
        };
        let gate = Arc::new(Mutex::new(()));
        let checkpointer = Checkpointer {
            conn: open::checkpointer(path)?,
            alarm: Arc::clone(&store.alarm),
            gate: Arc::clone(&gate),
            vitals: Arc::clone(&store.vitals),
        };
        let readers: Vec<_> = (0..options.readers.max(1)).map(|_| open::reader(path)).collect::<Result<_, _>>()?;
        let committer = Committer {
            queue: Arc::clone(&store.queue),
            vitals: Arc::clone(&store.vitals),
            gate,
            alarm: Arc::clone(&store.alarm),
        };
        let checkpointing = checkpointer.start()?;
        *store.threads.lock() = Some(Threads { working: Vec::new(), checkpointing });
        // From here on a failure drops the store, which ends the threads that were started.
        store.adopt(committer.start(writer)?);
        for conn in readers {
            store.adopt([store.readers.start(conn)?]);
        }
        Ok(store)
    }

    /// Writes what waits, answers what was asked, moves the log into the file and ends the
    /// threads. Whatever is asked afterwards is answered with [`StoreError::Stopped`]. Closing
    /// twice is harmless.
    pub async fn close(&self) -> Result<(), StoreError> {
        let broken = self.vitals.clone();
        let (reply, closed) = oneshot::channel();
        let ending = self.ending();
        spawn("weft-store-close", move || {
            ending.end();
            // A caller that has gone away needs no answer.
            let _ = reply.send(());
        })
        .map_err(|error| StoreError::Failed { reason: error.to_string() })?;
        closed.await.map_err(|_| StoreError::Lost)?;
        match broken.stopped() {
            Some(error) if broken.broken() => Err(error),
            _ => Ok(()),
        }
    }

    pub(super) fn health_now(&self) -> StoreHealth {
        self.vitals.health(self.queue.bytes())
    }

    pub(super) fn counters_now(&self) -> StoreCounters {
        self.vitals.counters()
    }

    fn adopt(&self, handles: impl IntoIterator<Item = JoinHandle<()>>) {
        if let Some(threads) = self.threads.lock().as_mut() {
            threads.working.extend(handles);
        }
    }

    fn ending(&self) -> Ending {
        Ending {
            queue: Arc::clone(&self.queue),
            readers: Arc::clone(&self.readers),
            alarm: Arc::clone(&self.alarm),
            threads: Arc::clone(&self.threads),
        }
    }

    /// Offers a write; the future waits for its answer.
    pub(super) fn write<T, F>(&self, write: Write, read: F) -> BoxFuture<'_, Result<T, StoreError>>
    where
        T: Send + 'static,
        F: FnOnce(Written) -> Option<T> + Send + 'static,
    {
        let answer = match self.offer(write) {
            Ok(answer) => answer,
            Err(error) => return Box::pin(ready(Err(error))),
        };
        Box::pin(async move {
            // Without an answer the writer has died; whether it wrote is not known.
            let written = answer.await.map_err(|_| StoreError::Lost)??;
            Ok(read(written).expect("each kind of write has its own kind of answer"))
        })
    }

    fn offer(&self, write: Write) -> Result<oneshot::Receiver<Result<Written, StoreError>>, StoreError> {
        if let Some(stopped) = self.vitals.stopped() {
            return Err(stopped);
        }
        let (reply, answer) = oneshot::channel();
        self.queue.push(Job { write, reply })?;
        Ok(answer)
    }

    /// Asks a reader; the future waits for its answer.
    pub(super) fn read<T, F>(&self, query: F) -> BoxFuture<'_, Result<T, StoreError>>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        match self.readers.ask(query) {
            Ok(answer) => Box::pin(async move { answer.await.unwrap_or(Err(StoreError::Lost)) }),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.ending().end();
    }
}

/// What is needed to end the threads, apart from the store itself.
struct Ending {
    queue: Arc<Queue>,
    readers: Arc<Readers>,
    alarm: Arc<Alarm>,
    threads: Arc<Mutex<Option<Threads>>>,
}

impl Ending {
    fn end(self) {
        self.queue.close();
        self.readers.close();
        // Held while joining: a second caller returns only when the threads are gone.
        let mut threads = self.threads.lock();
        let Some(Threads { working, checkpointing }) = threads.take() else { return };
        for thread in working {
            join(thread);
        }
        // The last round needs a log that nobody reads or writes any more.
        self.alarm.close();
        join(checkpointing);
    }
}

fn join(thread: JoinHandle<()>) {
    if thread.join().is_err() {
        tracing::error!("a thread of the store had panicked");
    }
}
