//! The keyed requests that are being carried out right now.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use parking_lot::Mutex;
use tokio::sync::watch;
use weft_model::Digest;
use weft_store::ReceiptScope;

use crate::answer::Answer;
use crate::error::{OpError, OpResult, RETRY_OVERLOADED_SECONDS};
use weft_model::ErrorCode;

/// Keyed requests in flight at once. Each is one HTTP request, so this is far above what a door
/// lets through; it is the table's own bound.
const IN_FLIGHT_MAX: usize = 16_384;

/// How a request in flight ended.
#[derive(Clone)]
pub(crate) enum Outcome {
    /// Not ended, ended without a final answer, or abandoned.
    Open,
    /// This is the key's answer from now on.
    Final(Answer),
}

/// What joining the table found.
pub(crate) enum Joined<'a> {
    /// This request is the one that executes.
    First(Flight<'a>),
    /// The same request is being carried out.
    Twin(Twin),
    /// The key is in use for another request (R-IDEM-08).
    Mismatch,
}

#[derive(Default)]
pub(crate) struct InFlight {
    flights: Mutex<HashMap<[u8; 32], Slot>>,
}

struct Slot {
    request: Digest,
    ended: watch::Receiver<Outcome>,
}

impl InFlight {
    pub(crate) fn join(&self, scope: ReceiptScope, request: Digest) -> OpResult<Joined<'_>> {
        let mut flights = self.flights.lock();
        let full = flights.len() >= IN_FLIGHT_MAX;
        match flights.entry(scope.0) {
            Entry::Occupied(slot) if slot.get().request != request => Ok(Joined::Mismatch),
            Entry::Occupied(slot) => Ok(Joined::Twin(Twin(slot.get().ended.clone()))),
            Entry::Vacant(_) if full => {
                Err(OpError::new(ErrorCode::ServiceUnavailable, "Too many keyed requests are being carried out.")
                    .with_retry_after(RETRY_OVERLOADED_SECONDS))
            }
            Entry::Vacant(slot) => {
                let (end, ended) = watch::channel(Outcome::Open);
                slot.insert(Slot { request, ended });
                Ok(Joined::First(Flight { table: self, scope, end }))
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.flights.lock().len()
    }
}

/// The right to execute a keyed request. Dropping it ends the flight, also when the request's
/// future is dropped because its sender went away.
pub(crate) struct Flight<'a> {
    table: &'a InFlight,
    scope: ReceiptScope,
    end: watch::Sender<Outcome>,
}

impl Flight<'_> {
    /// Ends the flight and tells the twins.
    pub(crate) fn settle(self, outcome: Outcome) {
        self.end.send_replace(outcome);
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        // The slot goes first and the sender with the struct afterwards: a twin that wakes finds
        // the slot free.
        self.table.flights.lock().remove(&self.scope.0);
    }
}

/// A place in the queue behind a twin.
pub(crate) struct Twin(watch::Receiver<Outcome>);

impl Twin {
    /// Waits until the twin has a final answer or is gone.
    pub(crate) async fn outcome(&mut self) -> Outcome {
        match self.0.wait_for(|outcome| matches!(outcome, Outcome::Final(_))).await {
            Ok(outcome) => outcome.clone(),
            // The flight is over and had no final answer: one that it has is seen before its end.
            Err(_) => Outcome::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    const SCOPE: ReceiptScope = ReceiptScope([7; 32]);

    fn first(table: &InFlight, request: u8) -> Flight<'_> {
        match table.join(SCOPE, Digest::from_bytes([request; 32])).expect("room") {
            Joined::First(flight) => flight,
            Joined::Twin(_) | Joined::Mismatch => panic!("the key is in flight"),
        }
    }

    fn twin(table: &InFlight, request: u8) -> Twin {
        match table.join(SCOPE, Digest::from_bytes([request; 32])).expect("room") {
            Joined::Twin(twin) => twin,
            Joined::First(_) | Joined::Mismatch => panic!("the key is not in flight"),
        }
    }

    // R-IDEM-09: the second waits for the first one's answer.
    #[tokio::test]
    async fn a_twin_gets_the_answer() {
        let table = InFlight::default();
        let flight = first(&table, 1);
        let mut waiting = twin(&table, 1);
        flight.settle(Outcome::Final(Answer::new(201, Bytes::from_static(b"{}"))));
        assert!(matches!(waiting.outcome().await, Outcome::Final(answer) if answer.status == 201));
        assert_eq!(table.len(), 0);
    }

    // R-IDEM-06, R-IDEM-09: a flight that ends without an answer makes way for the next.
    #[tokio::test]
    async fn an_abandoned_flight_makes_way() {
        let table = InFlight::default();
        let flight = first(&table, 1);
        let mut waiting = twin(&table, 1);
        drop(flight);
        assert!(matches!(waiting.outcome().await, Outcome::Open));
        drop(first(&table, 1));
        assert_eq!(table.len(), 0);
    }

    // R-IDEM-08: another request under a key in flight does not wait for it.
    #[tokio::test]
    async fn another_request_is_a_mismatch_at_once() {
        let table = InFlight::default();
        let _flight = first(&table, 1);
        assert!(matches!(table.join(SCOPE, Digest::from_bytes([2; 32])), Ok(Joined::Mismatch)));
    }
}
