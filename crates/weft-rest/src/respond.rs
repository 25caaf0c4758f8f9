//! Answers as HTTP responses.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use weft_ops::{Answer, OpError, OpResult};

use crate::body::RestBody;
use crate::etag;
use crate::gzip::{self, GzipBody};
use crate::headers::{GZIP, IDEMPOTENT_REPLAY, JSON, NO_STORE, TRUE};

/// `Vary` of an answer that may be compressed.
pub(crate) const VARY_ENCODING: HeaderValue = HeaderValue::from_static("accept-encoding");

/// Headers of a usual answer, so that its map is allocated once and never grows.
const USUAL_HEADERS: usize = 8;

/// A mark on a response whose request's body was not read to its end. The connection then lingers
/// after it, so that the peer gets to read the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadBody;

/// A mark on a request of a connection beyond the listener's limit: it is to be refused, whatever
/// it asks for, and its connection ends with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

/// An answer with this status and body, without any header.
pub(crate) fn bare(status: StatusCode, body: RestBody) -> Response<RestBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = HeaderMap::with_capacity(USUAL_HEADERS);
    response
}

/// `200` with JSON for the caller alone, compressed when it is long and the caller takes that.
pub(crate) fn json(request: &HeaderMap, body: Bytes) -> Response<RestBody> {
    private_json(request, body, None)
}

/// The same with a validator. The compressed form has its own.
pub(crate) fn validated_json(request: &HeaderMap, body: Bytes, etag: &str) -> OpResult<Response<RestBody>> {
    if etag::matches(request, etag) {
        return not_modified(etag);
    }
    Ok(private_json(request, body, Some(etag)))
}

fn private_json(request: &HeaderMap, body: Bytes, etag: Option<&str>) -> Response<RestBody> {
    let long = body.len() >= gzip::COMPRESS_FROM_BYTES;
    let compress = long && gzip::accepted(request);
    let body = if compress { RestBody::compressed(GzipBody::new(body)) } else { RestBody::full(body) };
    let mut response = bare(StatusCode::OK, body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(CACHE_CONTROL, NO_STORE);
    if long {
        headers.insert(VARY, VARY_ENCODING);
    }
    if compress {
        headers.insert(CONTENT_ENCODING, GZIP);
    }
    let tag = etag.and_then(|etag| if compress { header_value(&etag::of_gzip(etag)) } else { header_value(etag) });
    if let Some(tag) = tag {
        headers.insert(ETAG, tag);
    }
    response
}

/// `304` for the caller alone.
fn not_modified(etag: &str) -> OpResult<Response<RestBody>> {
    let tag = header_value(etag).ok_or_else(|| OpError::internal("a validator is no header value"))?;
    let mut response = bare(StatusCode::NOT_MODIFIED, RestBody::empty());
    let headers = response.headers_mut();
    headers.insert(ETAG, tag);
    headers.insert(CACHE_CONTROL, NO_STORE);
    headers.insert(VARY, VARY_ENCODING);
    Ok(response)
}

/// The answer of a mutating operation, fresh or replayed (R-IDEM-04, R-IDEM-12).
pub(crate) fn answer(answer: Answer) -> OpResult<Response<RestBody>> {
    let status = StatusCode::from_u16(answer.status).map_err(OpError::internal)?;
    let mut response = bare(status, RestBody::full(answer.body));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(CACHE_CONTROL, NO_STORE);
    for (name, value) in answer.headers {
        let name: HeaderName = name.parse().map_err(OpError::internal)?;
        headers.insert(name, value.parse().map_err(OpError::internal)?);
    }
    if answer.replayed {
        headers.insert(IDEMPOTENT_REPLAY, TRUE);
    }
    Ok(response)
}

/// A validator as a header value; ours are ASCII, so there always is one.
pub(crate) fn header_value(text: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(text).ok()
}
