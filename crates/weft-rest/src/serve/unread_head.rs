//! The answer to a head that cannot be read.
//!
//! The HTTP/1.1 implementation refuses such a head by itself, below the service: a status, no
//! body, the end of the connection. The protocol wants an envelope and a version on every refusal
//! (R-ERR-01, R-VER-01), and the implementation has no seam for it, so its bytes are recognised on
//! their way out and replaced. No answer of the service looks like them: each of those that has a
//! 4xx status has a body, or names the version.

use bytes::Bytes;
use weft_ops::OpError;

use crate::version::{OPENWOP_VERSION, SERVED_VERSION};

/// The statuses of the implementation's own refusals, as its status line spells them.
const REFUSALS: [(&[u8], &str); 3] = [
    (b"HTTP/1.1 400 ", "The request's head is not HTTP/1.1."),
    (b"HTTP/1.1 414 ", "The request's path is too long."),
    (b"HTTP/1.1 431 ", "The request's head is too large, or has too many fields."),
];

/// What is sent instead of these bytes, when they are a refusal of the implementation's own.
pub(super) fn answer_instead_of(bytes: &[u8]) -> Option<Bytes> {
    let (_, reason) = REFUSALS.iter().find(|(line, _)| bytes.starts_with(line))?;
    let head = std::str::from_utf8(bytes).ok()?.to_ascii_lowercase();
    let is_bare = head.ends_with("\r\n\r\n") && head.contains("\r\ncontent-length: 0\r\n");
    if !is_bare || head.contains(&format!("\r\n{OPENWOP_VERSION}:")) {
        return None;
    }
    let error = OpError::invalid(*reason);
    let envelope = error.envelope();
    let version = SERVED_VERSION.to_str().expect("the served version is a constant in ASCII").to_owned();
    let mut answer = format!(
        "HTTP/1.1 {} Bad Request\r\ncontent-type: application/json\r\n{OPENWOP_VERSION}: {version}\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        error.status(),
        envelope.len(),
    )
    .into_bytes();
    answer.extend_from_slice(&envelope);
    Some(Bytes::from(answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_refusal_is_replaced() {
        let bare = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let answer = answer_instead_of(bare).expect("replaced");
        let text = std::str::from_utf8(&answer).expect("text");
        assert!(text.starts_with("HTTP/1.1 400 Bad Request\r\n") && text.contains("validation_error"), "{text}");
        for kept in [
            &b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"[..],
            b"HTTP/1.1 400 Bad Request\r\nopenwop-version: 2.46\r\ncontent-length: 0\r\n\r\n",
            b"HTTP/1.1 400 Bad Request\r\ncontent-length: 20\r\n\r\n",
            b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK",
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            b"4",
        ] {
            assert_eq!(answer_instead_of(kept), None, "{}", String::from_utf8_lossy(kept));
        }
    }
}
