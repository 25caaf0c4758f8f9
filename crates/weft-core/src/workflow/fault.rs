//! Why a definition is refused, and where.

use std::fmt;

use weft_model::ErrorCode;

/// One reason to refuse a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// JSON pointer (RFC 6901) to the member that is wrong; empty for the whole document.
    pub path: String,
    /// What is wrong, for the author.
    pub reason: String,
    /// The code an API answers with.
    pub code: ErrorCode,
    /// The capability or node type that is missing, when that is the reason.
    pub capability: Option<String>,
}

impl Fault {
    /// A member that is malformed, contradictory or not offered.
    pub(crate) fn invalid(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into(), code: ErrorCode::ValidationError, capability: None }
    }

    /// A member that needs a capability this host lacks.
    pub(crate) fn needs(code: ErrorCode, path: String, capability: &str, reason: String) -> Self {
        Self { path, reason, code, capability: Some(capability.to_owned()) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.reason) } else { write!(f, "{}: {}", self.path, self.reason) }
    }
}

impl std::error::Error for Fault {}

/// Appends one member or index to a JSON pointer.
pub(crate) fn join(path: &str, member: impl fmt::Display) -> String {
    let escaped = member.to_string().replace('~', "~0").replace('/', "~1");
    format!("{path}/{escaped}")
}
