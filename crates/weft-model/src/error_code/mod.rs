//! The registered error codes with their status, retry rule and class (REST sheet §4).
//!
//! The rows are in `table.rs`; `failure.rs` is the code of a failed run or node, which may
//! also be a vendor's.

mod failure;
mod table;
#[cfg(test)]
mod tests;

pub use failure::{FailureCode, UnknownFailureCode};
pub use table::ErrorCode;

/// What a door has to know of a code: doors match this, never the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The request is malformed or breaks a rule that its sender can read.
    Malformed,
    /// A pack or its manifest is refused.
    Pack,
    /// No identity, or one that does not hold.
    Unauthenticated,
    /// A known caller who may not do this.
    Forbidden,
    /// The id belongs to another tenant.
    TenantMismatch,
    /// Nothing is there that this caller may see.
    NotFound,
    /// A protocol version this host does not serve.
    VersionUnsupported,
    /// The client is older than this host admits.
    ClientTooOld,
    /// The resource is in a state that does not admit the request.
    Conflict,
    /// Somebody else resolved the interrupt first.
    AlreadyResolved,
    /// The idempotency key is in flight or was used for another request.
    Idempotency,
    /// It was there and is no more.
    Gone,
    /// The request is larger than a limit.
    TooLarge,
    /// The body's media type is not served.
    UnsupportedMediaType,
    /// Well-formed, but cannot be carried out.
    Unprocessable,
    /// An optional capability is missing.
    CapabilityMissing,
    /// A bound of a run was reached.
    LimitReached,
    /// Too many requests.
    RateLimited,
    /// This host is at fault.
    Internal,
    /// The host knows of the service and does not offer it.
    NotOffered,
    /// A party behind this host is at fault.
    Upstream,
    /// For now; a later attempt may succeed.
    Unavailable,
}

/// A text that names no registered code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a registered error code")]
pub struct UnknownErrorCode;

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for ErrorCode {
    type Err = UnknownErrorCode;

    fn from_str(text: &str) -> Result<Self, UnknownErrorCode> {
        Self::parse(text).ok_or(UnknownErrorCode)
    }
}

impl serde::Serialize for ErrorCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> serde::Deserialize<'de> for ErrorCode {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(UnknownErrorCode))
    }
}
