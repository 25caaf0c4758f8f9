//! The node types of tests that need no real one.

use weft_core::{InterruptRequest, NodeCall, PureNode, PureOutcome};
use weft_model::interrupt::ApprovalData;
use weft_model::{ApprovalAction, InterruptData, JsonObject};

/// Completes at once.
#[derive(Debug)]
pub struct Noop;

impl PureNode for Noop {
    fn check(&self, _: &JsonObject) -> Result<(), String> {
        Ok(())
    }

    fn evaluate(&self, _: &NodeCall) -> PureOutcome {
        PureOutcome::Complete(JsonObject::new())
    }
}

/// Asks somebody to accept or reject.
#[derive(Debug)]
pub struct Gate;

impl PureNode for Gate {
    fn check(&self, _: &JsonObject) -> Result<(), String> {
        Ok(())
    }

    fn evaluate(&self, call: &NodeCall) -> PureOutcome {
        let data = ApprovalData {
            artifact_id: call.node_id.to_string(),
            artifact_type: "test".to_owned(),
            title: "Go on?".to_owned(),
            on_timeout: None,
            description: None,
            artifact_data: None,
            actions: vec![ApprovalAction::Accept, ApprovalAction::Reject],
            required_approvals: None,
            approvers_list: None,
            rejection_policy: None,
            override_bypasses_quorum: None,
            approver_group_refs: None,
            approver_role_refs: None,
            audience: None,
        };
        PureOutcome::Suspend(InterruptRequest {
            data: InterruptData::Approval(data),
            resume_schema: None,
            timeout_ms: None,
        })
    }
}
