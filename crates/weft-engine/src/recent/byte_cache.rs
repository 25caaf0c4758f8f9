//! A sharded map from runs to values that stays under a number of bytes.

use std::collections::{HashMap, VecDeque};

use weft_model::RunId;

use crate::sharded::Sharded;

/// Shards; few, because the budget is divided among them and one run's events must fit one.
const SHARDS: usize = 8;
/// Stale entries of the queue that a shard tolerates beyond its live ones before it sweeps.
const STALE_SLACK: usize = 64;

/// Evicts by second chance: the oldest entry goes, unless it was read since it came to the front.
pub(super) struct ByteCache<V> {
    shards: Sharded<Shard<V>>,
    shard_budget: usize,
}

struct Shard<V> {
    slots: HashMap<RunId, Slot<V>>,
    /// Oldest first. An entry whose ticket is not its slot's any more is stale.
    queue: VecDeque<(u64, RunId)>,
    tickets: u64,
    bytes: usize,
    budget: usize,
}

struct Slot<V> {
    value: V,
    weight: usize,
    ticket: u64,
    touched: bool,
}

impl<V> ByteCache<V> {
    pub(super) fn new(budget: usize) -> ByteCache<V> {
        let budget = budget / SHARDS;
        let shard = || Shard { slots: HashMap::new(), queue: VecDeque::new(), tickets: 0, bytes: 0, budget };
        ByteCache { shards: Sharded::new(SHARDS, shard), shard_budget: budget }
    }

    /// Bytes that one entry may weigh; a heavier one is not kept.
    pub(super) fn entry_budget(&self) -> usize {
        self.shard_budget
    }

    /// Bytes held now.
    pub(super) fn bytes(&self) -> usize {
        self.shards.each().map(|shard| shard.bytes).sum()
    }

    /// Reads the value of `run` under the shard's lock; `read` must be short.
    pub(super) fn read<R>(&self, run: &RunId, read: impl FnOnce(&V) -> R) -> Option<R> {
        let mut shard = self.shards.of(run);
        let slot = shard.slots.get_mut(run)?;
        slot.touched = true;
        Some(read(&slot.value))
    }

    /// Replaces the value of `run` by what `change` makes of it; it answers the value and its
    /// weight, or nothing when none is to be kept. Runs under the shard's lock.
    pub(super) fn change(&self, run: &RunId, change: impl FnOnce(Option<V>) -> Option<(V, usize)>) {
        let mut shard = self.shards.of(run);
        let old = shard.slots.remove(run);
        let ticket = old.as_ref().map(|slot| slot.ticket);
        shard.bytes -= old.as_ref().map_or(0, |slot| slot.weight);
        let Some((value, weight)) = change(old.map(|slot| slot.value)) else { return };
        if weight > shard.budget {
            return;
        }
        // An entry that only changed keeps its place; a busy run must not starve the others.
        let ticket = ticket.unwrap_or_else(|| shard.queued(run));
        shard.bytes += weight;
        shard.slots.insert(run.clone(), Slot { value, weight, ticket, touched: false });
        shard.evict();
    }

    /// Forgets `run`.
    pub(super) fn remove(&self, run: &RunId) {
        let mut shard = self.shards.of(run);
        if let Some(slot) = shard.slots.remove(run) {
            shard.bytes -= slot.weight;
            shard.sweep();
        }
    }
}

impl<V> Shard<V> {
    fn queued(&mut self, run: &RunId) -> u64 {
        self.tickets += 1;
        self.queue.push_back((self.tickets, run.clone()));
        self.tickets
    }

    fn evict(&mut self) {
        while self.bytes > self.budget {
            let Some((ticket, run)) = self.queue.pop_front() else { return };
            let Some(slot) = self.slots.get_mut(&run).filter(|slot| slot.ticket == ticket) else {
                continue;
            };
            if slot.touched {
                slot.touched = false;
                self.queue.push_back((ticket, run));
                continue;
            }
            self.bytes -= slot.weight;
            self.slots.remove(&run);
        }
        self.sweep();
    }

    /// Removal leaves its queue entry behind; this keeps those from outnumbering the live ones.
    fn sweep(&mut self) {
        if self.queue.len() > 2 * self.slots.len() + STALE_SLACK {
            let slots = &self.slots;
            self.queue.retain(|(ticket, run)| slots.get(run).is_some_and(|slot| slot.ticket == *ticket));
        }
    }
}

#[cfg(test)]
mod tests {
    use weft_model::{RunId, TenantId, Timestamp};

    use super::{ByteCache, SHARDS};

    fn run(n: u8) -> RunId {
        RunId::mint(&TenantId::parse("acme").expect("a tenant"), Timestamp::EPOCH, [n; 16])
    }

    // I11
    #[test]
    fn bytes_stay_under_the_budget() {
        let cache: ByteCache<u8> = ByteCache::new(SHARDS * 1_000);
        for n in 0..=255 {
            cache.change(&run(n), |_| Some((n, 100)));
            assert!(cache.bytes() <= SHARDS * 1_000);
        }
        cache.change(&run(0), |_| Some((0, 1_001)));
        assert_eq!(cache.read(&run(0), |v| *v), None);
    }

    #[test]
    fn entry_that_was_read_outlives_one_that_was_not() {
        let cache: ByteCache<u8> = ByteCache::new(SHARDS * 1_000);
        cache.change(&run(0), |_| Some((0, 100)));
        for n in 1..=200 {
            cache.change(&run(n), |_| Some((n, 100)));
            assert_eq!(cache.read(&run(0), |v| *v), Some(0));
        }
    }

    #[test]
    fn removals_leave_no_trail() {
        let cache: ByteCache<u8> = ByteCache::new(SHARDS * 1_000);
        for _ in 0..10_000 {
            cache.change(&run(0), |_| Some((0, 100)));
            cache.remove(&run(0));
        }
        let entries: usize = cache.shards.each().map(|shard| shard.queue.len()).sum();
        assert!(entries <= 1_000);
        assert_eq!(cache.bytes(), 0);
    }
}
