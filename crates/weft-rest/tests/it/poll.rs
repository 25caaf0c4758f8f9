//! `pollRunEvents`.

use std::time::Duration;

use serde_json::json;

use crate::ask::Ask;
use crate::schemas::Schemas;
use crate::world::{World, unknown_run};

/// Witnesses R-POLL-01, R-POLL-03, R-POLL-04, R-POLL-06, R-POLL-08, R-EVT-18: a closed object, and
/// every event in it is valid.
#[tokio::test(start_paused = true)]
async fn a_finished_log_is_polled_at_once() {
    let world = World::new().await;
    let schemas = Schemas::load();
    for workflow in ["conformance-noop", "conformance-multi-node", "conformance-failure"] {
        let run = world.run(workflow).await;
        let answer = world.get(&format!("/runs/{}/events/poll", run.projected())).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("openwop-version"), "2.46");
        let page = answer.json();
        let mut members: Vec<_> = page.as_object().expect("an object").keys().map(String::as_str).collect();
        members.sort_unstable();
        assert_eq!(members, ["events", "isTerminal", "lastSequence", "runId", "status"]);
        let events = page["events"].as_array().expect("a list");
        for (sequence, event) in events.iter().enumerate() {
            assert_eq!(event["sequence"], json!(sequence));
            if let Some(schemas) = &schemas {
                schemas.check_event(event);
            }
        }
        assert_eq!(page["lastSequence"], json!(events.len() - 1));
        assert_eq!(page["isTerminal"], json!(true));
        let past = world.get(&format!("/runs/{}/events/poll?afterSequence=999", run.projected())).await.json();
        assert_eq!(past["events"], json!([]));
        assert_eq!(past["lastSequence"], page["lastSequence"]);
    }
}

/// Witnesses R-INT-01, R-INT-02, R-RUN-14: the log of an approval is valid, event by event.
#[tokio::test(start_paused = true)]
async fn the_log_of_an_approval_is_valid() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    world.accept(&run).await;
    let page = world.get(&format!("/runs/{}/events/poll", run.projected())).await.json();
    let events = page["events"].as_array().expect("a list");
    let types: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    for expected in ["run.started", "interrupt.requested", "node.suspended", "interrupt.resolved", "run.completed"] {
        assert!(types.contains(&expected), "{expected} in {types:?}");
    }
    if let Some(schemas) = Schemas::load() {
        for event in events {
            schemas.check_event(event);
        }
    }
}

/// Witnesses R-POLL-05: nothing new is waited for, and a new event ends the wait.
#[tokio::test(start_paused = true)]
async fn a_poll_waits_for_news() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    let last = world.get(&format!("/runs/{}/events/poll", run.projected())).await.json()["lastSequence"].clone();
    let path = format!("/runs/{}/events/poll?afterSequence={last}&timeout=7", run.projected());
    let started = tokio::time::Instant::now();
    let empty = world.get(&path).await.json();
    assert_eq!((&empty["events"], &empty["lastSequence"], started.elapsed().as_secs()), (&json!([]), &last, 7));
    let (polled, accepted) = tokio::join!(world.get(&path), async {
        tokio::time::advance(Duration::from_secs(3)).await;
        world.accept(&run).await
    });
    assert_eq!((polled.status, accepted.status), (200, 200));
    assert_eq!(polled.json()["events"][0]["sequence"], json!(last.as_u64().expect("a number") + 1));
}

/// A poll that waits when the host shuts down is told to come again.
#[tokio::test(start_paused = true)]
async fn a_waiting_poll_does_not_hold_up_a_shutdown() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    let last = world.get(&format!("/runs/{}/events/poll", run.projected())).await.json()["lastSequence"].clone();
    let path = format!("/runs/{}/events/poll?afterSequence={last}", run.projected());
    let (polled, ()) = tokio::join!(world.get(&path), async {
        tokio::task::yield_now().await;
        world.closing.cancel();
    });
    assert_eq!(
        polled.text(),
        "503\ncache-control: no-store\ncontent-type: application/json\nopenwop-version: 2.46\nretry-after: 2\n\n\
         {\"error\":\"service_unavailable\",\"message\":\"This host is shutting down.\"}"
    );
}

/// Witnesses R-POLL-02, R-POLL-05, R-POLL-07: garbage is refused, other names are not parameters.
#[tokio::test(start_paused = true)]
async fn poll_parameters_are_judged() {
    let world = World::new().await;
    let run = world.run("conformance-noop").await;
    let path = format!("/runs/{}/events/poll", run.projected());
    for query in [
        "afterSequence=-1",
        "afterSequence=x",
        "afterSequence=1.5",
        "afterSequence=",
        "timeout=0",
        "timeout=61",
        "timeout=x",
        "timeout=1&timeout=1",
        "afterSequence=1&after%53equence=2",
        "timeout=%",
    ] {
        let refused = world.get(&format!("{path}?{query}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "validation_error"), "{query}");
    }
    let whole = world.get(&path).await;
    for query in ["lastSequence=2", "since=3&since=4", "x"] {
        assert_eq!(world.get(&format!("{path}?{query}")).await.body, whole.body, "{query}");
    }
    let unknown = format!("/runs/{}/events/poll", unknown_run("acme").projected());
    let plain = world.ask(Ask::get(&unknown)).await;
    let odd = world.ask(Ask::get(&format!("{unknown}?timeout=0"))).await;
    assert_eq!((plain.status, plain.body), (404, odd.body));
}
