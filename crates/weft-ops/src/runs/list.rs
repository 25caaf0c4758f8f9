//! `listRuns`: the tenant's runs, newest first (openwop-rest §11).
//!
//! No filter is advertised, so `workflowId` and `status` are not parameters (R-LIST-05).

use bytes::{BufMut, Bytes, BytesMut};
use weft_auth::Caller;
use weft_engine::EngineError;
use weft_model::OperationId;
use weft_store::{RunKey, RunRecord, StoreErrorKind};

use super::cursor;
use crate::authorize::authorize;
use crate::error::{OpError, OpResult};
use crate::host::Host;
use crate::limits::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use crate::natural::natural;
use crate::store_error::store_error;

/// The parameters of the list, as received.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListRuns<'a> {
    /// `limit`.
    pub limit: Option<&'a str>,
    /// `cursor`.
    pub cursor: Option<&'a str>,
}

/// Lists runs as `{runs, nextCursor?}`.
pub async fn list(host: &Host, caller: &Caller, request: ListRuns<'_>) -> OpResult<Bytes> {
    authorize(caller, OperationId::ListRuns)?;
    let limit = limit_of(request.limit)?;
    let before = match request.cursor {
        Some(cursor) => Some(position(host, caller, cursor).await?),
        None => None,
    };
    // One more than the page tells whether there is another page.
    let mut records = host.store.list_runs(caller.tenant(), before, limit + 1).await.map_err(store_error)?;
    let more = records.len() > limit;
    records.truncate(limit);
    render(host, &records, more).await
}

/// `limit` is clamped to the page size; less than 1 and non-integers are refused (R-LIST-03).
fn limit_of(text: Option<&str>) -> OpResult<usize> {
    let Some(text) = text else { return Ok(PAGE_SIZE_DEFAULT) };
    match natural(text) {
        None | Some(0) => Err(OpError::invalid_field("limit", "limit must be an integer of at least 1.")),
        Some(limit) => Ok(usize::try_from(limit).unwrap_or(usize::MAX).min(PAGE_SIZE_MAX)),
    }
}

async fn position(host: &Host, caller: &Caller, cursor: &str) -> OpResult<RunKey> {
    let claimed = cursor::Claimed::parse(cursor, caller.tenant())?;
    let record = host.store.find_run(&claimed.run_id).await.map_err(store_error)?;
    let record = record.ok_or_else(cursor::refused)?;
    claimed.check(&record)?;
    Ok(record.key)
}

async fn render(host: &Host, records: &[RunRecord], more: bool) -> OpResult<Bytes> {
    let mut body = BytesMut::with_capacity(256 + records.len() * 1024);
    body.put_slice(b"{\"runs\":[");
    let mut first = true;
    let mut last = None;
    for record in records {
        // A snapshot may be as large as a run's inputs and outputs. The page ends after the one
        // that fills it, so every page has a run and the walk goes on.
        if body.len() >= host.limits.list_bytes_max {
            break;
        }
        last = Some(record);
        match host.engine.snapshot(record).await {
            Ok(snapshot) => {
                if !std::mem::take(&mut first) {
                    body.put_u8(b',');
                }
                body.put_slice(&snapshot.bytes);
            }
            // A store that is away would leave out runs that are well: that is no list.
            Err(EngineError::Store(error)) if error.kind() != StoreErrorKind::Corrupt => {
                return Err(store_error(error));
            }
            // One damaged run must not hide the others (DECISIONS 30). Reading it by its id says
            // what is wrong with it.
            Err(cause) => tracing::error!(run = %record.run_id, %cause, "a run is missing from a list"),
        }
    }
    body.put_u8(b']');
    let cut = last.map(|record| record.key) != records.last().map(|record| record.key);
    if let (true, Some(last)) = (more || cut, last) {
        body.put_slice(b",\"nextCursor\":\"");
        body.put_slice(cursor::mint(last).as_bytes());
        body.put_u8(b'"');
    }
    body.put_u8(b'}');
    Ok(body.freeze())
}
