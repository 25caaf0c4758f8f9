//! The handle, and the port over the tables.

use std::future::{pending, ready};
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use weft_model::{Digest, EncodedEvent, KeyId, RunId, TenantId, Timestamp};

use super::faults::{MemoryFate, MemoryFaults, MemoryWrite};
use super::tables::{Applied, Tables};
use crate::error::StoreError;
use crate::keys::KeyRecord;
use crate::log::{Commit, Committed, PageLimit, StateSnapshot};
use crate::outbox::{OutboxRow, Settlement};
use crate::receipts::{Receipt, ReceiptScope};
use crate::runs::{RunKey, RunRecord};
use crate::status::{StoreCounters, StoreHealth, StoreState};
use crate::store::{BoxFuture, Store};
use crate::timers::TimerRow;

/// A handle onto shared durable state. Clones see the same state.
#[derive(Clone, Default)]
pub struct MemoryStore {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    tables: Tables,
    counters: StoreCounters,
    faults: Option<Arc<dyn MemoryFaults>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// Sets or removes the hook that decides what goes wrong, for all handles.
    pub fn set_faults(&self, faults: Option<Arc<dyn MemoryFaults>>) {
        self.shared.lock().faults = faults;
    }

    fn write<T, F>(&self, write: MemoryWrite<'_>, apply: F) -> BoxFuture<'_, Result<T, StoreError>>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tables) -> Applied<T>,
    {
        let mut shared = self.shared.lock();
        let fate = shared.faults.as_ref().map_or(MemoryFate::Apply, |faults| faults.on_write(write));
        if let MemoryFate::Fail(error) = fate {
            return Box::pin(ready(Err(error)));
        }
        let result = shared.apply(matches!(write, MemoryWrite::Commit(_)), apply);
        match fate {
            MemoryFate::LoseAck => Box::pin(ready(Err(StoreError::Lost))),
            MemoryFate::Hang => Box::pin(pending()),
            MemoryFate::Apply | MemoryFate::Fail(_) => Box::pin(ready(result)),
        }
    }

    fn read<T, F>(&self, method: &'static str, read: F) -> BoxFuture<'_, Result<T, StoreError>>
    where
        T: Send + 'static,
        F: FnOnce(&Tables) -> Result<T, StoreError>,
    {
        let shared = self.shared.lock();
        let fault = shared.faults.as_ref().and_then(|faults| faults.on_read(method));
        Box::pin(ready(fault.map_or_else(|| read(&shared.tables), Err)))
    }
}

impl Shared {
    fn apply<T>(&mut self, is_commit: bool, apply: impl FnOnce(&mut Tables) -> Applied<T>) -> Result<T, StoreError> {
        let (value, rows) = apply(&mut self.tables)?;
        self.counters.row_writes += rows;
        self.counters.statements += rows;
        if rows > 0 {
            self.counters.groups += 1;
        }
        if is_commit {
            self.counters.commits += 1;
        }
        Ok(value)
    }
}

impl Store for MemoryStore {
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, StoreError>> {
        self.write(MemoryWrite::Commit(&commit), |tables| tables.commit(&commit))
    }

    fn find_run(&self, run_id: &RunId) -> BoxFuture<'_, Result<Option<RunRecord>, StoreError>> {
        self.read("find_run", |tables| Ok(tables.find_run(run_id)))
    }

    fn read_events(
        &self,
        run: RunKey,
        after: Option<u64>,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<EncodedEvent>, StoreError>> {
        self.read("read_events", |tables| Ok(tables.events(run, after, limit)))
    }

    fn list_runs(
        &self,
        tenant: &TenantId,
        before: Option<RunKey>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<RunRecord>, StoreError>> {
        self.read("list_runs", |tables| Ok(tables.list_runs(tenant, before, limit)))
    }

    fn moving_runs(&self, after: Option<RunKey>, limit: usize) -> BoxFuture<'_, Result<Vec<RunRecord>, StoreError>> {
        self.read("moving_runs", |tables| Ok(tables.moving_runs(after, limit)))
    }

    fn due_timers(&self, up_to: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<TimerRow>, StoreError>> {
        self.read("due_timers", |tables| Ok(tables.due_timers(up_to, limit)))
    }

    fn next_timer(&self) -> BoxFuture<'_, Result<Option<Timestamp>, StoreError>> {
        self.read("next_timer", |tables| Ok(tables.next_timer()))
    }

    fn load_snapshot(&self, run: RunKey) -> BoxFuture<'_, Result<Option<StateSnapshot>, StoreError>> {
        self.read("load_snapshot", |tables| Ok(tables.snapshot(run)))
    }

    fn put_definition(&self, digest: Digest, bytes: Bytes) -> BoxFuture<'_, Result<(), StoreError>> {
        self.write(MemoryWrite::Other("put_definition"), |tables| tables.put_definition(digest, bytes))
    }

    fn get_definition(&self, digest: &Digest) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>> {
        self.read("get_definition", |tables| Ok(tables.definition(digest)))
    }

    fn find_receipt(&self, scope: &ReceiptScope) -> BoxFuture<'_, Result<Option<Receipt>, StoreError>> {
        self.read("find_receipt", |tables| Ok(tables.receipt(scope)))
    }

    fn put_receipt(&self, receipt: Receipt) -> BoxFuture<'_, Result<(), StoreError>> {
        self.write(MemoryWrite::Other("put_receipt"), |tables| tables.put_receipt(receipt))
    }

    fn purge_receipts(&self, before: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.write(MemoryWrite::Other("purge_receipts"), |tables| tables.purge_receipts(before))
    }

    fn put_key(&self, key: KeyRecord) -> BoxFuture<'_, Result<(), StoreError>> {
        self.write(MemoryWrite::Other("put_key"), |tables| tables.put_key(key))
    }

    fn revoke_key(&self, key_id: &KeyId, at: Timestamp) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.write(MemoryWrite::Other("revoke_key"), |tables| tables.revoke_key(key_id, at))
    }

    fn find_key(&self, key_id: &KeyId) -> BoxFuture<'_, Result<Option<KeyRecord>, StoreError>> {
        self.read("find_key", |tables| Ok(tables.key(key_id)))
    }

    fn list_keys(&self, tenant: Option<&TenantId>) -> BoxFuture<'_, Result<Vec<KeyRecord>, StoreError>> {
        self.read("list_keys", |tables| Ok(tables.keys(tenant)))
    }

    fn due_outbox(&self, up_to: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<OutboxRow>, StoreError>> {
        self.read("due_outbox", |tables| Ok(tables.due_outbox(up_to, limit)))
    }

    fn settle_outbox(&self, settlements: Vec<Settlement>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.write(MemoryWrite::Other("settle_outbox"), |tables| tables.settle_outbox(&settlements))
    }

    fn health(&self) -> StoreHealth {
        StoreHealth { state: StoreState::Ready, damage: None, queued_bytes: 0 }
    }

    fn counters(&self) -> StoreCounters {
        self.shared.lock().counters
    }
}
