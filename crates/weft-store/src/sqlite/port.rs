//! The port over the threads of the store.

use bytes::Bytes;
use weft_model::{Digest, EncodedEvent, KeyId, RunId, TenantId, Timestamp};

use super::queries;
use super::store::SqliteStore;
use super::write::{PURGE_SLICE, Write, Written};
use crate::error::StoreError;
use crate::keys::KeyRecord;
use crate::log::{Commit, Committed, PageLimit, StateSnapshot};
use crate::outbox::{OutboxRow, Settlement};
use crate::receipts::{Receipt, ReceiptScope};
use crate::runs::{RunKey, RunRecord};
use crate::status::{StoreCounters, StoreHealth};
use crate::store::{BoxFuture, Store};
use crate::timers::TimerRow;

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
        self.health_now()
    }

    fn counters(&self) -> StoreCounters {
        self.counters_now()
    }
}

fn done(written: Written) -> Option<()> {
    matches!(written, Written::Done).then_some(())
}
