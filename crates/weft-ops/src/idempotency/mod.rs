//! Layer 1 of idempotency: one key, one effect, one answer (openwop-rest §7).
//!
//! Two things work together. The in-flight table lets exactly one of several concurrent copies
//! execute while the others wait for its answer. The receipt, written in the same commit as the
//! change it answers for, lets a later copy be answered from the store, also after a restart.
//! The table is the fast path; the receipt's uniqueness is what makes the rule hold when a
//! request is abandoned between its commit and its answer.

mod digest;
mod in_flight;
mod key;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use weft_auth::Caller;
use weft_core::RunState;
use weft_engine::ReceiptDraft;
use weft_model::{Digest, ErrorCode, OperationId, Timestamp};
use weft_store::{Receipt, ReceiptScope, Store};

use crate::answer::Answer;
use crate::error::{OpError, OpResult, RETRY_IN_FLIGHT_SECONDS};
use crate::store_error::store_error;

pub(crate) use digest::RequestDigest;
use in_flight::{InFlight, Joined, Outcome};
use key::scope_of;

/// How long a copy waits for its twin before it is told `idempotency_in_flight`. Longer than any
/// healthy commit, shorter than a client's usual patience.
const WAIT_FOR_TWIN: Duration = Duration::from_secs(5);

/// How long receipts are kept: the 24 hours of R-IDEM-10 and an hour of margin for clocks.
pub const RECEIPT_RETENTION_MS: u64 = 25 * 60 * 60 * 1000;

/// Where the answer of a keyed request is to be recorded. Handed to the operation, which gives it
/// to the engine, which writes it in the same commit as the run's change.
#[derive(Clone)]
pub(crate) struct ReceiptSeat {
    scope: ReceiptScope,
    request: Digest,
}

impl ReceiptSeat {
    /// The draft that the engine completes once the new state is known.
    pub(crate) fn draft<F>(&self, render: F) -> ReceiptDraft
    where
        F: Fn(&RunState) -> Answer + Send + Sync + 'static,
    {
        let render = move |state: &RunState| render(state).stored();
        ReceiptDraft { scope: self.scope, request: self.request, render: Box::new(render) }
    }
}

/// The layer itself: the receipts and the table of running requests.
pub(crate) struct Idempotency {
    store: Arc<dyn Store>,
    in_flight: InFlight,
}

impl Idempotency {
    pub(crate) fn new(store: Arc<dyn Store>) -> Idempotency {
        Idempotency { store, in_flight: InFlight::default() }
    }

    /// Reads a request's key: `None` without one, so that `digest` is only computed for a key.
    pub(crate) fn seat(
        caller: &Caller,
        operation: OperationId,
        key: Option<&str>,
        digest: impl FnOnce() -> Digest,
    ) -> OpResult<Option<ReceiptSeat>> {
        let Some(key) = key else { return Ok(None) };
        let scope = scope_of(caller.tenant(), operation.row().operation_id, key)?;
        Ok(Some(ReceiptSeat { scope, request: digest() }))
    }

    /// Runs `work` at most once for each key and answers every copy alike. Without a key `work`
    /// simply runs.
    pub(crate) async fn once<W, F>(&self, seat: Option<ReceiptSeat>, now: Timestamp, work: W) -> OpResult<Answer>
    where
        W: FnOnce(Option<ReceiptSeat>) -> F,
        F: Future<Output = OpResult<Answer>>,
    {
        let Some(seat) = seat else { return work(None).await };
        let deadline = tokio::time::Instant::now() + WAIT_FOR_TWIN;
        let flight = loop {
            match self.in_flight.join(seat.scope, seat.request)? {
                Joined::First(flight) => break flight,
                Joined::Mismatch => return Err(mismatch()),
                Joined::Twin(mut twin) => {
                    match tokio::time::timeout_at(deadline, twin.outcome()).await {
                        Ok(Outcome::Final(answer)) => return Ok(answer.replay()),
                        // The twin failed in a way that is not final, or was abandoned: it is
                        // this copy's turn (R-IDEM-06).
                        Ok(Outcome::Open) => {}
                        Err(_) => return Err(in_flight()),
                    }
                }
            }
        };
        if let Some(receipt) = self.find(&seat).await? {
            let answer = replay_of(receipt, &seat)?;
            flight.settle(Outcome::Final(answer.clone()));
            return Ok(answer);
        }
        match work(Some(seat.clone())).await {
            Ok(answer) => {
                flight.settle(Outcome::Final(answer.clone()));
                Ok(answer)
            }
            Err(error) => self.failed(&seat, error, now, flight).await,
        }
    }

    /// Deletes receipts past their retention.
    pub(crate) async fn purge(&self, now: Timestamp) -> OpResult<()> {
        let before = Timestamp::from_micros(now.as_micros() - RECEIPT_RETENTION_MS as i64 * 1000);
        self.store.purge_receipts(before).await.map_err(store_error)?;
        Ok(())
    }

    async fn find(&self, seat: &ReceiptSeat) -> OpResult<Option<Receipt>> {
        self.store.find_receipt(&seat.scope).await.map_err(store_error)
    }

    async fn failed(
        &self,
        seat: &ReceiptSeat,
        error: OpError,
        now: Timestamp,
        flight: in_flight::Flight<'_>,
    ) -> OpResult<Answer> {
        // An earlier copy whose sender had gone away may have committed while this one was on its
        // way: then its receipt is there, and this refusal is only its echo. That is also why a
        // conflict over the receipt itself ends here.
        if let Some(answer) = self.find(seat).await?.map(|receipt| replay_of(receipt, seat)).transpose()? {
            flight.settle(Outcome::Final(answer.clone()));
            return Ok(answer);
        }
        if is_final(error.code()) {
            let answer = Answer::of_error(&error);
            let receipt =
                Receipt { scope: seat.scope, request: seat.request, response: answer.stored(), created_at: now };
            // When the receipt cannot be written the refusal still stands: repeating the request
            // finds the same state and is refused again.
            match self.store.put_receipt(receipt).await {
                Ok(()) => flight.settle(Outcome::Final(answer)),
                Err(cause) => tracing::warn!(%cause, "the receipt of a refusal was not stored"),
            }
        }
        Err(error)
    }
}

/// Whether a refusal is the final answer of its key: a 4xx that repeating cannot change, without
/// the ones that R-IDEM-07 excludes (R-IDEM-05, R-IDEM-06).
fn is_final(code: ErrorCode) -> bool {
    let status = code.http_status();
    let client_error = (400..500).contains(&status) && status != 429;
    let excluded = matches!(status, 401 | 403)
        || matches!(
            code,
            ErrorCode::ValidationError
                | ErrorCode::IdempotencyKeyInvalid
                | ErrorCode::IdempotencyKeyMismatch
                | ErrorCode::IdempotencyInFlight
        );
    client_error && !excluded && !code.retriable()
}

fn replay_of(receipt: Receipt, seat: &ReceiptSeat) -> OpResult<Answer> {
    if receipt.request == seat.request { Ok(Answer::from_receipt(receipt.response)) } else { Err(mismatch()) }
}

fn mismatch() -> OpError {
    OpError::new(ErrorCode::IdempotencyKeyMismatch, "The idempotency key was already used for a different request.")
}

fn in_flight() -> OpError {
    OpError::new(ErrorCode::IdempotencyInFlight, "A request with this idempotency key is still being carried out.")
        .with_retry_after(RETRY_IN_FLIGHT_SECONDS)
}
