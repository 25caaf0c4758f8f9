//! The one error of every operation: a registered code, the public text, and the private cause.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use bytes::Bytes;
use serde_json::Value;
use weft_model::{ErrorClass, ErrorCode, JsonObject};

/// Seconds a caller is told to wait before it repeats a request that met a running twin
/// (R-IDEM-09). One second is longer than any commit takes and short enough to be unnoticed.
pub const RETRY_IN_FLIGHT_SECONDS: u32 = 1;
/// Seconds a caller is told to wait when the host is overloaded or its store is away.
pub const RETRY_OVERLOADED_SECONDS: u32 = 2;

/// Characters of an unknown member's name that a refusal repeats.
const NAME_ECHO_MAX_CHARS: usize = 128;

/// Why an operation was refused. `message` and `details` are public; `source` goes to the log and
/// never to the peer (R-ERR-15, R-AUTH-22).
pub struct OpError {
    code: ErrorCode,
    message: Cow<'static, str>,
    details: Option<Box<JsonObject>>,
    retry_after: Option<u32>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The result of an operation.
pub type OpResult<T> = Result<T, OpError>;

impl OpError {
    /// An error with its public text.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> OpError {
        OpError { code, message: message.into(), details: None, retry_after: None, source: None }
    }

    /// `400 validation_error`.
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> OpError {
        OpError::new(ErrorCode::ValidationError, message)
    }

    /// `400 validation_error` that names the offending member in `details.field`.
    pub fn invalid_field(field: impl Into<String>, message: impl Into<Cow<'static, str>>) -> OpError {
        OpError::invalid(message).with_detail("field", Value::String(field.into()))
    }

    /// The same for a member that nobody knows. Its name is the caller's, so only its start is
    /// said back.
    pub fn unknown_member(name: &str, message: impl Into<Cow<'static, str>>) -> OpError {
        OpError::invalid_field(name.chars().take(NAME_ECHO_MAX_CHARS).collect::<String>(), message)
    }

    /// `404 not_found`, the one answer for unknown and unreadable things (DECISIONS 7).
    pub fn not_found(what: &'static str) -> OpError {
        OpError::new(ErrorCode::NotFound, what)
    }

    /// `500 internal_error`; the cause is for the log only.
    pub fn internal(source: impl Into<Box<dyn Error + Send + Sync>>) -> OpError {
        OpError::new(ErrorCode::InternalError, "The host could not complete the request.").with_source(source)
    }

    /// Adds one member to `details`.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<Value>) -> OpError {
        self.details.get_or_insert_default().insert(name.to_owned(), value.into());
        self
    }

    /// Sets the `Retry-After` of the answer, in seconds (R-ERR-06: never inside `details`).
    #[must_use]
    pub fn with_retry_after(mut self, seconds: u32) -> OpError {
        self.retry_after = Some(seconds);
        self
    }

    /// Attaches the private cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> OpError {
        self.source = Some(source.into());
        self
    }

    /// The registered code.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The class that a door matches on.
    pub fn class(&self) -> ErrorClass {
        self.code.class()
    }

    /// The registered status of the code (R-ERR-03).
    pub fn status(&self) -> u16 {
        self.code.http_status()
    }

    /// The public text.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The public details, when there are any.
    pub fn details(&self) -> Option<&JsonObject> {
        self.details.as_deref()
    }

    /// Seconds for `Retry-After`, when the answer carries one.
    pub fn retry_after(&self) -> Option<u32> {
        self.retry_after
    }

    /// The private cause, for the log.
    pub fn cause(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.source.as_deref()
    }

    /// The closed error envelope `{error, message, details?}` (openwop-rest §4, R-ERR-01).
    pub fn envelope(&self) -> Bytes {
        let mut envelope = JsonObject::with_capacity(3);
        envelope.insert("error".to_owned(), Value::from(self.code.as_str()));
        envelope.insert("message".to_owned(), Value::from(self.message.as_ref()));
        if let Some(details) = &self.details {
            envelope.insert("details".to_owned(), Value::Object((**details).clone()));
        }
        Bytes::from(Value::Object(envelope).to_string())
    }
}

impl fmt::Debug for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpError")
            .field("code", &self.code.as_str())
            .field("message", &self.message)
            .field("details", &self.details)
            .field("retry_after", &self.retry_after)
            .field("source", &self.source)
            .finish()
    }
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl Error for OpError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(error: &OpError) -> Value {
        serde_json::from_slice(&error.envelope()).expect("JSON")
    }

    // R-ERR-01, R-ERR-02, R-ERR-05: the closed envelope, details only when there are any.
    #[test]
    fn the_envelope_is_closed() {
        let plain = OpError::not_found("There is no such run.");
        assert_eq!(envelope(&plain), serde_json::json!({"error": "not_found", "message": "There is no such run."}));
        let detailed = OpError::invalid_field("limit", "No.").with_detail("more", 1);
        let expected = serde_json::json!({"field": "limit", "more": 1});
        assert_eq!(envelope(&detailed)["details"], expected);
        assert_eq!(envelope(&detailed).as_object().map(JsonObject::len), Some(3));
    }

    // R-ERR-06: the time to wait is a header's, never a detail.
    #[test]
    fn the_time_to_wait_is_not_in_the_envelope() {
        let error = OpError::new(ErrorCode::RateLimited, "Later.").with_retry_after(7);
        assert_eq!((error.retry_after(), envelope(&error).get("details")), (Some(7), None));
    }

    // R-ERR-15, R-AUTH-22: the cause is for the log.
    #[test]
    fn the_cause_is_not_in_the_envelope() {
        let error = OpError::internal("the password is swordfish");
        assert!(!String::from_utf8_lossy(&error.envelope()).contains("swordfish"));
        assert!(error.cause().expect("a cause").to_string().contains("swordfish"));
        assert!(!error.to_string().contains("swordfish"));
    }
}
