//! The state of the memory backend and its rules.
//!
//! Each write answers the rows that it cost, counted as the SQLite backend counts them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::Bytes;
use weft_model::{Digest, EncodedEvent, KeyId, RunId, TenantId, Timestamp};

use crate::error::{Conflict, StoreError};
use crate::keys::KeyRecord;
use crate::log::{Commit, Committed, PageLimit, RunChange, StateSnapshot};
use crate::outbox::{OutboxId, OutboxMessage, OutboxRow, Settlement, SettlementKind};
use crate::receipts::{Receipt, ReceiptScope};
use crate::runs::{RunIndex, RunKey, RunRecord};
use crate::timers::{TimerRow, TimerWrite};

/// The value of a write and the rows that it cost.
pub(super) type Applied<T> = Result<(T, u64), StoreError>;

#[derive(Default)]
pub(super) struct Tables {
    runs: BTreeMap<RunKey, Run>,
    by_id: HashMap<RunId, RunKey>,
    moving: BTreeSet<RunKey>,
    timers_by_due: BTreeSet<(Timestamp, RunKey, String)>,
    definitions: HashMap<Digest, Bytes>,
    receipts: HashMap<ReceiptScope, Receipt>,
    keys: Vec<KeyRecord>,
    outbox: BTreeMap<OutboxId, OutboxRow>,
    last_run: i64,
    last_message: i64,
}

struct Run {
    record: RunRecord,
    events: Vec<EncodedEvent>,
    timers: BTreeMap<String, Timestamp>,
    snapshot: Option<StateSnapshot>,
}

impl Tables {
    pub(super) fn commit(&mut self, commit: &Commit) -> Applied<Committed> {
        let last = self.judge(commit)?;
        let (key, mut rows) = match &commit.run {
            RunChange::Create(new) => {
                self.last_run += 1;
                let key = RunKey(self.last_run);
                let RunIndex { status, moving, updated_at } = new.index;
                let record = RunRecord {
                    key,
                    run_id: new.run_id.clone(),
                    workflow_id: new.workflow_id.clone(),
                    definition: new.definition,
                    status,
                    moving,
                    last_sequence: last,
                    created_at: new.created_at,
                    updated_at,
                };
                self.by_id.insert(new.run_id.clone(), key);
                self.runs.insert(key, Run { record, events: Vec::new(), timers: BTreeMap::new(), snapshot: None });
                self.mark(key, moving);
                (key, 1)
            }
            RunChange::Append { run, index, .. } => {
                let record = &mut self.runs.get_mut(run).expect("the run was judged to be there").record;
                record.last_sequence = last;
                (record.status, record.moving, record.updated_at) = (index.status, index.moving, index.updated_at);
                self.mark(*run, index.moving);
                (*run, 1)
            }
        };
        rows += commit.events.len() as u64;
        self.runs.get_mut(&key).expect("just written").events.extend_from_slice(&commit.events);
        rows += commit.timers.iter().map(|timer| self.write_timer(key, timer)).sum::<u64>();
        if let Some(snapshot) = &commit.snapshot {
            self.runs.get_mut(&key).expect("just written").snapshot = Some(snapshot.clone());
            rows += 1;
        }
        if let Some(receipt) = &commit.receipt {
            self.receipts.insert(receipt.scope, receipt.clone());
            rows += 1;
        }
        for message in &commit.outbox {
            self.post(key, message);
            rows += 1;
        }
        Ok((Committed { run: key }, rows))
    }

    /// Everything that a commit can conflict in, before anything is written.
    fn judge(&self, commit: &Commit) -> Result<u64, StoreError> {
        let last = commit.next_last()?;
        if commit.receipt.as_ref().is_some_and(|receipt| self.receipts.contains_key(&receipt.scope)) {
            return Err(Conflict::ReceiptExists.into());
        }
        match &commit.run {
            RunChange::Create(new) if self.by_id.contains_key(&new.run_id) => Err(Conflict::RunExists.into()),
            RunChange::Create(_) => Ok(last),
            RunChange::Append { run, expect_last, .. } => {
                let run = self.runs.get(run).ok_or(Conflict::NoSuchRun)?;
                let found = run.record.last_sequence;
                if found == *expect_last {
                    Ok(last)
                } else {
                    Err(Conflict::Moved { expected: *expect_last, found }.into())
                }
            }
        }
    }

    fn mark(&mut self, key: RunKey, moving: bool) {
        if moving {
            self.moving.insert(key);
        } else {
            self.moving.remove(&key);
        }
    }

    fn write_timer(&mut self, key: RunKey, write: &TimerWrite) -> u64 {
        let timers = &mut self.runs.get_mut(&key).expect("just written").timers;
        let (id, old) = match write {
            TimerWrite::Set { id, due } => (id, timers.insert(id.clone(), *due)),
            TimerWrite::Clear { id } => (id, timers.remove(id)),
        };
        if let Some(old) = old {
            self.timers_by_due.remove(&(old, key, id.clone()));
        }
        match write {
            TimerWrite::Set { id, due } => {
                self.timers_by_due.insert((*due, key, id.clone()));
                1
            }
            TimerWrite::Clear { .. } => u64::from(old.is_some()),
        }
    }

    fn post(&mut self, run: RunKey, message: &OutboxMessage) {
        self.last_message += 1;
        let id = OutboxId(self.last_message);
        let OutboxMessage { topic, due, payload } = message.clone();
        self.outbox.insert(id, OutboxRow { id, run, topic, attempts: 0, due, payload });
    }

