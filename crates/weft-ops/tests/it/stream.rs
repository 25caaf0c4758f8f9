//! `streamRunEvents`.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::Value;
use tokio::time::Instant;
use weft_model::{ErrorCode, RunId, Timestamp};
use weft_ops::events::{Frame, FrameStream, StreamEvents, stream};
use weft_ops::limits::OpsLimits;
use weft_store::MemoryStore;

use crate::world::{World, accept, tenant};

fn mode(stream_mode: &str) -> StreamEvents<'_> {
    StreamEvents { stream_mode: Some(stream_mode), ..StreamEvents::default() }
}

async fn open(world: &World, run: &RunId, request: StreamEvents<'_>) -> FrameStream {
    stream(&world.host, &world.acme, run, request).await.expect("a stream")
}

async fn whole(world: &World, run: &RunId, request: StreamEvents<'_>) -> Vec<Frame> {
    open(world, run, request).await.map(|frame| frame.expect("a frame")).collect().await
}

fn names(frames: &[Frame]) -> Vec<&str> {
    frames.iter().map(|frame| frame.event.as_ref()).collect()
}

fn data(frame: &Frame) -> Value {
    serde_json::from_slice(&frame.data).expect("JSON")
}

/// Witnesses R-SSE-20, R-SSE-09, R-SSE-02, R-SSE-11, R-SSE-22: a late subscriber gets the whole
/// log, byte for byte, and the stream ends.
#[tokio::test(start_paused = true)]
async fn a_late_subscriber_gets_the_whole_log() {
    let world = World::new().await;
    let run = world.run("chain").await;
    let frames = whole(&world, &run, mode("debug")).await;
    let log = world.log(&run).await;
    assert_eq!(frames.len(), log.len());
    for (frame, event) in frames.iter().zip(&log) {
        assert_eq!(&data(frame), event);
        assert_eq!(frame.id, event["sequence"].as_u64().expect("a number"));
        assert_eq!(frame.event.as_ref(), event["type"].as_str().expect("a type"));
    }
    assert_eq!(frames.last().expect("a frame").event, "run.completed");
}

/// Witnesses R-SSE-22 and the count that an event is serialised once: subscribers share its bytes.
#[tokio::test(start_paused = true)]
async fn subscribers_share_the_bytes_of_an_event() {
    let world = World::new().await;
    let run = world.run("chain").await;
    let one = whole(&world, &run, mode("debug")).await;
    let two = whole(&world, &run, mode("debug,updates")).await;
    for (one, two) in one.iter().zip(&two) {
        assert_eq!(one.data.as_ptr(), two.data.as_ptr());
    }
}

/// Witnesses R-SSE-03, R-SSE-06, R-EVT-85: the default shows transitions only.
#[tokio::test(start_paused = true)]
async fn the_default_mode_is_updates() {
    let world = World::new().await;
    let run = world.run("noop").await;
    let frames = whole(&world, &run, StreamEvents::default()).await;
    assert_eq!(frames, whole(&world, &run, mode("updates")).await);
    let names = names(&frames);
    assert!(names.contains(&"run.started") && names.contains(&"node.completed"));
    assert!(!names.contains(&"node.started"));
}

/// Witnesses R-SSE-07, R-EVT-87: a snapshot after each transition, folded up to it.
#[tokio::test(start_paused = true)]
async fn values_are_snapshots_of_their_moment() {
    let world = World::new().await;
    let run = world.run("gate").await;
    world.resolve(&run, accept(), None).await.expect("resolved");
    let updates = whole(&world, &run, mode("updates")).await;
    let values = whole(&world, &run, mode("values")).await;
    let ids = |frames: &[Frame]| frames.iter().map(|frame| frame.id).collect::<Vec<_>>();
    assert_eq!(ids(&values), ids(&updates));
    assert!(values.iter().all(|frame| frame.event == "state.snapshot"));
    let status = |frame: &Frame| data(frame)["status"].as_str().expect("a status").to_owned();
    assert_eq!(status(&values[0]), "running");
    assert!(values.iter().any(|frame| status(frame) == "waiting-approval"));
    assert_eq!(data(values.last().expect("a frame")), world.snapshot(&run).await);
}

/// Witnesses R-SSE-08: no chunk, no frame; the stream still ends with the run.
#[tokio::test(start_paused = true)]
async fn messages_of_a_run_without_text_are_none() {
    let world = World::new().await;
    let run = world.run("chain").await;
    assert_eq!(whole(&world, &run, mode("messages")).await, Vec::new());
}

/// Witnesses R-SSE-10, R-EVT-84: a union is in log order, once each, named by the admitting mode.
#[tokio::test(start_paused = true)]
async fn a_union_is_in_log_order() {
    let world = World::new().await;
    let run = world.run("chain").await;
    let union = whole(&world, &run, mode("updates,debug")).await;
    let debug = whole(&world, &run, mode("debug")).await;
    let pairs = |frames: &[Frame]| frames.iter().map(|frame| (frame.id, frame.data.clone())).collect::<Vec<_>>();
    assert_eq!(pairs(&union), pairs(&debug));
    assert!(union.iter().all(|frame| ["updates", "debug"].contains(&frame.event.as_ref())));
}

/// Witnesses R-SSE-12, R-SSE-13: resuming repeats nothing, and past the end of a finished run
/// closes without a frame.
#[tokio::test(start_paused = true)]
async fn resuming_repeats_nothing() {
    let world = World::new().await;
    let run = world.run("chain").await;
    let all = whole(&world, &run, mode("debug")).await;
    for at in 0..all.len() {
        let id = all[at].id.to_string();
        let request = StreamEvents { last_event_id: Some(&id), ..mode("debug") };
        assert_eq!(whole(&world, &run, request).await, all[at + 1..]);
    }
    let request = StreamEvents { last_event_id: Some("999999"), ..mode("updates") };
    assert_eq!(whole(&world, &run, request).await, Vec::new());
}

