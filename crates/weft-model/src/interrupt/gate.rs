//! The data of an approval gate (R-APR-01, R-APR-05 to R-APR-07, R-APR-11 to R-APR-16).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::payload::present;

/// What an approver may answer (R-APR-01).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalAction {
    /// Accept it as it is.
    Accept,
    /// Reject it.
    Reject,
    /// Send it back with remarks.
    Refine,
    /// Accept it after an edit.
    EditAccept,
    /// Ask something; the wait goes on (R-APR-02).
    Ask,
}

/// A hint of the workflow's author; the outcome of a timeout is always a rejection (R-APR-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    /// Reject.
    Reject,
    /// Treated as reject.
    Approve,
    /// May notify, and rejects.
    Escalate,
}

/// How rejections add up (R-APR-06).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RejectionPolicy {
    /// One is enough.
    SingleVeto,
    /// More than half of the approvals needed.
    Majority,
}

/// Whom to tell; it makes nobody eligible (R-APR-16).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Audience {
    /// Subjects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subjects: Option<Vec<String>>,
    /// Groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// Roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
}

/// Data of an approval gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalData {
    /// What is up for approval.
    pub artifact_id: String,
    /// Its type.
    pub artifact_type: String,
    /// A line for people.
    pub title: String,
    /// The author's hint about a timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
    /// More for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The artifact itself; `null` is a value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub artifact_data: Option<Value>,
    /// What may be answered: at least one, none twice.
    pub actions: Vec<ApprovalAction>,
    /// How many distinct accepts open the gate; absent is 1 (R-APR-05).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_approvals: Option<u32>,
    /// Who may answer; absent or empty is everybody with the scope (R-APR-13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvers_list: Option<Vec<String>>,
    /// How rejections add up; absent is single-veto.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection_policy: Option<RejectionPolicy>,
    /// Whether an override opens the gate alone; absent is no (R-APR-07).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub override_bypasses_quorum: Option<bool>,
    /// Groups whose members may answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approver_group_refs: Option<Vec<String>>,
    /// Roles whose holders may answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approver_role_refs: Option<Vec<String>>,
    /// Whom to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<Audience>,
}

impl ApprovalData {
    /// How many distinct accepts open the gate.
    pub fn required_approvals(&self) -> u32 {
        self.required_approvals.unwrap_or(1)
    }

    /// How rejections add up.
    pub fn rejection_policy(&self) -> RejectionPolicy {
        self.rejection_policy.unwrap_or(RejectionPolicy::SingleVeto)
    }
}
