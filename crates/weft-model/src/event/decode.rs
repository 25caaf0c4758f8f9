//! Reading an event back from its bytes.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::payload::present;
use super::{Event, EventBody, EventType, EventTypeError};
use crate::ids::{EventId, NodeId, RunId};
use crate::time::Timestamp;

/// Why bytes are no event of this build's registry (R-EVT-01, R-EVT-107).
#[derive(Debug, thiserror::Error)]
pub enum EventDecodeError {
    /// The envelope is not the closed object of events sheet §1.
    #[error("malformed event envelope: {0}")]
    Envelope(#[source] serde_json::Error),
    /// The type is unknown.
    #[error(transparent)]
    Type(#[from] EventTypeError),
    /// The payload is not the one its type names.
    #[error("malformed payload of {event_type}: {source}")]
    Payload {
        /// The type whose payload was read.
        event_type: EventType,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// `schemaVersion` counts from 1.
    #[error("schemaVersion is 0")]
    SchemaVersion,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    event_type: Cow<'a, str>,
    sequence: u64,
    event_id: EventId,
    run_id: RunId,
    #[serde(default, deserialize_with = "present")]
    node_id: Option<NodeId>,
    timestamp: Timestamp,
    schema_version: u32,
    #[serde(default, deserialize_with = "present")]
    engine_version: Option<u32>,
    #[serde(default, deserialize_with = "present")]
    causation_id: Option<EventId>,
    #[serde(borrow)]
    payload: &'a RawValue,
}

#[derive(Deserialize)]
struct TypeOnly<'a> {
    #[serde(rename = "type", borrow)]
    event_type: Cow<'a, str>,
}

impl Event {
    /// Reads a RunEventDoc. Members of a typed payload that this build does not know are
    /// skipped (R-EVT-09): the bytes stay the truth, a decoded event is a view for the fold.
    pub fn decode(bytes: &[u8]) -> Result<(RunId, Self), EventDecodeError> {
        let envelope: Envelope<'_> = serde_json::from_slice(bytes).map_err(EventDecodeError::Envelope)?;
        if envelope.schema_version == 0 {
            return Err(EventDecodeError::SchemaVersion);
        }
        let event_type = EventType::parse(&envelope.event_type)?;
        let body = EventBody::from_raw(event_type.clone(), envelope.payload)
            .map_err(|source| EventDecodeError::Payload { event_type, source })?;
        let event = Self {
            id: envelope.event_id,
            node_id: envelope.node_id,
            timestamp: envelope.timestamp,
            sequence: envelope.sequence,
            schema_version: envelope.schema_version,
            engine_version: envelope.engine_version,
            causation_id: envelope.causation_id,
            body,
        };
        Ok((envelope.run_id, event))
    }
}

/// The type of encoded bytes: at a fixed place when weft wrote them, else by a full parse.
pub(super) fn peek_type(bytes: &[u8]) -> Result<EventType, EventDecodeError> {
    const LEAD: &[u8] = b"{\"type\":\"";
    if let Some(rest) = bytes.strip_prefix(LEAD)
        && let Some(end) = rest.iter().position(|byte| *byte == b'"')
        && let Ok(name) = std::str::from_utf8(&rest[..end])
        && let Ok(event_type) = EventType::parse(name)
    {
        return Ok(event_type);
    }
    let found: TypeOnly<'_> = serde_json::from_slice(bytes).map_err(EventDecodeError::Envelope)?;
    Ok(EventType::parse(&found.event_type)?)
}
