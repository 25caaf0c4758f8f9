//! Receipts: the answers of keyed requests, kept for their repetition (openwop-rest §7).

use bytes::Bytes;
use weft_model::{Digest, Timestamp};

/// What a receipt is unique in: a hash of tenant, operation and key. The store never sees the key
/// itself (R-IDEM-03, R-IDEM-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReceiptScope(pub [u8; 32]);

/// The final answer of a keyed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// What it is unique in.
    pub scope: ReceiptScope,
    /// The digest of the request (R-IDEM-08).
    pub request: Digest,
    /// The answer.
    pub response: StoredResponse,
    /// When it was given; retention counts from here (R-IDEM-10).
    pub created_at: Timestamp,
}

/// An answer in the form in which it is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// The status number.
    pub status: u16,
    /// Headers beyond the ones that every answer carries.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
}

impl Receipt {
    /// The bytes that the receipt holds in a queue.
    pub(crate) fn size(&self) -> usize {
        let headers: usize = self.response.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        headers + self.response.body.len()
    }
}
