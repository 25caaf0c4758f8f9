//! The storage port (DECISIONS 28).

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use weft_model::{Digest, EncodedEvent, KeyId, RunId, TenantId, Timestamp};

use crate::error::StoreError;
use crate::keys::KeyRecord;
use crate::log::{Commit, Committed, PageLimit, StateSnapshot};
use crate::outbox::{OutboxRow, Settlement};
use crate::receipts::{Receipt, ReceiptScope};
use crate::runs::{RunKey, RunRecord};
use crate::status::{StoreCounters, StoreHealth};
use crate::timers::TimerRow;

/// A future on the heap, so that the port can be a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Everything a host keeps. An answered write is durable (DECISIONS 29).
///
/// A write is offered when its method is called, not when its future is first polled: dropping
/// the future forgets the answer and does not take the write back.
pub trait Store: Send + Sync + 'static {
    /// Writes everything in `commit` or nothing. Answers a conflict when the run id is taken, the
    /// log ends elsewhere, or the receipt is there already.
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, StoreError>>;

    /// The index row of a run.
    fn find_run(&self, run_id: &RunId) -> BoxFuture<'_, Result<Option<RunRecord>, StoreError>>;

    /// Events of a run after the sequence `after`, in order and without a gap. The first event is
    /// in the page even when it alone exceeds the limit. Every event list of the host comes from
    /// here.
    fn read_events(
        &self,
        run: RunKey,
        after: Option<u64>,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<EncodedEvent>, StoreError>>;

    /// Runs of a tenant that are older than `before`, newest first. Damaged rows are left out and
    /// reported in the log.
    fn list_runs(
        &self,
        tenant: &TenantId,
        before: Option<RunKey>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<RunRecord>, StoreError>>;

    /// Runs marked as moving, oldest first, after `after`. Damaged rows are left out and reported
    /// in the log.
    fn moving_runs(&self, after: Option<RunKey>, limit: usize) -> BoxFuture<'_, Result<Vec<RunRecord>, StoreError>>;

    /// Timers due at `up_to` or before, the longest due first.
    fn due_timers(&self, up_to: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<TimerRow>, StoreError>>;

    /// When the next timer is due.
    fn next_timer(&self) -> BoxFuture<'_, Result<Option<Timestamp>, StoreError>>;

    /// The last folded state that was kept of a run.
    fn load_snapshot(&self, run: RunKey) -> BoxFuture<'_, Result<Option<StateSnapshot>, StoreError>>;

    /// Keeps a definition. The first bytes given under a digest stay.
    fn put_definition(&self, digest: Digest, bytes: Bytes) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The bytes kept under a digest.
    fn get_definition(&self, digest: &Digest) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>>;

    /// The receipt of a scope.
    fn find_receipt(&self, scope: &ReceiptScope) -> BoxFuture<'_, Result<Option<Receipt>, StoreError>>;

    /// Keeps a receipt that no run's change goes with. Answers a conflict when there is one.
    fn put_receipt(&self, receipt: Receipt) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Deletes receipts made before `before`; answers how many.
    fn purge_receipts(&self, before: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Keeps a new key. Answers a conflict when the id is taken.
    fn put_key(&self, key: KeyRecord) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Revokes a key; `false` when there is none. A second revocation keeps the first time.
    fn revoke_key(&self, key_id: &KeyId, at: Timestamp) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// A key by its id.
    fn find_key(&self, key_id: &KeyId) -> BoxFuture<'_, Result<Option<KeyRecord>, StoreError>>;

    /// The keys of one tenant, or of all, in the order in which they were made.
    fn list_keys(&self, tenant: Option<&TenantId>) -> BoxFuture<'_, Result<Vec<KeyRecord>, StoreError>>;

    /// Messages due at `up_to` or before, the longest due first.
    fn due_outbox(&self, up_to: Timestamp, limit: usize) -> BoxFuture<'_, Result<Vec<OutboxRow>, StoreError>>;

    /// Records what became of attempts. Messages that are gone already are passed over.
    fn settle_outbox(&self, settlements: Vec<Settlement>) -> BoxFuture<'_, Result<(), StoreError>>;

    /// How it is. Never waits.
    fn health(&self) -> StoreHealth;

    /// What it has done. Never waits.
    fn counters(&self) -> StoreCounters;
}
