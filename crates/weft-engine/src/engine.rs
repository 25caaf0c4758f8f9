//! The engine as the operations see it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use weft_core::{Command, RunState};
use weft_model::RunId;
use weft_store::{PageLimit, RunKey, RunRecord};

use crate::actor::Birth;
use crate::error::EngineError;
use crate::feed::Watch;
use crate::limits::EngineLimits;
use crate::newborn::Newborn;
use crate::order::{NewRunRequest, Outcome, Reply};
use crate::page::Page;
use crate::ports::EnginePorts;
use crate::recent::SnapshotBytes;
use crate::shared::Shared;
use crate::stats::EngineStats;
use crate::stream::EventReader;
use crate::{recovery, timers};

/// Keeps the runs of one store moving. Dropping it is a crash: everything stops where it stands,
/// and the next engine on the same store goes on by the log.
pub struct Engine {
    shared: Arc<Shared>,
    services: parking_lot::Mutex<Vec<JoinHandle<()>>>,
}

impl Engine {
    /// Starts the timer service and recovery. Must be called inside a tokio runtime.
    pub fn start(ports: EnginePorts, limits: EngineLimits) -> Arc<Engine> {
        let shared = Shared::new(ports, limits);
        let services =
            vec![tokio::spawn(timers::serve(Arc::clone(&shared))), tokio::spawn(recovery::serve(Arc::clone(&shared)))];
        Arc::new(Engine { shared, services: parking_lot::Mutex::new(services) })
    }

    /// Creates a run. The start and the pure chain behind it are decided in the caller's task and
    /// go to the store as one commit; an actor is seated only where something remains. The run is
    /// durable when this answers (DECISIONS 29).
    pub async fn create(&self, request: NewRunRequest) -> Result<Outcome, EngineError> {
        self.shared.admit()?;
        let newborn = Newborn::decide(&self.shared, request)?;
        if !newborn.leaves_work() {
            return newborn.write(&self.shared).await.map(|(outcome, ..)| outcome);
        }
        let run = newborn.run().clone();
        let Some(seat) = self.shared.registry.take(&run)? else {
            // Only a caller that uses one id twice gets here; the second is not written.
            return Err(EngineError::Busy("a run of this id is being created"));
        };
        let (done, answer) = oneshot::channel();
        self.shared.seat_birth(Birth { newborn, done }, seat);
        answer.await.unwrap_or(Err(EngineError::Unknown))
    }

    /// Carries out an order on a stored run and answers when it is durable. A caller that goes
    /// away does not undo it.
    pub async fn submit(&self, record: &RunRecord, command: Command, reply: Reply) -> Result<Outcome, EngineError> {
        self.shared.order(&record.run_id, command, reply).await
    }

    /// The run's record, from memory where it was committed to lately.
    pub async fn find(&self, run: &RunId) -> Result<Option<RunRecord>, EngineError> {
        Ok(self.shared.record(run).await?)
    }

    /// The run's snapshot document, rendered once and shared until the run's next commit.
    pub async fn snapshot(&self, record: &RunRecord) -> Result<SnapshotBytes, EngineError> {
        self.shared.snapshot(&record.run_id).await
    }

    /// The run's state, folded for the caller; it is not kept.
    pub async fn state(&self, record: &RunRecord) -> Result<RunState, EngineError> {
        let _turn = self.shared.fold_turn().await;
        let record = self.shared.record(&record.run_id).await?.ok_or(EngineError::NoSuchRun)?;
        Ok(self.shared.fold(record).await?.state)
    }

    /// A page of the run's log after a cursor, with the log's head. `record` only names the run;
    /// the page is of the present.
    pub async fn page(&self, record: &RunRecord, after: Option<u64>, limit: PageLimit) -> Result<Page, EngineError> {
        self.shared.page(&record.run_id, after, limit).await
    }

    /// Joins the run's live feed. Join first, then read a page, then wait.
    pub fn watch(&self, run: RunKey) -> Watch {
        self.shared.feed.join(run)
    }

