//! The contract: one suite that every backend passes.
//!
//! Each rule is a function over a [`Backend`], grouped by subject. A backend's tests call all of
//! them; that they are all called is the duty of `tests/it/contract.rs`, which names the
//! requirements that they witness.

pub mod fixture;
pub mod keys;
pub mod log;
pub mod receipts;
pub mod runs;
pub mod timers;
pub mod writes;

use std::sync::Arc;

use crate::store::{BoxFuture, Store};

/// A backend under test: one durable state, opened again and again.
pub trait Backend: Send + Sync {
    /// Opens the state. The handle of an earlier opening is gone or closed.
    fn open(&self) -> BoxFuture<'_, Arc<dyn Store>>;
}
