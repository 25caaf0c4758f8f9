//! The run as the wire shows it: its status and its snapshot (events sheet §5).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error_code::FailureCode;
use crate::event::Failure;
use crate::ids::{NodeId, RunId, WorkflowId};
use crate::json::JsonObject;
use crate::subject::Owner;
use crate::time::Timestamp;

/// The era key stamped on every run of this host (R-EVT-104).
pub const EVENT_LOG_SCHEMA_VERSION: u32 = 3;
/// The version of weft's engine, an integer everywhere.
pub const ENGINE_VERSION: u32 = 1;

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStatus {
    /// Nothing is recorded yet.
    Pending,
    /// It moves.
    Running,
    /// Somebody paused it.
    Paused,
    /// It waits for an approval.
    WaitingApproval,
    /// It waits for an answer.
    WaitingInput,
    /// It waits for another system.
    WaitingExternal,
    /// It succeeded.
    Completed,
    /// It failed.
    Failed,
    /// A cancel was accepted and is not finished.
    Cancelling,
    /// It was cancelled.
    Cancelled,
}

impl RunStatus {
    /// The ten words, in the order of the sheet.
    pub const ALL: [Self; 10] = [
        Self::Pending,
        Self::Running,
        Self::Paused,
        Self::WaitingApproval,
        Self::WaitingInput,
        Self::WaitingExternal,
        Self::Completed,
        Self::Failed,
        Self::Cancelling,
        Self::Cancelled,
    ];

    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::WaitingApproval => "waiting-approval",
            Self::WaitingInput => "waiting-input",
            Self::WaitingExternal => "waiting-external",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelling => "cancelling",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status a word names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Whether nothing follows it.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Whether an interrupt is open.
    pub const fn is_waiting(self) -> bool {
        matches!(self, Self::WaitingApproval | Self::WaitingInput | Self::WaitingExternal)
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error of a failed run: the terminal event's, without `retryable` (R-EVT-94).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotError {
    /// A registered or vendor code.
    pub code: FailureCode,
    /// A sentence for people.
    pub message: String,
    /// Facts for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<JsonObject>,
}

impl From<&Failure> for SnapshotError {
    fn from(failure: &Failure) -> Self {
        let Failure { code, message, details, .. } = failure.clone();
        Self { code, message, details }
    }
}

/// The projected state of a run, the closed object of events sheet §5 (R-EVT-91, R-EVT-101).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunSnapshot {
    /// The run.
    pub run_id: RunId,
    /// Its workflow.
    pub workflow_id: WorkflowId,
    /// Where it is.
    pub status: RunStatus,
    /// Who owns it.
    pub owner: Owner,
    /// The era key.
    pub event_log_schema_version: u32,
    /// The engine it started under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<u32>,
    /// Present only while compensation is advertised (R-EVT-98).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compensation_status: Option<CompensationStatus>,
    /// The node of the earliest open interrupt (R-EVT-93).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_node_id: Option<NodeId>,
    /// From `run.started` (R-EVT-95).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// From the terminal event (R-EVT-95).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// The active node's agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<JsonObject>,
    /// The supervising agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_orchestrator: Option<JsonObject>,
    /// Per node; the inner shape is the host's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_states: Option<JsonObject>,
    /// Inputs and surviving outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<JsonObject>,
    /// Reduced channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<JsonObject>,
    /// Present only with `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<SnapshotError>,
    /// The caller's labels: at most [`TAGS_MAX`] of at most [`TAG_CHARS_MAX`] characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The caller's own facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<JsonObject>,
    /// The caller's run options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configurable: Option<JsonObject>,
    /// Sums over the run (R-EVT-99).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<RunMetrics>,
    /// The run this one was forked from (R-EVT-96).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<RunId>,
    /// What the run was created with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<JsonObject>,
    /// Host state under `<org>.<name>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<JsonObject>,
}

impl RunSnapshot {
    /// The smallest snapshot: the five members every one has.
    pub fn new(run_id: RunId, workflow_id: WorkflowId, status: RunStatus, owner: Owner) -> Self {
        Self {
            run_id,
            workflow_id,
            status,
            owner,
            event_log_schema_version: EVENT_LOG_SCHEMA_VERSION,
            engine_version: None,
            compensation_status: None,
            current_node_id: None,
            started_at: None,
            completed_at: None,
            agent: None,
            run_orchestrator: None,
            node_states: None,
            variables: None,
            channels: None,
            error: None,
            tags: None,
            metadata: None,
            configurable: None,
            metrics: None,
            parent_run_id: None,
            inputs: None,
            extensions: None,
        }
    }
}

/// Most labels of a run.
pub const TAGS_MAX: usize = 100;
/// Longest label, in characters.
pub const TAG_CHARS_MAX: usize = 256;

/// How far a run's unwinding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompensationStatus {
    /// None was asked for.
    None,
    /// Asked for.
    Pending,
    /// In progress.
    Running,
    /// Done.
    Completed,
    /// Done in part.
    Partial,
    /// Failed.
    Failed,
    /// Somebody has to step in.
    Manual,
}

/// Sums over a run; an absent member is not zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunMetrics {
    /// What model calls cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openwop_cost: Option<RunCost>,
}

/// What the model calls of a run cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunCost {
    /// In US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Tokens read and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<RunTokens>,
    /// The model of the last call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider of the last call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The sum of the calls' durations; the wire's name has an underscore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// Tokens read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunTokens {
    /// Read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
}

#[cfg(test)]
mod tests;