    /// A reader of the run's events after a cursor.
    pub fn reader(&self, record: &RunRecord, after: Option<u64>) -> EventReader {
        EventReader::new(Arc::clone(&self.shared), record, after)
    }

    /// Whether recovery has visited every run that a former process left moving.
    pub fn is_recovered(&self) -> bool {
        self.shared.recovered.load(Ordering::Relaxed)
    }

    /// Counters and gauges.
    pub fn stats(&self) -> EngineStats {
        self.shared.stats()
    }

    /// Takes no new work, gives effects in flight their grace to end, and stops. What does not
    /// end in time is handed back: it stays marked as moving and the next start takes it up.
    pub async fn drain(&self) {
        self.shared.draining.cancel();
        self.stop_services();
        self.shared.actors.close();
        tokio::select! {
            biased;
            () = self.shared.actors.wait() => {}
            () = self.shared.drain_over() => {}
        }
        self.shared.feed.close();
        self.shared.kill.cancel();
        self.shared.actors.wait().await;
    }

    /// Stops everything at once, as a crash would. Whatever a commit had not yet acknowledged is
    /// as unknown to this process as it would be after a power cut.
    pub fn kill(&self) {
        self.shared.kill.cancel();
        self.stop_services();
        self.shared.feed.close();
    }

    fn stop_services(&self) {
        for service in self.services.lock().drain(..) {
            service.abort();
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Shared {
    pub(crate) async fn page(&self, run: &RunId, after: Option<u64>, limit: PageLimit) -> Result<Page, EngineError> {
        if let Some(page) = self.recent.page(run, after, limit) {
            return Ok(page);
        }
        // The head before the events: the other order could show an end that the status denies.
        let record = self.record(run).await?.ok_or(EngineError::NoSuchRun)?;
        if after.is_some_and(|after| after >= record.last_sequence) {
            return Ok(Page::of(&record, Vec::new()));
        }
        let mut events = self.ports.store.read_events(record.key, after, limit).await?;
        events.retain(|event| event.sequence <= record.last_sequence);
        Ok(Page::of(&record, events))
    }

    async fn snapshot(&self, run: &RunId) -> Result<SnapshotBytes, EngineError> {
        if let Some(snapshot) = self.recent.snapshot(run) {
            return Ok(snapshot);
        }
        let _turn = self.fold_turn().await;
        // Another reader may have rendered it while this one waited.
        if let Some(snapshot) = self.recent.snapshot(run) {
            return Ok(snapshot);
        }
        // Before the record is read: a commit from here on keeps this snapshot out of the cache.
        let epoch = self.recent.epoch(run);
        let record = self.record(run).await?.ok_or(EngineError::NoSuchRun)?;
        let loaded = self.fold(record).await?;
        let snapshot = SnapshotBytes {
            bytes: Bytes::from(weft_model::json::to_bytes(&loaded.state.snapshot())),
            last_sequence: loaded.record.last_sequence,
            status: loaded.record.status,
            terminal: loaded.record.status.is_terminal(),
        };
        self.recent.keep_snapshot(loaded.record, snapshot.clone(), epoch);
        Ok(snapshot)
    }

    fn stats(&self) -> EngineStats {
        let (recent_event_bytes, recent_snapshot_bytes) = self.recent.bytes();
        EngineStats {
            actors: self.registry.seated(),
            states: self.counters.states.get(),
            effects: self.counters.effects.get(),
            watched_runs: self.feed.watched(),
            recent_event_bytes,
            recent_snapshot_bytes,
            created: self.counters.created.get(),
            commits: self.counters.commits.get(),
            timers_fired: self.counters.timers_fired.get(),
            recovered: self.counters.recovered.get(),
            recovery_failed: self.counters.recovery_failed.get(),
            conflicts: self.counters.conflicts.get(),
            outcomes_unknown: self.counters.outcomes_unknown.get(),
            broken: self.counters.broken.get(),
        }
    }
}
