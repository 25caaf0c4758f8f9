//! The protocol's own header names and the values that are read or written as they are.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};

/// `Idempotency-Key` of a mutating request.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// `OpenWOP-Idempotent-Replay` of a replayed answer (R-IDEM-04).
pub(crate) const IDEMPOTENT_REPLAY: HeaderName = HeaderName::from_static("openwop-idempotent-replay");
/// `OpenWOP-Dedup` of createRun.
pub(crate) const DEDUP: HeaderName = HeaderName::from_static("openwop-dedup");
/// `OpenWOP-Force-Engine-Version` of createRun.
pub(crate) const FORCE_ENGINE_VERSION: HeaderName = HeaderName::from_static("openwop-force-engine-version");
/// `Last-Event-ID` of streamRunEvents.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The media type of every JSON answer.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// The media type of a stream.
pub(crate) const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
/// What is answered to a caller is that caller's alone (DECISIONS 27).
pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// The document is public, and its validator is cheap to ask for (R-DISC-08).
pub(crate) const DISCOVERY_CACHING: HeaderValue = HeaderValue::from_static("public, max-age=300");
/// The coding that answers may have.
pub(crate) const GZIP: HeaderValue = HeaderValue::from_static("gzip");
/// A flag header that is present.
pub(crate) const TRUE: HeaderValue = HeaderValue::from_static("true");
/// The challenge of a host without an OAuth lane (R-PRM-08).
pub(crate) const BEARER: HeaderValue = HeaderValue::from_static("Bearer");

/// A header as text. A header that comes more than once, or that is no text, yields a value that
/// no grammar accepts, so that the operation refuses it in its own words.
pub(crate) fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<Cow<'h, str>> {
    let mut values = headers.get_all(name).iter();
    let first = String::from_utf8_lossy(values.next()?.as_bytes());
    match values.next() {
        None => Some(first),
        Some(second) => Some(Cow::Owned(format!("{first}, {}", String::from_utf8_lossy(second.as_bytes())))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_or_binary_header_fits_no_grammar() {
        let mut headers = HeaderMap::new();
        assert_eq!(text(&headers, &LAST_EVENT_ID), None);
        headers.append(LAST_EVENT_ID, HeaderValue::from_static("7"));
        assert_eq!(text(&headers, &LAST_EVENT_ID).as_deref(), Some("7"));
        headers.append(LAST_EVENT_ID, HeaderValue::from_static("8"));
        assert_eq!(text(&headers, &LAST_EVENT_ID).as_deref(), Some("7, 8"));
        headers.insert(IDEMPOTENCY_KEY, HeaderValue::from_bytes(b"k\xFF").expect("opaque bytes"));
        assert_eq!(text(&headers, &IDEMPOTENCY_KEY).as_deref(), Some("k\u{FFFD}"));
    }
}
