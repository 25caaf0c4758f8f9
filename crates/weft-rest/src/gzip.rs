//! gzip for JSON answers: the one content coding that is the baseline (R-SNAP-09).
//!
//! An answer is compressed piece by piece as the connection asks for it, so that a large one does
//! not hold a worker thread. Streams are never compressed: a frame must leave when it is ready.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, header};

use crate::body::BodyError;

/// Answers shorter than this are sent as they are: their header would weigh more than is saved.
pub(crate) const COMPRESS_FROM_BYTES: usize = 1024;
/// Bytes that one step compresses. At the fast level this is well under a millisecond.
const STEP_BYTES: usize = 64 * 1024;

/// A body that is compressed as it is read.
pub(crate) struct GzipBody {
    plain: Bytes,
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl GzipBody {
    pub(crate) fn new(plain: Bytes) -> GzipBody {
        GzipBody { plain, encoder: Some(GzEncoder::new(Vec::new(), Compression::fast())) }
    }

    /// The bytes that are still to be compressed.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.plain.len()
    }

    /// The next piece of the compressed bytes; `None` after the last.
    pub(crate) fn next_chunk(&mut self) -> Option<Result<Bytes, BodyError>> {
        loop {
            let encoder = self.encoder.as_mut()?;
            let step = self.plain.split_to(self.plain.len().min(STEP_BYTES));
            let written = if step.is_empty() {
                self.encoder.take().map_or(Ok(Vec::new()), GzEncoder::finish)
            } else {
                encoder.write_all(&step).map(|()| std::mem::take(encoder.get_mut()))
            };
            match written {
                // The encoder may keep a whole step to itself.
                Ok(chunk) if chunk.is_empty() => {}
                Ok(chunk) => return Some(Ok(Bytes::from(chunk))),
                Err(cause) => {
                    self.encoder = None;
                    return Some(Err(BodyError::Compress(cause)));
                }
            }
        }
    }
}

/// The whole of `plain`, compressed at once, for an answer that is rendered once.
pub(crate) fn compress(plain: Bytes) -> Result<Bytes, BodyError> {
    let mut body = GzipBody::new(plain);
    let mut whole = Vec::new();
    while let Some(chunk) = body.next_chunk() {
        whole.extend_from_slice(&chunk?);
    }
    Ok(Bytes::from(whole))
}

/// Whether the caller takes gzip: `gzip` or `*` in `Accept-Encoding`, with a weight other than
/// zero; a coding named by itself counts more than the star (RFC 9110 §12.5.3).
pub(crate) fn accepted(headers: &HeaderMap) -> bool {
    let mut starred = false;
    for value in headers.get_all(header::ACCEPT_ENCODING) {
        let Ok(text) = value.to_str() else { continue };
        for entry in text.split(',') {
            let (coding, parameters) = entry.split_once(';').unwrap_or((entry, ""));
            let coding = coding.trim();
            if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
                return has_weight(parameters);
            }
            if coding == "*" {
                starred = has_weight(parameters);
            }
        }
    }
    starred
}

fn has_weight(parameters: &str) -> bool {
    let parameters = parameters.trim();
    let Some(weight) = parameters.strip_prefix("q=").or_else(|| parameters.strip_prefix("Q=")) else {
        return true;
    };
    weight.trim().parse::<f32>().is_ok_and(|weight| weight > 0.0)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn accepting(text: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, text.parse().expect("a header value"));
        accepted(&headers)
    }

    #[test]
    fn weights_and_stars_are_understood() {
        for text in ["gzip", "deflate, gzip", "GZIP;q=0.5", "br;q=1, *;q=0.1", "*", "gzip ; q=1.0"] {
            assert!(accepting(text), "{text}");
        }
        for text in ["", "identity", "gzip;q=0", "*;q=0", "gzip;q=0, *", "gzip;q=x", "br"] {
            assert!(!accepting(text), "{text}");
        }
        assert!(!accepted(&HeaderMap::new()));
    }

    // R-SNAP-09: the decoded bytes are the plain bytes, whatever the length.
    #[test]
    fn decoded_bytes_are_identical() {
        for length in [0, 1, 1024, STEP_BYTES - 1, STEP_BYTES, STEP_BYTES * 3 + 17] {
            let plain: Vec<u8> = (0..length).map(|at| (at * 7919 % 251) as u8).collect();
            let compressed = compress(Bytes::from(plain.clone())).expect("memory does not fail");
            let mut decoded = Vec::new();
            flate2::read::GzDecoder::new(&compressed[..]).read_to_end(&mut decoded).expect("gzip");
            assert_eq!(decoded, plain, "{length}");
        }
    }
}
