//! Waiting for people: suspension, answers, and answers that never come (REST sheet §18).

use serde_json::{Value, json};
use weft_model::event::{InterruptResolved, NodeResumed, NodeSuspended, ResolvedAction};
use weft_model::interrupt::{ApprovalData, InvalidApproval};
use weft_model::{
    ApprovalAction, ApprovalResume, Digest, ErrorCode, EventBody, EventId, EventType, InterruptData, InterruptId,
    InterruptPayload, NodeId, Subject, Timestamp, event,
};

use super::command::Refusal;
use super::draft::Draft;
use super::settle;
use super::state::{RunState, Wait};
use super::timer::NodeTimer;
use crate::node::{InterruptRequest, NodeError};
use crate::workflow::NodeIx;

/// Suspends a node: the request first, then the suspension that names the interrupt, then the
/// alias, all in one commit (E1 to E3).
pub(super) fn suspend(draft: &mut Draft<'_, '_>, ix: NodeIx, attempt: u32, request: InterruptRequest) {
    let visit = draft.state.slot(ix).visits;
    let key = key(draft.state, ix, visit);
    let InterruptRequest { data, resume_schema, timeout_ms } = request;
    let payload = InterruptPayload { key: key.clone(), data, resume_schema, timeout_ms };
    if let Err(error) = admit(&payload) {
        crossing!(SuspendRefused);
        let now = draft.now();
        return settle::finish(draft, ix, attempt, now, Err(error));
    }
    crossing!(Suspended);
    let interrupt_id = InterruptId::mint(&draft.state.run_id.tenant_id(), draft.now(), draft.random());
    let requested = draft.emit_at(ix, EventBody::InterruptRequested(Box::new(payload.clone())));
    let suspended = NodeSuspended {
        node_id: draft.node_id(ix),
        interrupt_id,
        kind: Some(payload.kind()),
        reason: None,
        key: Some(key),
    };
    draft.emit_caused(ix, &requested, EventBody::NodeSuspended(suspended));
    draft.emit_caused(ix, &requested, EventBody::ApprovalRequested(Box::new(payload)));
    if let Some(ms) = timeout_ms.filter(|ms| *ms > 0) {
        let timer = draft.node_timer(NodeTimer::Interrupt, ix, visit);
        let due = draft.now().plus_ms(ms);
        draft.set_timer(timer, due);
    }
}

/// One key for each visit of a node, derived the same way by every process (R-INT-04, D9).
fn key(state: &RunState, ix: NodeIx, visit: u32) -> String {
    let node = state.workflow.node_id(ix).as_str().as_bytes();
    Digest::of_parts(&[b"interrupt", state.run_id.as_str().as_bytes(), node, &visit.to_be_bytes()]).to_hex()
}

fn admit(payload: &InterruptPayload) -> Result<(), NodeError> {
    let InterruptData::Approval(gate) = &payload.data else {
        let message = format!("interrupts of kind {} are not offered yet", payload.kind());
        return Err(NodeError::new(ErrorCode::CapabilityNotProvided, message));
    };
    payload.check().map_err(|error| NodeError::new(ErrorCode::NodeConfigInvalid, error.to_string()))?;
    if gate.required_approvals() > 1 {
        return Err(NodeError::new(ErrorCode::NodeConfigInvalid, "approvals by several people are not offered yet"));
    }
    Ok(())
}

/// Answers the open interrupt of a node.
pub(super) fn resolve(draft: &mut Draft<'_, '_>, node: &NodeId, value: Value, by: Subject) -> Result<(), Refusal> {
    let ix = draft.state.workflow.find(node).ok_or(Refusal::NoSuchInterrupt)?;
    let slot = draft.state.slot(ix);
    let open = if draft.state.is_terminal() { None } else { draft.state.wait(ix) };
    let Some(wait) = open else {
        // Resolved earlier, or ended with its run (R-INT-11).
        return Err(if slot.visits > 0 { Refusal::AlreadyResolved } else { Refusal::NoSuchInterrupt });
    };
    let InterruptData::Approval(gate) = &wait.payload.data else { return Err(Refusal::NoSuchInterrupt) };
    // Who may not answer learns nothing about what would have been an answer.
    if !eligible(gate, &by) {
        return Err(Refusal::NotEligible);
    }
    let resume = ApprovalResume::read(&value, gate).map_err(|error| misfit(&error))?;
    let wait = wait.clone();
    answer(draft, ix, &wait, dated(value, draft.now()), resume, by);
    Ok(())
}

fn misfit(error: &InvalidApproval) -> Refusal {
    let pointer = match error {
        InvalidApproval::Shape(_) => "",
        InvalidApproval::ActionNotOffered => "/action",
        InvalidApproval::FeedbackMissing => "/refineFeedback",
        InvalidApproval::EditMissing => "/editedArtifactData",
    };
    Refusal::InvalidResume { pointer: pointer.to_owned(), reason: error.to_string() }
}

/// Whether a subject is among the approvers; an absent or empty list admits everybody who may
/// answer at all (R-APR-13).
fn eligible(gate: &ApprovalData, by: &Subject) -> bool {
    match gate.approvers_list.as_deref() {
        None | Some([]) => true,
        Some(approvers) => approvers.iter().any(|approver| approver == by.subject_id.as_str()),
    }
}

/// The recorded answer always says when it was given (R-APR-04).
fn dated(mut value: Value, now: Timestamp) -> Value {
    if let Some(members) = value.as_object_mut() {
        let stated = members.get("decidedAt").is_some_and(|at| !at.is_null());
        if !stated {
            members.insert("decidedAt".to_owned(), now.to_string().into());
        }
    }
    value
}

