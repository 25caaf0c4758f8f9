//! `resolveInterruptByRun`.

use serde_json::json;

use crate::ask::Ask;
use crate::world::{World, accept, unknown_run};

/// Witnesses R-INT-09, R-INT-11: the whole answer, and the second resolver's.
#[tokio::test(start_paused = true)]
async fn an_approval_is_accepted_once() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    let accepted = world.accept(&run).await;
    let status = world.get(&format!("/runs/{}", run.projected())).await.json()["status"].clone();
    assert_eq!(status, "completed");
    assert_eq!(
        accepted.text_about(&run),
        "200\ncache-control: no-store\ncontent-type: application/json\nopenwop-version: 2.46\n\n\
         {\"runId\":\"RUN\",\"nodeId\":\"gate\",\"status\":\"completed\"}"
    );
    let again = world.accept(&run).await;
    assert_eq!((again.status, again.code().as_str()), (409, "interrupt_already_resolved"));
}

/// Witnesses R-INT-13, R-IDEM-04: a repeated resolve with its key is the first answer again.
#[tokio::test(start_paused = true)]
async fn a_repeated_resolve_is_replayed() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    let path = format!("/runs/{}/interrupts/gate", run.projected());
    let ask = || Ask::post(&path).json(&accept()).header("idempotency-key", "key-0123456789-0123456789");
    let first = world.ask(ask()).await;
    let second = world.ask(ask()).await;
    assert_eq!((first.status, second.status), (200, 200));
    assert_eq!(first.body, second.body);
    assert_eq!((first.header("openwop-idempotent-replay"), second.header("openwop-idempotent-replay")), ("", "true"));
}

/// Witnesses R-INT-06, R-INT-08, R-APR-01, R-APR-12: bad answers leave the run waiting.
#[tokio::test(start_paused = true)]
async fn bad_answers_leave_the_run_waiting() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    let path = format!("/runs/{}/interrupts/gate", run.projected());
    for body in [
        json!({}),
        json!([]),
        json!({"resumeValue": {"action": "accept", "decidedAt": "2027-01-15T08:00:00Z"}, "more": 1}),
        json!({"resumeValue": {"action": "timeout", "decidedAt": "2027-01-15T08:00:00Z"}}),
        json!({"resumeValue": {"action": "refine", "decidedAt": "2027-01-15T08:00:00Z"}}),
        json!({"resumeValue": "accept"}),
    ] {
        let refused = world.post(&path, body.clone()).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "validation_error"), "{body}");
    }
    let missing = world.ask(Ask::post(&path)).await;
    assert_eq!((missing.status, missing.code().as_str()), (400, "validation_error"));
    assert_eq!(world.get(&format!("/runs/{}", run.projected())).await.json()["status"], "waiting-approval");
    assert_eq!(world.accept(&run).await.status, 200);
}

/// Witnesses R-INT-10: no such run, node or open interrupt.
#[tokio::test(start_paused = true)]
async fn nothing_to_resolve_is_not_found() {
    let world = World::new().await;
    let waiting = world.waiting_run().await;
    let running = world.run("conformance-cancellable").await;
    for path in [
        format!("/runs/{}/interrupts/gate", unknown_run("acme").projected()),
        format!("/runs/{}/interrupts/nowhere", waiting.projected()),
        format!("/runs/{}/interrupts/wait", running.projected()),
    ] {
        let refused = world.post(&path, accept()).await;
        assert_eq!((refused.status, refused.code().as_str()), (404, "not_found"), "{path}");
    }
}
