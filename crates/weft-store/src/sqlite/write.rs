//! What the writer is asked for.

use bytes::Bytes;
use weft_model::{Digest, KeyId, Timestamp};

use crate::keys::KeyRecord;
use crate::log::Commit;
use crate::outbox::Settlement;
use crate::receipts::Receipt;
use crate::runs::RunKey;

/// A write. All of them go through the one writer, so that any two have an order.
#[derive(Debug)]
pub(super) enum Write {
    Commit(Box<Commit>),
    PutDefinition {
        digest: Digest,
        bytes: Bytes,
    },
    PutReceipt(Box<Receipt>),
    /// Deletes at most [`PURGE_SLICE`] receipts.
    PurgeReceipts {
        before: Timestamp,
    },
    PutKey(Box<KeyRecord>),
    RevokeKey {
        key_id: KeyId,
        at: Timestamp,
    },
    SettleOutbox(Vec<Settlement>),
}

/// Receipts deleted by one write. A purge is cut into these, so that a day's receipts do not hold
/// up the commits behind them.
pub(super) const PURGE_SLICE: u64 = 500;

/// What a write answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Run(RunKey),
    Done,
    Count(u64),
    Known(bool),
}

/// Estimated bytes of a write without payloads.
const SMALL: usize = 512;

impl Write {
    /// The bytes that the write holds in a queue.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Commit(commit) => commit.size(),
            Self::PutDefinition { bytes, .. } => SMALL + bytes.len(),
            Self::PutReceipt(receipt) => SMALL + receipt.size(),
            Self::PurgeReceipts { .. } | Self::PutKey(_) | Self::RevokeKey { .. } => SMALL,
            Self::SettleOutbox(settlements) => SMALL + std::mem::size_of_val(settlements.as_slice()),
        }
    }
}
