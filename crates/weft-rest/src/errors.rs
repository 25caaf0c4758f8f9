//! Refusals as HTTP: the envelope, the registered status, and the headers that go with the class.

use std::any::Any;

use http::{HeaderValue, Response, StatusCode, header};
use weft_model::{ErrorClass, ErrorCode};
use weft_ops::{OpError, RETRY_OVERLOADED_SECONDS};

use crate::body::RestBody;
use crate::headers::{BEARER, JSON, NO_STORE};

/// What an answer carries beside its envelope.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Duty {
    /// Nothing.
    Plain,
    /// `WWW-Authenticate` (R-PRM-08).
    Challenge,
    /// `Retry-After`, also when the operation named no time (R-ERR-07).
    Retry,
}

/// The one place where a class of errors meets HTTP.
fn duty(class: ErrorClass) -> Duty {
    match class {
        ErrorClass::Unauthenticated => Duty::Challenge,
        ErrorClass::RateLimited | ErrorClass::Unavailable => Duty::Retry,
        ErrorClass::Malformed
        | ErrorClass::Pack
        | ErrorClass::Forbidden
        | ErrorClass::TenantMismatch
        | ErrorClass::NotFound
        | ErrorClass::VersionUnsupported
        | ErrorClass::ClientTooOld
        | ErrorClass::Conflict
        | ErrorClass::AlreadyResolved
        | ErrorClass::Idempotency
        | ErrorClass::Gone
        | ErrorClass::TooLarge
        | ErrorClass::UnsupportedMediaType
        | ErrorClass::Unprocessable
        | ErrorClass::CapabilityMissing
        | ErrorClass::LimitReached
        | ErrorClass::Internal
        | ErrorClass::NotOffered
        | ErrorClass::Upstream => Duty::Plain,
    }
}

/// The answer of a refused request. The private cause goes to the log and nowhere else.
pub(crate) fn response(error: &OpError) -> Response<RestBody> {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if status.is_server_error() {
        tracing::error!(
            code = error.code().as_str(),
            cause = error.cause().map(tracing::field::display),
            "request failed"
        );
    }
    let mut response = Response::new(RestBody::full(error.envelope()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, JSON);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    let duty = duty(error.class());
    if duty == Duty::Challenge {
        headers.insert(header::WWW_AUTHENTICATE, BEARER);
    }
    let retry_after = error.retry_after().or((duty == Duty::Retry).then_some(RETRY_OVERLOADED_SECONDS));
    if let Some(seconds) = retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// The refusal of a connection beyond the listener's limit (R-RUN-20).
pub(crate) fn no_room() -> OpError {
    OpError::new(ErrorCode::ServiceUnavailable, "The host has no room for another connection; try again.")
}

/// The refusal of one more large answer while slow readers still hold others.
pub(crate) fn too_many_answers() -> OpError {
    OpError::new(ErrorCode::ServiceUnavailable, "Too many large answers are still being read; try again.")
}

/// The refusal of paths and methods that no served operation has (R-HDR-09, R-ERR-09): unknown
/// and unadvertised are the same to a caller.
pub(crate) fn nothing_here() -> OpError {
    OpError::not_found("There is nothing at this path.")
}

/// The refusal of a request that waited while the host began to shut down.
pub(crate) fn closing() -> OpError {
    OpError::new(ErrorCode::ServiceUnavailable, "This host is shutting down.")
        .with_retry_after(RETRY_OVERLOADED_SECONDS)
}

/// What a panic becomes (R-ERR-15). Its text may hold anything, so it only reaches the log.
pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> OpError {
    let text = panic
        .downcast_ref::<&'static str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a text");
    OpError::internal(format!("panicked: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // R-ERR-15: neither cause nor panic reaches the peer.
    #[test]
    fn causes_stay_inside() {
        let error = of_panic(&"password=hunter2".to_owned());
        assert_eq!(error.code(), ErrorCode::InternalError);
        let envelope = String::from_utf8(error.envelope().to_vec()).expect("JSON");
        assert!(!envelope.contains("hunter2"), "{envelope}");
    }

    // R-ERR-03, R-ERR-07, R-PRM-08.
    #[test]
    fn classes_bring_their_headers() {
        let rate_limited = response(&OpError::new(ErrorCode::RateLimited, "Slow down."));
        assert_eq!(rate_limited.status(), 429);
        assert_eq!(rate_limited.headers()[header::RETRY_AFTER], "2");
        let unauthenticated = response(&OpError::new(ErrorCode::Unauthenticated, "Who?"));
        assert_eq!(unauthenticated.status(), 401);
        assert_eq!(unauthenticated.headers()[header::WWW_AUTHENTICATE], "Bearer");
        let forbidden = response(&OpError::new(ErrorCode::Forbidden, "No."));
        assert_eq!(forbidden.status(), 403);
        assert!(!forbidden.headers().contains_key(header::WWW_AUTHENTICATE));
        assert!(!forbidden.headers().contains_key(header::RETRY_AFTER));
        let told = response(&OpError::new(ErrorCode::IdempotencyInFlight, "Wait.").with_retry_after(1));
        assert_eq!(told.headers()[header::RETRY_AFTER], "1");
    }
}
