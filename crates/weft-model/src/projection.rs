//! The `~XX` path projection (REST sheet §6): a tenant-bound id as one path segment.
//!
//! The marker is `~` because no intermediary may rewrite an unreserved character, while `%2F`
//! is rewritten in practice.

use std::fmt;

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// A `~` that two hexadecimal digits do not follow, or bytes that are no text (R-ID-06).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectionError {
    /// Byte offset of the fault in the segment.
    pub offset: usize,
}

impl fmt::Display for ProjectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed ~XX escape at byte {}", self.offset)
    }
}

impl std::error::Error for ProjectionError {}

/// Every byte outside `[A-Za-z0-9._-]` becomes `~` and two upper-case digits. Total.
pub fn project(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-') {
            out.push(char::from(byte));
        } else {
            out.push('~');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    out
}

/// The inverse of [`project`]; lower-case digits are read too (R-ID-05).
pub fn unproject(segment: &str) -> Result<String, ProjectionError> {
    let bytes = segment.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'~' {
            out.push(bytes[at]);
            at += 1;
            continue;
        }
        let pair = (hex_digit(bytes.get(at + 1)), hex_digit(bytes.get(at + 2)));
        let (Some(high), Some(low)) = pair else {
            return Err(ProjectionError { offset: at });
        };
        out.push(high << 4 | low);
        at += 3;
    }
    String::from_utf8(out).map_err(|e| ProjectionError { offset: e.utf8_error().valid_up_to() })
}

fn hex_digit(byte: Option<&u8>) -> Option<u8> {
    match byte? {
        digit @ b'0'..=b'9' => Some(digit - b'0'),
        digit @ b'a'..=b'f' => Some(digit - b'a' + 10),
        digit @ b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
