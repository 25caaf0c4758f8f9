//! Interrupts: what a run waits for, and what it is resumed with (REST sheet §18).
//!
//! `kind.rs` binds the nine kinds to their data, which `gate.rs` (approvals) and `data.rs` (the
//! rest) hold; `approval.rs` is the value an approval is resumed with.

mod approval;
mod data;
mod gate;
mod kind;
#[cfg(test)]
mod tests;

pub use approval::{ApprovalResume, InvalidApproval, RefineFeedback, RefineScope};
pub use data::{
    ClarificationData, ConversationCloseData, ConversationExchangeData, ConversationStartData, CredentialData,
    CredentialReason, CustomData, ExternalEventData, LowConfidenceData, Question,
};
pub use gate::{ApprovalAction, ApprovalData, Audience, OnTimeout, RejectionPolicy};
pub use kind::{InterruptData, InterruptKind};

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use crate::json::JsonObject;

/// Longest key, in characters.
pub const KEY_CHARS_MAX: usize = 256;

/// The payload of `interrupt.requested`, verbatim (R-INT-01, R-EVT-46). Its kind is the kind of
/// its data, so the two cannot disagree.
#[derive(Debug, Clone, PartialEq)]
pub struct InterruptPayload {
    /// Names this wait within the run, 1 to 256 characters; used once (R-INT-04, R-INT-05).
    pub key: String,
    /// What is asked for.
    pub data: InterruptData,
    /// The schema a resume value has to fit (R-INT-06).
    pub resume_schema: Option<JsonObject>,
    /// How long to wait; 0 waits for ever.
    pub timeout_ms: Option<u64>,
}

/// Why a payload is refused although its members have the right types.
#[derive(Debug, thiserror::Error)]
pub enum InvalidInterrupt {
    /// Empty or longer than [`KEY_CHARS_MAX`].
    #[error("key must have 1 to 256 characters")]
    Key,
    /// The data is not the kind's (R-EVT-46).
    #[error("data does not fit kind {kind}: {source}")]
    Data {
        /// The kind that was named.
        kind: InterruptKind,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A member of the data is out of its bounds.
    #[error("data: {0}")]
    Bounds(&'static str),
    /// A credential interrupt's schema is a constant (R-CRED-03).
    #[error("a credential interrupt has one constant resumeSchema")]
    CredentialSchema,
}

impl InterruptPayload {
    /// The kind, which is the data's.
    pub fn kind(&self) -> InterruptKind {
        self.data.kind()
    }

    /// Checks what the members' own types cannot express.
    pub fn check(&self) -> Result<(), InvalidInterrupt> {
        if self.key.is_empty() || self.key.chars().count() > KEY_CHARS_MAX {
            return Err(InvalidInterrupt::Key);
        }
        self.data.check().map_err(InvalidInterrupt::Bounds)?;
        let credential = self.kind() == InterruptKind::Credential;
        if credential && self.resume_schema.as_ref() != Some(&credential_resume_schema()) {
            return Err(InvalidInterrupt::CredentialSchema);
        }
        Ok(())
    }
}

/// The one schema of a credential interrupt's resume value (R-CRED-03, R-CRED-08).
pub fn credential_resume_schema() -> JsonObject {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["outcome"],
        "properties": {"outcome": {"enum": ["authorized", "declined"]}},
    });
    match schema {
        Value::Object(members) => members,
        _ => unreachable!("the literal above is an object"),
    }
}

impl Serialize for InterruptPayload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", &self.kind())?;
        map.serialize_entry("key", &self.key)?;
        map.serialize_entry("data", &self.data)?;
        if let Some(schema) = &self.resume_schema {
            map.serialize_entry("resumeSchema", schema)?;
        }
        if let Some(timeout_ms) = self.timeout_ms {
            map.serialize_entry("timeoutMs", &timeout_ms)?;
        }
        map.end()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wire {
    kind: InterruptKind,
    key: String,
    data: Value,
    resume_schema: Option<JsonObject>,
    timeout_ms: Option<u64>,
}

impl TryFrom<Wire> for InterruptPayload {
    type Error = InvalidInterrupt;

    fn try_from(wire: Wire) -> Result<Self, InvalidInterrupt> {
        let Wire { kind, key, data, resume_schema, timeout_ms } = wire;
        let data = InterruptData::read(kind, data).map_err(|source| InvalidInterrupt::Data { kind, source })?;
        let payload = Self { key, data, resume_schema, timeout_ms };
        payload.check()?;
        Ok(payload)
    }
}

impl<'de> Deserialize<'de> for InterruptPayload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(Wire::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
