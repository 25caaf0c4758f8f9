//! Which runs have an actor. One seat a run, and a hand-over that loses no order.
//!
//! The mailbox stands in the registry, under the lock of the run's shard. An actor leaves only
//! when it finds its mailbox empty under that lock, and a sender puts mail or takes the free seat
//! under it. So an order is either read by the actor that is there or opens the next one, and no
//! run ever has two actors in one process (ARCHITECTURE.md, sentence 5).

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use weft_model::RunId;

use crate::sharded::Sharded;

/// Shards of the map; a power of two well above the number of cores.
const SHARDS: usize = 16;

/// Why a seat or a mailbox place was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// Too many runs have an actor.
    Actors,
    /// This run's mailbox is full.
    Mailbox,
}

/// The map of seats, generic over the mail so that its rules are tested alone.
pub(crate) struct Registry<M> {
    desks: Sharded<Desks<M>>,
    seated: AtomicUsize,
    seats_max: usize,
    mailbox_max: usize,
}

/// The occupied desks of one shard.
type Desks<M> = HashMap<RunId, Desk<M>>;

struct Desk<M> {
    mail: VecDeque<M>,
    bell: Arc<Notify>,
}

/// The right to act for one run. Dropping it frees the seat and drops unread mail, whose senders
/// see their answer channel close.
pub(crate) struct Seat<M> {
    registry: Arc<Registry<M>>,
    run: RunId,
    bell: Arc<Notify>,
    left: bool,
}

impl<M> Registry<M> {
    pub(crate) fn new(seats_max: usize, mailbox_max: usize) -> Arc<Registry<M>> {
        Arc::new(Registry {
            desks: Sharded::new(SHARDS, HashMap::new),
            seated: AtomicUsize::new(0),
            seats_max,
            mailbox_max,
        })
    }

    /// How many runs have an actor.
    pub(crate) fn seated(&self) -> usize {
        self.seated.load(Ordering::Relaxed)
    }

    /// Whether `run` has an actor.
    pub(crate) fn is_seated(&self, run: &RunId) -> bool {
        self.desks.of(run).contains_key(run)
    }

    /// Takes the free seat of `run`, or nothing when it is taken.
    pub(crate) fn take(self: &Arc<Self>, run: &RunId) -> Result<Option<Seat<M>>, Full> {
        let mut shard = self.desks.of(run);
        if shard.contains_key(run) {
            return Ok(None);
        }
        self.open(&mut shard, run, None).map(Some)
    }

    /// Puts mail before the actor of `run`. When there is none, the caller gets the seat, with the
    /// mail already in its mailbox, and must seat an actor on it.
    pub(crate) fn deliver(self: &Arc<Self>, run: &RunId, mail: M) -> Result<Option<Seat<M>>, Full> {
        let mut shard = self.desks.of(run);
        if let Some(desk) = shard.get_mut(run) {
            if desk.mail.len() >= self.mailbox_max {
                return Err(Full::Mailbox);
            }
            desk.mail.push_back(mail);
            desk.bell.notify_one();
            return Ok(None);
        }
        self.open(&mut shard, run, Some(mail)).map(Some)
    }

    fn open(self: &Arc<Self>, shard: &mut Desks<M>, run: &RunId, mail: Option<M>) -> Result<Seat<M>, Full> {
        if self.seated.fetch_add(1, Ordering::Relaxed) >= self.seats_max {
            self.seated.fetch_sub(1, Ordering::Relaxed);
            return Err(Full::Actors);
        }
        let bell = Arc::new(Notify::new());
        shard.insert(run.clone(), Desk { mail: mail.into_iter().collect(), bell: Arc::clone(&bell) });
        Ok(Seat { registry: Arc::clone(self), run: run.clone(), bell, left: false })
    }

    fn close(&self, shard: &mut Desks<M>, run: &RunId) -> Option<Desk<M>> {
        let desk = shard.remove(run);
        if desk.is_some() {
            self.seated.fetch_sub(1, Ordering::Relaxed);
        }
        desk
    }
}

impl<M> Seat<M> {
    /// The run this seat is for.
    pub(crate) fn run(&self) -> &RunId {
        &self.run
    }

    /// The next order. Safe to cancel: mail leaves the mailbox only in the call that returns it.
    pub(crate) async fn next(&self) -> M {
        loop {
            if let Some(mail) = self.try_next() {
                return mail;
            }
            self.bell.notified().await;
        }
    }

    /// The next order when there is one.
    pub(crate) fn try_next(&self) -> Option<M> {
        self.registry.desks.of(&self.run).get_mut(&self.run)?.mail.pop_front()
    }

    /// Gives the seat up, unless an order arrived meanwhile: then the seat comes back.
    pub(crate) fn leave(mut self) -> Result<(), Seat<M>> {
        let registry = Arc::clone(&self.registry);
        let mut shard = registry.desks.of(&self.run);
        if shard.get(&self.run).is_some_and(|desk| !desk.mail.is_empty()) {
            drop(shard);
            return Err(self);
        }
        self.registry.close(&mut shard, &self.run);
        self.left = true;
        drop(shard);
        Ok(())
    }
}

impl<M> Drop for Seat<M> {
    fn drop(&mut self) {
        if !self.left {
            // The mail is dropped after the lock is released: dropping it wakes other tasks.
            let desk = {
                let mut shard = self.registry.desks.of(&self.run);
                self.registry.close(&mut shard, &self.run)
            };
            drop(desk);
        }
    }
}

#[cfg(test)]
mod tests;
