//! `pollRunEvents`: the log as one answer, waiting for something new when there is nothing.

use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use weft_auth::Caller;
use weft_engine::Page;
use weft_model::{OperationId, RunId};
use weft_store::RunRecord;

use super::params;
use crate::authorize::authorize_run;
use crate::engine_error::engine_error;
use crate::error::OpResult;
use crate::host::Host;

/// The parameters of a poll, as received.
#[derive(Clone, Copy, Debug, Default)]
pub struct PollEvents<'a> {
    /// `afterSequence`.
    pub after_sequence: Option<&'a str>,
    /// `timeout`, in seconds.
    pub timeout: Option<&'a str>,
}

/// Room for everything of an answer but its events.
const ENVELOPE_CAPACITY: usize = 192;

/// Polls a run's events; the answer is the closed object of openwop-events §4 as JSON. It holds
/// every event whatever its mode.
pub async fn poll(host: &Host, caller: &Caller, run_id: &RunId, request: PollEvents<'_>) -> OpResult<Bytes> {
    authorize_run(caller, OperationId::PollRunEvents, run_id)?;
    let record = host.find_run(run_id).await?;
    let after = params::after_sequence(request.after_sequence)?;
    let wait = params::poll_wait(request.timeout)?;
    let mut page = host.page(&record, after).await?;
    if page.events.is_empty() && !page.terminal {
        page = wait_for_news(host, &record, after, wait).await?;
    }
    Ok(render(run_id, &page))
}

/// Waits until there is an event, the run is over or the time is up, whatever comes first
/// (R-POLL-05), and then says how the log stands.
async fn wait_for_news(host: &Host, record: &RunRecord, after: Option<u64>, wait: Duration) -> OpResult<Page> {
    let mut reader = host.engine.reader(record, after);
    if let Ok(news) = tokio::time::timeout(wait, reader.next()).await {
        news.map_err(engine_error)?;
    }
    host.page(record, after).await
}

/// Joins the events' own bytes: they were serialised once, when they were recorded.
fn render(run_id: &RunId, page: &Page) -> Bytes {
    let events: usize = page.events.iter().map(|event| event.bytes.len() + 1).sum();
    let mut body = BytesMut::with_capacity(ENVELOPE_CAPACITY + run_id.as_str().len() + events);
    // A run id, a status word and numbers need no escaping.
    body.put_slice(b"{\"runId\":\"");
    body.put_slice(run_id.as_str().as_bytes());
    body.put_slice(b"\",\"events\":[");
    for (at, event) in page.events.iter().enumerate() {
        if at > 0 {
            body.put_u8(b',');
        }
        body.put_slice(&event.bytes);
    }
    body.put_slice(b"],\"lastSequence\":");
    match page.last_sequence {
        Some(last) => body.put_slice(last.to_string().as_bytes()),
        None => body.put_slice(b"-1"),
    }
    body.put_slice(b",\"status\":\"");
    body.put_slice(page.status.as_str().as_bytes());
    body.put_slice(if page.terminal { b"\",\"isTerminal\":true}" } else { b"\",\"isTerminal\":false}" });
    body.freeze()
}
