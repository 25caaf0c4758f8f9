//! A reader of one run's log: a cursor, a watch, and pages. It holds no queue.
//!
//! The watch is joined before the first page is read, and after every wait the log is read from
//! the cursor. So a commit between two reads rings, and nothing is read twice: events come once,
//! in order, without gap, however slow the reader is.

use std::sync::Arc;

use weft_model::RunId;
use weft_store::{PageLimit, RunRecord};

use crate::error::EngineError;
use crate::feed::Watch;
use crate::limits::{PAGE_BYTES, PAGE_EVENTS};
use crate::page::Page;
use crate::shared::Shared;

/// Reads a run's events after a cursor, now and as they come.
pub struct EventReader {
    shared: Arc<Shared>,
    run: RunId,
    watch: Watch,
    after: Option<u64>,
    limit: PageLimit,
    closed: bool,
}

impl EventReader {
    /// A reader that stands at `after`: the first event it yields is the one behind it.
    pub(crate) fn new(shared: Arc<Shared>, record: &RunRecord, after: Option<u64>) -> EventReader {
        let watch = shared.feed.join(record.key);
        let limit = PageLimit { events: PAGE_EVENTS, bytes: PAGE_BYTES };
        EventReader { shared, run: record.run_id.clone(), watch, after, limit, closed: false }
    }

    /// The last event that was yielded, or the cursor it began with.
    pub fn after(&self) -> Option<u64> {
        self.after
    }

    /// The next events, at least one; waits until there are any. `None` at the end: the run is
    /// over and read to its end, or the engine stops and all that is durable was read. Safe to
    /// cancel: the cursor moves only with what is returned.
    pub async fn next(&mut self) -> Result<Option<Page>, EngineError> {
        loop {
            let page = self.shared.page(&self.run, self.after, self.limit).await?;
            if let Some(last) = page.events.last() {
                self.after = Some(last.sequence);
                return Ok(Some(page));
            }
            if page.terminal || self.closed {
                return Ok(None);
            }
            // A closed feed is read once more: its last commit may have rung nobody.
            self.closed = self.watch.changed_or_closed().await.is_err();
        }
    }
}
