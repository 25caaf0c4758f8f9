//! What an actor does when something is wrong: a store that fails, a log that moved, a rule that
//! broke.

use weft_core::{Command, NodeError};
use weft_model::{ErrorCode, NodeId, Timestamp};
use weft_store::{RunKey, StoreErrorKind};

use super::Actor;
use crate::draft::{Draft, judge};
use crate::error::EngineError;
use crate::limits::{DECIDE_AGAIN_MAX, RETRY_DELAY_MAX_MS};
use crate::load::Loaded;

impl Actor {
    pub(super) async fn ensure_loaded(&mut self) -> Result<(), EngineError> {
        if self.loaded.is_some() {
            return Ok(());
        }
        let loaded = self.shared.load(&self.run).await?;
        if self.adopted {
            self.settle_strays(&loaded);
        }
        self.loaded = Some(loaded);
        Ok(())
    }

    /// A commit that was taken for lost can turn out to be in the log. The attempts that it
    /// announced were never begun, because this actor is the only one that could have begun them:
    /// each is reported as cut, and may be repeated where the node's rules allow a retry.
    fn settle_strays(&mut self, loaded: &Loaded) {
        let reported = |node: &NodeId, attempt: u32| {
            self.backlog.iter().any(|command| {
                matches!(command, Command::FinishNode { node: of, attempt: at, .. } if of == node && *at == attempt)
            })
        };
        let strays: Vec<(NodeId, u32)> = loaded
            .state
            .attempts_in_flight()
            .filter(|(node, attempt)| !self.flight.contains(node, *attempt) && !reported(node, *attempt))
            .map(|(node, attempt)| (node.clone(), attempt))
            .collect();
        for (node, attempt) in strays {
            self.backlog.push_back(Command::FinishNode { node, attempt, result: Err(never_begun()) });
        }
    }

    /// The log may not be what this actor and the caches think.
    pub(super) fn doubt(&mut self, key: RunKey, earliest: Option<Timestamp>) {
        self.loaded = None;
        self.shared.doubt(&self.run, Some(key), earliest);
    }

    /// An order of the engine's own was not carried out. It is offered again while the store may
    /// recover; otherwise the run is left to recovery, or ended when it can never go on.
    pub(super) async fn trouble(&mut self, error: EngineError) {
        let kind = match &error {
            EngineError::Store(store) => Some(store.kind()),
            EngineError::Unknown => Some(StoreErrorKind::Transient),
            _ => None,
        };
        match kind {
            Some(StoreErrorKind::Transient | StoreErrorKind::Full | StoreErrorKind::Conflict) => {
                tracing::warn!(run = %self.run, %error, delay_ms = self.delay_ms, "a run waits for the store");
                self.pause = Some(self.shared.ports.clock.now().plus_ms(self.delay_ms));
                self.delay_ms = (self.delay_ms * 2).min(RETRY_DELAY_MAX_MS);
            }
            Some(StoreErrorKind::TooLarge) => self.condemn(&error).await,
            // The store stopped, or this run's log is damaged, or its workflow cannot be had, or
            // the run has been condemned already. Other runs go on.
            Some(StoreErrorKind::Stopped | StoreErrorKind::Corrupt) | None => self.let_go(&error),
        }
    }

    fn let_go(&mut self, error: &EngineError) {
        tracing::error!(run = %self.run, %error, "a run is left where it is");
        self.flight.abort_all();
        self.backlog.clear();
        self.more = false;
        self.loaded = None;
        // What was in flight is not any more; whoever comes next must settle it first.
        self.adopted = false;
    }

    /// A rule of the engine broke inside this run, or the run asks for more than a commit may
    /// hold. The run ends as failed, if that can still be written.
    pub(super) async fn condemn(&mut self, cause: &EngineError) {
        self.shared.counters.broken.add_one();
        self.let_go(cause);
        let verdict = Command::Condemn(condemned(cause));
        if let Err(error) = self.write_verdict(verdict).await {
            tracing::error!(run = %self.run, %error, "a broken run could not be marked as failed");
        }
    }

    /// Decides on a state that is folded from the log alone: what broke is not in it. The state
    /// stays out of the commit, because a state that has grown too large is one of the reasons for
    /// a verdict, and a verdict that cannot be written leaves the run to recovery for ever
    /// (R-DUR-04).
    async fn write_verdict(&mut self, verdict: Command) -> Result<(), EngineError> {
        for _ in 0..=DECIDE_AGAIN_MAX {
            let mut loaded = self.shared.load(&self.run).await?;
            let mut draft = Draft { stateless: true, ..Draft::default() };
            draft.add(&self.run, judge(&self.shared.ports, &mut loaded.state, verdict.clone())?);
            if self.write(loaded, draft, &mut None).await?.is_written() {
                return Ok(());
            }
        }
        Err(EngineError::Unknown)
    }
}

/// What the log says of a condemned run; a broken rule's own words are for the host's log only.
fn condemned(cause: &EngineError) -> NodeError {
    let (message, reason) = match cause {
        EngineError::Store(_) => ("The run asked for more than one commit may hold.", "too_large"),
        _ => ("The run broke an internal rule of the host.", "broken"),
    };
    NodeError::new(ErrorCode::InternalError, message).with_detail("reason", reason)
}

fn never_begun() -> NodeError {
    NodeError::new(ErrorCode::InternalError, "The attempt was announced and never begun.")
        .with_detail("reason", "interrupted")
        .with_retryable(true)
}
