//! Validators: `ETag` and `If-None-Match` (R-DISC-02, R-SNAP-08).

use http::{HeaderMap, header};

/// What a compressed representation's validator ends in. A strong validator names bytes, so the
/// compressed bytes have their own (RFC 9110 §8.8.3.3); both stand for the same state.
pub(crate) const GZIP_SUFFIX: &str = "-gzip";

/// Whether `If-None-Match` names the current state. `etag` is the validator of the plain bytes,
/// with its quotes; the comparison is weak, as RFC 9110 §13.1.2 asks.
pub(crate) fn matches(headers: &HeaderMap, etag: &str) -> bool {
    headers.get_all(header::IF_NONE_MATCH).iter().any(|value| {
        let Ok(text) = value.to_str() else { return false };
        text.trim() == "*" || text.split(',').any(|candidate| is_same(candidate.trim(), etag))
    })
}

/// The validator of the compressed bytes.
pub(crate) fn of_gzip(etag: &str) -> String {
    let mut own = etag.strip_suffix('"').unwrap_or(etag).to_owned();
    own.push_str(GZIP_SUFFIX);
    own.push('"');
    own
}

fn is_same(candidate: &str, etag: &str) -> bool {
    let candidate = candidate.strip_prefix("W/").unwrap_or(candidate);
    if candidate == etag {
        return true;
    }
    match (unquoted(candidate), unquoted(etag)) {
        (Some(candidate), Some(etag)) => candidate.strip_suffix(GZIP_SUFFIX) == Some(etag),
        _ => false,
    }
}

fn unquoted(tag: &str) -> Option<&str> {
    tag.strip_prefix('"')?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::IF_NONE_MATCH, value.parse().expect("a header value"));
        }
        headers
    }

    // R-SNAP-08, R-DISC-02: a matching validator, alone, in a list, weak or of the compressed form.
    #[test]
    fn matching_validators_are_found() {
        for values in [
            &["\"1-7\""][..],
            &["W/\"1-7\""],
            &["\"a\", \"1-7\""],
            &["\"a\"", "\"1-7\""],
            &["*"],
            &["\"1-7-gzip\""],
            &["W/\"1-7-gzip\""],
        ] {
            assert!(matches(&asking(values), "\"1-7\""), "{values:?}");
        }
    }

    #[test]
    fn others_and_garbage_are_not() {
        for values in [&[][..], &["\"1-8\""], &["1-7"], &["\"1-7"], &["\""], &["W/"], &["\"-gzip\""], &[""]] {
            assert!(!matches(&asking(values), "\"1-7\""), "{values:?}");
        }
    }

    #[test]
    fn the_compressed_form_has_its_own_validator() {
        assert_eq!(of_gzip("\"1-7\""), "\"1-7-gzip\"");
        assert!(matches(&asking(&[&of_gzip("\"1-7\"")]), "\"1-7\""));
    }
}
