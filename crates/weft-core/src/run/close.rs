//! Ending runs: completion, failure, bounds, cancellation. Exactly one terminal event, and it is
//! the last (R-TERM-01, R-TERM-02): what is still open is cancelled before it.

use weft_model::event::{CapBreached, CapKind, Failure, NodeCancelled, RunCancelled, RunCompleted, RunFailed};
use weft_model::{ErrorCode, EventBody};

use super::command::{Cancel, Effect, Refusal};
use super::draft::Draft;
use super::state::NodeStage;
use super::timer::{NodeTimer, TimerId};
use super::{interrupt, settle};
use crate::node::NodeError;
use crate::workflow::NodeIx;

/// Nothing is ready and nothing is open.
pub(super) fn complete(draft: &mut Draft<'_, '_>) {
    crossing!(RunCompleted);
    let outputs = draft.state.outputs();
    let duration_ms = duration(draft);
    draft.emit(EventBody::RunCompleted(RunCompleted { outputs, duration_ms }));
    forget_deadline(draft);
}

/// Fails the run; `node` is the one that caused it (R-EVT-28).
pub(super) fn fail(draft: &mut Draft<'_, '_>, error: Failure, node: Option<NodeIx>) {
    cancel_open(draft, "run-failed");
    let failed_node_id = node.map(|ix| draft.node_id(ix));
    let duration_ms = duration(draft);
    draft.emit(EventBody::RunFailed(RunFailed { error, failed_node_id, duration_ms }));
    forget_deadline(draft);
}

pub(super) fn cancel(draft: &mut Draft<'_, '_>, cancel: Cancel) {
    crossing!(RunCancelled);
    cancel_open(draft, "run-cancelled");
    let cancelled = RunCancelled {
        reason: cancel.reason,
        cancelled_by: cancel.by.map(|subject| subject.subject_id.to_string()),
        duration_ms: duration(draft),
        parent_run_id: None,
    };
    draft.emit(EventBody::RunCancelled(cancelled));
    forget_deadline(draft);
}

/// The run's wall clock bound (R-EVT-36, R-OPT-05).
pub(super) fn out_of_time(draft: &mut Draft<'_, '_>) -> Result<(), Refusal> {
    let begun = draft.state.begun.as_deref().ok_or(Refusal::Stale)?;
    let limit = begun.timeout_ms.ok_or(Refusal::Stale)?;
    let observed = draft.now().saturating_ms_since(begun.at);
    crossing!(RunTimedOut);
    let breached =
        CapBreached { kind: CapKind::RunDuration, limit: limit.into(), observed: observed.into(), node_id: None };
    draft.emit(EventBody::CapBreached(breached));
    fail(
        draft,
        NodeError::new(ErrorCode::RunTimeout, format!("the run took longer than {limit} ms")).into_failure(),
        None,
    );
    Ok(())
}

/// The next execution would be one too many: the node over the limit never starts (R-EVT-35).
pub(super) fn exceed_executions(draft: &mut Draft<'_, '_>, ix: NodeIx, limit: u64) {
    crossing!(ExecutionsExceeded);
    let breached = CapBreached {
        kind: CapKind::NodeExecutions,
        limit: limit.into(),
        observed: (draft.state.executions + 1).into(),
        node_id: Some(draft.node_id(ix)),
    };
    draft.emit_at(ix, EventBody::CapBreached(breached));
    let message = format!("the run needs more than {limit} node executions");
    fail(draft, NodeError::new(ErrorCode::RecursionLimitExceeded, message).into_failure(), None);
}

/// Cancels every node that has begun and not ended; its timers and attempts go with it.
fn cancel_open(draft: &mut Draft<'_, '_>, reason: &str) {
    for ix in draft.state.open.clone() {
        abandon(draft, ix);
        let node_id = draft.node_id(ix);
        draft.emit_at(ix, EventBody::NodeCancelled(NodeCancelled { node_id, reason: Some(reason.to_owned()) }));
    }
}

fn abandon(draft: &mut Draft<'_, '_>, ix: NodeIx) {
    match &draft.state.slot(ix).stage {
        NodeStage::Running { attempt, .. } => {
            let attempt = *attempt;
            if draft.state.is_effect(ix) {
                crossing!(CancelledRunning);
                settle::forget_timeout(draft, ix, attempt);
                let node = draft.node_id(ix);
                draft.effect(Effect::AbortNode { node, attempt });
            } else {
                crossing!(CancelledAsleep);
                let timer = draft.node_timer(NodeTimer::Sleep, ix, attempt);
                draft.clear_timer(timer);
            }
        }
        NodeStage::Retrying { attempt, .. } => {
            crossing!(CancelledBetweenAttempts);
            let timer = draft.node_timer(NodeTimer::Retry, ix, *attempt);
            draft.clear_timer(timer);
        }
        NodeStage::Suspended(wait) => {
            crossing!(CancelledSuspended);
            let wait = wait.clone();
            interrupt::forget_timer(draft, ix, &wait);
        }
        _ => {}
    }
}

fn forget_deadline(draft: &mut Draft<'_, '_>) {
    if draft.state.run_deadline().is_some() {
        draft.clear_timer(TimerId::RunDeadline);
    }
}

fn duration(draft: &Draft<'_, '_>) -> Option<u64> {
    draft.state.begun.as_deref().map(|begun| draft.now().saturating_ms_since(begun.at))
}
