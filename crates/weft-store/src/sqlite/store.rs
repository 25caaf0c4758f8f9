//! The store as its owner holds it, and the port over its threads.

use std::future::ready;
use std::sync::Arc;
use std::thread::JoinHandle;

use bytes::Bytes;
use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::oneshot;
use weft_model::{Digest, EncodedEvent, KeyId, RunId, TenantId, Timestamp};

use super::checkpointer::{Alarm, Checkpointer};
use super::committer::{Committer, spawn};
use super::open::{self, OpenError};
use super::options::SqliteOptions;
use super::queries;
use super::queue::{Job, Queue};
use super::readers::Readers;
use super::vitals::Vitals;
use super::write::{PURGE_SLICE, Write, Written};
use super::writer::{BeforeCommit, Writer};
use crate::error::StoreError;
use crate::keys::KeyRecord;
use crate::log::{Commit, Committed, PageLimit, StateSnapshot};
use crate::outbox::{OutboxRow, Settlement};
use crate::receipts::{Receipt, ReceiptScope};
use crate::runs::{RunKey, RunRecord};
use crate::status::{StoreCounters, StoreHealth};
use crate::store::{BoxFuture, Store};
use crate::timers::TimerRow;

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

    fn write<T, F>(&self, write: Write, read: F) -> BoxFuture<'_, Result<T, StoreError>>
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

    fn read<T, F>(&self, query: F) -> BoxFuture<'_, Result<T, StoreError>>
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

fn done(written: Written) -> Option<()> {
    matches!(written, Written::Done).then_some(())
}

impl Store for SqliteStore {
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, StoreError>> {
        self.write(Write::Commit(Box::new(commit)), |written| match written {
            Written::Run(run) => Some(Committed { run }),
            _ => None,
        })
    }

    fn find_run(&self, run_id: &RunId) -> BoxFuture<'_, Result<Option<RunRecord>, StoreError>> {
        let run_id = run_id.clone();
        self.read(move |conn| queries::find_run(conn, &run_id))
    }

    fn read_events(
        &self,
        run: RunKey,
        after: Option<u64>,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<EncodedEvent>, StoreError>> {
        self.read(move |conn| queries::read_events(conn, run, after, limit))
    }

    fn list_runs(
        &self,
        tenant: &TenantId,
        before: Option<RunKey>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<RunRecord>, StoreError>> {
        let tenant = tenant.clone();
        self.read(move |conn| queries::list_runs(conn, &tenant, before, limit))
    }

    fn moving_runs(&self, after: Option<RunKey>, limit: usize) -> BoxFuture<'_, Result<Vec<RunRecord>, StoreError>> {
        self.read(move |conn| queries::moving_runs(conn, after, limit))
    }

    fn due_timers(&self, up_to: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<TimerRow>, StoreError>> {
        self.read(move |conn| queries::due_timers(conn, up_to, limit))
    }

    fn next_timer(&self) -> BoxFuture<'_, Result<Option<Timestamp>, StoreError>> {
        self.read(queries::next_timer)
    }

    fn load_snapshot(&self, run: RunKey) -> BoxFuture<'_, Result<Option<StateSnapshot>, StoreError>> {
        self.read(move |conn| queries::load_snapshot(conn, run))
    }

    fn put_definition(&self, digest: Digest, bytes: Bytes) -> BoxFuture<'_, Result<(), StoreError>> {
        self.write(Write::PutDefinition { digest, bytes }, done)
    }

    fn get_definition(&self, digest: &Digest) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>> {
        let digest = *digest;
        self.read(move |conn| queries::get_definition(conn, &digest))
    }

    fn find_receipt(&self, scope: &ReceiptScope) -> BoxFuture<'_, Result<Option<Receipt>, StoreError>> {
        let scope = *scope;
        self.read(move |conn| queries::find_receipt(conn, &scope))
    }

    fn put_receipt(&self, receipt: Receipt) -> BoxFuture<'_, Result<(), StoreError>> {
        self.write(Write::PutReceipt(Box::new(receipt)), done)
    }

    fn purge_receipts(&self, before: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        let slice = move || {
            self.write(Write::PurgeReceipts { before }, |written| match written {
                Written::Count(count) => Some(count),
                _ => None,
            })
        };
        // The first slice is offered at the call, like every write.
        let mut next = slice();
        Box::pin(async move {
            let mut gone = 0;
            loop {
                let count = next.await?;
                gone += count;
                if count < PURGE_SLICE {
                    return Ok(gone);
                }
                next = slice();
            }
        })
    }

    fn put_key(&self, key: KeyRecord) -> BoxFuture<'_, Result<(), StoreError>> {
        self.write(Write::PutKey(Box::new(key)), done)
    }

    fn revoke_key(&self, key_id: &KeyId, at: Timestamp) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.write(Write::RevokeKey { key_id: key_id.clone(), at }, |written| match written {
            Written::Known(known) => Some(known),
            _ => None,
        })
    }

    fn find_key(&self, key_id: &KeyId) -> BoxFuture<'_, Result<Option<KeyRecord>, StoreError>> {
        let key_id = key_id.clone();
        self.read(move |conn| queries::find_key(conn, &key_id))
    }

    fn list_keys(&self, tenant: Option<&TenantId>) -> BoxFuture<'_, Result<Vec<KeyRecord>, StoreError>> {
        let tenant = tenant.cloned();
        self.read(move |conn| queries::list_keys(conn, tenant.as_ref()))
    }

    fn due_outbox(&self, up_to: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<OutboxRow>, StoreError>> {
        self.read(move |conn| queries::due_outbox(conn, up_to, limit))
    }

    fn settle_outbox(&self, settlements: Vec<Settlement>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.write(Write::SettleOutbox(settlements), done)
    }

    fn health(&self) -> StoreHealth {
        self.vitals.health(self.queue.bytes())
    }

    fn counters(&self) -> StoreCounters {
        self.vitals.counters()
    }
}
