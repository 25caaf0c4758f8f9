//! A request as callers give it, checked before anything is dialled.

use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};

use crate::error::EgressError;

/// Most bytes of request headers, names and values together.
pub(crate) const REQUEST_HEADER_BYTES_MAX: usize = 64 * 1024;

/// One outbound call. Every limit is the caller's decision, hence no defaults.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method. `CONNECT` and `TRACE` are refused.
    pub method: Method,
    /// The URL as written; it is judged by the policy.
    pub url: String,
    /// Headers to send. Those that frame the message are refused.
    pub headers: HeaderMap,
    /// The body; empty for none.
    pub body: Bytes,
    /// Limit for the whole call, from look-up to the last body byte.
    pub timeout: Duration,
    /// Largest response body that is accepted.
    pub max_response_bytes: usize,
}

/// A complete response. A redirect is a response like any other.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The response headers.
    pub headers: HeaderMap,
    /// The whole body, not decoded: no `Accept-Encoding` is ever sent.
    pub body: Bytes,
}

/// Whether a caller may set this header. The refused ones decide how the
/// message is framed or to whom it goes; setting them by hand is how one
/// request is smuggled inside another, or a check on the host is bypassed.
#[must_use]
pub fn is_header_settable(name: &HeaderName) -> bool {
    const REFUSED: &[&str] = &[
        "connection",
        "content-length",
        "expect",
        "host",
        "http2-settings",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    !REFUSED.contains(&name.as_str())
}

/// Checks the parts of a request that the policy does not look at and adds the
/// user agent.
pub(crate) fn prepare(request: &mut Request) -> Result<(), EgressError> {
    if matches!(request.method, Method::CONNECT | Method::TRACE) {
        return Err(invalid(format!("the method {} is not permitted", request.method)));
    }
    let mut bytes = 0_usize;
    for (name, value) in &request.headers {
        if !is_header_settable(name) {
            return Err(invalid(format!("the header {name} is set by the host alone")));
        }
        bytes += name.as_str().len() + value.len();
    }
    if bytes > REQUEST_HEADER_BYTES_MAX {
        return Err(invalid("the request headers are too large".to_owned()));
    }
    request
        .headers
        .entry(header::USER_AGENT)
        .or_insert(HeaderValue::from_static(concat!("weft/", env!("CARGO_PKG_VERSION"))));
    Ok(())
}

fn invalid(reason: String) -> EgressError {
    EgressError::Request { reason }
}
