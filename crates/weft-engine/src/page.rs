//! A page of a run's log, as it stood at one moment.

use weft_model::{EncodedEvent, RunStatus};
use weft_store::{PageLimit, RunRecord};

/// Events after a cursor, with the head of the log that they were read from. No event lies
/// beyond `last_sequence`, so status and events tell one story.
#[derive(Clone, Debug)]
pub struct Page {
    /// In order of sequence, without gap.
    pub events: Vec<EncodedEvent>,
    /// The last event of the log; `None` for an empty log.
    pub last_sequence: Option<u64>,
    /// The run's status.
    pub status: RunStatus,
    /// Whether that status is final.
    pub terminal: bool,
}

impl Page {
    pub(crate) fn of(record: &RunRecord, events: Vec<EncodedEvent>) -> Page {
        Page {
            events,
            last_sequence: Some(record.last_sequence),
            status: record.status,
            terminal: record.status.is_terminal(),
        }
    }

    /// Whether the page reaches the end of the log, for a reader that stood at `after`.
    pub fn is_last(&self, after: Option<u64>) -> bool {
        let reached = self.events.last().map(|event| event.sequence).or(after);
        reached >= self.last_sequence
    }
}

/// Takes events until the limit; always at least one, so that a reader gets past a large event.
pub(crate) fn cut(events: impl Iterator<Item = EncodedEvent>, limit: PageLimit) -> Vec<EncodedEvent> {
    let mut page = Vec::new();
    let mut bytes = 0;
    for event in events {
        bytes += event.bytes.len();
        if !page.is_empty() && (page.len() >= limit.events || bytes > limit.bytes) {
            break;
        }
        page.push(event);
    }
    page
}
