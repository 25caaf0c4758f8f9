//! Picking a run up in a process that has none of its effects in flight.
//!
//! Everything a run waits for is in its log: the moment an attempt began, the pause before a
//! retry, an interrupt's timeout. Recovery sets those timers again at their original due times,
//! so a lost timer row cannot strand a run.

use weft_model::event::WorkflowRestored;
use weft_model::run::ENGINE_VERSION;
use weft_model::{ErrorCode, EventBody, Timestamp};

use super::draft::Draft;
use super::inputs::Call;
use super::state::NodeStage;
use super::timer::{NodeTimer, TimerId};
use super::{chain, settle};
use crate::node::{NodeError, NodeKind, PureOutcome};
use crate::workflow::NodeIx;

/// Attempts of one node after which a cut one is not repeated any more. An effect that takes its
/// process down with it ends here instead of for ever (R-DUR-04).
pub const CUT_ATTEMPTS_MAX: u32 = 5;

pub(super) fn recover(draft: &mut Draft<'_, '_>) {
    if draft.state.is_moving() {
        let restored = WorkflowRestored { from_snapshot_seq: None, engine_version: Some(ENGINE_VERSION) };
        draft.emit(EventBody::WorkflowRestored(restored));
    }
    if let Some(due) = draft.state.run_deadline() {
        draft.set_timer(TimerId::RunDeadline, due);
    }
    for ix in draft.state.open.clone() {
        // A failure that nothing routes ends the run and everything in it.
        if draft.state.is_terminal() {
            return;
        }
        match &draft.state.slot(ix).stage {
            NodeStage::Running { attempt, since } => {
                let (attempt, since) = (*attempt, *since);
                if draft.state.is_effect(ix) {
                    cut(draft, ix, attempt, since)
                } else {
                    sleep_on(draft, ix, attempt, since)
                }
            }
            NodeStage::Retrying { attempt, due } => {
                let (attempt, due) = (*attempt, *due);
                restore(draft, NodeTimer::Retry, ix, attempt, due);
            }
            NodeStage::Suspended(wait) => {
                if let Some(ms) = wait.payload.timeout_ms.filter(|ms| *ms > 0) {
                    let due = wait.requested_at.plus_ms(ms);
                    let visit = draft.state.slot(ix).visits.saturating_sub(1);
                    restore(draft, NodeTimer::Interrupt, ix, visit, due);
                }
            }
            _ => {}
        }
    }
}

fn restore(draft: &mut Draft<'_, '_>, kind: NodeTimer, ix: NodeIx, attempt: u32, due: Timestamp) {
    crossing!(TimersRestored);
    let timer = draft.node_timer(kind, ix, attempt);
    draft.set_timer(timer, due);
}

/// A pure node asks for the same sleep again; what it began at stays.
fn sleep_on(draft: &mut Draft<'_, '_>, ix: NodeIx, attempt: u32, since: Timestamp) {
    let workflow = std::sync::Arc::clone(&draft.state.workflow);
    let NodeKind::Pure(pure) = &workflow.node(ix).kind else { return };
    let Ok(Call { call, .. }) = draft.state.call(ix, attempt, since) else { return };
    if let PureOutcome::Sleep { ms } = pure.evaluate(&call) {
        restore(draft, NodeTimer::Sleep, ix, attempt, since.plus_ms(ms));
    }
}

/// The process ended between the announcement of an attempt and its report. Whether the effect
/// happened is unknown, so it is repeated only where repeating is harmless (DECISIONS 36).
fn cut(draft: &mut Draft<'_, '_>, ix: NodeIx, attempt: u32, since: Timestamp) {
    let workflow = std::sync::Arc::clone(&draft.state.workflow);
    let node = workflow.node(ix);
    let NodeKind::Effect { repeat, .. } = &node.kind else { return };
    let next = attempt.saturating_add(1);
    settle::forget_timeout(draft, ix, attempt);
    let repeatable = repeat.admits(&node.config) && next < node.retry.max_attempts.max(CUT_ATTEMPTS_MAX);
    if repeatable {
        crossing!(CutAttemptRepeated);
        settle::emit_retried(draft, ix, next, 0, interrupted(true));
        chain::begin(draft, ix, next);
    } else {
        crossing!(CutAttemptFailed);
        settle::finish(draft, ix, attempt, since, Err(interrupted(false)));
    }
}

fn interrupted(retryable: bool) -> NodeError {
    let message = "the host stopped while the attempt was running; whether it had its effect is unknown";
    NodeError::new(ErrorCode::InternalError, message).with_detail("reason", "interrupted").with_retryable(retryable)
}
