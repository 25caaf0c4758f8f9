//! The payloads weft's engine emits, member for member as in the events sheet.
//!
//! Absent members are left out, never written as `null`, unless the sheet admits any JSON there.

mod interrupt;
mod node;
mod run;

pub use interrupt::{Decision, InterruptResolved, RefineFeedback, RefineScope, ResolvedAction};
pub use node::{
    NodeCancelled, NodeCompleted, NodeFailed, NodeResumed, NodeRetried, NodeSkipped, NodeStarted, NodeSuspended,
};
pub use run::{
    CapBreached, CapKind, DrainPolicy, RunCancelled, RunCompleted, RunFailed, RunPaused, RunRestoredFromSnapshot,
    RunResumeStarted, RunResumed, RunStarted, Transport, WorkflowRestored,
};

use serde::{Deserialize, Serialize};

use crate::error_code::FailureCode;
use crate::json::JsonObject;

/// What a failed run or node carries: `{code, message, details?, retryable?}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// A registered or vendor code (R-EVT-22).
    pub code: FailureCode,
    /// A non-empty sentence for people.
    pub message: String,
    /// Facts for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<JsonObject>,
    /// Whether another attempt may succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
}

/// Reads a member whose presence matters even when its value is `null`.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}
