//! Clients that watch: subscribers that come back behind their last event, and pollers.

use std::sync::Arc;

use futures_util::StreamExt;
use parking_lot::Mutex;
use serde_json::Value;
use weft_model::{ErrorCode, RunId};
use weft_ops::events::{PollEvents, StreamEvents, poll as poll_events, stream};
use weft_ops::runs::{ListRuns, get, list};
use weft_ops::{Host, OpResult};

use super::memory::KnownRun;
use super::session::{Refusal, Reply, Session};
use crate::checker::StreamedRun;
use crate::simulator::faults::Fault;

/// Connections that one subscriber makes for one run.
const CONNECTIONS_MAX: u32 = 25;

/// Subscribes to one run after the other until the ring closes.
pub(super) async fn subscribe(mut session: Session) {
    loop {
        session.pause(50, 500).await;
        if !session.is_open() {
            return;
        }
        let tenant = session.place.tenant;
        let runs = session.memory().known(|run| run.tenant == tenant);
        let young = &runs[runs.len().saturating_sub(3)..];
        if let Some(run) = session.rng.pick(young).cloned() {
            follow(&mut session, run).await;
        }
    }
}

/// Follows a run over many connections. What one stream yields is kept even when the connection
/// breaks under it: a client has read what it has read.
async fn follow(session: &mut Session, run: KnownRun) {
    let received = Arc::new(Mutex::new(Vec::<Value>::new()));
    let mut ended = false;
    for _ in 0..CONNECTIONS_MAX {
        let run_id: RunId = run.id.parse().expect("an answered run id");
        let caller = session.caller.clone();
        let sink = Arc::clone(&received);
        let after = received.lock().last().and_then(|event| event["sequence"].as_u64());
        let op = async move |host: Arc<Host>| -> OpResult<()> {
            let last_event_id = after.map(|sequence| sequence.to_string());
            let request = StreamEvents {
                stream_mode: Some("debug"),
                last_event_id: last_event_id.as_deref(),
                ..StreamEvents::default()
            };
            let mut frames = stream(&host, &caller, &run_id, request).await?;
            while let Some(frame) = frames.next().await {
                let event = serde_json::from_slice(&frame?.data).expect("a frame is JSON");
                sink.lock().push(event);
            }
            Ok(())
        };
        let patience = Some(session.rng.between(30, 1_500));
        match session.call_within(patience, op).await {
            Reply::Answer(()) => {
                ended = true;
                break;
            }
            Reply::Cut => session.ring.tally.count(Fault::StreamDropped),
            Reply::Refused(error) => {
                if let Refusal::Final(code) = session.weigh(&error) {
                    session.memory().breach(format!("a stream of {} was refused: {}", run.id, code.as_str()));
                    break;
                }
            }
        }
        if !session.is_open() {
            break;
        }
        session.pause(1, 80).await;
    }
    let events = std::mem::take(&mut *received.lock());
    session.note(format_args!("read {} frames of {}, ended: {ended}", events.len(), run.id));
    session.memory().record(|history| history.streams.push(StreamedRun { run: run.id, events, ended }));
}

/// Polls runs, lists them, and looks over the fence, until the ring closes.
pub(super) async fn poll(mut session: Session) {
    loop {
        session.pause(60, 600).await;
        if !session.is_open() {
            return;
        }
        let tenant = session.place.tenant;
        let runs = session.memory().known(|_| true);
        let Some(run) = session.rng.pick(&runs).cloned() else { continue };
        if run.tenant == tenant {
            poll_one(&mut session, run).await;
            if session.rng.happens(250) {
                check_list(&mut session).await;
            }
        } else {
            look_over_the_fence(&mut session, run).await;
        }
    }
}

async fn poll_one(session: &mut Session, run: KnownRun) {
    let run_id: RunId = run.id.parse().expect("an answered run id");
    let caller = session.caller.clone();
    let after = session.rng.happens(500).then(|| session.rng.between(0, 8).to_string());
    let op = async move |host: Arc<Host>| {
        let request = PollEvents { after_sequence: after.as_deref(), timeout: Some("1") };
        poll_events(&host, &caller, &run_id, request).await
    };
    match session.call(op).await {
        Reply::Answer(body) => {
            let page: Value = serde_json::from_slice(&body).expect("a page is JSON");
            let events = page["events"].as_array().cloned().unwrap_or_default();
            session.note(format_args!("polled {} events of {}, {}", events.len(), run.id, page["status"]));
            session.memory().record(|history| {
                history.reads.extend(events.into_iter().map(|event| (run.id.clone(), event)));
            });
        }
        Reply::Refused(error) => {
            if let Refusal::Final(code) = session.weigh(&error) {
                session.memory().breach(format!("a poll of {} was refused: {}", run.id, code.as_str()));
            }
        }
        Reply::Cut => {}
    }
}

/// Every run that was known before the list was asked for is in it or behind its first page.
async fn check_list(session: &mut Session) {
    let tenant = session.place.tenant;
    let known = session.memory().known(|run| run.tenant == tenant);
    let caller = session.caller.clone();
    let op = async move |host: Arc<Host>| list(&host, &caller, ListRuns { limit: Some("100"), cursor: None }).await;
    let Reply::Answer(body) = session.call(op).await else { return };
    let page: Value = serde_json::from_slice(&body).expect("a list is JSON");
    if page.get("nextCursor").is_some() {
        return;
    }
    let listed: Vec<&Value> = page["runs"].as_array().into_iter().flatten().map(|run| &run["runId"]).collect();
    session.note(format_args!("listed {} runs", listed.len()));
    for run in known.iter().filter(|run| !listed.iter().any(|id| **id == run.id.as_str())) {
        session.memory().breach(format!("{} is missing from the list of {tenant}", run.id));
    }
}

/// I10: another tenant's run is not shown; its id says whose it is.
async fn look_over_the_fence(session: &mut Session, run: KnownRun) {
    let run_id: RunId = run.id.parse().expect("an answered run id");
    let caller = session.caller.clone();
    match session.call(async move |host: Arc<Host>| get(&host, &caller, &run_id).await).await {
        Reply::Refused(error) if error.code() == ErrorCode::IdTenantMismatch => {}
        Reply::Refused(error) => {
            if let Refusal::Final(code) = session.weigh(&error) {
                session.memory().breach(format!("{} was denied as {}", run.id, code.as_str()));
            }
        }
        Reply::Answer(_) => session.memory().breach(format!("{} was shown to another tenant", run.id)),
        Reply::Cut => {}
    }
}
