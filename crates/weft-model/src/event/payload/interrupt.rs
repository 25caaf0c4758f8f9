//! The payload of `interrupt.resolved` and its aliases (events sheet §3.3).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::present;
use crate::ids::{InterruptId, NodeId};
use crate::interrupt::InterruptKind;
use crate::subject::Subject;

pub use crate::interrupt::{RefineFeedback, RefineScope};

/// How an approval ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The gate opens.
    Granted,
    /// It does not.
    Rejected,
    /// Somebody entitled to it opened it alone.
    Overridden,
}

/// What resolved an approval. `timeout` is the host's own and no caller's (R-APR-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResolvedAction {
    /// Accepted as it is.
    Accept,
    /// Rejected.
    Reject,
    /// Sent back with remarks.
    Refine,
    /// Accepted after an edit.
    EditAccept,
    /// Nobody answered in time.
    Timeout,
}

/// `interrupt.resolved` (R-EVT-47, R-EVT-48).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InterruptResolved {
    /// The node that waited.
    pub node_id: NodeId,
    /// The interrupt.
    pub interrupt_id: InterruptId,
    /// Its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<InterruptKind>,
    /// Why a machine resolved it: `timeout`, `quorum-reject`, …, 1 to 64 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The value it was resolved with; `null` is a value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub resume_value: Option<Value>,
    /// Who resolved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<Subject>,
    /// An approval's end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// An approval's action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ResolvedAction>,
    /// The remarks of `refine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refine_feedback: Option<RefineFeedback>,
    /// The edited artifact of `edit-accept`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub edited_artifact_data: Option<Value>,
}
