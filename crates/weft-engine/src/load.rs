//! From the store to a folded state, through the state snapshot when it is good.

use std::sync::Arc;

use weft_core::run::snapshot_codec;
use weft_core::{RunState, Workflow};
use weft_model::{EncodedEvent, Event, RunId};
use weft_store::{PageLimit, RunIndex, RunRecord, StoreError};

use crate::draft::{Draft, Growth};
use crate::error::EngineError;
use crate::limits::{PAGE_BYTES, PAGE_EVENTS};
use crate::shared::Shared;
use crate::stats::Counted;

/// A run in memory: its record and its state at `record.last_sequence`.
pub(crate) struct Loaded {
    pub(crate) record: RunRecord,
    pub(crate) state: RunState,
    pub(crate) growth: Growth,
    _counted: Counted,
}

impl Loaded {
    pub(crate) fn new(shared: &Shared, record: RunRecord, state: RunState, growth: Growth) -> Loaded {
        Loaded { record, state, growth, _counted: shared.counters.states.enter() }
    }

    /// Moves the record to where a durable draft has brought the run.
    pub(crate) fn advance(&mut self, draft: &Draft, index: &RunIndex) {
        if let Some(last) = draft.events.last() {
            self.record.last_sequence = last.sequence;
        }
        self.record.status = index.status;
        self.record.moving = index.moving;
        self.record.updated_at = index.updated_at;
    }
}

impl Shared {
    /// The run's record: from memory when it was committed to lately, else from the store.
    pub(crate) async fn record(&self, run: &RunId) -> Result<Option<RunRecord>, StoreError> {
        match self.recent.record(run) {
            Some(record) => Ok(Some(record)),
            None => self.ports.store.find_run(run).await,
        }
    }

    /// Loads a run for its actor. The record is the store's: the actor writes on its word.
    pub(crate) async fn load(&self, run: &RunId) -> Result<Loaded, EngineError> {
        let record = self.ports.store.find_run(run).await?.ok_or(EngineError::NoSuchRun)?;
        self.fold(record).await
    }

    /// Folds a run up to its record's last event, and no further.
    pub(crate) async fn fold(&self, record: RunRecord) -> Result<Loaded, EngineError> {
        let workflow = self.ports.workflows.fetch(record.definition).await?;
        let mut state = self.base(&record, &workflow).await?;
        let mut growth = Growth::default();
        while state.last_sequence() != Some(record.last_sequence) {
            let events = self.next_events(&record, state.last_sequence()).await?;
            if events.is_empty() {
                return Err(damaged(&record, "its log ends before its record says"));
            }
            growth.add(&events);
            for event in &events {
                apply(&mut state, &record, event)?;
            }
        }
        Ok(Loaded::new(self, record, state, growth))
    }

    /// The state to fold onto: a stored snapshot, or nothing. A snapshot is a cache: any mismatch
    /// throws it away (DECISIONS 30).
    async fn base(&self, record: &RunRecord, workflow: &Arc<Workflow>) -> Result<RunState, EngineError> {
        let fresh = || RunState::new(record.run_id.clone(), Arc::clone(workflow));
        // Folding a log that is at hand is quicker than asking the store for a snapshot of it.
        if self.recent.covers(&record.run_id) {
            return Ok(fresh());
        }
        let Some(stored) = self.ports.store.load_snapshot(record.key).await? else { return Ok(fresh()) };
        if stored.sequence > record.last_sequence {
            return Ok(fresh());
        }
        match snapshot_codec::decode(&stored.bytes, Arc::clone(workflow)) {
            Ok(state) if state.last_sequence() == Some(stored.sequence) => Ok(state),
            Ok(_) => Ok(fresh()),
            Err(fault) => {
                tracing::debug!(run = %record.run_id, %fault, "a state snapshot was thrown away");
                Ok(fresh())
            }
        }
    }

    async fn next_events(&self, record: &RunRecord, after: Option<u64>) -> Result<Vec<EncodedEvent>, StoreError> {
        let limit = PageLimit { events: PAGE_EVENTS, bytes: PAGE_BYTES };
        let mut events = match self.recent.page(&record.run_id, after, limit) {
            Some(page) => page.events,
            None => self.ports.store.read_events(record.key, after, limit).await?,
        };
        events.retain(|event| event.sequence <= record.last_sequence);
        Ok(events)
    }
}

/// Folds one stored event, after checking that it is the next one of this run.
fn apply(state: &mut RunState, record: &RunRecord, stored: &EncodedEvent) -> Result<(), EngineError> {
    let (run, event) = Event::decode(&stored.bytes)
        .map_err(|fault| damaged(record, &format!("event {} cannot be read: {fault}", stored.sequence)))?;
    let expected = state.last_sequence().map_or(0, |last| last + 1);
    if run != record.run_id || event.sequence != expected || stored.sequence != expected {
        return Err(damaged(record, &format!("event {expected} is not where it belongs")));
    }
    state.apply(&event);
    Ok(())
}

fn damaged(record: &RunRecord, reason: &str) -> EngineError {
    EngineError::Store(StoreError::corrupt(&record.run_id, reason))
}
