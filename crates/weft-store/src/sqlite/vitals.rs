//! What the threads of a store tell its owner: state, damage, counts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::error::StoreError;
use crate::status::{StoreCounters, StoreHealth, StoreState};

/// Why a store that was closed takes nothing more.
pub(super) const CLOSED: &str = "it was closed";

/// Shared by all threads of a store.
pub(super) struct Vitals {
    state: Mutex<StoreState>,
    damage: Mutex<Option<String>>,
    broken: AtomicBool,
    commits: AtomicU64,
    groups: AtomicU64,
    row_writes: AtomicU64,
    statements: AtomicU64,
}

impl Vitals {
    pub(super) fn new() -> Vitals {
        Vitals {
            state: Mutex::new(StoreState::Ready),
            damage: Mutex::new(None),
            broken: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            groups: AtomicU64::new(0),
            row_writes: AtomicU64::new(0),
            statements: AtomicU64::new(0),
        }
    }

    /// A group is durable.
    pub(super) fn written(&self, delta: StoreCounters) {
        self.commits.fetch_add(delta.commits, Ordering::Relaxed);
        self.groups.fetch_add(delta.groups, Ordering::Relaxed);
        self.row_writes.fetch_add(delta.row_writes, Ordering::Relaxed);
        self.statements.fetch_add(delta.statements, Ordering::Relaxed);
        let mut state = self.state.lock();
        if delta.groups > 0 && *state == StoreState::Full {
            tracing::info!("the store has room again");
            *state = StoreState::Ready;
        }
    }

    /// A group found no room.
    pub(super) fn full(&self) {
        let mut state = self.state.lock();
        if *state == StoreState::Ready {
            tracing::error!("the store is full; writes are refused until there is room");
            *state = StoreState::Full;
        }
    }

    /// The disk has failed: nothing is written any more, and the log is left alone (DECISIONS 29).
    pub(super) fn break_down(&self, reason: &str) {
        tracing::error!(reason, "the store has stopped for good; nothing is written until the next start");
        self.broken.store(true, Ordering::Release);
        self.stop(reason);
    }

    /// Whether the disk has failed.
    pub(super) fn broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// Nothing is written any more. The first reason stays.
    pub(super) fn stop(&self, reason: &str) {
        let mut state = self.state.lock();
        if !matches!(*state, StoreState::Stopped { .. }) {
            *state = StoreState::Stopped { reason: reason.to_owned() };
        }
    }

    /// The error that answers writes, once nothing is written any more.
    pub(super) fn stopped(&self) -> Option<StoreError> {
        match &*self.state.lock() {
            StoreState::Stopped { reason } => Some(StoreError::Stopped { reason: reason.clone() }),
            StoreState::Ready | StoreState::Full => None,
        }
    }

    /// Notes an error that tells of damage.
    pub(super) fn note(&self, error: &StoreError) {
        if matches!(error, StoreError::Corrupt { .. }) {
            tracing::error!(%error, "damage was found in the store");
            self.damage.lock().get_or_insert_with(|| error.to_string());
        }
    }

    pub(super) fn health(&self, queued_bytes: usize) -> StoreHealth {
        StoreHealth { state: self.state.lock().clone(), damage: self.damage.lock().clone(), queued_bytes }
    }

    pub(super) fn counters(&self) -> StoreCounters {
        StoreCounters {
            commits: self.commits.load(Ordering::Relaxed),
            groups: self.groups.load(Ordering::Relaxed),
            row_writes: self.row_writes.load(Ordering::Relaxed),
            statements: self.statements.load(Ordering::Relaxed),
        }
    }
}
