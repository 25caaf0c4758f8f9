//! `cancelRun` (openwop-rest §12).

use serde_json::Value;
use weft_auth::Caller;
use weft_core::{Cancel, Command};
use weft_model::{OperationId, RunId, RunStatus};

use crate::answer::Answer;
use crate::authorize::authorize_run;
use crate::engine_error::engine_error;
use crate::error::{OpError, OpResult};
use crate::host::Host;
use crate::idempotency::{Idempotency, ReceiptSeat, RequestDigest};
use crate::limits::REASON_MAX_CHARS;

/// A request to cancel a run. Not `Debug`: its key is said nowhere (R-IDEM-11).
#[derive(Default)]
pub struct CancelRun {
    /// The body, when there is one (R-CAN-08). It is open: only `reason` is read.
    pub body: Option<Value>,
    /// The `Idempotency-Key` header.
    pub idempotency_key: Option<String>,
}

/// Cancels a run at any moment before its end. A run that is over is never answered with 200
/// (R-CAN-02).
pub async fn cancel(host: &Host, caller: &Caller, run_id: &RunId, request: CancelRun) -> OpResult<Answer> {
    authorize_run(caller, OperationId::CancelRun, run_id)?;
    let CancelRun { body, idempotency_key } = request;
    let digest = || RequestDigest::new().text(run_id.as_str()).body(body.as_ref()).finish();
    let seat = Idempotency::seat(caller, OperationId::CancelRun, idempotency_key.as_deref(), digest)?;
    let work = |seat| submit(host, caller, run_id, body, seat);
    host.idempotency.once(seat, host.now(), work).await
}

async fn submit(
    host: &Host,
    caller: &Caller,
    run_id: &RunId,
    body: Option<Value>,
    seat: Option<ReceiptSeat>,
) -> OpResult<Answer> {
    let record = host.find_run(run_id).await?;
    let reason = reason_of(body)?;
    let reply = seat.map(|seat| {
        let run_id = run_id.clone();
        seat.draft(move |state| cancelled(&run_id, state.status()))
    });
    let command = Command::Cancel(Cancel { reason, by: Some(caller.subject().clone()) });
    let outcome = host.engine.submit(&record, command, reply).await.map_err(engine_error)?;
    Ok(Answer::of_outcome(outcome, |status| cancelled(run_id, status)))
}

fn reason_of(body: Option<Value>) -> OpResult<Option<String>> {
    let mut members = match body {
        None => return Ok(None),
        Some(Value::Object(members)) => members,
        Some(_) => return Err(OpError::invalid("The body must be a JSON object.")),
    };
    match members.remove("reason") {
        None => Ok(None),
        Some(Value::String(reason)) if reason.chars().count() <= REASON_MAX_CHARS => Ok(Some(reason)),
        Some(Value::String(_)) => {
            Err(OpError::invalid_field("reason", format!("reason has at most {REASON_MAX_CHARS} characters.")))
        }
        Some(_) => Err(OpError::invalid_field("reason", "reason must be a text.")),
    }
}

fn cancelled(run_id: &RunId, status: RunStatus) -> Answer {
    Answer::of_parts(200, &["{\"runId\":\"", run_id.as_str(), "\",\"status\":\"", status.as_str(), "\"}"])
}
