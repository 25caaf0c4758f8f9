//! The code of a failed run or node: registered, or a vendor's (R-EVT-22, R-ERR-02, R-ERR-08).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStr;

use super::ErrorCode;
use crate::org;

/// A registered code, or `<org>.<name>` of a registered organisation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FailureCode {
    /// A code of the registry.
    Registered(ErrorCode),
    /// A vendor's code; made by [`FailureCode::parse`] only.
    Vendor(SmolStr),
}

/// A text that is neither a registered code nor a vendor code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("neither a registered error code nor one of a registered organisation")]
pub struct UnknownFailureCode;

impl FailureCode {
    /// Reads a code. A vendor code of an organisation that is not registered is refused.
    pub fn parse(text: &str) -> Result<Self, UnknownFailureCode> {
        if let Some(code) = ErrorCode::parse(text) {
            return Ok(Self::Registered(code));
        }
        let (organisation, name) = text.split_once('.').ok_or(UnknownFailureCode)?;
        let named = name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if named && org::is_registered(organisation) {
            Ok(Self::Vendor(SmolStr::new(text)))
        } else {
            Err(UnknownFailureCode)
        }
    }

    /// The wire text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Registered(code) => code.as_str(),
            Self::Vendor(text) => text,
        }
    }
}

impl From<ErrorCode> for FailureCode {
    fn from(code: ErrorCode) -> Self {
        Self::Registered(code)
    }
}

impl fmt::Display for FailureCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for FailureCode {
    type Err = UnknownFailureCode;

    fn from_str(text: &str) -> Result<Self, UnknownFailureCode> {
        Self::parse(text)
    }
}

impl Serialize for FailureCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for FailureCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = SmolStr::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}
