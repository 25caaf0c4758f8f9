//! Where runs are kept: the storage port, its backends, and the one suite that every backend passes.
//!
//! It owns: the port [`Store`] with the values that cross it, the memory backend for tests and
//! simulations, the SQLite backend, and the contract suite.
//!
//! It must not: decide what a run does, fold events, read a configuration or an environment
//! variable, or know of requests and doors. It needs no particular runtime: its threads are its
//! own, and its futures wait for them.
//!
//! Start reading in `store.rs`, which is the port; then `log.rs` for what one commit holds, and
//! `sqlite/writer.rs` for how commits become durable.

pub mod contract;
mod error;
mod keys;
mod log;
pub mod memory;
mod outbox;
mod receipts;
mod runs;
pub mod sqlite;
mod status;
mod store;
mod timers;

pub use error::{Conflict, StoreError, StoreErrorKind};
pub use keys::KeyRecord;
pub use log::{Commit, Committed, PageLimit, RunChange, StateSnapshot};
pub use memory::{MemoryFate, MemoryFaults, MemoryStore};
pub use outbox::{OutboxId, OutboxMessage, OutboxRow, Settlement, SettlementKind};
pub use receipts::{Receipt, ReceiptScope, StoredResponse};
pub use runs::{NewRun, RunIndex, RunKey, RunRecord};
pub use status::{StoreCounters, StoreHealth, StoreState};
pub use store::{BoxFuture, Store};
pub use timers::{TimerRow, TimerWrite};