fn answer(draft: &mut Draft<'_, '_>, ix: NodeIx, wait: &Wait, value: Value, resume: ApprovalResume, by: Subject) {
    // Whether a gate was granted and what was answered are two questions: sent back for
    // refinement it is neither granted nor rejected.
    let (action, decision) = match resume.action {
        ApprovalAction::Ask => return ask(draft, ix, &value, &by),
        ApprovalAction::Accept => (ResolvedAction::Accept, Some(event::Decision::Granted)),
        ApprovalAction::EditAccept => (ResolvedAction::EditAccept, Some(event::Decision::Granted)),
        ApprovalAction::Reject => (ResolvedAction::Reject, Some(event::Decision::Rejected)),
        ApprovalAction::Refine => (ResolvedAction::Refine, None),
    };
    let mut resolved = resolution(draft, ix, wait, action, decision);
    resolved.resume_value = Some(value.clone());
    resolved.resolved_by = Some(by);
    resolved.refine_feedback = resume.refine_feedback;
    resolved.edited_artifact_data = resume.edited_artifact_data;
    close(draft, ix, wait, resolved);
    if decision == Some(event::Decision::Rejected) {
        crossing!(Rejected);
        let error = NodeError::new(ErrorCode::ApprovalRejected, "the approval was rejected");
        return settle::fail(draft, ix, wait.attempt.saturating_add(1), error);
    }
    if decision.is_some() {
        crossing!(Granted);
    } else {
        crossing!(Refined);
    }
    // The node's outputs are the members of the answer (R-EVT-148).
    let outputs = value.as_object().cloned().unwrap_or_default();
    settle::finish(draft, ix, wait.attempt, wait.since, Ok(outputs));
}

/// A question does not end the wait (R-APR-02). It is recorded, so that an accepted request is
/// durable and whoever decides can see it.
fn ask(draft: &mut Draft<'_, '_>, ix: NodeIx, value: &Value, by: &Subject) {
    crossing!(Asked);
    let payload = json!({
        "level": "info",
        "message": "A question was asked about an approval.",
        "nodeId": draft.node_id(ix),
        "fields": {"resumeValue": value, "askedBy": by.subject_id},
    });
    let payload = serde_json::value::to_raw_value(&payload).expect("a JSON value is always JSON text");
    draft.emit_at(ix, EventBody::Other { event_type: EventType::LogAppended, payload });
}

fn resolution(
    draft: &Draft<'_, '_>,
    ix: NodeIx,
    wait: &Wait,
    action: ResolvedAction,
    decision: Option<event::Decision>,
) -> InterruptResolved {
    InterruptResolved {
        node_id: draft.node_id(ix),
        interrupt_id: wait.interrupt_id.clone().expect("the suspension follows its request in the same commit"),
        kind: Some(wait.payload.kind()),
        reason: None,
        resume_value: None,
        resolved_by: None,
        decision,
        action: Some(action),
        refine_feedback: None,
        edited_artifact_data: None,
    }
}

/// Records a resolution with its aliases and takes the node up again (R-EVT-43, E3).
fn close(draft: &mut Draft<'_, '_>, ix: NodeIx, wait: &Wait, resolved: InterruptResolved) {
    forget_timer(draft, ix, wait);
    let cause = draft.emit_at(ix, EventBody::InterruptResolved(Box::new(resolved.clone())));
    draft.emit_caused(ix, &cause, EventBody::ApprovalReceived(Box::new(resolved.clone())));
    alias(draft, ix, &cause, &resolved);
    let resumed = NodeResumed {
        node_id: resolved.node_id,
        interrupt_id: Some(resolved.interrupt_id),
        resume_value: resolved.resume_value,
    };
    draft.emit_caused(ix, &cause, EventBody::NodeResumed(resumed));
}

fn alias(draft: &mut Draft<'_, '_>, ix: NodeIx, cause: &EventId, resolved: &InterruptResolved) {
    let payload = Box::new(resolved.clone());
    let body = match resolved.decision {
        Some(event::Decision::Granted) => EventBody::ApprovalGranted(payload),
        Some(event::Decision::Rejected) => EventBody::ApprovalRejected(payload),
        Some(event::Decision::Overridden) => EventBody::ApprovalOverridden(payload),
        None => return,
    };
    draft.emit_caused(ix, cause, body);
}

pub(super) fn forget_timer(draft: &mut Draft<'_, '_>, ix: NodeIx, wait: &Wait) {
    if wait.payload.timeout_ms.is_some_and(|ms| ms > 0) {
        let visit = draft.state.slot(ix).visits.saturating_sub(1);
        let timer = draft.node_timer(NodeTimer::Interrupt, ix, visit);
        draft.clear_timer(timer);
    }
}

/// Nobody answered in time: rejected, whatever the author hoped for (R-APR-11).
pub(super) fn time_out(draft: &mut Draft<'_, '_>, ix: NodeIx) {
    let Some(wait) = draft.state.wait(ix).cloned() else { return };
    crossing!(InterruptTimedOut);
    let mut resolved = resolution(draft, ix, &wait, ResolvedAction::Timeout, Some(event::Decision::Rejected));
    resolved.reason = Some("timeout".to_owned());
    close(draft, ix, &wait, resolved);
    let error = NodeError::new(ErrorCode::ApprovalRejected, "the approval was not answered in time")
        .with_detail("reason", "timeout");
    settle::fail(draft, ix, wait.attempt.saturating_add(1), error);
}
