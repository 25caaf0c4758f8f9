//! Runs: the fold of a log, and the decisions that make it longer.
//!
//! `state.rs` is what the fold knows and `apply.rs` folds one event into it. `decide.rs` takes a
//! command apart; `chain.rs` runs what is ready, `settle.rs` ends attempts, `interrupt.rs` waits
//! for people, `close.rs` ends runs, `recover.rs` picks them up. `projection.rs` is the run as
//! the wire shows it and `snapshot_codec.rs` the fold as bytes.

/// Records in tests that a transition was crossed, so that one that no test crosses is noticed.
/// Outside tests it is nothing.
macro_rules! crossing {
    ($name:ident) => {
        #[cfg(test)]
        $crate::run::crossing::record($crate::run::crossing::Crossing::$name);
    };
}

mod apply;
mod chain;
mod close;
mod command;
#[cfg(test)]
mod crossing;
mod decide;
mod draft;
mod inputs;
mod interrupt;
mod projection;
mod recover;
mod settle;
pub mod snapshot_codec;
mod state;
#[cfg(test)]
mod tests;
mod timer;
mod trigger;

pub use chain::{CHAIN_BYTES_MAX, CHAIN_EVENTS_MAX};
pub use command::{Cancel, Command, Decision, Effect, Refusal, Stamp, Start};
pub use decide::decide;
pub use inputs::CALL_BYTES_MAX;
pub use recover::CUT_ATTEMPTS_MAX;
pub use snapshot_codec::SnapshotFault;
pub use state::{OpenInterrupt, Phase, RunState};
pub use timer::{NodeTimer, TimerChange, TimerId, UnknownTimer};
