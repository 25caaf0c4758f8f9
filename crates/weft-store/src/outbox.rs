//! The outbox: messages that a commit promises to deliver, at least once.

use bytes::Bytes;
use weft_model::Timestamp;

use crate::runs::RunKey;

/// A message's key inside the store; it grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutboxId(pub i64);

/// A message to be delivered, written with the change that it tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxMessage {
    /// Who delivers it, and where to.
    pub topic: String,
    /// The earliest moment of the first attempt.
    pub due: Timestamp,
    /// The message.
    pub payload: Bytes,
}

/// A message that is still to be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxRow {
    /// Its key.
    pub id: OutboxId,
    /// The run that it tells of.
    pub run: RunKey,
    /// Who delivers it, and where to.
    pub topic: String,
    /// Attempts so far.
    pub attempts: u32,
    /// When the next attempt is due.
    pub due: Timestamp,
    /// The message.
    pub payload: Bytes,
}

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settlement {
    /// The message.
    pub id: OutboxId,
    /// What to do with it.
    pub kind: SettlementKind,
}

/// What to do with a message after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettlementKind {
    /// It was delivered, or given up: it goes.
    Done,
    /// The attempt counts, and the next one is due then.
    Retry {
        /// When.
        due: Timestamp,
    },
}
