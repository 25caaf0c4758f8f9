//! `resolveInterruptByRun`.

use std::borrow::Cow;

use bytes::Bytes;
use http::{Response, request};
use http_body::Body;
use weft_model::OperationId;
use weft_ops::interrupts::{self, ResolveInterrupt};
use weft_ops::{OpResult, authorize_run};

use super::ids;
use crate::body::RestBody;
use crate::door::Door;
use crate::headers::{self, IDEMPOTENCY_KEY};
use crate::{request_body, respond};

pub(crate) async fn resolve<B>(
    door: &Door,
    head: &request::Parts,
    body: &mut B,
    run: &str,
    node: &str,
) -> OpResult<Response<RestBody>>
where
    B: Body<Data = Bytes> + Unpin,
{
    let run = ids::run(run)?;
    let node = ids::node(node)?;
    let caller = door.caller(&head.headers).await?;
    authorize_run(&caller, OperationId::ResolveInterruptByRun, &run)?;
    let body = request_body::required_json(&head.headers, body, door.body_limits()).await?;
    let idempotency_key = headers::text(&head.headers, &IDEMPOTENCY_KEY).map(Cow::into_owned);
    let request = ResolveInterrupt { body, idempotency_key };
    respond::answer(interrupts::resolve(&door.host, &caller, &run, &node, request).await?)
}
