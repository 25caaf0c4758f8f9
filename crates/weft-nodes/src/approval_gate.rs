//! `core.approvalGate`: a person decides (REST sheet §18, "Approvals").

use serde::Deserialize;
use serde_json::Value;
use weft_core::{InterruptRequest, NodeCall, NodeError, PureNode, PureOutcome};
use weft_model::interrupt::{ApprovalData, Audience, OnTimeout, RejectionPolicy};
use weft_model::{ApprovalAction, InterruptData, JsonObject, NodeId};

use crate::config::{invalid_input, read, read_checked};

const TITLE_DEFAULT: &str = "Approval";
const ARTIFACT_TYPE_DEFAULT: &str = "approval";

/// Ports that set a member of the interrupt; every other port becomes a member
/// of the artifact.
const TITLE: &str = "title";
const DESCRIPTION: &str = "description";
const ARTIFACT_ID: &str = "artifactId";
const ARTIFACT_DATA: &str = "artifactData";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Config {
    title: Option<String>,
    description: Option<String>,
    #[serde(default = "default_actions")]
    actions: Vec<ApprovalAction>,
    artifact_id: Option<String>,
    artifact_type: Option<String>,
    artifact_data: Option<Value>,
    timeout_ms: Option<u64>,
    on_timeout: Option<OnTimeout>,
    required_approvals: Option<u32>,
    rejection_policy: Option<RejectionPolicy>,
    approvers_list: Option<Vec<String>>,
    override_bypasses_quorum: Option<bool>,
    approver_group_refs: Option<Vec<String>>,
    approver_role_refs: Option<Vec<String>>,
    audience: Option<Audience>,
    /// Names an interrupt profile; accepted so that such a definition loads,
    /// and without effect, since this host advertises none.
    #[serde(rename = "profile")]
    _profile: Option<Value>,
}

fn default_actions() -> Vec<ApprovalAction> {
    vec![ApprovalAction::Accept, ApprovalAction::Reject]
}

/// Suspends its run until somebody entitled to it answers.
pub(crate) struct ApprovalGate;

impl PureNode for ApprovalGate {
    fn check(&self, config: &JsonObject) -> Result<(), String> {
        let config: Config = read(config)?;
        // The node's own id stands in for the artifact's: it is never empty, so
        // it hides no fault of the config.
        let stand_in = NodeId::parse("gate").map_err(|error| error.to_string())?;
        InterruptData::Approval(config.data(&stand_in)).check().map_err(str::to_owned)
    }

    fn evaluate(&self, call: &NodeCall) -> PureOutcome {
        match request(call) {
            Ok(request) => PureOutcome::Suspend(request),
            Err(error) => PureOutcome::Fail(error),
        }
    }
}

fn request(call: &NodeCall) -> Result<InterruptRequest, NodeError> {
    let config: Config = read_checked(&call.config)?;
    let timeout_ms = config.timeout_ms;
    let mut data = config.data(&call.node_id);
    apply_inputs(&call.inputs, &mut data)?;
    let data = InterruptData::Approval(data);
    data.check().map_err(|reason| invalid_input("config", reason))?;
    Ok(InterruptRequest { data, resume_schema: None, timeout_ms })
}

impl Config {
    fn data(self, node_id: &NodeId) -> ApprovalData {
        ApprovalData {
            artifact_id: self.artifact_id.unwrap_or_else(|| node_id.to_string()),
            artifact_type: self.artifact_type.unwrap_or_else(|| ARTIFACT_TYPE_DEFAULT.to_owned()),
            title: self.title.unwrap_or_else(|| TITLE_DEFAULT.to_owned()),
            on_timeout: self.on_timeout.map(honest_timeout),
            description: self.description,
            artifact_data: self.artifact_data,
            actions: self.actions,
            required_approvals: self.required_approvals,
            approvers_list: self.approvers_list,
            rejection_policy: self.rejection_policy,
            override_bypasses_quorum: self.override_bypasses_quorum,
            approver_group_refs: self.approver_group_refs,
            approver_role_refs: self.approver_role_refs,
            audience: self.audience,
        }
    }
}

/// A timeout never grants (R-APR-11), so the word that promises it is not
/// shown to an approver.
fn honest_timeout(hint: OnTimeout) -> OnTimeout {
    match hint {
        OnTimeout::Approve | OnTimeout::Reject => OnTimeout::Reject,
        OnTimeout::Escalate => OnTimeout::Escalate,
    }
}

fn apply_inputs(inputs: &JsonObject, data: &mut ApprovalData) -> Result<(), NodeError> {
    let mut artifact = JsonObject::new();
    for (port, value) in inputs {
        match port.as_str() {
            TITLE => data.title = text(port, value)?,
            DESCRIPTION => data.description = Some(text(port, value)?),
            ARTIFACT_ID => data.artifact_id = text(port, value)?,
            ARTIFACT_DATA => {}
            _ => {
                artifact.insert(port.clone(), value.clone());
            }
        }
    }
    match inputs.get(ARTIFACT_DATA) {
        Some(whole) if artifact.is_empty() => data.artifact_data = Some(whole.clone()),
        Some(_) => {
            let reason = "gives the whole artifact, so no other port can add to it";
            return Err(invalid_input(ARTIFACT_DATA, reason));
        }
        None if artifact.is_empty() => {}
        None => data.artifact_data = Some(Value::Object(artifact)),
    }
    Ok(())
}

fn text(port: &str, value: &Value) -> Result<String, NodeError> {
    value.as_str().map(str::to_owned).ok_or_else(|| invalid_input(port, "is not a text"))
}
