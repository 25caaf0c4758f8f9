//! What all parts of one engine share, and the way an order takes to its actor.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt;
use tokio::sync::{Semaphore, SemaphorePermit, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use weft_core::{Command, TimerId};
use weft_model::{RunId, Timestamp};
use weft_store::RunKey;

use crate::actor::Actor;
use crate::error::{EngineError, panic_text};
use crate::executor::Executor;
use crate::feed::Feed;
use crate::limits::{DRAIN_CUT_MS, EngineLimits, FOLDS_CONCURRENT};
use crate::order::{DueTimers, Mail, Order, Outcome, Reply};
use crate::ports::EnginePorts;
use crate::recent::Recent;
use crate::registry::Registry;
use crate::stats::Counters;
use crate::timers::TimerBell;

/// One engine.
pub(crate) struct Shared {
    pub(crate) ports: EnginePorts,
    pub(crate) limits: EngineLimits,
    pub(crate) registry: Arc<Registry<Mail>>,
    pub(crate) executor: Executor,
    pub(crate) timers: TimerBell,
    pub(crate) recent: Recent,
    pub(crate) feed: Arc<Feed>,
    pub(crate) counters: Counters,
    /// Bounds how many runs readers fold at once.
    folds: Semaphore,
    /// Recovery has visited every run that a former process left moving.
    pub(crate) recovered: AtomicBool,
    /// Owns every actor's task.
    pub(crate) actors: TaskTracker,
    /// No new work is taken; what runs may come to its end.
    pub(crate) draining: CancellationToken,
    /// When the grace of a drain ends; set by whoever asks first once the drain began.
    pub(crate) grace_by: OnceLock<Timestamp>,
    /// Everything stops where it stands.
    pub(crate) kill: CancellationToken,
}

impl Shared {
    pub(crate) fn new(ports: EnginePorts, limits: EngineLimits) -> Arc<Shared> {
        Arc::new(Shared {
            registry: Registry::new(limits.actors_max, limits.mailbox_orders),
            executor: Executor::new(limits.effects_concurrent),
            timers: TimerBell::default(),
            recent: Recent::new(&limits),
            feed: Feed::new(),
            counters: Counters::default(),
            folds: Semaphore::new(FOLDS_CONCURRENT),
            recovered: AtomicBool::new(false),
            actors: TaskTracker::new(),
            draining: CancellationToken::new(),
            grace_by: OnceLock::new(),
            kill: CancellationToken::new(),
            ports,
            limits,
        })
    }

    /// Refuses new work once the engine stops.
    pub(crate) fn admit(&self) -> Result<(), EngineError> {
        if self.draining.is_cancelled() || self.kill.is_cancelled() {
            return Err(EngineError::Draining);
        }
        Ok(())
    }

    /// Sends an order to the run's actor, seating one when there is none, and waits for the
    /// order's commit. The order is carried out even when the caller stops waiting.
    pub(crate) async fn order(
        self: &Arc<Self>,
        run: &RunId,
        command: Command,
        reply: Reply,
    ) -> Result<Outcome, EngineError> {
        let (done, answer) = oneshot::channel();
        self.send(run, Mail::Order(Box::new(Order { command, reply, done })))?;
        // The channel closes without an answer when the actor broke or the engine was killed.
        answer.await.unwrap_or(Err(EngineError::Unknown))
    }

    /// Fires due timers of one run and waits until they have left the store.
    pub(crate) async fn fire(self: &Arc<Self>, run: &RunId, timers: Vec<TimerId>) -> Result<(), EngineError> {
        let (done, answer) = oneshot::channel();
        self.send(run, Mail::Fire(DueTimers { timers, done }))?;
        answer.await.unwrap_or(Err(EngineError::Unknown))
    }

    /// Sees to it that the run has an actor if it should move, and waits until it is taken up.
    pub(crate) async fn adopt(self: &Arc<Self>, run: &RunId) -> Result<(), EngineError> {
        let (done, answer) = oneshot::channel();
        self.send(run, Mail::Adopt(done))?;
        answer.await.unwrap_or(Err(EngineError::Unknown))
    }

    fn send(self: &Arc<Self>, run: &RunId, mail: Mail) -> Result<(), EngineError> {
        self.admit()?;
        if let Some(seat) = self.registry.deliver(run, mail)? {
            let actor = Actor::vacant(Arc::clone(self), run.clone());
            self.spawn_actor(run.clone(), actor.work(seat));
        }
        Ok(())
    }

    /// Runs an actor in its own task and catches what breaks in it.
    pub(crate) fn spawn_actor(self: &Arc<Self>, run: RunId, work: impl Future<Output = ()> + Send + 'static) {
        let shared = Arc::clone(self);
        self.actors.spawn(async move {
            let work = AssertUnwindSafe(work).catch_unwind();
            tokio::select! {
                biased;
                () = shared.kill.cancelled() => {}
                worked = work => if let Err(panic) = worked {
                    // The seat was dropped with the actor; the next scan takes the run up.
                    shared.counters.broken.add_one();
                    tracing::error!(%run, cause = panic_text(panic), "a run's actor broke");
                }
            }
        });
    }

    /// A commit's fate is not known for sure: nothing remembered of the run is trusted, readers
    /// look again, and a timer that it may have set is looked for.
    pub(crate) fn doubt(&self, run: &RunId, key: Option<RunKey>, earliest: Option<Timestamp>) {
        self.recent.forget(run);
        if let Some(key) = key {
            self.feed.publish(key);
        }
        if let Some(due) = earliest {
            self.timers.ring(due);
        }
    }

    /// A reader's turn to fold a run.
    pub(crate) async fn fold_turn(&self) -> SemaphorePermit<'_> {
        self.folds.acquire().await.expect("the engine never closes its semaphore")
    }

    /// Completes when a drain can wait no longer, whatever still runs.
    pub(crate) async fn drain_over(&self) {
        self.grace_over().await;
        let cut = self.ports.clock.now().plus_ms(DRAIN_CUT_MS);
        while self.ports.clock.now() < cut {
            self.ports.clock.sleep_until(cut).await;
        }
    }

    /// Completes when the engine drains and its grace for work in flight is over.
    pub(crate) async fn grace_over(&self) {
        self.draining.cancelled().await;
        let by = *self.grace_by.get_or_init(|| self.ports.clock.now().plus_ms(self.limits.drain_grace_ms));
        while self.ports.clock.now() < by {
            self.ports.clock.sleep_until(by).await;
        }
    }
}
