//! The memory backend: the same rules as on disk, for tests and for the simulator.
//!
//! A [`MemoryStore`] is a handle onto shared state that plays the disk: a simulated crash drops
//! the host and opens a new one over another handle. `faults.rs` is where a simulator decides what
//! goes wrong, `tables.rs` holds the rules.

mod faults;
mod store;
mod tables;

pub use faults::{MemoryFate, MemoryFaults, MemoryWrite};
pub use store::MemoryStore;
