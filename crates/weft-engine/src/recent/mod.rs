//! What was committed lately, for readers: the tails of logs and rendered snapshots.
//!
//! Both caches are bounded in bytes and may forget anything at any time; the store has it all.
//! While they remember, a client that creates a run and polls its events costs the store nothing.

mod byte_cache;

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use weft_model::{EncodedEvent, RunId, RunStatus};
use weft_store::{PageLimit, RunRecord};

use self::byte_cache::ByteCache;
use crate::limits::EngineLimits;
use crate::page::{Page, cut};

/// What an entry weighs beyond its payload: map slot, queue slot, record, key.
const ENTRY_OVERHEAD: usize = 512;
/// What an event weighs beyond its bytes.
const EVENT_OVERHEAD: usize = 64;
/// Slots of the commit counters that guard snapshot inserts. Two runs that share a slot only
/// make an insert fail in vain.
const EPOCHS: usize = 256;

/// A rendered run snapshot, shared by every reader.
#[derive(Clone, Debug)]
pub struct SnapshotBytes {
    /// The JSON document.
    pub bytes: Bytes,
    /// The last event it is folded from.
    pub last_sequence: u64,
    /// The run's status in it.
    pub status: RunStatus,
    /// Whether that status is final.
    pub terminal: bool,
}

/// The caches.
pub(crate) struct Recent {
    tails: ByteCache<Tail>,
    snapshots: ByteCache<(RunRecord, SnapshotBytes)>,
    epochs: Box<[AtomicU64]>,
    hasher: RandomState,
}

/// The last events of a run, without gap, up to the run's last one.
struct Tail {
    record: RunRecord,
    events: VecDeque<EncodedEvent>,
    weight: usize,
}

/// The commits of a run that a snapshot's reader had seen when it began to read.
#[derive(Clone, Copy)]
pub(crate) struct Epoch(u64);

impl Recent {
    pub(crate) fn new(limits: &EngineLimits) -> Recent {
        Recent {
            tails: ByteCache::new(limits.recent_event_bytes),
            snapshots: ByteCache::new(limits.recent_snapshot_bytes),
            epochs: (0..EPOCHS).map(|_| AtomicU64::new(0)).collect(),
            hasher: RandomState::new(),
        }
    }

    /// Bytes of events and of snapshots held now.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        (self.tails.bytes(), self.snapshots.bytes())
    }

    /// Remembers a durable commit: `record` as it is now, and the events that were added.
    pub(crate) fn committed(&self, record: &RunRecord, events: &[EncodedEvent]) {
        self.epoch_slot(&record.run_id).fetch_add(1, Ordering::SeqCst);
        self.snapshots.remove(&record.run_id);
        let budget = self.tails.entry_budget();
        self.tails.change(&record.run_id, |old| {
            let tail = Tail::extended(old, record, events, budget);
            let weight = tail.weight;
            Some((tail, weight))
        });
    }

    /// Forgets a run whose log is not surely what was remembered.
    pub(crate) fn forget(&self, run: &RunId) {
        self.epoch_slot(run).fetch_add(1, Ordering::SeqCst);
        self.snapshots.remove(run);
        self.tails.change(run, |_| None);
    }

    /// The run's record.
    pub(crate) fn record(&self, run: &RunId) -> Option<RunRecord> {
        self.tails
            .read(run, |tail| tail.record.clone())
            .or_else(|| self.snapshots.read(run, |(record, _)| record.clone()))
    }

    /// Whether the whole log of a run is remembered.
    pub(crate) fn covers(&self, run: &RunId) -> bool {
        self.tails.read(run, |tail| tail.events.front().is_some_and(|event| event.sequence == 0)) == Some(true)
    }

    /// The events after `after`, when all of them are remembered.
    pub(crate) fn page(&self, run: &RunId, after: Option<u64>, limit: PageLimit) -> Option<Page> {
        self.tails.read(run, |tail| tail.page(after, limit)).flatten()
    }

    /// The rendered snapshot.
    pub(crate) fn snapshot(&self, run: &RunId) -> Option<SnapshotBytes> {
        self.snapshots.read(run, |(_, snapshot)| snapshot.clone())
    }

    /// To be taken before the run is read for a snapshot.
    pub(crate) fn epoch(&self, run: &RunId) -> Epoch {
        Epoch(self.epoch_slot(run).load(Ordering::SeqCst))
    }

    /// Keeps a rendered snapshot, unless the run was committed to since `epoch`. A commit counts
    /// up before it removes the entry, and this looks under the entry's lock: so no order of the
    /// two leaves an outdated snapshot behind.
    pub(crate) fn keep_snapshot(&self, record: RunRecord, snapshot: SnapshotBytes, epoch: Epoch) {
        let run = record.run_id.clone();
        let slot = self.epoch_slot(&run);
        self.snapshots.change(&run, |old| {
            if slot.load(Ordering::SeqCst) != epoch.0 {
                return old.map(|old| {
                    let weight = old.1.bytes.len() + ENTRY_OVERHEAD;
                    (old, weight)
                });
            }
            let weight = snapshot.bytes.len() + ENTRY_OVERHEAD;
            Some(((record, snapshot), weight))
        });
    }

    fn epoch_slot(&self, run: &RunId) -> &AtomicU64 {
        &self.epochs[self.hasher.hash_one(run) as usize % EPOCHS]
    }
}

impl Tail {
    /// `old` with `events` behind it when they follow each other; else `events` alone. The oldest
    /// events go while the whole is over `budget`.
    fn extended(old: Option<Tail>, record: &RunRecord, events: &[EncodedEvent], budget: usize) -> Tail {
        let fresh = || Tail { record: record.clone(), events: VecDeque::new(), weight: ENTRY_OVERHEAD };
        let mut tail = old.unwrap_or_else(fresh);
        let follows = match (tail.events.back(), events.first()) {
            (Some(last), Some(first)) => last.sequence + 1 == first.sequence,
            _ => true,
        };
        if !follows {
            tail = fresh();
        }
        tail.record = record.clone();
        for event in events {
            tail.weight += weight(event);
            tail.events.push_back(event.clone());
        }
        while tail.weight > budget {
            let Some(gone) = tail.events.pop_front() else { break };
            tail.weight -= weight(&gone);
        }
        tail
    }

    fn page(&self, after: Option<u64>, limit: PageLimit) -> Option<Page> {
        let first = self.events.front()?.sequence;
        let from = after.map_or(0, |after| after.saturating_add(1));
        if from < first {
            return None;
        }
        let skip = usize::try_from(from - first).unwrap_or(usize::MAX).min(self.events.len());
        let events = cut(self.events.range(skip..).cloned(), limit);
        Some(Page::of(&self.record, events))
    }
}

fn weight(event: &EncodedEvent) -> usize {
    event.bytes.len() + EVENT_OVERHEAD
}
