//! The pure heart of weft: what a workflow means and what a run does next.
//!
//! **Owns** the reading and checking of workflow definitions ([`Workflow`]), the fold of a run's
//! log ([`RunState`]), every decision about a run ([`decide`]), and the port that node types fill
//! ([`NodeType`]).
//!
//! **Must not** read a clock, draw randomness, touch a file or a socket, or wait: time, ids and
//! randomness come in as values ([`Stamp`]), effects and timers go out as data ([`Decision`]).
//!
//! **Start reading** in [`run::decide`], then `run/apply.rs` and `run/chain.rs`; a definition's
//! way in is `workflow/compile.rs`.

pub mod node;
pub mod run;
#[cfg(test)]
mod testing;
pub mod workflow;

pub use node::{
    EffectFuture, EffectNode, InterruptRequest, NodeCall, NodeCatalog, NodeError, NodeKind, NodeType, PureNode,
    PureOutcome, Repeat,
};
pub use run::{
    Cancel, Command, Decision, Effect, NodeTimer, OpenInterrupt, Phase, Refusal, RunState, SnapshotFault, Stamp, Start,
    TimerChange, TimerId, decide, snapshot_codec,
};
pub use workflow::{Fault, NodeIx, VariableType, Workflow};
