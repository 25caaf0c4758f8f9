//! From a response, or its absence, to the node's outputs or failure.

use std::time::Duration;

use http::HeaderMap;
use http::header::{self, HeaderName};
use serde_json::Value;
use weft_core::NodeError;
use weft_egress::{EgressError, EgressErrorKind, Response};
use weft_model::{ErrorCode, JsonObject};

use super::plan::Plan;

/// The published outputs. Any status is a completed call: the author branches
/// on `status`.
pub(super) fn outputs(response: &Response, plan: &Plan, attempts: u32, duration: Duration) -> JsonObject {
    let mut outputs = JsonObject::new();
    outputs.insert("status".to_owned(), response.status.as_u16().into());
    outputs.insert("headers".to_owned(), Value::Object(headers(&response.headers)));
    outputs.insert("body".to_owned(), body(response));
    let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    outputs.insert("durationMs".to_owned(), duration_ms.into());
    outputs.insert("attempts".to_owned(), attempts.into());
    if let Some(key) = &plan.idempotency_key {
        outputs.insert("idempotencyKey".to_owned(), key.clone().into());
    }
    outputs
}

/// The failure of a call without a response.
pub(super) fn failure(error: &EgressError, plan: &Plan, attempts: u32) -> NodeError {
    let failure = match error {
        // The message says which rule, never which address: what a name
        // resolves to inside the host's network is not the author's to learn.
        EgressError::Refused(refusal) => {
            let message = format!("the egress guard refused the URL (rule {})", refusal.word());
            NodeError::new(ErrorCode::EgressDenied, message)
                .with_detail("reason", "ssrf-blocked")
                .with_detail("rule", refusal.word())
        }
        EgressError::Request { reason } => {
            NodeError::new(ErrorCode::ValidationError, format!("the request cannot be sent: {reason}"))
                .with_detail("reason", error.word())
        }
        other => NodeError::new(ErrorCode::UpstreamUnavailable, other.to_string())
            .with_detail("reason", other.word())
            .with_detail("attempts", attempts),
    };
    failure.with_retryable(error.kind() == EgressErrorKind::Transient && plan.may_repeat(error.sent()))
}

/// JSON when the peer says so and it is; text otherwise; `null` when empty.
/// Numbers and booleans stay text, since the published output is an object,
/// an array, a text or `null`.
fn body(response: &Response) -> Value {
    if response.body.is_empty() {
        return Value::Null;
    }
    if is_json(&response.headers)
        && let Ok(value) = weft_model::json::parse(&response.body)
        && !matches!(value, Value::Number(_) | Value::Bool(_))
    {
        return value;
    }
    String::from_utf8_lossy(&response.body).into_owned().into()
}

fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|text| text.split(';').next()).unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
        || (essence.len() > 5 && essence[essence.len() - 5..].eq_ignore_ascii_case("+json"))
}

/// Lower-case names; several values of one name are joined. What authenticates
/// somebody is left out, because outputs are recorded for ever.
fn headers(headers: &HeaderMap) -> JsonObject {
    let mut object = JsonObject::new();
    for name in headers.keys().filter(|name| !is_sensitive(name)) {
        let values: Vec<_> = headers.get_all(name).iter().map(|v| String::from_utf8_lossy(v.as_bytes())).collect();
        object.insert(name.as_str().to_owned(), values.join(", ").into());
    }
    object
}

fn is_sensitive(name: &HeaderName) -> bool {
    const SENSITIVE: &[HeaderName] = &[
        header::SET_COOKIE,
        header::AUTHORIZATION,
        header::PROXY_AUTHENTICATE,
        header::PROXY_AUTHORIZATION,
        header::WWW_AUTHENTICATE,
    ];
    SENSITIVE.contains(name) || matches!(name.as_str(), "set-cookie2" | "authentication-info")
}
