//! `streamRunEvents`.

use http_body_util::BodyExt;
use serde_json::{Value, json};
use weft_model::RunId;
use weft_rest::RestBody;

use crate::ask::Ask;
use crate::schemas::Schemas;
use crate::world::{World, unknown_run};

/// One frame as a client reads it.
#[derive(Debug, PartialEq)]
struct Frame {
    id: u64,
    event: String,
    data: Value,
}

fn frames_of(text: &str) -> Vec<Frame> {
    let blocks = text.split_terminator("\n\n").filter(|block| !block.starts_with(':'));
    blocks
        .map(|block| {
            let lines: Vec<&str> = block.split('\n').collect();
            let field = |at: usize, name: &str| {
                lines[at].strip_prefix(name).unwrap_or_else(|| panic!("{name} in {block}")).to_owned()
            };
            assert_eq!(lines.len(), 3, "{block}");
            Frame {
                id: field(0, "id: ").parse().expect("a sequence"),
                event: field(1, "event: "),
                data: serde_json::from_str(&field(2, "data: ")).expect("JSON"),
            }
        })
        .collect()
}

fn path_of(run: &RunId, query: &str) -> String {
    format!("/runs/{}/events{query}", run.projected())
}

/// The frames of a stream that ends.
async fn whole(world: &World, run: &RunId, query: &str) -> Vec<Frame> {
    let answer = world.get(&path_of(run, query)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    frames_of(std::str::from_utf8(&answer.body).expect("UTF-8"))
}

async fn next_chunk(body: &mut RestBody) -> Option<String> {
    let frame = body.frame().await?.expect("no failure");
    Some(String::from_utf8(frame.into_data().expect("data").to_vec()).expect("UTF-8"))
}

/// Witnesses R-SSE-01, R-SSE-02, R-SSE-09, R-SSE-11, R-SSE-20, R-SSE-22: a late subscriber gets the
/// whole log, the same documents as a poll, and the end.
#[tokio::test(start_paused = true)]
async fn a_finished_log_is_streamed_and_closed() {
    let world = World::new().await;
    let run = world.run("conformance-multi-node").await;
    let answer = world.get(&path_of(&run, "?streamMode=debug")).await;
    assert_eq!(answer.header("content-type"), "text/event-stream");
    assert_eq!(answer.header("openwop-version"), "2.46");
    assert_eq!(answer.header("cache-control"), "no-store");
    let frames = frames_of(std::str::from_utf8(&answer.body).expect("UTF-8"));
    let polled = world.get(&format!("/runs/{}/events/poll", run.projected())).await.json();
    let streamed: Vec<&Value> = frames.iter().map(|frame| &frame.data).collect();
    assert_eq!(streamed, polled["events"].as_array().expect("a list").iter().collect::<Vec<_>>());
    let schemas = Schemas::load();
    for frame in &frames {
        assert_eq!(frame.data["sequence"], json!(frame.id));
        assert_eq!(frame.data["type"], frame.event.as_str());
        if let Some(schemas) = &schemas {
            schemas.check_event(&frame.data);
        }
    }
    assert_eq!(frames.last().map(|frame| frame.event.as_str()), Some("run.completed"));
}

/// Witnesses R-SSE-03, R-SSE-06, R-SSE-07, R-SSE-08, R-SSE-10: what each mode shows.
#[tokio::test(start_paused = true)]
async fn modes_show_their_own() {
    let world = World::new().await;
    let run = world.run("conformance-noop").await;
    let names = |frames: &[Frame]| frames.iter().map(|frame| frame.event.clone()).collect::<Vec<_>>();
    let updates = whole(&world, &run, "").await;
    assert_eq!(names(&updates), ["run.started", "node.completed", "run.completed"]);
    assert_eq!(whole(&world, &run, "?streamMode=updates").await, updates);
    assert!(whole(&world, &run, "?streamMode=messages").await.is_empty());
    let values = whole(&world, &run, "?streamMode=values").await;
    assert!(values.iter().all(|frame| frame.event == "state.snapshot"));
    assert_eq!(
        values.iter().map(|frame| frame.id).collect::<Vec<_>>(),
        updates.iter().map(|f| f.id).collect::<Vec<_>>()
    );
    if let Some(schemas) = Schemas::load() {
        for frame in &values {
            schemas.check("run-snapshot.schema.json", &frame.data);
        }
    }
    let mixed = whole(&world, &run, "?streamMode=updates,debug").await;
    assert!(mixed.iter().all(|frame| frame.event == "updates" || frame.event == "debug"));
    assert!(mixed.is_sorted_by_key(|frame| frame.id));
}

/// Witnesses R-SSE-12, R-SSE-13, R-SSE-14: resuming is exclusive, and past the end of a finished
/// run there is nothing.
#[tokio::test(start_paused = true)]
async fn a_stream_is_resumed() {
    let world = World::new().await;
    let run = world.run("conformance-multi-node").await;
    let all = whole(&world, &run, "?streamMode=debug").await;
    for after in [0, 3, all.len() - 1, all.len(), 9999] {
        let ask = Ask::get(&path_of(&run, "?streamMode=debug")).header("last-event-id", &after.to_string());
        let answer = world.ask(ask).await;
        let rest = frames_of(std::str::from_utf8(&answer.body).expect("UTF-8"));
        assert_eq!(
            rest.iter().map(|frame| frame.id).collect::<Vec<_>>(),
            (after as u64 + 1..all.len() as u64).collect::<Vec<_>>()
        );
    }
    for garbage in ["-1", "abc", "", "1.0", "7, 8"] {
        let refused = world.ask(Ask::get(&path_of(&run, "")).header("last-event-id", garbage)).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "validation_error"), "{garbage}");
    }
}

