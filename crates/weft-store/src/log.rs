//! The log: what one commit holds, and how events are read back.

use bytes::Bytes;
use weft_model::EncodedEvent;

use crate::error::Conflict;
use crate::outbox::OutboxMessage;
use crate::receipts::Receipt;
use crate::runs::{NewRun, RunIndex, RunKey};
use crate::timers::TimerWrite;

/// What changes together or not at all (R-DUR-01). Everything in it is serialised before it is
/// offered, so that the writer only writes.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The run.
    pub run: RunChange,
    /// Events that continue the run's log. A new run has at least its first event.
    pub events: Vec<EncodedEvent>,
    /// Timers set or cleared, in order.
    pub timers: Vec<TimerWrite>,
    /// The answer to the request that asked for the change (R-IDEM-04).
    pub receipt: Option<Receipt>,
    /// Messages to be delivered.
    pub outbox: Vec<OutboxMessage>,
    /// The folded state, when it is time to keep it.
    pub snapshot: Option<StateSnapshot>,
}

/// Whether a commit starts a run or continues one.
#[derive(Debug, Clone)]
pub enum RunChange {
    /// A new run; its id must be free.
    Create(NewRun),
    /// A run that exists; its log must end where the commit was decided.
    Append {
        /// The run.
        run: RunKey,
        /// The sequence of the last event that the decision saw.
        expect_last: u64,
        /// The run's index row after the commit.
        index: RunIndex,
    },
}

/// A commit that is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// The run.
    pub run: RunKey,
}

/// A folded state. A cache: the log is the truth (DECISIONS 30).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateSnapshot {
    /// The last event folded into it.
    pub sequence: u64,
    /// The state, in the core's own codec with its own checksum.
    pub bytes: Bytes,
}

/// Where a page of events ends: at the first of the two, but never before its first event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit {
    /// Events in a page.
    pub events: usize,
    /// Bytes of events in a page.
    pub bytes: usize,
}

impl PageLimit {
    /// Whether a page that holds `events` of `bytes` takes another one of `next` bytes.
    pub(crate) fn admits(self, events: usize, bytes: usize, next: usize) -> bool {
        events == 0 || (events < self.events && bytes.saturating_add(next) <= self.bytes)
    }
}

/// Room that a row takes beside its texts and bytes; an estimate for the bound of the queue.
const ROW_OVERHEAD: usize = 128;

impl Commit {
    /// The bytes that the commit holds in a queue.
    pub(crate) fn size(&self) -> usize {
        let events: usize = self.events.iter().map(|event| event.bytes.len() + ROW_OVERHEAD).sum();
        let timers = self.timers.len() * ROW_OVERHEAD;
        let receipt = self.receipt.as_ref().map_or(0, |receipt| receipt.size() + ROW_OVERHEAD);
        let outbox: usize = self.outbox.iter().map(|message| message.payload.len() + ROW_OVERHEAD).sum();
        let snapshot = self.snapshot.as_ref().map_or(0, |snapshot| snapshot.bytes.len() + ROW_OVERHEAD);
        ROW_OVERHEAD + events + timers + receipt + outbox + snapshot
    }

    /// The sequence that the log ends with after the commit. Refuses events that leave a gap or
    /// repeat a position (R-EVT-02, R-EVT-03).
    pub(crate) fn next_last(&self) -> Result<u64, Conflict> {
        let (mut expected, mut last) = match &self.run {
            RunChange::Create(_) => (0, None),
            RunChange::Append { expect_last, .. } => (expect_last.saturating_add(1), Some(*expect_last)),
        };
        for event in &self.events {
            if event.sequence != expected {
                return Err(Conflict::OutOfOrder { expected, found: event.sequence });
            }
            last = Some(expected);
            expected += 1;
        }
        last.ok_or(Conflict::OutOfOrder { expected: 0, found: 0 })
    }
}
