//! The one writer of a moving run.
//!
//! An actor lives while its run has effects in flight or an order to carry out. It takes one
//! order at a time: decide, commit, then act. Its files: here the loop, `step.rs` one order,
//! `birth.rs` the first commit, `ward.rs` what happens when something is wrong.

mod birth;
mod step;
mod ward;

use std::collections::VecDeque;
use std::sync::Arc;

use weft_core::Command;
use weft_model::{RunId, Timestamp};

pub(crate) use self::birth::Birth;
use crate::error::EngineError;
use crate::executor::{Finished, InFlight};
use crate::limits::{ORDERS_PER_COMMIT, RETRY_DELAY_FIRST_MS};
use crate::load::Loaded;
use crate::order::{DueTimers, Mail, Order};
use crate::registry::Seat;
use crate::shared::Shared;

/// A run's actor.
pub(crate) struct Actor {
    shared: Arc<Shared>,
    run: RunId,
    /// The folded run; dropped whenever it may differ from the log.
    loaded: Option<Loaded>,
    flight: InFlight,
    /// Orders of the engine's own, oldest first. They are kept until they are durable.
    backlog: VecDeque<Command>,
    /// A chain stopped at its bound and waits to go on.
    more: bool,
    /// When to offer the backlog to the store again, after it could not take it.
    pause: Option<Timestamp>,
    /// How long the next such pause is.
    delay_ms: u64,
    /// Whether every attempt that the log calls open is in flight here or was settled.
    adopted: bool,
}

/// What an idle actor was woken by.
enum Wake {
    Mail(Mail),
    Finished(Finished),
    PauseOver,
    /// The drain's grace is over.
    HandBack,
}

impl Actor {
    /// An actor that knows nothing of its run yet.
    pub(crate) fn vacant(shared: Arc<Shared>, run: RunId) -> Actor {
        Actor {
            shared,
            run,
            loaded: None,
            flight: InFlight::default(),
            backlog: VecDeque::new(),
            more: false,
            pause: None,
            delay_ms: RETRY_DELAY_FIRST_MS,
            adopted: false,
        }
    }

    /// Works until nothing is left to do, then gives the seat up.
    pub(crate) async fn work(mut self, mut seat: Seat<Mail>) {
        loop {
            // One of each a turn: neither a flood of orders nor one of results starves the other.
            if let Some(mail) = seat.try_next() {
                self.open(mail).await;
            }
            self.collect();
            self.work_off().await;
            let waiting = self.more || !self.backlog.is_empty();
            if waiting && self.pause.is_none() {
                continue;
            }
            if !waiting && self.flight.is_empty() {
                // The state goes first: from here on the run holds neither task nor state.
                self.loaded = None;
                match seat.leave() {
                    Ok(()) => return,
                    Err(back) => seat = back,
                }
                continue;
            }
            match self.wait(&seat).await {
                Wake::Mail(mail) => self.open(mail).await,
                Wake::Finished(finished) => self.enqueue(finished),
                Wake::PauseOver => self.pause = None,
                Wake::HandBack => return hand_back(&seat),
            }
        }
    }

    async fn wait(&mut self, seat: &Seat<Mail>) -> Wake {
        let shared = Arc::clone(&self.shared);
        let until = self.pause;
        tokio::select! {
            biased;
            mail = seat.next() => Wake::Mail(mail),
            finished = self.flight.next() => Wake::Finished(finished),
            () = pause_over(&shared, until) => Wake::PauseOver,
            () = shared.grace_over() => Wake::HandBack,
        }
    }

    async fn open(&mut self, mail: Mail) {
        // A caller that has gone away is no reason not to do what it asked for.
        match mail {
            Mail::Order(order) => self.carry_out(*order).await,
            Mail::Fire(due) => self.fire(due).await,
            Mail::Adopt(done) => {
                let _ = done.send(self.adopt().await);
            }
        }
    }

    async fn carry_out(&mut self, order: Order) {
        let Order { command, mut reply, done } = order;
        let result = self.step(command, &mut reply).await;
        let _ = done.send(result);
    }

    async fn fire(&mut self, due: DueTimers) {
        let result = self.fire_all(due.timers).await;
        // A caller that asks for too much is told so; a run that does it by itself ends.
        if let Err(error) = &result
            && error.is_too_large()
        {
            self.condemn(error).await;
        }
        let _ = due.done.send(result);
    }

    /// Takes the results that are there already, so that they share a commit.
    fn collect(&mut self) {
        while self.backlog.len() < ORDERS_PER_COMMIT {
            let Some(finished) = self.flight.try_next() else { return };
            self.enqueue(finished);
        }
    }

    fn enqueue(&mut self, finished: Finished) {
        if finished.panicked {
            self.shared.counters.broken.add_one();
        }
        self.backlog.push_back(Command::FinishNode {
            node: finished.node,
            attempt: finished.attempt,
            result: finished.result,
        });
    }
}

/// Refuses what is left in the mailbox: nothing of it was begun.
fn hand_back(seat: &Seat<Mail>) {
    while let Some(mail) = seat.try_next() {
        match mail {
            Mail::Order(order) => drop(order.done.send(Err(EngineError::Draining))),
            Mail::Fire(due) => drop(due.done.send(Err(EngineError::Draining))),
            Mail::Adopt(done) => drop(done.send(Err(EngineError::Draining))),
        }
    }
}

async fn pause_over(shared: &Shared, until: Option<Timestamp>) {
    let Some(until) = until else { return std::future::pending().await };
    while shared.ports.clock.now() < until {
        shared.ports.clock.sleep_until(until).await;
    }
}
