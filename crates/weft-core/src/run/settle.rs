//! Ending attempts: reports, timers, retries, failures.

use weft_model::event::{NodeCompleted, NodeFailed, NodeRetried};
use weft_model::{ErrorCode, EventBody, JsonObject, NodeId, Timestamp};

use super::command::{Effect, Refusal};
use super::draft::Draft;
use super::state::NodeStage;
use super::timer::{NodeTimer, TimerId};
use super::{chain, close, interrupt};
use crate::node::NodeError;
use crate::workflow::NodeIx;

/// An effect's report. One that is not about the attempt in flight is dropped (R-EVT-34).
pub(super) fn report(
    draft: &mut Draft<'_, '_>,
    node: &NodeId,
    attempt: u32,
    result: Result<JsonObject, NodeError>,
) -> Result<(), Refusal> {
    let ix = draft.state.workflow.find(node).ok_or(Refusal::Stale)?;
    let since = running(draft, ix, attempt)?;
    if !draft.state.is_effect(ix) {
        return Err(Refusal::Stale);
    }
    forget_timeout(draft, ix, attempt);
    finish(draft, ix, attempt, since, result);
    Ok(())
}

/// A timer that is due.
pub(super) fn fire(draft: &mut Draft<'_, '_>, timer: TimerId) -> Result<(), Refusal> {
    let TimerId::Node { kind, node, attempt } = &timer else {
        return close::out_of_time(draft);
    };
    let (kind, attempt) = (*kind, *attempt);
    let ix = draft.state.workflow.find(node).ok_or(Refusal::Stale)?;
    let effect = draft.state.is_effect(ix);
    match (kind, &draft.state.slot(ix).stage) {
        (NodeTimer::Sleep, NodeStage::Running { attempt: current, since }) if !effect && *current == attempt => {
            let since = *since;
            crossing!(SleepOver);
            draft.clear_timer(timer);
            finish(draft, ix, attempt, since, Ok(JsonObject::new()));
        }
        (NodeTimer::Retry, NodeStage::Retrying { attempt: next, .. }) if *next == attempt => {
            crossing!(RetryDue);
            draft.clear_timer(timer);
            chain::begin(draft, ix, attempt);
        }
        (NodeTimer::Timeout, NodeStage::Running { attempt: current, since }) if effect && *current == attempt => {
            let since = *since;
            crossing!(AttemptTimedOut);
            draft.clear_timer(timer);
            let node = draft.node_id(ix);
            draft.effect(Effect::AbortNode { node, attempt });
            finish(draft, ix, attempt, since, Err(timed_out(draft, ix)));
        }
        (NodeTimer::Interrupt, NodeStage::Suspended(_)) if draft.state.slot(ix).visits == attempt.saturating_add(1) => {
            draft.clear_timer(timer);
            interrupt::time_out(draft, ix);
        }
        _ => return Err(Refusal::Stale),
    }
    Ok(())
}

fn running(draft: &Draft<'_, '_>, ix: NodeIx, attempt: u32) -> Result<Timestamp, Refusal> {
    match draft.state.slot(ix).stage {
        NodeStage::Running { attempt: current, since } if current == attempt => Ok(since),
        _ => Err(Refusal::Stale),
    }
}

pub(super) fn forget_timeout(draft: &mut Draft<'_, '_>, ix: NodeIx, attempt: u32) {
    if draft.state.workflow.node(ix).timeout_ms.is_some() && draft.state.is_effect(ix) {
        let timer = draft.node_timer(NodeTimer::Timeout, ix, attempt);
        draft.clear_timer(timer);
    }
}

/// Ends an attempt: the node completes, is tried again, or fails for good.
pub(super) fn finish(
    draft: &mut Draft<'_, '_>,
    ix: NodeIx,
    attempt: u32,
    since: Timestamp,
    result: Result<JsonObject, NodeError>,
) {
    match result {
        Ok(outputs) => {
            crossing!(Completed);
            let completed = NodeCompleted {
                node_id: draft.node_id(ix),
                outputs: Some(outputs),
                duration_ms: Some(draft.now().saturating_ms_since(since)),
            };
            draft.emit_at(ix, EventBody::NodeCompleted(completed));
        }
        Err(error) => {
            let policy = draft.state.workflow.node(ix).retry;
            let next = attempt.saturating_add(1);
            if error.retryable && next < policy.max_attempts {
                let random = draft.random();
                retry(draft, ix, next, policy.pause_ms(next, random), error);
            } else {
                fail(draft, ix, next, error);
            }
        }
    }
}

fn retry(draft: &mut Draft<'_, '_>, ix: NodeIx, attempt: u32, delay_ms: u64, error: NodeError) {
    crossing!(RetryPlanned);
    emit_retried(draft, ix, attempt, delay_ms, error);
    let timer = draft.node_timer(NodeTimer::Retry, ix, attempt);
    let due = draft.now().plus_ms(delay_ms);
    draft.set_timer(timer, due);
}

pub(super) fn emit_retried(draft: &mut Draft<'_, '_>, ix: NodeIx, attempt: u32, delay_ms: u64, error: NodeError) {
    let retried = NodeRetried {
        node_id: draft.node_id(ix),
        attempt,
        delay_ms: Some(delay_ms),
        last_error: Some(error.into_failure()),
    };
    draft.emit_at(ix, EventBody::NodeRetried(retried));
}

/// Fails a node. Unless an edge takes the failure further, the run fails with it (R-APR-10).
pub(super) fn fail(draft: &mut Draft<'_, '_>, ix: NodeIx, attempts: u32, error: NodeError) {
    let failure = error.into_failure();
    let failed = NodeFailed { node_id: draft.node_id(ix), error: failure.clone(), attempts: Some(attempts) };
    draft.emit_at(ix, EventBody::NodeFailed(failed));
    if draft.state.routes_failure(ix) {
        crossing!(FailureRouted);
    } else {
        crossing!(FailureEndsRun);
        close::fail(draft, failure, Some(ix));
    }
}

/// The registry has no code for an attempt that takes too long. An effect waits for a dependency
/// of the host, and that dependency did not answer in time.
fn timed_out(draft: &Draft<'_, '_>, ix: NodeIx) -> NodeError {
    let limit = draft.state.workflow.node(ix).timeout_ms.unwrap_or(0);
    NodeError::new(ErrorCode::UpstreamUnavailable, format!("the attempt took longer than {limit} ms"))
        .with_detail("reason", "timeout")
        .with_detail("timeoutMs", limit)
        .with_retryable(true)
}
