//! What the engine counts, for `/metrics` and for tests that hold it to its promises.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The counters and gauges at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineStats {
    /// Runs that have an actor.
    pub actors: usize,
    /// Folded run states in memory, of actors and of readers.
    pub states: usize,
    /// Effects started or waiting for their turn.
    pub effects: usize,
    /// Runs with at least one live reader.
    pub watched_runs: usize,
    /// Bytes of recent events held.
    pub recent_event_bytes: usize,
    /// Bytes of rendered snapshots held.
    pub recent_snapshot_bytes: usize,
    /// Runs created.
    pub created: u64,
    /// Commits acknowledged, creates included.
    pub commits: u64,
    /// Timers fired.
    pub timers_fired: u64,
    /// Runs taken up by recovery.
    pub recovered: u64,
    /// Runs that recovery had to leave, counted at each scan.
    pub recovery_failed: u64,
    /// Orders decided anew because the log had moved.
    pub conflicts: u64,
    /// Commits whose outcome had to be read back.
    pub outcomes_unknown: u64,
    /// Panics and broken rules caught at a run's border.
    pub broken: u64,
}

/// The counters themselves.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) states: Gauge,
    pub(crate) effects: Gauge,
    pub(crate) created: Counter,
    pub(crate) commits: Counter,
    pub(crate) timers_fired: Counter,
    pub(crate) recovered: Counter,
    pub(crate) recovery_failed: Counter,
    pub(crate) conflicts: Counter,
    pub(crate) outcomes_unknown: Counter,
    pub(crate) broken: Counter,
}

/// A number that only grows.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number of living things, each of which holds a [`Counted`].
#[derive(Clone, Default)]
pub(crate) struct Gauge(Arc<AtomicUsize>);

impl Gauge {
    pub(crate) fn enter(&self) -> Counted {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted(Arc::clone(&self.0))
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts one living thing for as long as it is held.
pub(crate) struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
