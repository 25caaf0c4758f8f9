//! The data of every kind but approval, each a closed object (R-EVT-46).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::SmolStr;

use crate::event::payload::present;
use crate::ids::WorkflowId;
use crate::json::JsonObject;

/// One question of a clarification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Names the question in the answer.
    pub id: String,
    /// The question.
    pub question: String,
    /// The schema of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<JsonObject>,
}

/// Data of a clarification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClarificationData {
    /// At least one.
    pub questions: Vec<Question>,
    /// What the questions are about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_type: Option<String>,
}

/// Data of a wait for another system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExternalEventData {
    /// What is awaited.
    pub event_type: String,
    /// What the other system needs to find the wait.
    pub correlation: JsonObject,
}

/// Data of a kind the protocol does not know (R-INT-14).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CustomData {
    /// The author's own kind.
    pub custom_kind: String,
    /// Anything; `null` is a value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub payload: Option<Value>,
}

/// Data of a conversation's start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConversationStartData {
    /// Unique in the tenant, 1 to 256 characters (R-INT-18).
    pub conversation_id: String,
    /// A line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The first turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_prompt: Option<String>,
}

/// Data of one turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConversationExchangeData {
    /// The conversation.
    pub conversation_id: String,
    /// What is asked.
    pub prompt: String,
    /// The schema of the answer (R-INT-07).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_schema: Option<JsonObject>,
    /// The turn, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_index: Option<u64>,
}

/// Data of a conversation's end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConversationCloseData {
    /// The conversation.
    pub conversation_id: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Data of a decision an agent was not sure of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LowConfidenceData {
    /// The agent; its grammar is that of every id an author chooses.
    pub agent_id: WorkflowId,
    /// What it should have reached, 0 to 1.
    pub threshold: f64,
    /// What it reached, 0 to 1.
    pub observed: f64,
    /// What it would have decided; `null` is a value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub decision: Option<Value>,
}

/// Why a credential is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CredentialReason {
    /// There is none.
    Missing,
    /// It cannot be refreshed.
    Expired,
    /// It permits too little.
    InsufficientScope,
}

/// Data of a wait for a connection; never credential material (R-INT-16).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CredentialData {
    /// The provider to connect.
    pub provider: SmolStr,
    /// What is needed of it, none twice.
    pub scopes: Vec<String>,
    /// Why.
    pub reason: CredentialReason,
    /// Where the initiating subject connects; `https`, on the host's own origin (R-CRED-04).
    pub connect_url: String,
    /// The reference to be authorised again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential_ref: Option<JsonObject>,
}
