//! One order: decide, commit, act.

use std::sync::Arc;

use weft_core::{Command, Effect, TimerId};
use weft_store::{RunChange, StoreError};

use super::Actor;
use crate::commit::Fate;
use crate::draft::{Draft, judge};
use crate::error::EngineError;
use crate::limits::{COMMIT_SHARED_BYTES, DECIDE_AGAIN_MAX, ORDERS_PER_COMMIT, RETRY_DELAY_FIRST_MS};
use crate::load::Loaded;
use crate::order::{Outcome, Reply};

impl Actor {
    /// Carries one order out. The reply is lent for writing only so that it may be held over a
    /// wait without being shared between threads.
    pub(super) async fn step(&mut self, command: Command, reply: &mut Reply) -> Result<Outcome, EngineError> {
        self.adopt().await?;
        self.decide_until_written(&[command], reply).await.map(|(outcome, _)| outcome)
    }

    /// Fires due timers, many in one commit: a fan-out of thousands that wakes at one moment must
    /// not take a commit for each of them.
    pub(super) async fn fire_all(&mut self, timers: Vec<TimerId>) -> Result<(), EngineError> {
        self.adopt().await?;
        let commands: Vec<Command> = timers.into_iter().map(Command::FireTimer).collect();
        let mut rest = commands.as_slice();
        while !rest.is_empty() {
            let next = &rest[..rest.len().min(ORDERS_PER_COMMIT)];
            let (_, taken) = self.decide_until_written(next, &mut None).await?;
            rest = &rest[taken..];
        }
        Ok(())
    }

    /// Takes the run up: attempts that the log calls open and that nobody makes are settled by
    /// the crash rule before anything else is decided (DECISIONS 36).
    pub(super) async fn adopt(&mut self) -> Result<(), EngineError> {
        if self.adopted {
            return Ok(());
        }
        self.ensure_loaded().await?;
        if self.loaded.as_ref().is_some_and(|loaded| loaded.state.is_moving()) {
            self.decide_until_written(&[Command::Recover], &mut None).await?;
        }
        self.adopted = true;
        Ok(())
    }

    /// Carries orders out in one commit, deciding anew when the log moved meanwhile, and answers
    /// how many of them. A refusal of a single order is its answer; among several, it only drops
    /// the refused one.
    async fn decide_until_written(
        &mut self,
        commands: &[Command],
        reply: &mut Reply,
    ) -> Result<(Outcome, usize), EngineError> {
        let mut moved = None;
        for _ in 0..=DECIDE_AGAIN_MAX {
            self.ensure_loaded().await?;
            // Taken out: every way on that does not put it back drops it, because a state that is
            // ahead of the log is worth nothing.
            let loaded = self.loaded.take().expect("the line above has loaded the run");
            let (loaded, draft, taken) = self.judge_all(loaded, commands).await?;
            match self.write(loaded, draft, reply).await? {
                Attempt::Written(outcome) => return Ok((*outcome, taken)),
                Attempt::Moved(error) => {
                    self.shared.counters.conflicts.add_one();
                    moved = Some(error);
                }
            }
        }
        Err(moved.map_or(EngineError::Unknown, EngineError::Store))
    }

    async fn judge_all(
        &mut self,
        mut loaded: Loaded,
        commands: &[Command],
    ) -> Result<(Loaded, Draft, usize), EngineError> {
        let shared = Arc::clone(&self.shared);
        let mut draft = Draft::default();
        let mut taken = 0;
        // A chain that stopped at its bound goes on in a commit of its own, before the others. The
        // reports that share a commit may each be as large as a response may be.
        while taken < commands.len() && !draft.more && draft.bytes() < COMMIT_SHARED_BYTES {
            let command = &commands[taken];
            taken += 1;
            match judge(&shared.ports, &mut loaded.state, command.clone()) {
                Ok(decision) => draft.add(&self.run, decision),
                Err(EngineError::Refused(refusal)) => match command {
                    // A timer that the run does not want any more is only cleared.
                    Command::FireTimer(timer) => draft.clear_timer(timer),
                    _ if commands.len() > 1 => {
                        tracing::debug!(run = %self.run, ?command, %refusal, "a report came too late");
                    }
                    _ => {
                        self.loaded = Some(loaded);
                        return Err(EngineError::Refused(refusal));
                    }
                },
                Err(broken) => {
                    drop(loaded);
                    self.condemn(&broken).await;
                    return Err(broken);
                }
            }
        }
        Ok((loaded, draft, taken))
    }

