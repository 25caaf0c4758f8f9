//! One commit and what became of it, also when the store's answer is lost.

use weft_model::RunId;
use weft_store::{Commit, Committed, PageLimit, RunChange, RunKey, RunRecord, StoreError, StoreErrorKind};

use crate::draft::Draft;
use crate::error::EngineError;
use crate::limits::COMMIT_AGAIN_MAX;
use crate::shared::Shared;

/// What became of a commit.
pub(crate) enum Fate {
    /// It is durable.
    Written(RunKey),
    /// The log is not where the draft was made for; nothing of the draft was written. The store's
    /// own words are kept for the case that a fresh decision does not help either.
    Moved(StoreError),
}

/// Where a lost commit is found to be.
enum Found {
    Written(RunKey),
    NotWritten,
    Moved,
}

impl Shared {
    /// Offers a draft to the store. A lost answer is settled by reading the log back: the commit
    /// is offered again only where it is seen not to be there, and its expected position keeps it
    /// from being applied twice even if the first offer is still on its way.
    pub(crate) async fn commit(&self, run: &RunId, change: RunChange, draft: &Draft) -> Result<Fate, EngineError> {
        let mut lost = None;
        for _ in 0..=COMMIT_AGAIN_MAX {
            let error = match self.ports.store.commit(whole(change.clone(), draft)).await {
                Ok(Committed { run }) => {
                    self.counters.commits.add_one();
                    return Ok(Fate::Written(run));
                }
                Err(error) => error,
            };
            // A full queue took nothing in; offering again at once would only keep it full.
            if matches!(error, StoreError::Busy { .. }) {
                return Err(EngineError::Store(error));
            }
            match error.kind() {
                // After a lost answer, a conflict may be the first offer's own trace.
                StoreErrorKind::Conflict if lost.is_none() => return Ok(Fate::Moved(error)),
                StoreErrorKind::Conflict | StoreErrorKind::Transient => {}
                _ => return Err(EngineError::Store(error)),
            }
            self.counters.outcomes_unknown.add_one();
            match self.find(run, &change, draft).await.map_err(|_| EngineError::Unknown)? {
                Found::Written(key) => {
                    self.counters.commits.add_one();
                    return Ok(Fate::Written(key));
                }
                Found::Moved => return Ok(Fate::Moved(error)),
                Found::NotWritten if error.kind() == StoreErrorKind::Conflict => {
                    return Ok(Fate::Moved(error));
                }
                Found::NotWritten => lost = Some(error),
            }
        }
        Err(lost.map_or(EngineError::Unknown, EngineError::Store))
    }

    /// Looks for a draft in the log. Its first event has a fresh id, so equal bytes at its
    /// position are this draft and nothing else.
    async fn find(&self, run: &RunId, change: &RunChange, draft: &Draft) -> Result<Found, StoreError> {
        let Some(record) = self.ports.store.find_run(run).await? else {
            return Ok(Found::NotWritten);
        };
        let expected = match change {
            RunChange::Create(_) => None,
            RunChange::Append { expect_last, .. } => Some(*expect_last),
        };
        if expected == Some(record.last_sequence) {
            return Ok(Found::NotWritten);
        }
        let Some(first) = draft.events.first() else { return Ok(Found::Moved) };
        let limit = PageLimit { events: 1, bytes: first.bytes.len() };
        let stored = self.ports.store.read_events(record.key, expected, limit).await?;
        let same = stored.first().is_some_and(|event| event.bytes == first.bytes);
        Ok(if same { Found::Written(record.key) } else { Found::Moved })
    }

    /// Tells readers and timers of a durable commit. In this order: the caches first, because a
    /// woken reader looks there.
    pub(crate) fn publish(&self, record: &RunRecord, draft: &Draft) {
        self.recent.committed(record, &draft.events);
        self.feed.publish(record.key);
        if let Some(due) = draft.earliest {
            self.timers.ring(due);
        }
    }
}

fn whole(run: RunChange, draft: &Draft) -> Commit {
    Commit {
        run,
        events: draft.events.clone(),
        timers: draft.timers.clone(),
        receipt: draft.receipt.clone(),
        outbox: Vec::new(),
        snapshot: draft.snapshot.clone(),
    }
}
