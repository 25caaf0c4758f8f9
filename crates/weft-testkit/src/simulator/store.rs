//! A store that fails as told: the memory store behind a disk with a bad day.

mod writer;

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use weft_model::{Digest, EncodedEvent, KeyId, RunId, TenantId, Timestamp};
use weft_store::{
    BoxFuture, Commit, Committed, KeyRecord, MemoryStore, OutboxRow, PageLimit, Receipt, ReceiptScope, RunKey,
    RunRecord, Settlement, StateSnapshot, Store, StoreCounters, StoreError, StoreHealth, TimerRow,
};

use self::writer::{Offer, Write};
use super::faults::{LifeFaults, Switch};
use super::world::SimClock;

/// What one life of the host sees of the durable store. It goes with that life; what is durable
/// stays in the memory store.
pub(crate) struct FaultyStore {
    durable: MemoryStore,
    faults: Arc<LifeFaults>,
    switch: Arc<Switch>,
    clock: SimClock,
    /// How long every read takes. The same for all reads of a life, so that it never matters in
    /// which order two readers ask.
    read_ms: u64,
    queue: mpsc::UnboundedSender<Offer>,
    writer: JoinHandle<()>,
}

impl FaultyStore {
    /// Opens the durable store for one life.
    pub(crate) fn open(
        durable: MemoryStore,
        faults: Arc<LifeFaults>,
        switch: Arc<Switch>,
        clock: SimClock,
        read_ms: u64,
    ) -> FaultyStore {
        // Unbounded: the clients of a simulation are few and wait for their answers.
        let (queue, offers) = mpsc::unbounded_channel();
        let writer = writer::serve(durable.clone(), Arc::clone(&faults), Arc::clone(&switch), clock.clone(), offers);
        FaultyStore { durable, faults, switch, clock, read_ms, queue, writer: tokio::spawn(writer) }
    }

    /// A write is offered when it is called; whoever drops the future only forgets the answer.
    fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Write,
    ) -> BoxFuture<'_, Result<T, StoreError>> {
        let (done, answer) = oneshot::channel();
        // A writer that is gone belongs to a life that is over.
        let _ = self.queue.send(Offer { write: write(done), fate: self.faults.fate(self.clock.passed_ms()) });
        Box::pin(async move {
            match answer.await {
                Ok(result) if !self.switch.is_dead() => result,
                _ => pending().await,
            }
        })
    }

    fn read<'a, T: Send + 'a>(
        &'a self,
        read: BoxFuture<'a, Result<T, StoreError>>,
    ) -> BoxFuture<'a, Result<T, StoreError>> {
        Box::pin(async move {
            if self.read_ms > 0 {
                tokio::time::sleep(Duration::from_millis(self.read_ms)).await;
            }
            if self.switch.is_dead() {
                pending::<()>().await;
            }
            if self.faults.is_away(self.clock.passed_ms()) {
                self.faults.tally.count(super::Fault::StoreAway);
                return Err(StoreError::Failed { reason: "the store is away".to_owned() });
            }
            read.await
        })
    }
}

impl Drop for FaultyStore {
    fn drop(&mut self) {
        self.writer.abort();
    }
}

impl Store for FaultyStore {
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, StoreError>> {
        self.write(|done| Write::Commit(Box::new(commit), done))
    }

    fn put_receipt(&self, receipt: Receipt) -> BoxFuture<'_, Result<(), StoreError>> {
        self.write(|done| Write::Receipt(receipt, done))
    }

    fn find_run(&self, run_id: &RunId) -> BoxFuture<'_, Result<Option<RunRecord>, StoreError>> {
        let run_id = run_id.clone();
        self.read(Box::pin(async move { self.durable.find_run(&run_id).await }))
    }

    fn read_events(
        &self,
        run: RunKey,
        after: Option<u64>,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<EncodedEvent>, StoreError>> {
        self.read(Box::pin(async move { self.durable.read_events(run, after, limit).await }))
    }

    fn list_runs(
        &self,
        tenant: &TenantId,
        before: Option<RunKey>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<RunRecord>, StoreError>> {
        let tenant = tenant.clone();
        self.read(Box::pin(async move { self.durable.list_runs(&tenant, before, limit).await }))
    }

    fn moving_runs(&self, after: Option<RunKey>, limit: usize) -> BoxFuture<'_, Result<Vec<RunRecord>, StoreError>> {
        self.read(Box::pin(async move { self.durable.moving_runs(after, limit).await }))
    }

    fn due_timers(&self, up_to: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<TimerRow>, StoreError>> {
        self.read(Box::pin(async move { self.durable.due_timers(up_to, limit).await }))
    }

    fn next_timer(&self) -> BoxFuture<'_, Result<Option<Timestamp>, StoreError>> {
        self.read(Box::pin(async move { self.durable.next_timer().await }))
    }

    fn load_snapshot(&self, run: RunKey) -> BoxFuture<'_, Result<Option<StateSnapshot>, StoreError>> {
        self.read(Box::pin(async move { self.durable.load_snapshot(run).await }))
    }

    fn find_receipt(&self, scope: &ReceiptScope) -> BoxFuture<'_, Result<Option<Receipt>, StoreError>> {
        let scope = *scope;
        self.read(Box::pin(async move { self.durable.find_receipt(&scope).await }))
    }

    fn get_definition(&self, digest: &Digest) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>> {
        let digest = *digest;
        self.read(Box::pin(async move { self.durable.get_definition(&digest).await }))
    }

    // What follows is used at a start and by maintenance only; its failures are the store's own
    // tests' matter.

    fn put_definition(&self, digest: Digest, bytes: Bytes) -> BoxFuture<'_, Result<(), StoreError>> {
        self.durable.put_definition(digest, bytes)
    }

    fn purge_receipts(&self, before: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.durable.purge_receipts(before)
    }

    fn put_key(&self, key: KeyRecord) -> BoxFuture<'_, Result<(), StoreError>> {
        self.durable.put_key(key)
    }

    fn revoke_key(&self, key_id: &KeyId, at: Timestamp) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.durable.revoke_key(key_id, at)
    }

    fn find_key(&self, key_id: &KeyId) -> BoxFuture<'_, Result<Option<KeyRecord>, StoreError>> {
        self.durable.find_key(key_id)
    }

    fn list_keys(&self, tenant: Option<&TenantId>) -> BoxFuture<'_, Result<Vec<KeyRecord>, StoreError>> {
        self.durable.list_keys(tenant)
    }

    fn due_outbox(&self, up_to: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<OutboxRow>, StoreError>> {
        self.durable.due_outbox(up_to, limit)
    }

    fn settle_outbox(&self, settlements: Vec<Settlement>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.durable.settle_outbox(settlements)
    }

    fn health(&self) -> StoreHealth {
        self.durable.health()
    }

    fn counters(&self) -> StoreCounters {
        self.durable.counters()
    }
}
