//! Runs: created, read, listed, cancelled.

mod body;
mod cancel;
mod configurable;
mod create;
mod cursor;
mod get;
mod list;
#[cfg(test)]
mod tests;

pub use cancel::{CancelRun, cancel};
pub use create::{CreateRun, create};
pub use get::{Snapshot, get};
pub use list::{ListRuns, list};
