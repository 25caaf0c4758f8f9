//! `createRun`: from a body to a durable run (openwop-rest §9).

use std::sync::Arc;

use serde_json::Value;
use weft_auth::Caller;
use weft_core::Start;
use weft_engine::NewRunRequest;
use weft_model::event::Transport;
use weft_model::{Digest, ErrorCode, OperationId, RunId, RunStatus};

use super::body::{self, CreateBody};
use crate::answer::Answer;
use crate::authorize::authorize;
use crate::engine_error::engine_error;
use crate::error::{OpError, OpResult};
use crate::host::Host;
use crate::idempotency::{Idempotency, ReceiptSeat, RequestDigest};
use crate::links;
use crate::workflows;

/// A request to create a run. Not `Debug`: its body may hold secrets (R-AUTH-22), and its key is said
/// nowhere (R-IDEM-11).
pub struct CreateRun {
    /// The body.
    pub body: Value,
    /// The `Idempotency-Key` header.
    pub idempotency_key: Option<String>,
    /// The `OpenWOP-Dedup` header.
    pub dedup: Option<String>,
    /// The `OpenWOP-Force-Engine-Version` header.
    pub force_engine_version: Option<String>,
    /// The door that the run comes in by.
    pub transport: Transport,
}

/// Creates a run. When the answer is given the run is durable: it goes on whatever becomes of this
/// process (R-RUN-01).
pub async fn create(host: &Host, caller: &Caller, request: CreateRun) -> OpResult<Answer> {
    authorize(caller, OperationId::CreateRun)?;
    check_headers(&request)?;
    let CreateRun { body, idempotency_key, transport, .. } = request;
    let key = idempotency_key.as_deref();
    let seat = Idempotency::seat(caller, OperationId::CreateRun, key, || digest(&body))?;
    let work = |seat| start(host, caller, body, transport, seat);
    host.idempotency.once(seat, host.now(), work).await
}

/// The two headers that change what a create means. Neither is served, and a host that ignored
/// them would do something else than it was asked.
fn check_headers(request: &CreateRun) -> OpResult<()> {
    // Every credential of this host is a production credential (R-RUN-10).
    if request.force_engine_version.is_some() {
        return Err(OpError::new(
            ErrorCode::ForceEngineVersionForbidden,
            "Forcing an engine version needs a test credential.",
        ));
    }
    if request.dedup.is_some() {
        return Err(OpError::invalid_field(
            "OpenWOP-Dedup",
            "This host does not deduplicate runs by scope; use an Idempotency-Key.",
        ));
    }
    Ok(())
}

/// Run secrets would be left out (R-IDEM-13), but a body that has any is refused.
fn digest(body: &Value) -> Digest {
    RequestDigest::new().body(Some(body)).finish()
}

async fn start(
    host: &Host,
    caller: &Caller,
    body: Value,
    transport: Transport,
    seat: Option<ReceiptSeat>,
) -> OpResult<Answer> {
    let body = body::check(body, caller.tenant())?;
    let loaded = host.workflows.find(caller.tenant(), &body.workflow_id).ok_or_else(workflows::unknown)?;
    // A draft can be read, so its author can see it; it does not run until it is declared active.
    if !loaded.workflow().is_active() {
        return Err(OpError::invalid_field("workflowId", "The workflow is not active; set its `status` to `active`."));
    }
    host.check_capabilities(loaded.workflow())?;
    loaded.check_configurable(body.configurable.as_ref())?;
    let run_id = RunId::mint(caller.tenant(), host.now(), host.random());
    let reply = seat.map(|seat| {
        let run_id = run_id.clone();
        seat.draft(move |state| created(&run_id, state.status()))
    });
    let request = NewRunRequest {
        run_id: run_id.clone(),
        workflow: Arc::clone(loaded.workflow()),
        start: start_of(host, caller, body, transport),
        reply,
    };
    let outcome = host.engine.create(request).await.map_err(engine_error)?;
    Ok(Answer::of_outcome(outcome, |status| created(&run_id, status)))
}

fn start_of(host: &Host, caller: &Caller, body: CreateBody, transport: Transport) -> Start {
    Start {
        inputs: body.inputs,
        owner: caller.owner(),
        transport,
        tags: body.tags,
        metadata: body.metadata,
        configurable: body.configurable,
        recursion_limit: clamp(body.bounds.recursion_limit, host.limits.node_executions_max),
        run_timeout_ms: clamp(body.bounds.run_timeout_ms, host.limits.run_duration_max_ms),
    }
}

/// The smaller of what was asked and what the host allows (R-OPT-04, R-OPT-05).
fn clamp(asked: Option<u64>, allowed: Option<u64>) -> Option<u64> {
    match (asked, allowed) {
        (Some(asked), Some(allowed)) => Some(asked.min(allowed)),
        (bound, None) | (None, bound) => bound,
    }
}

fn created(run_id: &RunId, status: RunStatus) -> Answer {
    let parts = [
        "{\"runId\":\"",
        run_id.as_str(),
        "\",\"status\":\"",
        created_status(status).as_str(),
        "\",\"eventsUrl\":\"",
        &links::events_url(run_id),
        "\",\"statusUrl\":\"",
        &links::status_url(run_id),
        "\"}",
    ];
    Answer::of_parts(201, &parts)
}

/// The status that a create may answer with. A run that was over before the answer was written is
/// `running` in it: the enumeration of the answer has no final word (openwop-rest §9), and the
/// snapshot has the truth.
fn created_status(status: RunStatus) -> RunStatus {
    if status.is_terminal() { RunStatus::Running } else { status }
}
