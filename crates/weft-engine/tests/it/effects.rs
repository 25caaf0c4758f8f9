//! Effects: announced first, abortable at any moment, caught when they break.

use serde_json::json;
use weft_engine::EngineLimits;
use weft_model::RunStatus;
use weft_store::{MemoryStore, Store};

use crate::world::{World, chain, fan_out, one};

/// A run with an effect moves while the effect is in flight, and holds nothing afterwards.
#[tokio::test(start_paused = true)]
async fn actor_lives_as_long_as_its_effect() {
    let world = World::new();
    let record = world.create(&one("test.gated")).await;
    assert!(record.moving);
    assert_eq!(world.types(&record).await, ["run.started", "node.started"]);
    world.settle().await;
    assert_eq!((world.begun(), world.engine.stats().actors), (1, 1));
    world.probe().permits.add_permits(1);
    world.until(&record, RunStatus::Completed).await;
    world.settle().await;
    let stats = world.engine.stats();
    assert_eq!((stats.actors, stats.effects, stats.states), (0, 0, 0));
}

/// Cancel at any moment of an effect: after `yields` turns of the scheduler from its start on.
/// Witnesses R-CAN-01, R-TERM-01, R-TERM-03 and I3.
#[tokio::test(start_paused = true)]
async fn effect_is_cancelled_at_any_moment() {
    for yields in 0..40 {
        let world = World::new();
        let record = world.create(&one("test.gated")).await;
        if yields % 2 == 0 {
            world.probe().permits.add_permits(1);
        }
        for _ in 0..yields {
            tokio::task::yield_now().await;
        }
        let cancelled = world.cancel(&record).await;
        world.settle().await;
        let status = world.record(&record.run_id).await.status;
        match cancelled {
            Ok(_) => assert_eq!(status, RunStatus::Cancelled),
            Err(_) => assert_eq!(status, RunStatus::Completed),
        }
        let types = world.types(&record).await;
        let terminal = |name: &&String| ["run.completed", "run.cancelled", "run.failed"].contains(&name.as_str());
        assert_eq!(types.iter().filter(terminal).count(), 1);
        assert!(terminal(&types.last().expect("events")));
        let stats = world.engine.stats();
        assert_eq!((stats.actors, stats.effects, stats.states), (0, 0, 0));
    }
}

/// No more effects run at once than the limit allows, and all of them run.
#[tokio::test(start_paused = true)]
async fn effects_wait_for_their_turn() {
    let limits = EngineLimits { effects_concurrent: 3, ..EngineLimits::default() };
    let world = World::over(MemoryStore::new(), limits);
    let mut records = Vec::new();
    for _ in 0..10 {
        records.push(world.create(&one("test.gated")).await);
    }
    world.settle().await;
    assert_eq!(world.begun(), 3);
    assert_eq!(world.engine.stats().effects, 10);
    // A waiting effect is cancelled like a running one.
    world.cancel(&records[9]).await.expect("cancelled");
    world.probe().permits.add_permits(9);
    for record in &records[..9] {
        world.until(record, RunStatus::Completed).await;
    }
    assert_eq!(world.begun(), 9);
}

/// A node that panics fails its run and nothing else. R-DUR-04.
#[tokio::test(start_paused = true)]
async fn broken_effect_fails_its_run_alone() {
    let world = World::new();
    let other = world.create(&one("test.gated")).await;
    let record = world.create(&one("test.panics")).await;
    world.until(&record, RunStatus::Failed).await;
    let documents = world.documents(&record).await;
    let failed = documents.last().expect("events");
    assert_eq!(failed["payload"]["error"]["code"], "internal_error");
    assert_eq!(world.engine.stats().broken, 1);
    world.probe().permits.add_permits(1);
    world.until(&other, RunStatus::Completed).await;
}

/// A rule that breaks inside a decision ends its run as failed, visibly. R-DUR-04.
#[tokio::test(start_paused = true)]
async fn broken_decision_fails_its_run_alone() {
    let world = World::new();
    let definition =
        chain(&[("gate", "core.approvalGate", json!({}), json!({})), ("bad", "test.break", json!({}), json!({}))]);
    let record = world.create(&definition).await;
    assert!(world.approve(&record, "gate").await.is_err());
    world.until(&record, RunStatus::Failed).await;
    world.settle().await;
    let documents = world.documents(&record).await;
    assert_eq!(documents.last().expect("events")["payload"]["error"]["code"], "internal_error");
    let stats = world.engine.stats();
    assert_eq!((stats.actors, stats.states), (0, 0));
    assert!(stats.broken >= 1);
    world.create(&one("core.noop")).await;
}

/// A run that breaks before it is stored leaves nothing behind.
#[tokio::test(start_paused = true)]
async fn broken_create_leaves_nothing() {
    let world = World::new();
    let request = world.request(&one("test.break"));
    let run_id = request.run_id.clone();
    assert!(world.engine.create(request).await.is_err());
    assert!(world.engine.find(&run_id).await.expect("readable").is_none());
    assert_eq!(world.engine.stats().broken, 1);
}

/// Attempts that end together share a commit: ten thousand items cost steps, not commits.
#[tokio::test(start_paused = true)]
async fn results_that_come_together_share_a_commit() {
    let world = World::new();
    let record = world.create(&fan_out("test.gated", 40)).await;
    world.settle().await;
    assert_eq!(world.begun(), 40);
    let before = world.store.counters().commits;
    world.probe().permits.add_permits(40);
    world.until(&record, RunStatus::Completed).await;
    let commits = world.store.counters().commits - before;
    assert!(commits <= 3, "{commits}");
    let completed = world.types(&record).await.iter().filter(|name| *name == "node.completed").count();
    assert_eq!(completed, 40);
}

/// A failure that ends the run cuts what still runs in it.
#[tokio::test(start_paused = true)]
async fn failure_cuts_the_other_attempts() {
    let world = World::new();
    let mut definition = fan_out("test.slow", 3);
    definition["nodes"][1]["typeId"] = json!("test.panics");
    let record = world.create(&definition).await;
    world.until(&record, RunStatus::Failed).await;
    world.settle().await;
    let stats = world.engine.stats();
    assert_eq!((stats.actors, stats.effects, stats.states), (0, 0, 0));
}