/// Witnesses R-SSE-04, R-SSE-17, R-ERR-04: parameters are judged before the representation.
#[tokio::test(start_paused = true)]
async fn stream_parameters_are_judged() {
    let world = World::new().await;
    let run = world.run("conformance-noop").await;
    for mode in ["values,updates", "foo", "updates,", "", "Updates"] {
        let ask = Ask::get(&path_of(&run, &format!("?streamMode={mode}"))).header("accept", "application/json");
        let refused = world.ask(ask).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "unsupported_stream_mode"), "{mode}");
        assert_eq!(refused.json()["details"]["supported"].as_array().map(Vec::len), Some(4));
    }
    for query in
        ["bufferMs=-1", "bufferMs=5001", "bufferMs=x", "bufferMs=1&bufferMs=2", "streamMode=%FF", "resumable=maybe"]
    {
        let refused = world.get(&path_of(&run, &format!("?{query}"))).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "validation_error"), "{query}");
    }
    let buffered = whole(&world, &run, "?bufferMs=100&resumable=true&a2uiDelta=1").await;
    assert_eq!(buffered.iter().map(|frame| frame.event.as_str()).collect::<Vec<_>>(), ["batch"]);
    assert_eq!(buffered[0].data.as_array().map(Vec::len), Some(3));
}

/// Witnesses R-SSE-15, R-SNAP-10: an unreadable run answers the same with and without the header.
#[tokio::test(start_paused = true)]
async fn an_unreadable_run_is_the_same_whatever_is_asked() {
    let world = World::new().await;
    for tenant in ["acme", "globex"] {
        let path = path_of(&unknown_run(tenant), "");
        let plain = world.get(&path).await;
        for ask in [
            Ask::get(&path).header("last-event-id", "7"),
            Ask::get(&path).header("last-event-id", "garbage"),
            Ask::get(&path_of(&unknown_run(tenant), "?bufferMs=9999")),
        ] {
            assert_eq!(world.ask(ask).await.text(), plain.text());
        }
    }
}

/// Witnesses R-SSE-01, R-SSE-11, R-SSE-23: a live stream speaks when something happens, hums
/// when nothing does, and ends with the run; what one commit brings arrives in one chunk.
#[tokio::test(start_paused = true)]
async fn a_live_stream_follows_the_run() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    let mut body = Ask::get(&path_of(&run, "")).bearer(&world.key).open(&world.door).await.into_body();
    assert_eq!(world.door.stats().streams_open(), 1);
    let first = frames_of(&next_chunk(&mut body).await.expect("the log so far"));
    assert_eq!(first[0].event, "run.started");
    assert!(first.iter().any(|frame| frame.event == "interrupt.requested"));
    for _ in 0..2 {
        assert_eq!(next_chunk(&mut body).await.as_deref(), Some(": keep-alive\n\n"));
    }
    world.accept(&run).await;
    let rest = frames_of(&next_chunk(&mut body).await.expect("the rest"));
    assert_eq!(rest.last().map(|frame| frame.event.as_str()), Some("run.completed"));
    assert!(rest[0].id > first.last().expect("a frame").id);
    assert_eq!(next_chunk(&mut body).await, None);
    drop(body);
    assert_eq!(world.door.stats().streams_open(), 0);
}

/// Witnesses R-SSE-13: past the end of a live run the stream is held open.
#[tokio::test(start_paused = true)]
async fn a_stream_past_the_end_of_a_live_run_is_held_open() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    let ask = Ask::get(&path_of(&run, "")).header("last-event-id", "9999").bearer(&world.key);
    let mut body = ask.open(&world.door).await.into_body();
    assert_eq!(next_chunk(&mut body).await.as_deref(), Some(": keep-alive\n\n"));
    world.closing.cancel();
    assert_eq!(next_chunk(&mut body).await, None);
}

/// Witnesses R-SSE-18, R-ERR-07, R-LIM-02: the protection against too many streams.
#[tokio::test(start_paused = true)]
async fn too_many_streams_are_told_when_to_come_again() {
    let mut settings = crate::world::Settings::standard();
    settings.limits.streams_max = 1;
    let world = World::with(settings).await;
    let run = world.waiting_run().await;
    let open = Ask::get(&path_of(&run, "")).bearer(&world.key).open(&world.door).await;
    let refused = world.get(&path_of(&run, "")).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"));
    assert!(refused.header("retry-after").parse::<u32>().is_ok());
    drop(open);
    let again = Ask::get(&path_of(&run, "")).bearer(&world.key).open(&world.door).await;
    assert_eq!(again.status(), 200);
}
