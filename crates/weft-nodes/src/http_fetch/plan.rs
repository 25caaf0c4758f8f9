//! From a call to the request that will be sent, and when to send it again.

use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue};
use serde_json::Value;
use weft_core::{NodeCall, NodeError};
use weft_egress::{EgressError, EgressErrorKind, Request, Response, Sent};
use weft_model::{ErrorCode, JsonObject};

use super::config::{Config, IdempotencyMode, Method, Retry};
use super::template;
use crate::config::{invalid_input, read_checked};

/// Largest request body. It is the doors' own limit (DECISIONS 44): a run's
/// inputs cannot be larger, so neither needs what a node makes of them.
const REQUEST_BODY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The input port whose members have the prefix form too.
const VARIABLES: &str = "variables";
const BODY: &str = "body";

/// A request ready to be sent, and the rules for repeating it.
#[derive(Debug)]
pub(super) struct Plan {
    url: String,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
    timeout: Duration,
    retry: Retry,
    is_retry_written: bool,
    pub(super) idempotency_key: Option<String>,
}

impl Plan {
    /// Reads config and inputs.
    pub(super) fn of(call: &NodeCall) -> Result<Self, NodeError> {
        let config: Config = read_checked(&call.config)?;
        let mut headers = config.headers().map_err(|reason| NodeError::new(ErrorCode::NodeConfigInvalid, reason))?;
        let url = template::fill(&config.url, &variables(&call.inputs)?).map_err(invalid_url)?;
        let body = if config.method.is_read() { Bytes::new() } else { body(call.inputs.get(BODY), &mut headers)? };
        let idempotency_key = idempotency_key(&config, call, &mut headers);
        Ok(Self {
            url,
            method: config.method,
            headers,
            body,
            timeout: config.timeout(),
            retry: config.retry.unwrap_or_default(),
            is_retry_written: config.retry.is_some(),
            idempotency_key,
        })
    }

    /// One attempt's request; every attempt sends the same bytes.
    pub(super) fn request(&self, max_response_bytes: usize) -> Request {
        Request {
            method: self.method.as_http(),
            url: self.url.clone(),
            headers: self.headers.clone(),
            body: self.body.clone(),
            timeout: self.timeout,
            max_response_bytes,
        }
    }

    /// The pause before the next attempt, or `None` when this one is the last.
    pub(super) fn pause_after(&self, attempt: u32, outcome: &Result<Response, EgressError>) -> Option<Duration> {
        let repeat = match outcome {
            Ok(response) => response.status.is_server_error() && self.may_repeat(Sent::Maybe),
            Err(error) if error.kind() != EgressErrorKind::Transient => false,
            // A peer that has used up the whole time once would do so again;
            // the author's `timeoutMs` is then the honest end.
            Err(EgressError::Timeout { .. }) => self.is_retry_written,
            Err(error) => self.may_repeat(error.sent()),
        };
        (repeat && attempt < self.retry.max_attempts).then(|| self.retry.delay_after(attempt))
    }

    /// Whether repeating can do no harm, or the author asked for it
    /// (DECISIONS 36).
    pub(super) fn may_repeat(&self, sent: Sent) -> bool {
        self.method.is_read() || self.is_retry_written || sent == Sent::No
    }
}

/// The template's variables: the members of port `variables`, then every port
/// `variables.NAME`, which lets an author wire one value at a time.
fn variables(inputs: &JsonObject) -> Result<JsonObject, NodeError> {
    let mut variables = match inputs.get(VARIABLES) {
        None | Some(Value::Null) => JsonObject::new(),
        Some(Value::Object(members)) => members.clone(),
        Some(_) => return Err(invalid_input(VARIABLES, "is not an object")),
    };
    for (port, value) in inputs {
        match port.strip_prefix("variables.") {
            Some(name) if template::is_name(name) => {
                variables.insert(name.to_owned(), value.clone());
            }
            Some(_) => return Err(invalid_input(port, "names no placeholder")),
            None if port == VARIABLES || port == BODY => {}
            None => return Err(invalid_input(port, "is not an input of this type")),
        }
    }
    Ok(variables)
}

fn body(value: Option<&Value>, headers: &mut HeaderMap) -> Result<Bytes, NodeError> {
    let (bytes, media_type) = match value {
        None | Some(Value::Null) => return Ok(Bytes::new()),
        Some(Value::String(text)) => (text.clone().into_bytes(), "text/plain; charset=utf-8"),
        Some(value @ (Value::Object(_) | Value::Array(_))) => (value.to_string().into_bytes(), "application/json"),
        Some(_) => return Err(invalid_input(BODY, "is not an object, array or text")),
    };
    if bytes.len() > REQUEST_BODY_BYTES_MAX {
        return Err(invalid_input(BODY, "is larger than 4 MiB"));
    }
    headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static(media_type));
    Ok(bytes.into())
}

/// The key is the invocation's, the same for every attempt and after a restart,
/// so that a peer that honours it performs the effect once (R-EFF-02, R-EFF-04).
/// An author's own header wins.
fn idempotency_key(config: &Config, call: &NodeCall, headers: &mut HeaderMap) -> Option<String> {
    const NAME: HeaderName = HeaderName::from_static("idempotency-key");
    if config.method.is_read() || config.idempotency.mode == IdempotencyMode::Disabled {
        return None;
    }
    if let Some(own) = headers.get(&NAME) {
        return own.to_str().ok().map(str::to_owned);
    }
    let value = HeaderValue::try_from(call.invocation_key.as_str()).ok()?;
    headers.insert(NAME, value);
    Some(call.invocation_key.clone())
}

fn invalid_url(reason: String) -> NodeError {
    NodeError::new(ErrorCode::ValidationError, reason).with_detail("reason", "invalid-url")
}