/// Witnesses R-SSE-16: a resumed `values` stream first says where the run stands.
#[tokio::test(start_paused = true)]
async fn resumed_values_begin_with_a_snapshot() {
    let world = World::new().await;
    let run = world.run("gate").await;
    let mut live = open(&world, &run, StreamEvents { last_event_id: Some("0"), ..mode("values") }).await;
    let first = live.next().await.expect("a frame").expect("no error");
    assert_eq!((first.event.as_ref(), first.id), ("state.snapshot", 0));
}

/// Witnesses R-SSE-13, R-SSE-19, R-SSE-11: a live subscriber sees what comes, without gap or
/// repeat, to the end.
#[tokio::test(start_paused = true)]
async fn a_live_subscriber_sees_everything_once() {
    let world = World::new().await;
    let run = world.run("gate").await;
    let live = open(&world, &run, mode("debug")).await;
    let (frames, resolved) = tokio::join!(live.map(|frame| frame.expect("a frame")).collect::<Vec<_>>(), async {
        tokio::time::sleep(Duration::from_secs(90)).await;
        world.resolve(&run, accept(), None).await
    });
    resolved.expect("resolved");
    let ids: Vec<u64> = frames.iter().map(|frame| frame.id).collect();
    assert_eq!(ids, (0..ids.len() as u64).collect::<Vec<_>>());
    assert_eq!(frames.last().expect("a frame").event, "run.completed");
}

/// Witnesses R-SSE-17: batches flush at a suspension, when they are due, and at the end, and are
/// named by their highest sequence.
#[tokio::test(start_paused = true)]
async fn batches_flush_when_they_must() {
    let world = World::new().await;
    let run = world.run("gate").await;
    let request = StreamEvents { buffer_ms: Some("5000"), ..mode("debug") };
    let mut live = open(&world, &run, request).await;
    let began = Instant::now();
    let suspended = live.next().await.expect("a frame").expect("no error");
    assert_eq!((suspended.event.as_ref(), began.elapsed()), ("batch", Duration::ZERO));
    let events = data(&suspended);
    let events = events.as_array().expect("a list");
    assert_eq!(events.last().expect("an event")["type"], "node.suspended");
    assert_eq!(events.last().expect("an event")["sequence"].as_u64(), Some(suspended.id));
    // What follows the suspension is not urgent: it is due after the time that was asked for.
    let due = live.next().await.expect("a frame").expect("no error");
    assert_eq!(began.elapsed(), Duration::from_secs(5));
    assert_eq!(data(&due)[0]["type"], "approval.requested");
    world.resolve(&run, accept(), None).await.expect("resolved");
    let rest: Vec<_> = live.map(|frame| frame.expect("a frame")).collect().await;
    assert_eq!(began.elapsed(), Duration::from_secs(5));
    let last = data(rest.last().expect("a frame"));
    assert_eq!(last.as_array().expect("a list").last().expect("an event")["type"], "run.completed");
    let resumed = StreamEvents { last_event_id: Some(&suspended.id.to_string()), ..mode("debug") };
    assert_eq!(whole(&world, &run, resumed).await[0].id, suspended.id + 1);
}

/// Witnesses R-SSE-04, R-SSE-14, R-SSE-15, R-SSE-17: refusals, and none of them for a run that
/// cannot be read.
#[tokio::test(start_paused = true)]
async fn refusals_of_stream() {
    let world = World::new().await;
    let run = world.run("noop").await;
    let unknown = RunId::mint(&tenant("acme"), Timestamp::EPOCH, [9; 16]);
    let bad_id = StreamEvents { last_event_id: Some("abc"), ..StreamEvents::default() };
    let bad_buffer = StreamEvents { buffer_ms: Some("5001"), ..StreamEvents::default() };
    for (request, expected) in [
        (mode("foo"), ErrorCode::UnsupportedStreamMode),
        (mode("values,updates"), ErrorCode::UnsupportedStreamMode),
        (bad_id, ErrorCode::ValidationError),
        (bad_buffer, ErrorCode::ValidationError),
    ] {
        let refused = stream(&world.host, &world.acme, &run, request).await.err().expect("refused");
        assert_eq!(refused.code(), expected);
        let plain = stream(&world.host, &world.acme, &unknown, StreamEvents::default()).await.err().expect("refused");
        let same = stream(&world.host, &world.acme, &unknown, request).await.err().expect("refused");
        assert_eq!((same.code(), same.envelope()), (plain.code(), plain.envelope()));
    }
}

/// Witnesses R-SSE-18, R-ERR-07: the only limit on subscribers protects the host, and says when to
/// come back.
#[tokio::test(start_paused = true)]
async fn too_many_streams_are_told_to_come_back() {
    let limits = OpsLimits { streams_max: 2, ..OpsLimits::standard() };
    let world = World::over(MemoryStore::new(), limits).await;
    let run = world.run("gate").await;
    let one = open(&world, &run, mode("updates")).await;
    let _two = open(&world, &run, mode("updates")).await;
    let refused = stream(&world.host, &world.acme, &run, mode("updates")).await.err().expect("refused");
    assert_eq!(refused.code(), ErrorCode::RateLimited);
    assert!(refused.retry_after().is_some());
    drop(one);
    let _third = open(&world, &run, mode("updates")).await;
}
