//! What is asked of a run, and what comes back.

use std::sync::Arc;

use tokio::sync::oneshot;
use weft_core::{Command, RunState, Start, TimerId, Workflow};
use weft_model::{Digest, RunId, RunStatus};
use weft_store::{ReceiptScope, RunKey, RunRecord, StoredResponse};

use crate::error::EngineError;

/// Renders the answer of an operation from the state that its order led to. It may be called
/// again when the order had to be decided anew, so it must not use itself up.
pub type Render = Box<dyn Fn(&RunState) -> StoredResponse + Send>;

/// The stored answer that goes into the same commit as the order it answers.
pub struct ReceiptDraft {
    /// Whose key, on which operation.
    pub scope: ReceiptScope,
    /// The fingerprint of the request.
    pub request: Digest,
    /// The answer.
    pub render: Render,
}

/// The receipt of an order, if it is to have one.
pub type Reply = Option<ReceiptDraft>;

/// A run to be created. Its workflow's definition must be in the store already: recovery looks it
/// up there by digest.
pub struct NewRunRequest {
    /// The id of the new run.
    pub run_id: RunId,
    /// What it executes.
    pub workflow: Arc<Workflow>,
    /// How it starts.
    pub start: Start,
    /// The receipt to be written with it.
    pub reply: Reply,
}

/// A durable order's result.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The run.
    pub run: RunKey,
    /// Its status after the order's commit.
    pub status: RunStatus,
    /// Its last event after the order's commit.
    pub last_sequence: u64,
    /// The rendered answer, when the order had a receipt: byte for byte what was stored.
    pub response: Option<StoredResponse>,
}

impl Outcome {
    pub(crate) fn of(record: &RunRecord, response: Option<StoredResponse>) -> Outcome {
        Outcome { run: record.key, status: record.status, last_sequence: record.last_sequence, response }
    }
}

/// What lies in an actor's mailbox.
pub(crate) enum Mail {
    /// Decide this and make it durable.
    Order(Box<Order>),
    /// Fire these timers, all of which are due.
    Fire(DueTimers),
    /// See to it that the run moves.
    Adopt(oneshot::Sender<Result<(), EngineError>>),
}

/// Timers of one run that are due. They come as one letter, because a run that fans out has more
/// of them at one moment than its mailbox has places.
pub(crate) struct DueTimers {
    pub(crate) timers: Vec<TimerId>,
    pub(crate) done: oneshot::Sender<Result<(), EngineError>>,
}

/// An order on its way to an actor. Nobody needs to wait for the answer.
pub(crate) struct Order {
    pub(crate) command: Command,
    pub(crate) reply: Reply,
    pub(crate) done: oneshot::Sender<Result<Outcome, EngineError>>,
}
