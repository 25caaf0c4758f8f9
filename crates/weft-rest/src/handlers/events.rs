//! A run's events: streamed and polled.

use std::sync::Arc;

use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{Response, StatusCode, request};
use weft_model::OperationId;
use weft_ops::events::{self, PollEvents, StreamEvents};
use weft_ops::{OpResult, authorize_run};

use super::ids;
use crate::body::RestBody;
use crate::door::Door;
use crate::headers::{self, EVENT_STREAM, LAST_EVENT_ID, NO_STORE};
use crate::sse::EventBody;
use crate::stats::OpenStream;
use crate::{errors, query, respond};

/// `streamRunEvents`. What the client accepts is not asked: the operation has one representation,
/// and the mode is judged before any negotiation (R-SSE-04).
pub(crate) async fn stream(door: &Door, head: &request::Parts, run: &str) -> OpResult<Response<RestBody>> {
    let run = ids::run(run)?;
    let caller = door.caller(&head.headers).await?;
    authorize_run(&caller, OperationId::StreamRunEvents, &run)?;
    let [stream_mode, buffer_ms, resumable] = query::read(head.uri.query(), ["streamMode", "bufferMs", "resumable"])?;
    let last_event_id = headers::text(&head.headers, &LAST_EVENT_ID);
    let request = StreamEvents {
        stream_mode: stream_mode.as_deref(),
        buffer_ms: buffer_ms.as_deref(),
        resumable: resumable.as_deref(),
        last_event_id: last_event_id.as_deref(),
    };
    let frames = events::stream(&door.host, &caller, &run, request).await?;
    let open = OpenStream::new(Arc::clone(&door.stats));
    let body = EventBody::new(frames, door.host.limits().keep_alive, door.options.closing.clone(), open);
    let mut response = respond::bare(StatusCode::OK, RestBody::events(body));
    response.headers_mut().insert(CONTENT_TYPE, EVENT_STREAM);
    response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    Ok(response)
}

/// `pollRunEvents`. A poll that waits when the host begins to shut down is told to come again.
pub(crate) async fn poll(door: &Door, head: &request::Parts, run: &str) -> OpResult<Response<RestBody>> {
    let run = ids::run(run)?;
    let caller = door.caller(&head.headers).await?;
    authorize_run(&caller, OperationId::PollRunEvents, &run)?;
    let [after_sequence, timeout] = query::read(head.uri.query(), ["afterSequence", "timeout"])?;
    let request = PollEvents { after_sequence: after_sequence.as_deref(), timeout: timeout.as_deref() };
    let page = tokio::select! {
        biased;
        page = events::poll(&door.host, &caller, &run, request) => page?,
        () = door.options.closing.cancelled() => return Err(errors::closing()),
    };
    Ok(respond::json(&head.headers, page))
}
