//! One thing split into several behind locks of their own, so that runs seldom wait for each
//! other. A key always leads to the same part.

use std::hash::{BuildHasher, Hash, RandomState};

use parking_lot::{Mutex, MutexGuard};

/// The parts.
pub(crate) struct Sharded<T> {
    shards: Box<[Mutex<T>]>,
    hasher: RandomState,
}

impl<T> Sharded<T> {
    /// `count` parts as `make` makes them.
    pub(crate) fn new(count: usize, make: impl Fn() -> T) -> Sharded<T> {
        Sharded { shards: (0..count).map(|_| Mutex::new(make())).collect(), hasher: RandomState::new() }
    }

    /// The part of `key`, locked.
    pub(crate) fn of(&self, key: &impl Hash) -> MutexGuard<'_, T> {
        self.shards[self.hasher.hash_one(key) as usize % self.shards.len()].lock()
    }

    /// Every part, each locked while it is visited.
    pub(crate) fn each(&self) -> impl Iterator<Item = MutexGuard<'_, T>> {
        self.shards.iter().map(Mutex::lock)
    }
}
