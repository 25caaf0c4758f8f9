//! The engine is killed where it stands and another one goes on by the log.

use serde_json::json;
use weft_model::RunStatus;
use weft_store::Store;

use crate::world::{World, chain, one};

/// A cut attempt of an effect that must not be repeated is failed with its reason, and nothing
/// is repeated silently. Witnesses R-DUR-02, R-DUR-04 and I4, I6 for declared effects.
#[tokio::test(start_paused = true)]
async fn cut_attempt_is_failed_with_its_reason() {
    let world = World::new();
    let record = world.create(&one("test.gated")).await;
    world.settle().await;
    assert_eq!(world.begun(), 1);
    let world = world.crash();
    world.settle().await;
    assert_eq!(world.record(&record.run_id).await.status, RunStatus::Failed);
    assert_eq!(world.begun(), 1);
    let types = world.types(&record).await;
    assert_eq!(types, ["run.started", "node.started", "workflow.restored", "node.failed", "run.failed"]);
    let documents = world.documents(&record).await;
    let error = &documents[3]["payload"]["error"];
    assert_eq!(error["code"], "internal_error");
    assert_eq!(error["details"]["reason"], "interrupted");
    let stats = world.engine.stats();
    assert_eq!((stats.recovered, stats.actors, stats.states), (1, 0, 0));
}

/// One that is declared idempotent is made again, with a new attempt number. DECISIONS 36.
#[tokio::test(start_paused = true)]
async fn cut_attempt_of_an_idempotent_effect_is_repeated() {
    let world = World::new();
    let record = world.create(&one("test.again")).await;
    world.settle().await;
    let world = world.crash();
    world.settle().await;
    assert_eq!(world.begun(), 2);
    world.probe().permits.add_permits(1);
    world.until(&record, RunStatus::Completed).await;
    let types = world.types(&record).await;
    assert!(types.contains(&"workflow.restored".to_owned()));
    assert!(types.contains(&"node.retried".to_owned()));
    let documents = world.documents(&record).await;
    let completed = documents.iter().find(|event| event["type"] == "node.completed").expect("completed");
    assert_eq!(completed["payload"]["outputs"]["attempt"], 1);
}

/// An order that comes before recovery has reached its run finds the run taken up first.
#[tokio::test(start_paused = true)]
async fn order_after_a_crash_adopts_the_run_first() {
    let world = World::new();
    let record = world.create(&one("test.again")).await;
    world.settle().await;
    let world = world.crash();
    // No other task has run yet: recovery has not begun.
    let outcome = world.cancel(&record).await.expect("cancelled");
    assert_eq!(outcome.status, RunStatus::Cancelled);
    world.settle().await;
    let types = world.types(&record).await;
    assert!(types.contains(&"workflow.restored".to_owned()));
    assert_eq!(types.last().map(String::as_str), Some("run.cancelled"));
    assert_eq!(world.engine.stats().effects, 0);
}

/// What was acknowledged is there after a crash, byte for byte. Witnesses I1, I2 and R-TERM-06.
#[tokio::test(start_paused = true)]
async fn crash_changes_nothing_that_was_read() {
    let world = World::new();
    let definition =
        chain(&[("gate", "core.approvalGate", json!({}), json!({})), ("call", "test.gated", json!({}), json!({}))]);
    let mut record = world.create(&definition).await;
    world.approve(&record, "gate").await.expect("approved");
    let before = world.page(&record).await.events;
    let world = world.crash();
    world.until(&record, RunStatus::Failed).await;
    let after = world.page(&record).await.events;
    for (old, new) in before.iter().zip(&after) {
        assert_eq!(old.bytes, new.bytes);
    }
    record = world.record(&record.run_id).await;
    assert_eq!(after.len() as u64, record.last_sequence + 1);
    // I12: an approval that was accepted before the crash is not accepted again.
    assert!(world.approve(&record, "gate").await.is_err());
}

/// Hundreds of runs are taken up in pages, with bounded concurrency. I4.
#[tokio::test(start_paused = true)]
async fn many_runs_are_taken_up_in_pages() {
    let world = World::new();
    let mut records = Vec::new();
    for _ in 0..600 {
        records.push(world.create(&one("test.gated")).await);
    }
    world.settle().await;
    let world = world.crash();
    for record in &records {
        world.until(record, RunStatus::Failed).await;
    }
    assert_eq!(world.engine.stats().recovered, 600);
    assert!(world.store.moving_runs(None, 10).await.expect("readable").is_empty());
}