    /// Makes a draft durable, tells the readers, and acts.
    pub(super) async fn write(
        &mut self,
        mut loaded: Loaded,
        mut draft: Draft,
        reply: &mut Reply,
    ) -> Result<Attempt, EngineError> {
        let shared = Arc::clone(&self.shared);
        let now = shared.ports.clock.now();
        let response = draft.seal(reply.as_ref(), &loaded.state, now);
        if draft.is_empty() {
            if let Some(receipt) = draft.receipt.take() {
                shared.ports.store.put_receipt(receipt).await?;
            }
        } else {
            draft.measure(&mut loaded.growth, &loaded.state, &shared.limits);
            let index = draft.index(&loaded.state, now);
            let change = RunChange::Append { run: loaded.record.key, expect_last: loaded.record.last_sequence, index };
            match shared.commit(&self.run, change, &draft).await {
                Ok(Fate::Written(_)) => loaded.advance(&draft, &index),
                Ok(Fate::Moved(error)) => {
                    self.doubt(loaded.record.key, None);
                    return Ok(Attempt::Moved(error));
                }
                Err(error) => {
                    self.doubt(loaded.record.key, draft.earliest);
                    return Err(error);
                }
            }
            shared.publish(&loaded.record, &draft);
        }
        let outcome = Outcome::of(&loaded.record, response);
        self.loaded = Some(loaded);
        self.act(draft);
        Ok(Attempt::Written(Box::new(outcome)))
    }

    /// What a durable decision asks for.
    pub(super) fn act(&mut self, draft: Draft) {
        for effect in draft.effects {
            match effect {
                Effect::RunNode { call, node } => {
                    self.shared.executor.start(&mut self.flight, node, call, &self.shared.counters);
                }
                Effect::AbortNode { node, attempt } => self.flight.abort(&node, attempt),
            }
        }
        self.more |= draft.more;
    }

    /// Offers the oldest of the engine's own orders to the store. They stay in the backlog until
    /// they are durable or refused.
    pub(super) async fn work_off(&mut self) {
        if self.pause.is_some() {
            return;
        }
        let own = std::mem::take(&mut self.more);
        let commands = if own { vec![Command::Advance] } else { self.head_of_backlog() };
        if commands.is_empty() {
            return;
        }
        let result = match self.adopt().await {
            Ok(()) => self.decide_until_written(&commands, &mut None).await.map(|(_, taken)| taken),
            Err(error) => Err(error),
        };
        let done = match result {
            Ok(taken) => taken,
            Err(EngineError::Refused(refusal)) => {
                tracing::debug!(run = %self.run, %refusal, "an order of the engine's own came too late");
                commands.len()
            }
            Err(error) => {
                self.more |= own;
                return self.trouble(error).await;
            }
        };
        self.delay_ms = RETRY_DELAY_FIRST_MS;
        if !own {
            self.backlog.drain(..done);
        }
    }

    /// The oldest order, or several reports that follow each other.
    fn head_of_backlog(&self) -> Vec<Command> {
        let is_report = |command: &&Command| matches!(command, Command::FinishNode { .. });
        let reports = self.backlog.iter().take(ORDERS_PER_COMMIT).take_while(is_report).count();
        self.backlog.iter().take(reports.max(1)).cloned().collect()
    }
}

/// How one attempt at a commit ended.
pub(super) enum Attempt {
    Written(Box<Outcome>),
    Moved(StoreError),
}

impl Attempt {
    pub(super) fn is_written(&self) -> bool {
        matches!(self, Attempt::Written(_))
    }
}
