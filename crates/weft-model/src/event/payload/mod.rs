//! The payloads weft's engine emits, member for member as in the events sheet.
//!
//! Absent members are left out, never written as `null`, unless the sheet admits any JSON there.

mod interrupt;
mod node;
mod run;

pub use interrupt::{Decision, InterruptResolved, RefineFeedback, RefineScope, ResolvedAction};
pub use node::{
    NodeCancelled, NodeCompleted, NodeFailed, NodeResumed, NodeRetried, NodeSkipped, NodeStarted, NodeSuspendFailed,
    NodeSuspended,
};
pub use run::{
    CapBreached, CapKind, DrainPolicy, RunCancelled, RunCompleted, RunFailed, RunLimits, RunPaused,
    RunRestoredFromSnapshot, RunResumeStarted, RunResumed, RunStarted, Transport, WorkflowRestored,
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

impl Failure {
    /// A failure with a code and a sentence. The wire admits no empty message, so an empty one
    /// is replaced by the code's text.
    pub fn new(code: impl Into<FailureCode>, message: impl Into<String>) -> Self {
        let (code, mut message) = (code.into(), message.into());
        if message.is_empty() {
            code.as_str().clone_into(&mut message);
        }
        Self { code, message, details: None, retryable: None }
    }
}

/// Reads a member whose presence matters even when its value is `null`.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}
