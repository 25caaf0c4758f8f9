//! The operations of the REST API: name, method, path, scopes, gate (REST sheet Annex A).
//!
//! Every registered operation has a row, also the ones weft does not serve: which are served
//! is decided where they are implemented.

mod table;
#[cfg(test)]
mod tests;

pub use table::{OPERATIONS, OperationId};

use std::fmt;

use crate::subject::Scope;

/// An HTTP method of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// `GET`
    Get,
    /// `POST`
    Post,
    /// `PUT`
    Put,
    /// `PATCH`
    Patch,
    /// `DELETE`
    Delete,
}

impl Method {
    /// The method's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// Who may call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody; a token in the path may still be needed.
    Public,
    /// A caller with all of these scopes (R-AUTH-12).
    Scopes(&'static [Scope]),
    /// A caller with a credential; no source states the scopes.
    Unstated,
}

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// The operation.
    pub id: OperationId,
    /// Its `operationId`.
    pub operation_id: &'static str,
    /// Its method.
    pub method: Method,
    /// Its path, parameters in braces.
    pub path: &'static str,
    /// Who may call it.
    pub access: Access,
    /// Whether it changes anything, and so honours `Idempotency-Key`.
    pub mutating: bool,
    /// The status of success.
    pub success: u16,
    /// The family or facet (`family.facet`) it is served under; without one it is always there.
    pub gate: Option<&'static str>,
}

impl Operation {
    /// Whether a credential is needed.
    pub fn authenticated(&self) -> bool {
        !matches!(self.access, Access::Public)
    }

    /// The scopes needed; none when public or unstated.
    pub fn scopes(&self) -> &'static [Scope] {
        match self.access {
            Access::Scopes(scopes) => scopes,
            Access::Public | Access::Unstated => &[],
        }
    }
}

impl OperationId {
    /// The operation's row.
    pub fn row(self) -> &'static Operation {
        &OPERATIONS[self as usize]
    }

    /// The operation an `operationId` names.
    pub fn parse(name: &str) -> Option<Self> {
        OPERATIONS.iter().find(|row| row.operation_id == name).map(|row| row.id)
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().operation_id)
    }
}
