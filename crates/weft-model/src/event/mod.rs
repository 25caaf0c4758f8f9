//! Events: the registry of types, the typed payloads, and their one encoding (events sheet §1–3).
//!
//! `table.rs` and `registry.rs` are the closed list of types, `payload/` the typed payloads,
//! `body.rs` joins the two, and `encode.rs` / `decode.rs` are the bytes.

mod body;
mod decode;
mod encode;
mod modes;
pub mod payload;
mod registry;
mod table;
#[cfg(test)]
mod tests;

pub use body::EventBody;
pub use decode::EventDecodeError;
pub use encode::{EncodedEvent, encodings};
pub use modes::{Mode, ModeSet, StreamSelection};
pub use payload::*;
pub use registry::{EventTypeError, Tier, TypeRow};
pub use table::EventType;

use crate::ids::{EventId, NodeId};
use crate::time::Timestamp;

/// The payload shape version weft writes for every type.
pub const SCHEMA_VERSION: u32 = 1;

/// One event of a run. The run's id is not a member: the log it stands in knows it, and
/// [`Event::encode`] is told.
#[derive(Debug, Clone)]
pub struct Event {
    /// Opaque and unique.
    pub id: EventId,
    /// On every event about one node (R-EVT-06).
    pub node_id: Option<NodeId>,
    /// When it was recorded. Never used for order.
    pub timestamp: Timestamp,
    /// The one order of a run: 0, 1, 2, … (R-EVT-02).
    pub sequence: u64,
    /// The payload shape version of this type (R-EVT-04).
    pub schema_version: u32,
    /// The engine that appended it (R-EVT-05).
    pub engine_version: Option<u32>,
    /// The event that caused it.
    pub causation_id: Option<EventId>,
    /// Type and payload, which cannot disagree.
    pub body: EventBody,
}

impl Event {
    /// The event's type.
    pub fn event_type(&self) -> EventType {
        self.body.event_type()
    }
}
