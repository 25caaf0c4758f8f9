//! What a store's failure means to a caller.

use weft_model::ErrorCode;
use weft_store::{StoreError, StoreErrorKind};

use crate::error::{OpError, RETRY_OVERLOADED_SECONDS};

/// Maps a store's failure. The cause goes to the log with the error; the caller learns whether
/// repeating can help.
pub(crate) fn store_error(error: StoreError) -> OpError {
    let kind = error.kind();
    let refusal = match kind {
        StoreErrorKind::Transient => OpError::new(ErrorCode::ServiceUnavailable, "The store is busy."),
        StoreErrorKind::Full => OpError::new(ErrorCode::ServiceUnavailable, "The store is full."),
        StoreErrorKind::Stopped => OpError::new(ErrorCode::ServiceUnavailable, "The store has stopped."),
        StoreErrorKind::TooLarge => {
            OpError::new(ErrorCode::PayloadTooLarge, "The request needs more room than one commit has.")
        }
        StoreErrorKind::Conflict | StoreErrorKind::Corrupt => return OpError::internal(error),
    };
    refusal.with_retry_after(RETRY_OVERLOADED_SECONDS).with_source(error)
}
