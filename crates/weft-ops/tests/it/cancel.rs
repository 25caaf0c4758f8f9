//! `cancelRun`.

use serde_json::json;
use weft_model::{ErrorCode, RunId, Timestamp};
use weft_ops::runs::{self, CancelRun};

use crate::world::{World, accept, body_of, code, tenant};

/// Witnesses R-CAN-01, R-CAN-08: an active run, with and without a body.
#[tokio::test(start_paused = true)]
async fn an_active_run_is_cancelled() {
    let world = World::new().await;
    for body in [None, Some(json!({})), Some(json!({"reason": "no longer needed", "else": 1}))] {
        let run = world.run("hold").await;
        let request = CancelRun { body: body.clone(), idempotency_key: None };
        let answer = runs::cancel(&world.host, &world.acme, &run, request).await.expect("cancelled");
        assert_eq!(answer.status, 200);
        assert_eq!(body_of(&answer), json!({"runId": run.as_str(), "status": "cancelled"}));
        let log = world.log(&run).await;
        let last = log.last().expect("an event");
        assert_eq!(last["type"], "run.cancelled");
        let reason = body.as_ref().and_then(|body| body.get("reason")).cloned().unwrap_or_default();
        assert_eq!(last["payload"].get("reason").cloned().unwrap_or_default(), reason);
    }
}

/// Witnesses R-CAN-02: a run that is over is never answered with 200.
#[tokio::test(start_paused = true)]
async fn a_run_that_is_over_is_not_cancelled() {
    let world = World::new().await;
    let completed = world.run("noop").await;
    let cancelled = world.run("hold").await;
    world.cancel(&cancelled, None).await.expect("cancelled");
    for run in [completed, cancelled] {
        let error = world.cancel(&run, None).await.expect_err("refused");
        assert_eq!((error.code(), error.status()), (ErrorCode::RunTerminal, 409));
    }
}

/// Witnesses R-CAN-04, R-INT-11: a suspended run is cancellable, and its interrupt is then gone.
#[tokio::test(start_paused = true)]
async fn a_suspended_run_is_cancelled_with_its_interrupt() {
    let world = World::new().await;
    let run = world.run("gate").await;
    world.cancel(&run, None).await.expect("cancelled");
    assert_eq!(code(world.resolve(&run, accept(), None).await), ErrorCode::InterruptAlreadyResolved);
    assert_eq!(world.snapshot(&run).await["status"], "cancelled");
}

/// Witnesses R-SNAP-10 for cancel, R-ID-07, R-BULK-06's length for the single operation.
#[tokio::test(start_paused = true)]
async fn refusals_of_cancel() {
    let world = World::new().await;
    let unknown = RunId::mint(&tenant("acme"), Timestamp::EPOCH, [9; 16]);
    assert_eq!(code(world.cancel(&unknown, None).await), ErrorCode::NotFound);
    let foreign = RunId::mint(&tenant("globex"), Timestamp::EPOCH, [9; 16]);
    assert_eq!(code(world.cancel(&foreign, None).await), ErrorCode::IdTenantMismatch);
    let run = world.run("hold").await;
    for body in [json!([]), json!({"reason": 1}), json!({"reason": "x".repeat(513)})] {
        let request = CancelRun { body: Some(body), idempotency_key: None };
        let refused = runs::cancel(&world.host, &world.acme, &run, request).await;
        assert_eq!(code(refused), ErrorCode::ValidationError);
    }
    assert_eq!(world.snapshot(&run).await["status"], "running");
}
