//! What the engine's refusal means to a caller.

use weft_core::Refusal;
use weft_engine::EngineError;
use weft_model::ErrorCode;

use crate::error::{OpError, RETRY_OVERLOADED_SECONDS};
use crate::store_error::store_error;

/// Maps an engine's error for every operation. A refusal of the core means the same whichever
/// operation met it, but for a finished run: see [`EndedMeans`].
pub(crate) fn engine_error(error: EngineError) -> OpError {
    engine_error_of(error, EndedMeans::RunTerminal)
}

/// How an operation says that the run is over.
#[derive(Clone, Copy)]
pub(crate) enum EndedMeans {
    /// `run_terminal` (R-CAN-02).
    RunTerminal,
    /// `interrupt_already_resolved`: the end of a run resolves its interrupts (R-INT-11).
    InterruptResolved,
}

pub(crate) fn engine_error_of(error: EngineError, ended: EndedMeans) -> OpError {
    match error {
        EngineError::Refused(refusal) => refused(refusal, ended),
        EngineError::Store(error) => store_error(error),
        EngineError::Busy(what) => OpError::new(ErrorCode::RateLimited, "The host is at its limit of work.")
            .with_retry_after(RETRY_OVERLOADED_SECONDS)
            .with_detail("limit", what),
        EngineError::Draining => OpError::new(ErrorCode::ServiceUnavailable, "The host is stopping.")
            .with_retry_after(RETRY_OVERLOADED_SECONDS),
        EngineError::NoSuchRun => run_unknown(),
        // The order may have been written. A retry under its key finds out; without a key the
        // caller looks at the run first.
        EngineError::Unknown => OpError::new(
            ErrorCode::ServiceUnavailable,
            "The host cannot say whether the request took effect; look at the run, or retry under the same key.",
        )
        .with_retry_after(RETRY_OVERLOADED_SECONDS),
        error @ (EngineError::Broken(_) | EngineError::Workflow(_)) => OpError::internal(error),
    }
}

/// The one answer for a run that is not there or may not be read (DECISIONS 7).
pub(crate) fn run_unknown() -> OpError {
    OpError::not_found("There is no such run.")
}

fn refused(refusal: Refusal, ended: EndedMeans) -> OpError {
    match refusal {
        Refusal::Terminal { status } => match ended {
            EndedMeans::RunTerminal => {
                OpError::new(ErrorCode::RunTerminal, "The run is over.").with_detail("runStatus", status.as_str())
            }
            EndedMeans::InterruptResolved => already_resolved(),
        },
        Refusal::NoSuchInterrupt => OpError::not_found("The node waits for nothing."),
        Refusal::AlreadyResolved => already_resolved(),
        Refusal::InvalidResume { pointer, reason } => bad_value("resumeValue", &pointer, &reason),
        Refusal::InvalidInput { pointer, reason } => bad_value("inputs", &pointer, &reason),
        Refusal::NotEligible => OpError::new(ErrorCode::Forbidden, "The caller is not among the approvers."),
        // None of these can follow from a caller's order: the engine asks them of itself.
        refusal @ (Refusal::NotStarted | Refusal::AlreadyStarted | Refusal::Stale) => OpError::internal(refusal),
    }
}

/// A value that does not fit, named by the member that holds it and the place in it.
fn bad_value(member: &str, pointer: &str, reason: &str) -> OpError {
    OpError::invalid_field(member, format!("{member}{pointer}: {reason}")).with_detail("pointer", pointer)
}

fn already_resolved() -> OpError {
    OpError::new(ErrorCode::InterruptAlreadyResolved, "The interrupt has already been resolved.")
}

#[cfg(test)]
mod tests {
    use weft_model::RunStatus;

    use super::*;

    // R-RUN-20, R-ERR-07: overload says when to come back.
    #[test]
    fn overload_says_when_to_come_back() {
        for (error, code) in [
            (EngineError::Busy("moving runs"), ErrorCode::RateLimited),
            (EngineError::Draining, ErrorCode::ServiceUnavailable),
        ] {
            let error = engine_error(error);
            assert_eq!(error.code(), code);
            assert!(error.retry_after().is_some_and(|seconds| seconds > 0));
        }
    }

    // R-CAN-02, R-INT-11: the end of a run means another thing to each operation.
    #[test]
    fn the_end_of_a_run_is_said_by_operation() {
        let ended = || EngineError::Refused(Refusal::Terminal { status: RunStatus::Completed });
        assert_eq!(engine_error(ended()).code(), ErrorCode::RunTerminal);
        let resolve = engine_error_of(ended(), EndedMeans::InterruptResolved);
        assert_eq!(resolve.code(), ErrorCode::InterruptAlreadyResolved);
    }

    // R-APR-13: eligibility is the core's to judge and is a refusal of the caller here.
    #[test]
    fn a_resolver_outside_the_list_is_forbidden() {
        let refused = engine_error(EngineError::Refused(Refusal::NotEligible));
        assert_eq!((refused.code(), refused.status()), (ErrorCode::Forbidden, 403));
    }

    #[test]
    fn an_unknown_outcome_is_worth_a_retry() {
        let error = engine_error(EngineError::Unknown);
        assert_eq!(error.code(), ErrorCode::ServiceUnavailable);
        assert!(error.retry_after().is_some());
    }
}
