//! What a store says about itself.

/// Whether a store takes writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreState {
    /// It does.
    Ready,
    /// The last write found no room. Writes are still tried, and the state passes with the first
    /// one that finds room.
    Full,
    /// It does not, until it is opened again: the disk refused to flush (DECISIONS 29), or the
    /// store was closed.
    Stopped {
        /// Why.
        reason: String,
    },
}

/// The health of a store, for the readiness probe. Asking for it never waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreHealth {
    /// Whether it takes writes.
    pub state: StoreState,
    /// The first damage that was found since the store was opened.
    pub damage: Option<String>,
    /// Bytes of writes that wait.
    pub queued_bytes: usize,
}

impl StoreHealth {
    /// Whether it takes writes.
    pub fn is_ready(&self) -> bool {
        self.state == StoreState::Ready
    }
}

/// What a store has done since it was opened. Tests hold costs against these numbers, because
/// they do not depend on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreCounters {
    /// Commits that were accepted.
    pub commits: u64,
    /// Transactions that made them, and other writes, durable.
    pub groups: u64,
    /// Rows inserted, updated and deleted.
    pub row_writes: u64,
    /// Statements run by the writer, reads included.
    pub statements: u64,
}
