//! The clients: what they ask for, how they insist, and what they remember.

mod answerer;
mod creator;
mod memory;
mod reader;
mod session;

use std::sync::Arc;

pub(crate) use self::memory::{Memory, Promises};
use self::session::Session;
pub(crate) use self::session::{Connections, Place};
use super::faults::Tally;
use super::trace::Trace;
use super::world::SimClock;

/// What the clients share with the driver and with each other.
pub(crate) struct Ring {
    pub(crate) seed: u64,
    pub(crate) clock: SimClock,
    pub(crate) trace: Trace,
    pub(crate) tally: Tally,
    pub(crate) connections: Connections,
    pub(crate) memory: Memory,
    /// When clients begin nothing new, in milliseconds since the beginning.
    pub(crate) closes_ms: u64,
}

/// The clients of one tenant, in the order of their places.
const TRADES: [&str; 6] = ["creator", "creator", "approver", "approver", "canceller", "subscriber"];
/// The tenants.
pub(crate) const TENANTS: [&str; 2] = ["acme", "globex"];
/// Clients in all: a poller for each tenant comes to the trades.
pub(crate) const CLIENTS: u64 = 2 * (TRADES.len() as u64 + 2);

/// Sets all clients to work. They end by themselves once the ring has closed and a host answers.
pub(crate) fn spawn(ring: &Arc<Ring>) -> Vec<tokio::task::JoinHandle<()>> {
    let mut place = 0;
    let mut clients = Vec::new();
    for tenant in TENANTS {
        for trade in TRADES.into_iter().chain(["subscriber", "poller"]) {
            let session = Session::new(Arc::clone(ring), Place { tenant, trade, number: place });
            place += 1;
            clients.push(match trade {
                "creator" => tokio::spawn(creator::work(session)),
                "approver" => tokio::spawn(answerer::approve(session)),
                "canceller" => tokio::spawn(answerer::cancel(session)),
                "subscriber" => tokio::spawn(reader::subscribe(session)),
                _ => tokio::spawn(reader::poll(session)),
            });
        }
    }
    clients
}
