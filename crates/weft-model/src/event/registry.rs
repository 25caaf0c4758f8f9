//! What the registry knows of a type, and the grammar of vendor types.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStr;

use super::modes::{Mode, ModeSet};
use super::table::{EventType, ROWS, place};
use crate::org;

/// Whether a type belongs to the base engine or to a family that must be advertised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Emitted by every host.
    Core,
    /// Emitted only while one of its gates is advertised (R-EVT-17).
    Gated,
}

/// One row of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeRow {
    /// The wire name.
    pub name: &'static str,
    /// The payload definition's key.
    pub payload_key: &'static str,
    /// The part of the name before the dot.
    pub domain: &'static str,
    /// The group the sheets list it under.
    pub family: &'static str,
    /// Base engine or gated.
    pub tier: Tier,
    /// The stream modes it reaches.
    pub modes: ModeSet,
    /// Whether a `values` stream sends a snapshot after it (E4).
    pub values_snapshot: bool,
    /// Whether it ends the run (R-EVT-33).
    pub terminal: bool,
    /// Capability families or facets, any of which permits it.
    pub gates: &'static [&'static str],
    /// The name in the first major, when that differs.
    pub v1_name: Option<&'static str>,
}

/// Why a text is no event type (R-EVT-11 to R-EVT-14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EventTypeError {
    /// Two or three kebab-case segments are needed.
    #[error("the event type is neither registered nor of a vendor's form")]
    Grammar,
    /// The first segment is a protocol domain, so the name would have to be registered.
    #[error("the event type's domain belongs to the protocol, which does not list it")]
    Unregistered,
    /// The first segment is reserved or names a pack tier.
    #[error("the event type's organisation is reserved")]
    Reserved,
    /// The first segment is no registered organisation.
    #[error("the event type's organisation is not registered")]
    UnknownOrg,
}

/// What is known of a vendor type: it reaches `debug` and nothing else (R-EVT-15).
static VENDOR_ROW: TypeRow = TypeRow::new("", "", "vendor", Tier::Core, ModeSet::DEBUG_ONLY, &[], &[]);

impl TypeRow {
    pub(super) const fn new(
        name: &'static str,
        payload_key: &'static str,
        family: &'static str,
        tier: Tier,
        modes: ModeSet,
        gates: &'static [&'static str],
        v1_names: &[&'static str],
    ) -> Self {
        Self {
            name,
            payload_key,
            domain: domain_of(name),
            family,
            tier,
            modes,
            values_snapshot: modes.contains(Mode::Updates),
            terminal: is_terminal(name.as_bytes()),
            gates,
            v1_name: match v1_names {
                [name, ..] => Some(name),
                [] => None,
            },
        }
    }
}

impl EventType {
    /// The registered row; every vendor type shares one whose name is empty.
    pub fn row(&self) -> &'static TypeRow {
        place(self).map_or(&VENDOR_ROW, |at| &ROWS[at])
    }

    /// The wire name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Vendor(name) => name,
            registered => registered.row().name,
        }
    }

    /// Reads a type: registered, or of a registered organisation.
    pub fn parse(text: &str) -> Result<Self, EventTypeError> {
        if let Ok(at) = ROWS.binary_search_by(|row| row.name.cmp(text)) {
            return Ok(Self::REGISTERED[at].clone());
        }
        check_vendor(text)?;
        Ok(Self::Vendor(SmolStr::new(text)))
    }

    /// Whether the event ends the run.
    pub fn is_terminal(&self) -> bool {
        self.row().terminal
    }
}

fn check_vendor(text: &str) -> Result<(), EventTypeError> {
    let segments = text.split('.').count();
    if !(2..=3).contains(&segments) || !text.split('.').all(org::is_kebab) {
        return Err(EventTypeError::Grammar);
    }
    let organisation = text.split('.').next().unwrap_or_default();
    if ROWS.iter().any(|row| row.domain == organisation) {
        return Err(EventTypeError::Unregistered);
    }
    if org::RESERVED.contains(&organisation) || org::PACK_TIERS.contains(&organisation) {
        return Err(EventTypeError::Reserved);
    }
    if org::is_registered(organisation) { Ok(()) } else { Err(EventTypeError::UnknownOrg) }
}

const fn domain_of(name: &str) -> &str {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'.' {
        at += 1;
    }
    name.split_at(at).0
}

const fn is_terminal(name: &[u8]) -> bool {
    matches!(name, b"run.completed" | b"run.failed" | b"run.cancelled")
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for EventType {
    type Err = EventTypeError;

    fn from_str(text: &str) -> Result<Self, EventTypeError> {
        Self::parse(text)
    }
}

impl Serialize for EventType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for EventType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = EventType;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an event type")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<EventType, E> {
                EventType::parse(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}
