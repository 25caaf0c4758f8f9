//! Checks on a URL's raw text, before any parser touches it.
//!
//! The WHATWG parser forgives much: it drops tabs, turns backslashes into
//! slashes, takes `https:host` for `https://host`. Two programs that forgive
//! differently disagree about the host, so weft refuses every text that needs
//! forgiving.

use crate::error::Refusal;

/// Longest URL that is judged at all, in bytes. Longer ones have no honest use
/// here and only cost parsing.
pub(crate) const URL_BYTES_MAX: usize = 8 * 1024;

/// Refuses text that two URL parsers could read differently.
pub(crate) fn check(raw: &str) -> Result<(), Refusal> {
    if raw.len() > URL_BYTES_MAX {
        return Err(Refusal::UrlTooLong);
    }
    if raw.chars().any(|c| c <= ' ' || c == '\\' || c.is_control()) {
        return Err(Refusal::UrlCharacter);
    }
    check_authority(authority(raw)?)
}

/// The text between `scheme://` and the path or query.
fn authority(raw: &str) -> Result<&str, Refusal> {
    let (scheme, rest) = raw.split_once(':').ok_or(Refusal::UrlSyntax)?;
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return Err(Refusal::Scheme);
    }
    let rest = rest.strip_prefix("//").ok_or(Refusal::UrlSyntax)?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    // A fragment straight after the host is how `https://good#@bad/` hides its
    // real host from one of two readers.
    if rest[end..].starts_with('#') {
        return Err(Refusal::UrlSyntax);
    }
    Ok(&rest[..end])
}

fn check_authority(authority: &str) -> Result<(), Refusal> {
    if authority.contains('@') {
        return Err(Refusal::UserInfo);
    }
    if authority.contains('%') {
        return Err(Refusal::HostSyntax);
    }
    if authority.is_empty() {
        return Err(Refusal::UrlSyntax);
    }
    if authority.ends_with(':') {
        return Err(Refusal::Port);
    }
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => host,
        _ => authority,
    };
    if host.ends_with(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']) {
        return Err(Refusal::HostSyntax);
    }
    Ok(())
}
