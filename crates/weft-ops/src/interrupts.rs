//! `resolveInterruptByRun`: the answer to what a run waits for (openwop-rest §18).

use serde_json::Value;
use weft_auth::Caller;
use weft_core::Command;
use weft_model::{NodeId, OperationId, RunId, RunStatus};

use crate::answer::Answer;
use crate::authorize::authorize_run;
use crate::engine_error::{EndedMeans, engine_error_of};
use crate::error::{OpError, OpResult};
use crate::host::Host;
use crate::idempotency::{Idempotency, ReceiptSeat, RequestDigest};

/// A request to resolve an interrupt. Not `Debug`: its key is said nowhere (R-IDEM-11).
pub struct ResolveInterrupt {
    /// The body: `{resumeValue}` and nothing else.
    pub body: Value,
    /// The `Idempotency-Key` header.
    pub idempotency_key: Option<String>,
}

/// Resolves the open interrupt of a node. Of several concurrent resolvers one is answered 200 and
/// the others `interrupt_already_resolved` (R-INT-12).
pub async fn resolve(
    host: &Host,
    caller: &Caller,
    run_id: &RunId,
    node_id: &NodeId,
    request: ResolveInterrupt,
) -> OpResult<Answer> {
    authorize_run(caller, OperationId::ResolveInterruptByRun, run_id)?;
    let ResolveInterrupt { body, idempotency_key } = request;
    let key = idempotency_key.as_deref();
    let digest = || RequestDigest::new().text(run_id.as_str()).text(node_id.as_str()).body(Some(&body)).finish();
    let seat = Idempotency::seat(caller, OperationId::ResolveInterruptByRun, key, digest)?;
    let work = |seat| submit(host, caller, run_id, node_id, body, seat);
    host.idempotency.once(seat, host.now(), work).await
}

async fn submit(
    host: &Host,
    caller: &Caller,
    run_id: &RunId,
    node_id: &NodeId,
    body: Value,
    seat: Option<ReceiptSeat>,
) -> OpResult<Answer> {
    let record = host.find_run(run_id).await?;
    let value = resume_value(body)?;
    let reply = seat.map(|seat| {
        let (run_id, node_id) = (run_id.clone(), node_id.clone());
        seat.draft(move |state| resolved(&run_id, &node_id, state.status()))
    });
    let command = Command::ResolveInterrupt { node: node_id.clone(), value, by: caller.subject().clone() };
    let ended = |error| engine_error_of(error, EndedMeans::InterruptResolved);
    let outcome = host.engine.submit(&record, command, reply).await.map_err(ended)?;
    Ok(Answer::of_outcome(outcome, |status| resolved(run_id, node_id, status)))
}

/// The body is closed: exactly `resumeValue` (R-INT-08).
fn resume_value(body: Value) -> OpResult<Value> {
    let Value::Object(mut members) = body else {
        return Err(OpError::invalid("The body must be a JSON object."));
    };
    let value = members.remove("resumeValue");
    if let Some(unknown) = members.keys().next() {
        return Err(OpError::unknown_member(unknown, "The body holds resumeValue and nothing else."));
    }
    value.ok_or_else(|| OpError::invalid_field("resumeValue", "The body must hold resumeValue."))
}

fn resolved(run_id: &RunId, node_id: &NodeId, status: RunStatus) -> Answer {
    let parts = [
        "{\"runId\":\"",
        run_id.as_str(),
        "\",\"nodeId\":\"",
        node_id.as_str(),
        "\",\"status\":\"",
        status.as_str(),
        "\"}",
    ];
    Answer::of_parts(200, &parts)
}