    pub(super) fn find_run(&self, run_id: &RunId) -> Option<RunRecord> {
        self.by_id.get(run_id).map(|key| self.runs[key].record.clone())
    }

    pub(super) fn events(&self, run: RunKey, after: Option<u64>, limit: PageLimit) -> Vec<EncodedEvent> {
        let Some(run) = self.runs.get(&run) else { return Vec::new() };
        let from = after.map_or(0, |after| usize::try_from(after).unwrap_or(usize::MAX).saturating_add(1));
        let mut page: Vec<EncodedEvent> = Vec::new();
        let mut bytes = 0;
        for event in run.events.iter().skip(from) {
            if !limit.admits(page.len(), bytes, event.bytes.len()) {
                break;
            }
            bytes += event.bytes.len();
            page.push(event.clone());
        }
        page
    }

    pub(super) fn list_runs(&self, tenant: &TenantId, before: Option<RunKey>, limit: usize) -> Vec<RunRecord> {
        let older = self.runs.range(..before.unwrap_or(RunKey(i64::MAX))).rev();
        let own = older.filter(|(_, run)| run.record.run_id.tenant() == tenant.as_str());
        own.take(limit).map(|(_, run)| run.record.clone()).collect()
    }

    pub(super) fn moving_runs(&self, after: Option<RunKey>, limit: usize) -> Vec<RunRecord> {
        let from = after.map_or(i64::MIN, |RunKey(key)| key + 1);
        self.moving.range(RunKey(from)..).take(limit).map(|key| self.runs[key].record.clone()).collect()
    }

    pub(super) fn due_timers(&self, up_to: Timestamp, limit: usize) -> Vec<TimerRow> {
        let due = self.timers_by_due.iter().take_while(|(due, ..)| *due <= up_to).take(limit);
        due.map(|(due, run, id)| {
            let run_id = self.runs[run].record.run_id.clone();
            TimerRow { run: *run, run_id, id: id.clone(), due: *due }
        })
        .collect()
    }

    pub(super) fn next_timer(&self) -> Option<Timestamp> {
        self.timers_by_due.first().map(|(due, ..)| *due)
    }

    pub(super) fn snapshot(&self, run: RunKey) -> Option<StateSnapshot> {
        self.runs.get(&run).and_then(|run| run.snapshot.clone())
    }

    pub(super) fn put_definition(&mut self, digest: Digest, bytes: Bytes) -> Applied<()> {
        let new = !self.definitions.contains_key(&digest);
        if new {
            self.definitions.insert(digest, bytes);
        }
        Ok(((), u64::from(new)))
    }

    pub(super) fn definition(&self, digest: &Digest) -> Option<Bytes> {
        self.definitions.get(digest).cloned()
    }

    pub(super) fn receipt(&self, scope: &ReceiptScope) -> Option<Receipt> {
        self.receipts.get(scope).cloned()
    }

    pub(super) fn put_receipt(&mut self, receipt: Receipt) -> Applied<()> {
        if self.receipts.contains_key(&receipt.scope) {
            return Err(Conflict::ReceiptExists.into());
        }
        self.receipts.insert(receipt.scope, receipt);
        Ok(((), 1))
    }

    pub(super) fn purge_receipts(&mut self, before: Timestamp) -> Applied<u64> {
        let had = self.receipts.len();
        self.receipts.retain(|_, receipt| receipt.created_at >= before);
        let gone = (had - self.receipts.len()) as u64;
        Ok((gone, gone))
    }

    pub(super) fn put_key(&mut self, key: KeyRecord) -> Applied<()> {
        if self.key(&key.key_id).is_some() {
            return Err(Conflict::KeyExists.into());
        }
        self.keys.push(key);
        Ok(((), 1))
    }

    pub(super) fn revoke_key(&mut self, key_id: &KeyId, at: Timestamp) -> Applied<bool> {
        let Some(key) = self.keys.iter_mut().find(|key| key.key_id == *key_id) else { return Ok((false, 0)) };
        let first = key.revoked_at.is_none();
        key.revoked_at.get_or_insert(at);
        Ok((true, u64::from(first)))
    }

    pub(super) fn key(&self, key_id: &KeyId) -> Option<KeyRecord> {
        self.keys.iter().find(|key| key.key_id == *key_id).cloned()
    }

    pub(super) fn keys(&self, tenant: Option<&TenantId>) -> Vec<KeyRecord> {
        let of_tenant = |key: &&KeyRecord| tenant.is_none_or(|tenant| key.tenant == *tenant);
        self.keys.iter().filter(of_tenant).cloned().collect()
    }

    pub(super) fn due_outbox(&self, up_to: Timestamp, limit: usize) -> Vec<OutboxRow> {
        let mut due: Vec<&OutboxRow> = self.outbox.values().filter(|row| row.due <= up_to).collect();
        due.sort_by_key(|row| (row.due, row.id));
        due.into_iter().take(limit).cloned().collect()
    }

    pub(super) fn settle_outbox(&mut self, settlements: &[Settlement]) -> Applied<()> {
        let mut rows = 0;
        for Settlement { id, kind } in settlements {
            rows += match kind {
                SettlementKind::Done => u64::from(self.outbox.remove(id).is_some()),
                SettlementKind::Retry { due } => self.outbox.get_mut(id).map_or(0, |row| {
                    row.due = *due;
                    row.attempts += 1;
                    1
                }),
            };
        }
        Ok(((), rows))
    }
}
