//! The one encoding of an event (invariant: serialised once, shared by every reader).

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use super::decode::{EventDecodeError, peek_type};
use super::{Event, EventType};
use crate::ids::RunId;

/// Room for the envelope, so that a small event needs one allocation.
const ENVELOPE_CAPACITY: usize = 512;

static ENCODINGS: AtomicU64 = AtomicU64::new(0);

/// How often this process encoded an event. A test holds it against the number of events, to
/// show that stream, poll and webhook share one encoding.
pub fn encodings() -> u64 {
    ENCODINGS.load(Ordering::Relaxed)
}

/// An event as one line of JSON, with what readers filter by.
#[derive(Debug, Clone)]
pub struct EncodedEvent {
    /// Position in the run.
    pub sequence: u64,
    /// The event's type.
    pub event_type: EventType,
    /// The RunEventDoc.
    pub bytes: Bytes,
}

impl EncodedEvent {
    /// Wraps stored bytes; only the type is read.
    pub fn from_bytes(sequence: u64, bytes: Bytes) -> Result<Self, EventDecodeError> {
        let event_type = peek_type(&bytes)?;
        Ok(Self { sequence, event_type, bytes })
    }
}

impl Event {
    /// Writes the event as a RunEventDoc of `run_id`.
    ///
    /// `type` comes first and `payload` last: the type of stored bytes is then readable
    /// without parsing them. Identifiers and types need no escaping, their grammars have no
    /// quote and no backslash.
    pub fn encode(&self, run_id: &RunId) -> EncodedEvent {
        ENCODINGS.fetch_add(1, Ordering::Relaxed);
        let mut out = Vec::with_capacity(ENVELOPE_CAPACITY);
        text(&mut out, b"{\"type\":\"", self.body.type_name());
        out.extend_from_slice(b",\"sequence\":");
        number(&mut out, self.sequence);
        text(&mut out, b",\"eventId\":\"", self.id.as_str());
        text(&mut out, b",\"runId\":\"", run_id.as_str());
        if let Some(node_id) = &self.node_id {
            text(&mut out, b",\"nodeId\":\"", node_id.as_str());
        }
        out.extend_from_slice(b",\"timestamp\":\"");
        out.extend_from_slice(&self.timestamp.to_text());
        out.extend_from_slice(b"\",\"schemaVersion\":");
        number(&mut out, self.schema_version.into());
        if let Some(engine_version) = self.engine_version {
            out.extend_from_slice(b",\"engineVersion\":");
            number(&mut out, engine_version.into());
        }
        if let Some(causation_id) = &self.causation_id {
            text(&mut out, b",\"causationId\":\"", causation_id.as_str());
        }
        out.extend_from_slice(b",\"payload\":");
        self.body.write_payload(&mut out).expect("payloads have string keys only and writing to memory cannot fail");
        out.push(b'}');
        EncodedEvent { sequence: self.sequence, event_type: self.event_type(), bytes: Bytes::from(out) }
    }
}

/// Writes `lead`, which opens a quote, then `value` and the closing quote.
fn text(out: &mut Vec<u8>, lead: &[u8], value: &str) {
    out.extend_from_slice(lead);
    out.extend_from_slice(value.as_bytes());
    out.push(b'"');
}

fn number(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
