//! The hook by which a simulator breaks the memory backend.

use crate::error::StoreError;
use crate::log::Commit;

/// A write that is about to be applied.
#[derive(Debug, Clone, Copy)]
pub enum MemoryWrite<'a> {
    /// A commit.
    Commit(&'a Commit),
    /// Another write, by the name of its method.
    Other(&'static str),
}

/// What happens to a write.
#[derive(Debug, Clone)]
pub enum MemoryFate {
    /// It is applied and acknowledged.
    Apply,
    /// It is applied, and its acknowledgement is lost: the caller sees [`StoreError::Lost`].
    LoseAck,
    /// It is applied, and no answer ever comes, as when the process dies in between.
    Hang,
    /// It is not applied; the caller sees this error.
    Fail(StoreError),
}

/// Decides what goes wrong. Called under the store's lock, so the order of calls is the order of
/// writes; it must not call the store.
pub trait MemoryFaults: Send + Sync + 'static {
    /// The fate of a write.
    fn on_write(&self, write: MemoryWrite<'_>) -> MemoryFate;

    /// The error of a read, by the name of its method; `None` lets it through.
    fn on_read(&self, _method: &'static str) -> Option<StoreError> {
        None
    }
}
