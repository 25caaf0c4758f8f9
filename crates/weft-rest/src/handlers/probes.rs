//! `/healthz`, `/readyz`, `/metrics`: for operators, without a key and without a word on tenants.
//! They are no protocol responses and carry no protocol version.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

use crate::body::RestBody;
use crate::door::Door;
use crate::headers::{JSON, NO_STORE};
use crate::respond;

const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
const HEALTHY: Bytes = Bytes::from_static(b"{\"status\":\"ok\"}");

/// The process is up and answers.
pub(crate) fn health() -> Response<RestBody> {
    page(StatusCode::OK, JSON, HEALTHY)
}

/// The host can serve: 200 or 503, with the reasons.
pub(crate) fn ready(door: &Door) -> Response<RestBody> {
    let mut readiness = door.options.probes.readiness();
    if door.options.closing.is_cancelled() {
        readiness.ready = false;
        readiness.details.push(("shutdown", "draining".to_owned()));
    }
    // A list, because a name may come more than once.
    let details: Vec<Value> =
        readiness.details.into_iter().map(|(name, text)| json!({ "name": name, "text": text })).collect();
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({ "ready": readiness.ready, "details": details });
    page(status, JSON, Bytes::from(body.to_string()))
}

/// The metrics that the binary renders.
pub(crate) fn metrics(door: &Door) -> Response<RestBody> {
    page(StatusCode::OK, OPEN_METRICS, Bytes::from(door.options.probes.metrics()))
}

fn page(status: StatusCode, media_type: HeaderValue, body: Bytes) -> Response<RestBody> {
    let mut response = respond::bare(status, RestBody::full(body));
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    response
}
