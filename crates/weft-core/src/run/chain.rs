//! Running what is ready, until nothing is or the decision is long enough.

use weft_model::EventBody;
use weft_model::event::{NodeSkipped, NodeStarted};

use super::command::Effect;
use super::draft::Draft;
use super::inputs::Call;
use super::state::{NodeStage, Stage};
use super::timer::NodeTimer;
use super::trigger::Verdict;
use super::{close, interrupt, settle};
use crate::node::{NodeError, NodeKind, PureOutcome};
use crate::workflow::NodeIx;

/// Events after which a chain of pure nodes is cut, so that one run's decision does not keep its
/// thread and its commit to itself. A step is begun below the bound and always finished, and the
/// end of a run cancels every open node in one decision: a decision may be longer.
pub const CHAIN_EVENTS_MAX: usize = 256;

/// Bytes of node inputs after which a chain is cut for the same reason: what pure nodes pass on is
/// about what they were given. A commit holds many times as much, so the step that goes over the
/// bound fits as well.
pub const CHAIN_BYTES_MAX: usize = 1024 * 1024;

/// Starts or skips ready nodes in definition order and ends the run when nothing is left.
pub(super) fn advance(draft: &mut Draft<'_, '_>) {
    while draft.state.stage == Stage::Open {
        let Some(ix) = draft.state.ready.first().copied() else { break };
        if draft.event_count() >= CHAIN_EVENTS_MAX || draft.carried_bytes() >= CHAIN_BYTES_MAX {
            crossing!(ChainCut);
            draft.stop_for_more();
            return;
        }
        step(draft, ix);
    }
    if draft.state.stage == Stage::Open && draft.state.open.is_empty() {
        close::complete(draft);
    }
}

fn step(draft: &mut Draft<'_, '_>, ix: NodeIx) {
    if draft.state.slot(ix).verdict == Verdict::Skip {
        crossing!(SkippedByRule);
        return skip(draft, ix, "trigger-rule");
    }
    if draft.state.workflow.node(ix).disabled {
        crossing!(SkippedDisabled);
        return skip(draft, ix, "disabled");
    }
    let executions = draft.state.executions;
    let limit = draft.state.begun.as_deref().and_then(|begun| begun.recursion_limit);
    match limit.filter(|limit| executions >= *limit) {
        Some(limit) => close::exceed_executions(draft, ix, limit),
        None => begin(draft, ix, 0),
    }
}

fn skip(draft: &mut Draft<'_, '_>, ix: NodeIx, reason: &str) {
    let node_id = draft.node_id(ix);
    draft.emit_at(ix, EventBody::NodeSkipped(NodeSkipped { node_id, reason: Some(reason.to_owned()) }));
    let workflow = std::sync::Arc::clone(&draft.state.workflow);
    for source in &workflow.node(ix).tolerates {
        // A failure whose last way out is skipped ends the run after all.
        if let NodeStage::Failed(failure) = &draft.state.slot(*source).stage
            && !draft.state.routes_failure(*source)
        {
            crossing!(RouteLost);
            let failure = failure.as_ref().clone();
            return close::fail(draft, failure, Some(*source));
        }
    }
}

/// Begins an attempt. A pure node is evaluated at once; an effect starts after the commit.
pub(super) fn begin(draft: &mut Draft<'_, '_>, ix: NodeIx, attempt: u32) {
    let started = NodeStarted {
        node_id: draft.node_id(ix),
        type_id: draft.state.workflow.type_id(ix).clone(),
        attempt: Some(attempt),
    };
    draft.emit_at(ix, EventBody::NodeStarted(started));
    let now = draft.now();
    let Call { call, bytes } = match draft.state.call(ix, attempt, now) {
        Ok(call) => call,
        Err(error) => return fail_uncalled(draft, ix, attempt, error),
    };
    draft.carry(bytes);
    let workflow = std::sync::Arc::clone(&draft.state.workflow);
    match &workflow.node(ix).kind {
        NodeKind::Pure(pure) => take(draft, ix, attempt, pure.evaluate(&call)),
        NodeKind::Effect { node, .. } => {
            crossing!(EffectStarted);
            if let Some(ms) = workflow.node(ix).timeout_ms {
                let timer = draft.node_timer(NodeTimer::Timeout, ix, attempt);
                draft.set_timer(timer, now.plus_ms(ms));
            }
            draft.effect(Effect::RunNode { call, node: std::sync::Arc::clone(node) });
        }
    }
}

/// A port has no value, or the ports bring too much.
fn fail_uncalled(draft: &mut Draft<'_, '_>, ix: NodeIx, attempt: u32, error: NodeError) {
    let now = draft.now();
    settle::finish(draft, ix, attempt, now, Err(error));
}

fn take(draft: &mut Draft<'_, '_>, ix: NodeIx, attempt: u32, outcome: PureOutcome) {
    let now = draft.now();
    match outcome {
        PureOutcome::Complete(outputs) => settle::finish(draft, ix, attempt, now, Ok(outputs)),
        PureOutcome::Fail(error) => settle::finish(draft, ix, attempt, now, Err(error)),
        PureOutcome::Suspend(request) => interrupt::suspend(draft, ix, attempt, request),
        PureOutcome::Sleep { ms } => {
            crossing!(Slept);
            let timer = draft.node_timer(NodeTimer::Sleep, ix, attempt);
            draft.set_timer(timer, now.plus_ms(ms));
        }
    }
}
