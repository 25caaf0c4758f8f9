//! The value an approval is resumed with (R-APR-01 to R-APR-04, R-APR-12).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::gate::{ApprovalAction, ApprovalData};
use crate::event::payload::present;
use crate::time::Timestamp;

/// How much of the artifact a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefineScope {
    /// All of it.
    Whole,
    /// One section.
    Section,
    /// Some items.
    Items,
}

/// The remarks of `refine`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object with the member `scope`")]
pub struct RefineFeedback {
    /// How much of the artifact it is about.
    pub scope: RefineScope,
    /// The section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_path: Option<String>,
    /// The items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_ids: Option<Vec<String>>,
    /// Labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The remark itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The resume value of an approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object with the member `action`")]
pub struct ApprovalResume {
    /// What was answered.
    pub action: ApprovalAction,
    /// When. R-APR-04 wants it on every resume, but published clients and the conformance suite
    /// leave it out; whoever records the answer then fills in the time of its arrival.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
    /// By whom, opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// A remark beside accept or reject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// Names the voter where a quorum fixture counts votes by name (DECISIONS 45). It makes
    /// nobody eligible: elsewhere votes are told apart by the authenticated subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voter: Option<String>,
    /// The remarks; required by `refine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refine_feedback: Option<RefineFeedback>,
    /// The edited artifact; required by `edit-accept`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub edited_artifact_data: Option<Value>,
}

/// Why a resume value is no answer to an approval; all of them are `400 validation_error`.
#[derive(Debug, thiserror::Error)]
pub enum InvalidApproval {
    /// A member is missing, unknown or of the wrong type.
    #[error("{0}")]
    Shape(#[source] serde_json::Error),
    /// The gate does not offer the action.
    #[error("the action is not among the ones this approval offers")]
    ActionNotOffered,
    /// `refine` without remarks.
    #[error("refine needs refineFeedback")]
    FeedbackMissing,
    /// `edit-accept` without the edited artifact.
    #[error("edit-accept needs editedArtifactData")]
    EditMissing,
}

impl ApprovalResume {
    /// Reads a resume value and holds it against the gate it answers.
    pub fn read(value: &Value, gate: &ApprovalData) -> Result<Self, InvalidApproval> {
        let resume = Self::deserialize(value).map_err(InvalidApproval::Shape)?;
        if !gate.actions.contains(&resume.action) {
            return Err(InvalidApproval::ActionNotOffered);
        }
        match resume.action {
            ApprovalAction::Refine if resume.refine_feedback.is_none() => Err(InvalidApproval::FeedbackMissing),
            ApprovalAction::EditAccept if resume.edited_artifact_data.is_none() => Err(InvalidApproval::EditMissing),
            _ => Ok(resume),
        }
    }
}
