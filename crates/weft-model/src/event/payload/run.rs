//! Payloads of `run.*`, `workflow.restored` and `cap.breached` (events sheet §3.1).

use serde::{Deserialize, Serialize};

use super::Failure;
use crate::ids::{NodeId, RunId, WorkflowId};
use crate::json::JsonObject;
use crate::subject::Owner;

/// The door a run came in by (E19).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// The REST API.
    Rest,
    /// MCP.
    Mcp,
    /// A2A.
    A2a,
    /// The console.
    Ui,
}

/// `run.started`: the first event of every run (R-EVT-25).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunStarted {
    /// The workflow the run executes.
    pub workflow_id: WorkflowId,
    /// What the caller gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<JsonObject>,
    /// The door it came in by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// The engine it starts under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<u32>,
    /// The owner, for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// The caller's labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The caller's own facts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<JsonObject>,
    /// The caller's run options, so that the snapshot is a fold of the log alone. A member of the
    /// hatch: the sheet has no seat for it.
    #[serde(rename = "x-configurable", default, skip_serializing_if = "Option::is_none")]
    pub configurable: Option<JsonObject>,
    /// The bounds in force, after every clamp; the same for every attempt (R-OPT-11).
    #[serde(rename = "x-limits", default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<RunLimits>,
}

/// The bounds a run was started with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunLimits {
    /// Most node executions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_executions: Option<u64>,
    /// Longest duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_duration_ms: Option<u64>,
}

/// `run.completed`; `outputs` is written even when empty (R-EVT-27).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunCompleted {
    /// What the run made.
    pub outputs: JsonObject,
    /// From start to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// `run.failed` (R-EVT-28).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunFailed {
    /// Why.
    pub error: Failure,
    /// The node that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_node_id: Option<NodeId>,
    /// From start to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// `run.cancelled` (R-EVT-29).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunCancelled {
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelled_by: Option<String>,
    /// From start to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The cancelled parent, when the cancel came down from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<RunId>,
}

/// `run.resume-started`: an explicit recovery resume (R-EVT-31).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunResumeStarted {
    /// The status it was resumed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_status: Option<String>,
}

/// How a pause treats what is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DrainPolicy {
    /// Cut it.
    Immediate,
    /// Let the current node end.
    DrainCurrentNode,
}

/// `run.paused` (R-EVT-30).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunPaused {
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How running nodes were treated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain_policy: Option<DrainPolicy>,
    /// The node whose attempt was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted_node_id: Option<NodeId>,
    /// The cut attempt, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted_attempt: Option<u32>,
}

/// `run.resumed`: an empty object.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunResumed {}

/// `run.restored-from-snapshot` (R-EVT-32).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRestoredFromSnapshot {
    /// The last event the snapshot holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_seq: Option<u64>,
    /// The engine that picked the run up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<u32>,
}

/// `workflow.restored`: a new process picked the run up from its log (R-EVT-32).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowRestored {
    /// The last event of a snapshot that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_snapshot_seq: Option<u64>,
    /// The engine that picked the run up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<u32>,
}

/// Which bound was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CapKind {
    /// Clarification rounds.
    Clarification,
    /// Schema rounds.
    Schema,
    /// Envelopes of one turn.
    Envelopes,
    /// Node executions of a run.
    NodeExecutions,
    /// A module's memory.
    WasmMemory,
    /// A module's fuel.
    WasmFuel,
    /// A module's time.
    WasmExecutionTime,
    /// The run's wall clock, in milliseconds.
    RunDuration,
    /// Turns of a loop; dispatch caps too (E6).
    LoopIterations,
    /// Tokens.
    BudgetTokens,
    /// Money; the only kind with fractions.
    BudgetCost,
    /// Tool calls.
    BudgetToolCalls,
    /// Retries.
    BudgetRetries,
}

/// `cap.breached` (R-EVT-35, R-EVT-36).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CapBreached {
    /// The bound.
    pub kind: CapKind,
    /// Its value.
    pub limit: serde_json::Number,
    /// What was seen.
    pub observed: serde_json::Number,
    /// The node concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
}
