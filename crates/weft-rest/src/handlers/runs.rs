//! Runs: created, read, listed, cancelled.

use bytes::Bytes;
use http::{Response, request};
use http_body::Body;
use weft_model::OperationId;
use weft_model::event::Transport;
use weft_ops::runs::{self, CancelRun, CreateRun, ListRuns};
use weft_ops::{OpResult, authorize, authorize_run};

use super::ids;
use crate::body::RestBody;
use crate::door::Door;
use crate::headers::{self, DEDUP, FORCE_ENGINE_VERSION, IDEMPOTENCY_KEY};
use crate::{query, request_body, respond};

/// `createRun`
pub(crate) async fn create<B>(door: &Door, head: &request::Parts, body: &mut B) -> OpResult<Response<RestBody>>
where
    B: Body<Data = Bytes> + Unpin,
{
    let caller = door.caller(&head.headers).await?;
    authorize(&caller, OperationId::CreateRun)?;
    let body = request_body::required_json(&head.headers, body, door.body_limits()).await?;
    let text = |name| headers::text(&head.headers, name).map(std::borrow::Cow::into_owned);
    let request = CreateRun {
        body,
        idempotency_key: text(&IDEMPOTENCY_KEY),
        dedup: text(&DEDUP),
        force_engine_version: text(&FORCE_ENGINE_VERSION),
        transport: Transport::Rest,
    };
    respond::answer(runs::create(&door.host, &caller, request).await?)
}

/// `getRun`
pub(crate) async fn get(door: &Door, head: &request::Parts, run: &str) -> OpResult<Response<RestBody>> {
    let run = ids::run(run)?;
    let caller = door.caller(&head.headers).await?;
    let snapshot = runs::get(&door.host, &caller, &run).await?;
    respond::validated_json(&head.headers, snapshot.body, &snapshot.etag)
}

/// `listRuns`
pub(crate) async fn list(door: &Door, head: &request::Parts) -> OpResult<Response<RestBody>> {
    let caller = door.caller(&head.headers).await?;
    authorize(&caller, OperationId::ListRuns)?;
    let [limit, cursor] = query::read(head.uri.query(), ["limit", "cursor"])?;
    let request = ListRuns { limit: limit.as_deref(), cursor: cursor.as_deref() };
    Ok(respond::json(&head.headers, runs::list(&door.host, &caller, request).await?))
}

/// `cancelRun`; the body is optional (R-CAN-08).
pub(crate) async fn cancel<B>(
    door: &Door,
    head: &request::Parts,
    body: &mut B,
    run: &str,
) -> OpResult<Response<RestBody>>
where
    B: Body<Data = Bytes> + Unpin,
{
    let run = ids::run(run)?;
    let caller = door.caller(&head.headers).await?;
    authorize_run(&caller, OperationId::CancelRun, &run)?;
    let body = request_body::optional_json(&head.headers, body, door.body_limits()).await?;
    let idempotency_key = headers::text(&head.headers, &IDEMPOTENCY_KEY).map(std::borrow::Cow::into_owned);
    let request = CancelRun { body, idempotency_key };
    respond::answer(runs::cancel(&door.host, &caller, &run, request).await?)
}
