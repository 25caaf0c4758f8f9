//! A client's way to the host: one request at a time, over a connection that a crash breaks.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use weft_auth::{Caller, caller_facing_scopes};
use weft_model::ErrorCode;
use weft_ops::{Host, OpError, OpResult};

use super::{CLIENTS, Memory, Ring};
use crate::simulator::faults::Fault;
use crate::simulator::life::Life;
use crate::simulator::rng::Rng;

/// Requests that a client sends for one purpose before it calls the host broken.
const INSIST_MAX: u32 = 400;

/// The host that answers at present, and the requests on their way.
#[derive(Default)]
pub(crate) struct Connections {
    life: Mutex<Option<Arc<Life>>>,
    open: Arc<AtomicUsize>,
}

impl Connections {
    /// Lets clients reach this life, or none.
    pub(crate) fn lead_to(&self, life: Option<Arc<Life>>) {
        *self.life.lock() = life;
    }

    /// Requests that have neither been answered nor cut.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

/// Counts a request as long as it is on its way.
struct Open(Arc<AtomicUsize>);

impl Open {
    fn new(count: &Arc<AtomicUsize>) -> Open {
        count.fetch_add(1, Ordering::SeqCst);
        Open(Arc::clone(count))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Who a client is.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) tenant: &'static str,
    pub(crate) trade: &'static str,
    pub(crate) number: u64,
}

/// How a request ended.
pub(super) enum Reply<T> {
    /// With its answer.
    Answer(T),
    /// With a refusal.
    Refused(OpError),
    /// With a broken connection: nobody knows what became of it.
    Cut,
}

/// What is to be done about a refusal.
pub(super) enum Refusal {
    /// Repeating may help.
    Again,
    /// It is the answer.
    Final(ErrorCode),
}

/// One client.
pub(super) struct Session {
    pub(super) ring: Arc<Ring>,
    pub(super) place: Place,
    pub(super) name: String,
    pub(super) caller: Caller,
    pub(super) rng: Rng,
}

impl Session {
    pub(super) fn new(ring: Arc<Ring>, place: Place) -> Session {
        let name = format!("{}-{}-{}", place.tenant, place.trade, place.number);
        let caller = Caller::of_key(
            format!("key{}", place.number).parse().expect("a key id"),
            place.tenant.parse().expect("a tenant"),
            name.parse().expect("a subject"),
            caller_facing_scopes(),
            None,
        );
        let rng = Rng::for_purpose(ring.seed, &name);
        Session { ring, place, name, caller, rng }
    }

    pub(super) fn memory(&self) -> &Memory {
        &self.ring.memory
    }

    pub(super) fn note(&self, what: impl std::fmt::Display) {
        self.ring.trace.note(&self.name, what);
    }

    /// Whether anything new may be begun.
    pub(super) fn is_open(&self) -> bool {
        self.ring.clock.passed_ms() < self.ring.closes_ms
    }

    /// Waits, and until the client's own turn. Clients act on different milliseconds: several
    /// that were woken by one event are woken in an order that no seed rules, and this way it
    /// does not matter.
    pub(super) async fn pause(&mut self, from_ms: u64, to_ms: u64) {
        let earliest = self.ring.clock.passed_ms() + self.rng.between(from_ms, to_ms);
        self.turn(earliest).await;
    }

    async fn turn(&self, earliest: u64) {
        let behind = (self.place.number + CLIENTS - earliest % CLIENTS) % CLIENTS;
        self.ring.clock.until_ms(earliest + behind).await;
    }

    /// Sends one request, when there is a host to send it to. Comes back on the client's turn.
    pub(super) async fn call<T, F>(&mut self, op: impl FnOnce(Arc<Host>) -> F) -> Reply<T>
    where
        F: Future<Output = OpResult<T>>,
    {
        let patience = if self.is_open() && self.rng.happens(40) { Some(self.rng.between(1, 120)) } else { None };
        self.call_within(patience, op).await
    }

    /// Sends one request and hangs up when the answer takes longer than this.
    pub(super) async fn call_within<T, F>(&mut self, patience: Option<u64>, op: impl FnOnce(Arc<Host>) -> F) -> Reply<T>
    where
        F: Future<Output = OpResult<T>>,
    {
        let life = loop {
            let life = self.ring.connections.life.lock().clone();
            match life {
                Some(life) if !life.switch.is_dead() => break life,
                _ => self.pause(20, 60).await,
            }
        };
        let reply = {
            let _open = Open::new(&self.ring.connections.open);
            tokio::select! {
                biased;
                () = life.cut.cancelled() => Reply::Cut,
                () = patience_ends(patience) => {
                    self.ring.tally.count(Fault::ClientGone);
                    Reply::Cut
                }
                result = op(Arc::clone(&life.host)) => match result {
                    Ok(answer) => Reply::Answer(answer),
                    Err(error) => Reply::Refused(error),
                },
            }
        };
        // The host must not outlive its life through a client that thinks about the answer.
        drop(life);
        self.turn(self.ring.clock.passed_ms() + 1).await;
        reply
    }

    /// What a refusal means. A server's error and a running twin may pass.
    pub(super) fn weigh(&mut self, error: &OpError) -> Refusal {
        let passes = error.status() >= 500 || error.status() == 429 || error.code() == ErrorCode::IdempotencyInFlight;
        if passes { Refusal::Again } else { Refusal::Final(error.code()) }
    }

    /// Waits before the next try; `false` when it has been tried too often.
    pub(super) async fn insist(&mut self, tries: &mut u32, what: &str) -> bool {
        *tries += 1;
        if *tries > INSIST_MAX {
            self.memory().breach(format!("{}: {what} got no answer in {INSIST_MAX} tries", self.name));
            return false;
        }
        self.pause(20, 250).await;
        true
    }
}

async fn patience_ends(patience: Option<u64>) {
    match patience {
        Some(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
        None => std::future::pending().await,
    }
}
