//! The character classes and shapes of the identifier grammars (REST sheet §6).

/// Longest tenant, workspace, key and author identifier, and longest opaque part.
pub(super) const LEN_MAX: usize = 128;
/// Shortest host-minted opaque part.
pub(super) const OPAQUE_LEN_MIN: usize = 16;
/// Longest node type identifier.
pub(super) const TYPE_ID_LEN_MAX: usize = 256;
/// Longest subject identifier, counted in characters.
pub(super) const SUBJECT_CHARS_MAX: usize = 256;
/// Shortest `Idempotency-Key` (REST sheet §22: 128 bits in 64 symbols need 22 characters).
pub(super) const IDEMPOTENCY_KEY_LEN_MIN: usize = 22;
/// The one prefix with a colon that a tenant identifier may carry.
const ANON_PREFIX: &str = "anon:";

/// A reason for refusal, readable after the kind's name.
pub(super) type Reason = &'static str;

fn is_opaque_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'-')
}

fn is_author_byte(byte: u8) -> bool {
    is_opaque_byte(byte) || byte == b':'
}

fn all_of(text: &str, min: usize, max: usize, allowed: fn(u8) -> bool) -> Result<(), Reason> {
    if text.len() < min {
        return Err(if text.is_empty() { "is empty" } else { "is too short" });
    }
    if text.len() > max {
        return Err("is too long");
    }
    if text.bytes().all(allowed) { Ok(()) } else { Err("has a character outside the grammar") }
}

/// `^[A-Za-z0-9._~-]{1,128}$`: workspaces, keys.
pub(super) fn short(text: &str) -> Result<(), Reason> {
    all_of(text, 1, LEN_MAX, is_opaque_byte)
}

/// `^[A-Za-z0-9._~-]{16,128}$`: events and the opaque part of a bound id.
pub(super) fn opaque(text: &str) -> Result<(), Reason> {
    all_of(text, OPAQUE_LEN_MIN, LEN_MAX, is_opaque_byte)
}

/// `^[A-Za-z0-9._~:-]{1,128}$`: what an author chooses, such as node ids.
pub(super) fn author(text: &str) -> Result<(), Reason> {
    all_of(text, 1, LEN_MAX, is_author_byte)
}

/// `^(anon:)?[A-Za-z0-9._~-]{1,128}$`.
pub(super) fn tenant(text: &str) -> Result<(), Reason> {
    short(text.strip_prefix(ANON_PREFIX).unwrap_or(text))
}

/// `^[^\s/]{1,256}$`: whatever the issuer chose, without blanks and slashes.
pub(super) fn subject(text: &str) -> Result<(), Reason> {
    if text.is_empty() {
        return Err("is empty");
    }
    if text.chars().count() > SUBJECT_CHARS_MAX {
        return Err("is too long");
    }
    if text.chars().any(|c| c.is_whitespace() || c == '/') {
        return Err("has a blank or a slash");
    }
    Ok(())
}

/// The `Idempotency-Key` grammar of REST sheet §7: 22 to 128 opaque characters.
pub(super) fn idempotency_key(text: &str) -> Result<(), Reason> {
    all_of(text, IDEMPOTENCY_KEY_LEN_MIN, LEN_MAX, is_opaque_byte)
}

/// `^[a-z][a-z0-9_-]*(\.[a-z][a-zA-Z0-9_-]*)+$`, at most 256 characters.
pub(super) fn type_id(text: &str) -> Result<(), Reason> {
    if text.len() > TYPE_ID_LEN_MAX {
        return Err("is too long");
    }
    let mut segments = text.split('.');
    let first = segments.next().unwrap_or_default();
    let head = |segment: &str| segment.as_bytes().first().is_some_and(u8::is_ascii_lowercase);
    if !head(first) || !first.bytes().all(|b| !b.is_ascii_uppercase() && is_type_byte(b)) {
        return Err("needs a lower-case first segment");
    }
    let mut more = false;
    for segment in segments {
        more = true;
        if !head(segment) || !segment.bytes().all(is_type_byte) {
            return Err("has a segment outside the grammar");
        }
    }
    if more { Ok(()) } else { Err("needs at least two segments") }
}

fn is_type_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// `tenant/opaque`; answers where the slash is.
pub(super) fn bound(text: &str) -> Result<usize, Reason> {
    let Some(slash) = text.find('/') else {
        return Err("has no tenant segment");
    };
    tenant(&text[..slash]).map_err(|_| "has a malformed tenant segment")?;
    opaque(&text[slash + 1..]).map_err(|_| "has a malformed opaque part")?;
    Ok(slash)
}
