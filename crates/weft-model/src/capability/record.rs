//! The record of one family: `{status, since, until?, witness, …facets}`.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Family, Status, Witness};
use crate::json::JsonObject;

/// Members of a record that are no facets, and the one that must not exist (R-CAP-20).
const RESERVED_MEMBERS: [&str; 5] = ["status", "since", "until", "witness", "supported"];

/// `major.minor` of the host's own timeline (R-CAP-14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Since {
    /// The major version.
    pub major: u32,
    /// The minor version.
    pub minor: u32,
}

/// When a claim ends: a version or a day (R-CAP-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Until {
    /// Past as soon as a served version reaches it.
    Version(Since),
    /// The last day; past from the next one on, in UTC.
    Day {
        /// Four digits.
        year: u16,
        /// 1 to 12.
        month: u8,
        /// 1 to 31.
        day: u8,
    },
}

/// What a host says about one family it offers.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// At most the family's ceiling.
    pub status: Status,
    /// Since when this host serves it.
    pub since: Since,
    /// Present exactly when the status is not stable (R-CAP-15).
    pub until: Option<Until>,
    /// The family's witness class.
    pub witness: Witness,
    /// The facets offered; one not offered has no member (R-CAP-21).
    pub facets: JsonObject,
}

/// Why a record must not be advertised.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRecord {
    /// More settled than the declaration (R-CAP-23).
    #[error("status exceeds the family's")]
    Status,
    /// R-CAP-15.
    #[error("until is present exactly when status is not stable")]
    Until,
    /// R-CAP-19.
    #[error("witness differs from the family's")]
    Witness,
    /// A facet the family does not have.
    #[error("{0} is no facet of the family")]
    UnknownFacet(String),
    /// A facet the family must have.
    #[error("the facet {0} is missing")]
    MissingFacet(&'static str),
}

impl Record {
    /// A record of `family` at its ceiling, without facets.
    pub fn of(family: &Family, since: Since, until: Until) -> Self {
        Self {
            status: family.ceiling,
            since,
            until: (family.ceiling != Status::Stable).then_some(until),
            witness: family.witness,
            facets: JsonObject::new(),
        }
    }

    /// Adds a facet.
    #[must_use]
    pub fn with(mut self, facet: &str, value: impl Into<serde_json::Value>) -> Self {
        self.facets.insert(facet.to_owned(), value.into());
        self
    }

    /// Holds the record against its family's row.
    pub fn check(&self, family: &Family) -> Result<(), InvalidRecord> {
        if self.status == Status::Stable && family.ceiling != Status::Stable {
            return Err(InvalidRecord::Status);
        }
        if self.until.is_none() != (self.status == Status::Stable) {
            return Err(InvalidRecord::Until);
        }
        if self.witness != family.witness {
            return Err(InvalidRecord::Witness);
        }
        let known = |name: &str| {
            !RESERVED_MEMBERS.contains(&name) && (family.required.contains(&name) || family.optional.contains(&name))
        };
        if let Some(name) = self.facets.keys().find(|name| !known(name)) {
            return Err(InvalidRecord::UnknownFacet(name.clone()));
        }
        match family.required.iter().find(|name| !self.facets.contains_key(**name)) {
            Some(name) => Err(InvalidRecord::MissingFacet(name)),
            None => Ok(()),
        }
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("since", &self.since)?;
        if let Some(until) = &self.until {
            map.serialize_entry("until", until)?;
        }
        map.serialize_entry("witness", &self.witness)?;
        for (name, value) in &self.facets {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Serialize for Since {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Since {
    /// Reads `major.minor` without leading zeros.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self { major: plain_number(major)?, minor: plain_number(minor)? })
    }
}

/// Digits without a sign and without a leading zero.
fn plain_number(text: &str) -> Option<u32> {
    let padded = text.len() > 1 && text.starts_with('0');
    if padded || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => version.fmt(f),
            Self::Day { year, month, day } => write!(f, "{year:04}-{month:02}-{day:02}"),
        }
    }
}

impl Serialize for Until {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
