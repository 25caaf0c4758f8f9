//! A run that is decided but not stored yet.

use std::sync::Arc;

use weft_core::{Command, RunState};
use weft_model::{RunId, Timestamp};
use weft_store::{NewRun, RunChange, RunIndex, RunKey, RunRecord, StoredResponse};

use crate::commit::Fate;
use crate::draft::{Draft, Growth, judge};
use crate::error::EngineError;
use crate::load::Loaded;
use crate::order::{NewRunRequest, Outcome};
use crate::shared::Shared;

/// The decision of a `createRun`, ready for its one commit.
pub(crate) struct Newborn {
    run: RunId,
    new: NewRun,
    state: RunState,
    growth: Growth,
    draft: Draft,
    response: Option<StoredResponse>,
}

impl Newborn {
    /// Decides the start of a run and its whole pure chain, up to the chain's bound.
    pub(crate) fn decide(shared: &Shared, request: NewRunRequest) -> Result<Newborn, EngineError> {
        let NewRunRequest { run_id, workflow, start, reply } = request;
        let now = shared.ports.clock.now();
        let mut state = RunState::new(run_id.clone(), Arc::clone(&workflow));
        let decision = judge(&shared.ports, &mut state, Command::Start(start)).inspect_err(|error| {
            if matches!(error, EngineError::Broken(_)) {
                shared.counters.broken.add_one();
                tracing::error!(run = %run_id, %error, "a run broke before it was created");
            }
        })?;
        let mut draft = Draft::default();
        draft.add(&run_id, decision);
        let mut growth = Growth::default();
        draft.measure(&mut growth, &state, &shared.limits);
        let response = draft.seal(reply.as_ref(), &state, now);
        let new = NewRun {
            run_id: run_id.clone(),
            tenant: run_id.tenant_id(),
            workflow_id: workflow.id().clone(),
            definition: workflow.digest(),
            created_at: now,
            index: draft.index(&state, now),
        };
        Ok(Newborn { run: run_id, new, state, growth, draft, response })
    }

    /// The run's id.
    pub(crate) fn run(&self) -> &RunId {
        &self.run
    }

    /// Whether anything is to be done once the run is stored. If not, its commit is the end of
    /// the matter and the caller's own task may make it.
    pub(crate) fn leaves_work(&self) -> bool {
        self.draft.more || !self.draft.effects.is_empty() || self.draft.earliest.is_some()
    }

    /// Makes the commit.
    pub(crate) async fn write(self, shared: &Shared) -> Result<(Outcome, Loaded, Draft), EngineError> {
        let Newborn { run, new, state, growth, draft, response } = self;
        let change = RunChange::Create(new.clone());
        let key = match shared.commit(&run, change, &draft).await {
            Ok(Fate::Written(key)) => key,
            // The id or the receipt exists already. Neither can be decided differently here.
            Ok(Fate::Moved(error)) => return Err(EngineError::Store(error)),
            Err(error) => {
                // Nobody can watch a run whose key nobody has seen.
                shared.doubt(&run, None, draft.earliest);
                return Err(error);
            }
        };
        shared.counters.created.add_one();
        let last_sequence = state.last_sequence().expect("a started run has events");
        let record = record_of(new, key, last_sequence);
        shared.publish(&record, &draft);
        let outcome = Outcome::of(&record, response);
        Ok((outcome, Loaded::new(shared, record, state, growth), draft))
    }
}

fn record_of(new: NewRun, key: RunKey, last_sequence: u64) -> RunRecord {
    let RunIndex { status, moving, updated_at } = new.index;
    RunRecord {
        key,
        run_id: new.run_id,
        workflow_id: new.workflow_id,
        definition: new.definition,
        status,
        moving,
        last_sequence,
        created_at: new.created_at,
        updated_at: Timestamp::max(updated_at, new.created_at),
    }
}
