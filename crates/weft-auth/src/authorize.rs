//! The pure half of authorization: scopes and tenant, nothing else.
//!
//! Any doubt denies: a caller without the scope, or of another tenant, is refused before anything
//! is looked up.

use weft_model::{RunId, Scope, ScopeSet};

use crate::Caller;

/// Why a caller may not do what it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The id belongs to another tenant (R-ID-07).
    ForeignTenant,
    /// The caller lacks one of the scopes that the operation needs (R-AUTH-12).
    MissingScope {
        /// Every scope that the operation needs.
        required: ScopeSet,
    },
}

/// Checks that `run` carries the caller's tenant. Comes first, so that existence is never told
/// across tenants (DECISIONS 7).
pub fn check_tenant(caller: &Caller, run: &RunId) -> Result<(), Denied> {
    if run.tenant() == caller.tenant().as_str() { Ok(()) } else { Err(Denied::ForeignTenant) }
}

/// Checks that the caller holds every scope in `required`.
pub fn check_scopes(caller: &Caller, required: &[Scope]) -> Result<(), Denied> {
    if caller.scopes().contains_all(required) {
        Ok(())
    } else {
        Err(Denied::MissingScope { required: required.iter().copied().collect() })
    }
}
