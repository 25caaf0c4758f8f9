//! `pollRunEvents`.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use weft_model::{ErrorCode, RunId, Timestamp};
use weft_ops::events::{PollEvents, poll};

use crate::world::{World, accept, code, tenant};

async fn ask(world: &World, run: &RunId, after: Option<&str>, timeout: Option<&str>) -> Value {
    let request = PollEvents { after_sequence: after, timeout };
    let answer = poll(&world.host, &world.acme, run, request).await.expect("a page");
    serde_json::from_slice(&answer).expect("JSON")
}

fn sequences(page: &Value) -> Vec<u64> {
    let events = page["events"].as_array().expect("a list");
    events.iter().map(|event| event["sequence"].as_u64().expect("a number")).collect()
}

/// Witnesses R-POLL-01, R-POLL-03, R-POLL-06, R-POLL-08: the closed answer of a finished run.
#[tokio::test(start_paused = true)]
async fn a_finished_run_answers_at_once_and_whole() {
    let world = World::new().await;
    let run = world.run("chain").await;
    let began = Instant::now();
    let page = ask(&world, &run, None, None).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    let members: Vec<&String> = page.as_object().expect("an object").keys().collect();
    assert_eq!(members.len(), 5, "{members:?}");
    assert_eq!(page["runId"], json!(run.as_str()));
    assert_eq!((&page["status"], &page["isTerminal"]), (&json!("completed"), &json!(true)));
    let sequences = sequences(&page);
    assert_eq!(sequences, (0..sequences.len() as u64).collect::<Vec<_>>());
    assert_eq!(page["lastSequence"], json!(sequences.len() - 1));
    let events = page["events"].as_array().expect("a list");
    assert_eq!(events.last().expect("an event")["type"], "run.completed");
}

/// Witnesses R-POLL-02, R-POLL-04: the cursor is exclusive, and past the end is empty.
#[tokio::test(start_paused = true)]
async fn the_cursor_is_exclusive() {
    let world = World::new().await;
    let run = world.run("noop").await;
    let whole = sequences(&ask(&world, &run, None, None).await);
    assert_eq!(sequences(&ask(&world, &run, Some("0"), None).await), whole[1..]);
    let last = whole.last().expect("an event");
    for after in [*last, last + 1, u64::MAX / 2] {
        let page = ask(&world, &run, Some(&after.to_string()), None).await;
        assert_eq!(sequences(&page), Vec::<u64>::new());
        assert_eq!(page["lastSequence"], json!(last));
    }
}

/// Witnesses R-POLL-05: nothing new waits for the time that was asked for.
#[tokio::test(start_paused = true)]
async fn nothing_new_waits_and_then_answers_empty() {
    let world = World::new().await;
    let run = world.run("gate").await;
    let last = ask(&world, &run, None, None).await["lastSequence"].to_string();
    for (timeout, seconds) in [(Some("3"), 3), (None, 30)] {
        let began = Instant::now();
        let page = ask(&world, &run, Some(&last), timeout).await;
        assert_eq!(began.elapsed().as_secs(), seconds);
        assert_eq!(sequences(&page), Vec::<u64>::new());
        assert_eq!((&page["status"], &page["isTerminal"]), (&json!("waiting-approval"), &json!(false)));
    }
}

/// Witnesses R-POLL-05: a new event ends the wait.
#[tokio::test(start_paused = true)]
async fn a_new_event_ends_the_wait() {
    let world = World::new().await;
    let run = world.run("gate").await;
    let last = ask(&world, &run, None, None).await["lastSequence"].to_string();
    let began = Instant::now();
    let (page, resolved) = tokio::join!(ask(&world, &run, Some(&last), Some("60")), async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        world.resolve(&run, accept(), None).await
    });
    resolved.expect("resolved");
    assert_eq!(began.elapsed().as_secs(), 5);
    assert!(!sequences(&page).is_empty());
    assert_eq!(page["isTerminal"], json!(true));
}

/// Witnesses R-POLL-02, R-POLL-05, R-SNAP-10: parameters are checked after the run is found.
#[tokio::test(start_paused = true)]
async fn refusals_of_poll() {
    let world = World::new().await;
    let run = world.run("noop").await;
    let unknown = RunId::mint(&tenant("acme"), Timestamp::EPOCH, [9; 16]);
    for (after, timeout) in [(Some("-1"), None), (Some("x"), None), (None, Some("0")), (None, Some("61"))] {
        let request = PollEvents { after_sequence: after, timeout };
        assert_eq!(code(poll(&world.host, &world.acme, &run, request).await), ErrorCode::ValidationError);
        assert_eq!(code(poll(&world.host, &world.acme, &unknown, request).await), ErrorCode::NotFound);
    }
}
