//! Who may do what, decided once for every door.

use weft_auth::{Caller, Denied, check_scopes, check_tenant};
use weft_model::{ErrorCode, OperationId, RunId};

use crate::error::{OpError, OpResult};

/// Checks the caller's scopes for an operation. A door calls it before it reads a body; every
/// operation calls it again, so a door that forgets loses nothing but time.
pub fn authorize(caller: &Caller, operation: OperationId) -> OpResult<()> {
    check_scopes(caller, operation.row().scopes()).map_err(refusal)
}

/// The same for an operation on a run: a foreign tenant segment is refused first, before any
/// look-up and whatever the caller's scopes (R-ID-07, DECISIONS 7).
pub fn authorize_run(caller: &Caller, operation: OperationId, run: &RunId) -> OpResult<()> {
    check_tenant(caller, run).map_err(refusal)?;
    authorize(caller, operation)
}

fn refusal(denied: Denied) -> OpError {
    match denied {
        Denied::ForeignTenant => OpError::new(ErrorCode::IdTenantMismatch, "The id belongs to another tenant."),
        Denied::MissingScope { required } => {
            OpError::new(ErrorCode::Forbidden, format!("The operation needs the scope {required}."))
        }
    }
}
