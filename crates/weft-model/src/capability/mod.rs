//! The capability families and the record a host advertises for one (capabilities sheet §3–5).
//!
//! This is the registry of what exists. Which families this host offers is decided where they
//! are implemented; nothing here says `supported`, presence is the claim (R-CAP-20).

mod record;
mod table;
#[cfg(test)]
mod tests;

pub use record::{InvalidRecord, Record, Since, Until};
pub use table::FAMILIES;

use serde::{Deserialize, Serialize};

use crate::event::EventType;
use crate::operation::{OPERATIONS, Operation};

/// Root members of the discovery document that are no capability records (R-CAP-28).
pub const METADATA_KEYS: [&str; 17] = [
    "protocolVersion",
    "protocolVersions",
    "preferredVersion",
    "extensions",
    "implementation",
    "engineVersion",
    "eventLogSchemaVersion",
    "configurable",
    "observability",
    "minClientVersion",
    "runtimeCapabilities",
    "testing",
    "conformance",
    "fixtures",
    "compliance",
    "signingKeys",
    "discovery",
];

/// How settled a family is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It stays.
    Stable,
    /// It may change.
    Experimental,
    /// It goes.
    Deprecated,
}

/// How a claim can be checked from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Witness {
    /// By anybody.
    WitnessableUnaided,
    /// By anybody, once the family is advertised.
    WitnessableGated,
    /// Through a test seam.
    SeamGated,
    /// By reading the claim.
    ClaimsCheck,
    /// By the absence of something.
    NegativeExistence,
}

/// Where a family's record stands in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Seat {
    /// At the root, under its key.
    Root,
    /// Under `extensions`, as `<org>.` and this name (R-CAP-34).
    Extension(&'static str),
}

/// One family of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// Its key, also the id packs depend on.
    pub key: &'static str,
    /// Where its record stands.
    pub seat: Seat,
    /// The most settled status a record may claim (R-CAP-23).
    pub ceiling: Status,
    /// Its witness class, copied into the record (R-CAP-19).
    pub witness: Witness,
    /// Facets a record must have.
    pub required: &'static [&'static str],
    /// Facets a record may have.
    pub optional: &'static [&'static str],
}

impl Family {
    /// The family of a key.
    pub fn find(key: &str) -> Option<&'static Self> {
        FAMILIES.iter().find(|family| family.key == key)
    }

    /// The operations that are not there without this family.
    pub fn gated_operations(&self) -> impl Iterator<Item = &'static Operation> {
        let key = self.key;
        OPERATIONS.iter().filter(move |row| row.gate.is_some_and(|gate| gate_family(gate) == key))
    }

    /// The event types that this family permits.
    pub fn gated_events(&self) -> impl Iterator<Item = &'static EventType> {
        let key = self.key;
        EventType::REGISTERED.iter().filter(move |kind| kind.row().gates.iter().any(|gate| gate_family(gate) == key))
    }
}

/// The family of a gate, which is a family or a path to one of its facets.
pub fn gate_family(gate: &str) -> &str {
    gate.split('.').next().unwrap_or(gate)
}
