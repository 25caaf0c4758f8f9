//! Version negotiation: `OpenWOP-Version` in and out (openwop-rest §1, DECISIONS 1).

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::json;
use weft_model::ErrorCode;
use weft_ops::discovery::{PREFERRED_VERSION, PROTOCOL_VERSIONS};
use weft_ops::{OpError, OpResult};

use crate::errors;

/// The header, in both directions.
pub(crate) const OPENWOP_VERSION: HeaderName = HeaderName::from_static("openwop-version");
/// What every protocol response says (R-VER-01): the one contract that this host serves.
pub(crate) const SERVED_VERSION: HeaderValue = HeaderValue::from_static(PREFERRED_VERSION);

/// The one major that is served.
const MAJOR: &str = "2";

/// Refuses a request that asks for another major. Only the major selects, and a request without
/// the header is served (R-VER-02 to R-VER-05). `OpenWOP-Client-Version` is not read at all: it
/// selects nothing and no floor is advertised (R-VER-11, R-VER-12, R-VER-14).
pub(crate) fn negotiate(headers: &HeaderMap) -> OpResult<()> {
    if headers.get_all(&OPENWOP_VERSION).iter().all(|asked| major_of(asked) == Some(MAJOR)) {
        return Ok(());
    }
    Err(OpError::new(
        ErrorCode::ProtocolVersionUnsupported,
        "This host does not serve the protocol version that OpenWOP-Version names.",
    )
    .with_detail("protocolVersions", json!(PROTOCOL_VERSIONS)))
}

/// The answer to a path of the first major's space, which this host does not have: a request that
/// names another major there contradicts itself (R-VER-06).
pub(crate) fn refuse_first_major(headers: &HeaderMap) -> OpError {
    match headers.get(&OPENWOP_VERSION) {
        None => errors::nothing_here(),
        Some(asked) if major_of(asked) == Some("1") => match negotiate(headers) {
            Err(refusal) => refusal,
            Ok(()) => errors::nothing_here(),
        },
        Some(_) => {
            OpError::new(ErrorCode::ProtocolVersionMismatch, "OpenWOP-Version names another major than the path.")
        }
    }
}

/// The major of `<major>` or `<major>.<minor>`; nothing else is a version (R-VER-08).
fn major_of(value: &HeaderValue) -> Option<&str> {
    let text = value.to_str().ok()?;
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    (is_number(major) && is_number(minor)).then_some(major)
}

/// `0`, or digits that do not start with one.
fn is_number(text: &str) -> bool {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits && (text.len() == 1 || !text.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(OPENWOP_VERSION, value.parse().expect("a header value"));
        }
        headers
    }

    // R-VER-02, R-VER-04: the major selects, the minor informs, and no header means version 2.
    #[test]
    fn every_minor_of_the_served_major_is_served() {
        for values in [&[][..], &["2"], &["2.0"], &["2.46"], &["2.9"], &["2.0", "2.46"]] {
            negotiate(&asking(values)).expect("served");
        }
    }

    // R-VER-03, R-VER-08: other majors and garbage are refused with the list that is served.
    #[test]
    fn other_majors_and_garbage_are_refused() {
        for value in ["9", "1", "1.0", "3.0", "abc", "2.x", "02", "2.", ".0", "", "2.0.1", "+2", "2.00"] {
            let error = negotiate(&asking(&[value])).expect_err(value);
            assert_eq!(error.code(), ErrorCode::ProtocolVersionUnsupported, "{value}");
            assert_eq!(error.status(), 406);
            assert_eq!(error.details().expect("details")["protocolVersions"], json!(["2.0", "2.46"]));
        }
        negotiate(&asking(&["2.0", "3.0"])).expect_err("two majors");
    }

    // R-VER-06: a path of the first major with another version contradicts itself.
    #[test]
    fn the_first_major_has_no_paths_here() {
        assert_eq!(refuse_first_major(&asking(&[])).code(), ErrorCode::NotFound);
        assert_eq!(refuse_first_major(&asking(&["1.0"])).code(), ErrorCode::ProtocolVersionUnsupported);
        for value in ["2", "2.0", "9", "abc"] {
            assert_eq!(refuse_first_major(&asking(&[value])).code(), ErrorCode::ProtocolVersionMismatch);
        }
    }
}
