//! `resolveInterruptByRun`.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::json;
use weft_model::{ErrorCode, RunId, Scope, ScopeSet, Timestamp};
use weft_ops::interrupts::{self, ResolveInterrupt};
use weft_ops::limits::OpsLimits;

use crate::world::{World, accept, body_of, code, node, tenant};

/// Witnesses R-INT-09: the answer names run, node and status, and the run goes on.
#[tokio::test(start_paused = true)]
async fn a_resolved_run_goes_on() {
    let world = World::new().await;
    let run = world.run("gate").await;
    let answer = world.resolve(&run, accept(), None).await.expect("resolved");
    assert_eq!(answer.status, 200);
    let body = body_of(&answer);
    assert_eq!((&body["runId"], &body["nodeId"]), (&json!(run.as_str()), &json!("gate")));
    assert_eq!(body["status"], "completed");
    assert_eq!(world.snapshot(&run).await["status"], "completed");
}

/// Witnesses R-INT-12, R-INT-11: of concurrent resolvers exactly one wins.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_resolvers_wins() {
    let world = Arc::new(World::new().await);
    let run = world.run("gate").await;
    let resolvers = (0..16).map(|_| {
        let (world, run) = (Arc::clone(&world), run.clone());
        tokio::spawn(async move { world.resolve(&run, accept(), None).await })
    });
    let mut won = 0;
    for resolver in join_all(resolvers).await {
        match resolver.expect("no panic") {
            Ok(answer) => won += usize::from(answer.status == 200),
            Err(error) => assert_eq!(error.code(), ErrorCode::InterruptAlreadyResolved),
        }
    }
    assert_eq!(won, 1);
    assert_eq!(code(world.resolve(&run, accept(), None).await), ErrorCode::InterruptAlreadyResolved);
}

/// Witnesses R-INT-06, R-INT-08, R-APR-01, R-APR-12: what does not fit leaves the run suspended.
#[tokio::test(start_paused = true)]
async fn a_value_that_does_not_fit_changes_nothing() {
    let world = World::new().await;
    let run = world.run("gate").await;
    for body in [
        json!({}),
        json!([]),
        json!(null),
        json!({"resumeValue": null}),
        json!({"resumeValue": {"action": "accept", "decidedAt": "2027-01-15T08:00:00Z"}, "other": 1}),
        json!({"resumeValue": {"action": "refine", "decidedAt": "2027-01-15T08:00:00Z"}}),
        json!({"resumeValue": {"action": "timeout", "decidedAt": "2027-01-15T08:00:00Z"}}),
    ] {
        let refused = world.resolve(&run, body.clone(), None).await;
        assert_eq!(code(refused), ErrorCode::ValidationError, "{body}");
    }
    assert_eq!(world.snapshot(&run).await["status"], "waiting-approval");
    world.resolve(&run, accept(), None).await.expect("still open");
}

/// Witnesses R-INT-10, R-AUTH-12: no such run, node or wait; no scope.
#[tokio::test(start_paused = true)]
async fn refusals_of_resolve() {
    let world = World::new().await;
    let run = world.run("gate").await;
    let request = || ResolveInterrupt { body: accept(), idempotency_key: None };
    for name in ["after", "nowhere"] {
        let refused = interrupts::resolve(&world.host, &world.acme, &run, &node(name), request()).await;
        assert_eq!(code(refused), ErrorCode::NotFound, "{name}");
    }
    let unknown = RunId::mint(&tenant("acme"), Timestamp::EPOCH, [9; 16]);
    assert_eq!(code(world.resolve(&unknown, accept(), None).await), ErrorCode::NotFound);
    let reader = world.caller("acme", ScopeSet::EMPTY.with(Scope::RunsRead)).await;
    let refused = interrupts::resolve(&world.host, &reader, &run, &node("gate"), request()).await;
    assert_eq!(code(refused), ErrorCode::Forbidden);
    assert_eq!(world.snapshot(&run).await["status"], "waiting-approval");
}

/// Witnesses R-INT-17, R-SNAP-02, R-SNAP-03: a wait survives a restart.
#[tokio::test(start_paused = true)]
async fn a_wait_survives_a_restart() {
    let before = World::new().await;
    let run = before.run("gate").await;
    let after = World::over(before.store.clone(), OpsLimits::standard()).await;
    let snapshot = after.snapshot(&run).await;
    assert_eq!((&snapshot["status"], &snapshot["currentNodeId"]), (&json!("waiting-approval"), &json!("gate")));
    after.resolve(&run, accept(), None).await.expect("resolved");
    assert_eq!(after.snapshot(&run).await["status"], "completed");
}
