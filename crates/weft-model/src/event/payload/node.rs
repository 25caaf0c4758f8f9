//! Payloads of `node.*` (events sheet §3.2).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Failure, present};
use crate::ids::{InterruptId, NodeId, TypeId};
use crate::interrupt::InterruptKind;
use crate::json::JsonObject;

/// `node.started`; attempts count from 0 (R-EVT-38).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeStarted {
    /// The node.
    pub node_id: NodeId,
    /// Its type.
    pub type_id: TypeId,
    /// The attempt, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
}

/// `node.completed` (R-EVT-44).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeCompleted {
    /// The node.
    pub node_id: NodeId,
    /// Values by port name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<JsonObject>,
    /// Of the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// `node.failed`, after the last attempt (R-EVT-39).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeFailed {
    /// The node.
    pub node_id: NodeId,
    /// Why.
    pub error: Failure,
    /// How many attempts were made, at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
}

/// `node.suspended`; the interrupt's id travels here and nowhere else (E1, R-EVT-41).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeSuspended {
    /// The node.
    pub node_id: NodeId,
    /// The interrupt it waits for.
    pub interrupt_id: InterruptId,
    /// Its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<InterruptKind>,
    /// A short machine reason, 1 to 64 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The interrupt's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// `node.suspend-failed`: the suspension could not be stored (R-EVT-42).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeSuspendFailed {
    /// The node.
    pub node_id: NodeId,
    /// Why.
    pub error: Failure,
}

/// `node.resumed` (R-EVT-43).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeResumed {
    /// The node.
    pub node_id: NodeId,
    /// The interrupt that was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupt_id: Option<InterruptId>,
    /// The value it was resolved with; `null` is a value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub resume_value: Option<Value>,
}

/// `node.retried`, before the next `node.started`; attempts count from 1 (R-EVT-39).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRetried {
    /// The node.
    pub node_id: NodeId,
    /// The retry, from 1.
    pub attempt: u32,
    /// How long until it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Why the last attempt ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<Failure>,
}

/// `node.skipped` (R-EVT-40).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeSkipped {
    /// The node.
    pub node_id: NodeId,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `node.cancelled`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeCancelled {
    /// The node.
    pub node_id: NodeId,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
