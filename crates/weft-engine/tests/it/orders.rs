//! Orders to stored runs: one writer, one winner.

use futures_util::future::join_all;
use serde_json::json;
use weft_core::Refusal;
use weft_engine::{EngineError, EngineLimits};
use weft_model::RunStatus;
use weft_store::MemoryStore;

use crate::world::{World, chain, one};

fn refusal(error: EngineError) -> Refusal {
    match error {
        EngineError::Refused(refusal) => refusal,
        other => panic!("not a refusal: {other}"),
    }
}

/// Witnesses R-INT-12 and I12: of many concurrent resolvers exactly one wins.
#[tokio::test(start_paused = true)]
async fn one_of_many_resolvers_wins() {
    let world = World::new();
    let definition = chain(&[
        ("gate", "core.approvalGate", json!({}), json!({})),
        ("second", "core.approvalGate", json!({}), json!({})),
    ]);
    let record = world.create(&definition).await;
    let results = join_all((0..20).map(|_| world.approve(&record, "gate"))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for lost in results.into_iter().filter_map(Result::err) {
        assert_eq!(refusal(lost), Refusal::AlreadyResolved);
    }
    let resolved = world.types(&record).await.iter().filter(|name| *name == "interrupt.resolved").count();
    assert_eq!(resolved, 1);
    world.settle().await;
    assert_eq!(world.engine.stats().actors, 0);
}

/// R-CAN-01, R-CAN-02, R-TERM-01: cancelled once, refused ever after.
#[tokio::test(start_paused = true)]
async fn cancelled_run_takes_no_more_orders() {
    let world = World::new();
    let record = world.create(&one("core.approvalGate")).await;
    let outcome = world.cancel(&record).await.expect("cancelled");
    assert_eq!(outcome.status, RunStatus::Cancelled);
    let error = world.cancel(&record).await.expect_err("refused");
    assert_eq!(refusal(error), Refusal::Terminal { status: RunStatus::Cancelled });
    assert!(world.approve(&record, "only").await.is_err());
    let types = world.types(&record).await;
    assert_eq!(types.iter().filter(|name| *name == "run.cancelled").count(), 1);
    assert_eq!(types.last().map(String::as_str), Some("run.cancelled"));
}

/// A caller that stops waiting has still given its order. R-DUR-01.
#[tokio::test(start_paused = true)]
async fn order_of_a_caller_that_left_is_carried_out() {
    let world = World::new();
    let record = world.create(&one("core.approvalGate")).await;
    {
        let submit = world.approve(&record, "only");
        tokio::pin!(submit);
        assert!(futures_util::poll!(submit.as_mut()).is_pending());
    }
    world.until(&record, RunStatus::Completed).await;
}

/// A create that is dropped half-way leaves a whole run or none, never one that nobody moves. I4.
#[tokio::test(start_paused = true)]
async fn create_of_a_caller_that_left_is_carried_out() {
    let world = World::new();
    let request = world.request(&one("test.gated"));
    let run_id = request.run_id.clone();
    {
        let create = world.engine.create(request);
        tokio::pin!(create);
        assert!(futures_util::poll!(create.as_mut()).is_pending());
    }
    world.probe().permits.add_permits(1);
    world.settle().await;
    assert_eq!(world.record(&run_id).await.status, RunStatus::Completed);
}

/// Full places answer instead of growing. ARCHITECTURE.md, sentence 13.
#[tokio::test(start_paused = true)]
async fn full_engine_answers_busy() {
    let limits = EngineLimits { actors_max: 1, mailbox_orders: 2, ..EngineLimits::default() };
    let world = World::over(MemoryStore::new(), limits);
    let moving = world.create(&one("test.gated")).await;
    let error = world.engine.create(world.request(&one("test.gated"))).await.expect_err("full");
    assert!(matches!(error, EngineError::Busy(_)));
    // What needs no actor is still taken.
    world.create(&one("core.noop")).await;

    let results = join_all((0..5).map(|_| world.approve(&moving, "only"))).await;
    let busy = results.iter().filter(|result| matches!(result, Err(EngineError::Busy(_)))).count();
    assert_eq!(busy, 3);
    world.cancel(&moving).await.expect("cancelled");
}
