//! What can be asked of a run and what comes back.

use std::fmt;
use std::sync::Arc;

use weft_model::event::Transport;
use weft_model::{Event, JsonObject, NodeId, Owner, RunStatus, Subject, Timestamp};

use super::timer::{TimerChange, TimerId};
use crate::node::{EffectNode, NodeCall, NodeError};

/// An order to a run.
#[derive(Debug, Clone)]
pub enum Command {
    /// Begins it.
    Start(Start),
    /// Goes on where a decision stopped at its bound ([`Decision::more`]).
    Advance,
    /// Reports how an effect's attempt ended.
    FinishNode {
        /// The node.
        node: NodeId,
        /// The attempt, from 0.
        attempt: u32,
        /// Its outputs by port name, or why it failed.
        result: Result<JsonObject, NodeError>,
    },
    /// Reports that a timer is due.
    FireTimer(TimerId),
    /// Answers the open interrupt of a node.
    ResolveInterrupt {
        /// The node.
        node: NodeId,
        /// The resume value.
        value: serde_json::Value,
        /// Who answers; already authorised to answer interrupts of this run.
        by: Subject,
    },
    /// Ends it.
    Cancel(Cancel),
    /// Picks it up in a process that has none of its effects in flight.
    Recover,
    /// Ends it as failed because the host cannot carry it on: a rule of the host broke inside it,
    /// or it asks for more than one commit may hold. No node is asked anything.
    Condemn(NodeError),
}

/// What a run begins with. The options are those of its create request, checked by the caller.
#[derive(Debug, Clone)]
pub struct Start {
    /// The workflow's inputs.
    pub inputs: JsonObject,
    /// Who owns the run.
    pub owner: Owner,
    /// The door it came in by (E19).
    pub transport: Transport,
    /// The caller's labels.
    pub tags: Vec<String>,
    /// The caller's own facts.
    pub metadata: Option<JsonObject>,
    /// The caller's run options as they were given; kept for the snapshot (R-OPT-11).
    pub configurable: Option<JsonObject>,
    /// Most node executions, after the host's clamp (R-OPT-04). `None` is no bound.
    pub recursion_limit: Option<u64>,
    /// Longest duration, after the host's clamp (R-OPT-05); the workflow's own `settings.timeout`
    /// is applied here. `None` is no bound.
    pub run_timeout_ms: Option<u64>,
}

/// How a run is ended from outside.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    /// Why.
    pub reason: Option<String>,
    /// Who.
    pub by: Option<Subject>,
}

/// The moment and the randomness of one decision.
pub struct Stamp<'a> {
    /// Now.
    pub now: Timestamp,
    /// 128 fresh random bits a call.
    pub random: &'a mut dyn FnMut() -> [u8; 16],
}

/// What follows from a command. The events are already folded into the state: the caller commits
/// them, or drops the state.
#[derive(Debug, Default)]
pub struct Decision {
    /// To be appended in one transaction with the timers.
    pub events: Vec<Event>,
    /// To be started after the commit.
    pub effects: Vec<Effect>,
    /// To be written with the events.
    pub timers: Vec<TimerChange>,
    /// The chain reached its bound: commit, then `decide(Advance)`.
    pub more: bool,
}

/// Work for the engine, after the commit.
pub enum Effect {
    /// Makes one attempt and reports it with [`Command::FinishNode`].
    RunNode {
        /// The attempt.
        call: NodeCall,
        /// What makes it.
        node: Arc<dyn EffectNode>,
    },
    /// Drops an attempt in flight; its report would be stale.
    AbortNode {
        /// The node.
        node: NodeId,
        /// The attempt.
        attempt: u32,
    },
}

impl fmt::Debug for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RunNode { call, .. } => f.debug_struct("RunNode").field("call", call).finish_non_exhaustive(),
            Self::AbortNode { node, attempt } => {
                f.debug_struct("AbortNode").field("node", node).field("attempt", attempt).finish()
            }
        }
    }
}

/// What a run says no to. The state is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The run is over (R-CAN-02, R-TERM-03).
    #[error("the run is {status}")]
    Terminal {
        /// How it ended.
        status: RunStatus,
    },
    /// The run has not begun.
    #[error("the run has not started")]
    NotStarted,
    /// The run has begun already.
    #[error("the run has started already")]
    AlreadyStarted,
    /// An input does not fit the workflow (R-EVT-121, R-RUN-19).
    #[error("{pointer}: {reason}")]
    InvalidInput {
        /// JSON pointer into the inputs.
        pointer: String,
        /// For the caller.
        reason: String,
    },
    /// The node has no open interrupt and had none (R-INT-10).
    #[error("the node has no pending interrupt")]
    NoSuchInterrupt,
    /// The interrupt was resolved, or ended with its run (R-INT-11).
    #[error("the interrupt is already resolved")]
    AlreadyResolved,
    /// The value does not fit; the interrupt stays open (R-INT-06).
    #[error("{pointer}: {reason}")]
    InvalidResume {
        /// JSON pointer into the resume value.
        pointer: String,
        /// For the caller.
        reason: String,
    },
    /// The subject may not answer this approval (R-APR-13).
    #[error("the subject is not among the approvers")]
    NotEligible,
    /// The attempt or timer is not the current one: drop the report, clear the timer (R-EVT-34).
    #[error("the attempt or timer is no longer current")]
    Stale,
}
