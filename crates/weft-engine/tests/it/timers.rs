//! Timers: they fire when they are due, whatever happens in between.

use serde_json::json;
use weft_engine::Clock;
use weft_model::{RunStatus, Timestamp};
use weft_store::Store;
use weft_testkit::ports::START;

use crate::world::{World, chain, delay, one, text};

/// When an event of this type was recorded, in milliseconds after the start of the test.
async fn recorded_at(world: &World, record: &weft_store::RunRecord, name: &str) -> u64 {
    let documents = world.documents(record).await;
    let event = documents.iter().find(|event| event["type"] == name).expect("recorded");
    Timestamp::parse(&text(&event["timestamp"])).expect("a time").saturating_ms_since(START)
}

/// R-EVT-34 aside, a sleep ends when it is due and the run goes on.
#[tokio::test(start_paused = true)]
async fn sleep_ends_when_it_is_due() {
    let world = World::new();
    let record = world.create(&delay(5_000)).await;
    world.until(&record, RunStatus::Completed).await;
    let ended = recorded_at(&world, &record, "run.completed").await;
    assert!((5_000..5_010).contains(&ended), "{ended}");
    world.settle().await;
    assert_eq!(world.engine.stats().timers_fired, 1);
    assert_eq!(world.store.next_timer().await.expect("readable"), None);
}

/// Witnesses R-DUR-02: a timer keeps its due time over a restart.
#[tokio::test(start_paused = true)]
async fn timer_keeps_its_due_time_over_a_restart() {
    let world = World::new();
    let record = world.create(&delay(10_000)).await;
    let due = world.store.next_timer().await.expect("readable");
    world.pass(4_000).await;
    let world = world.crash();
    assert_eq!(world.store.next_timer().await.expect("readable"), due);
    world.until(&record, RunStatus::Completed).await;
    let ended = recorded_at(&world, &record, "run.completed").await;
    assert!((10_000..10_010).contains(&ended), "{ended}");
}

/// What fell due while no host ran fires at once. R-DUR-02, I4.
#[tokio::test(start_paused = true)]
async fn overdue_timer_fires_at_the_start() {
    let world = World::new();
    let record = world.create(&delay(1_000)).await;
    world.engine.kill();
    world.pass(60_000).await;
    assert_eq!(world.record(&record.run_id).await.status, RunStatus::Running);
    let world = world.crash();
    world.settle().await;
    assert_eq!(world.record(&record.run_id).await.status, RunStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn earlier_timer_is_not_late_behind_a_later_one() {
    let world = World::new();
    let late = world.create(&delay(600_000)).await;
    world.pass(10).await;
    let soon = world.create(&delay(2_000)).await;
    world.until(&soon, RunStatus::Completed).await;
    let ended = recorded_at(&world, &soon, "run.completed").await;
    assert!((2_010..2_020).contains(&ended), "{ended}");
    assert_eq!(world.record(&late.run_id).await.status, RunStatus::Running);
}

/// Many timers that are due at once are fired in bounded batches, all of them.
#[tokio::test(start_paused = true)]
async fn thousand_timers_fire_at_once() {
    let world = World::new();
    for _ in 0..1_000 {
        world.create(&delay(5_000)).await;
    }
    world.pass(5_100).await;
    for _ in 0..100 {
        world.settle().await;
    }
    assert_eq!(world.engine.stats().timers_fired, 1_000);
    assert_eq!(world.engine.stats().actors, 0);
    assert_eq!(world.store.next_timer().await.expect("readable"), None);
}

/// A run that fans out wakes in a few commits, not in one for each timer, and none of its timers is
/// set aside for want of places in its mailbox. They fire within a second of being due.
#[tokio::test(start_paused = true)]
async fn thousand_timers_of_one_run_fire_at_once() {
    let world = World::new();
    let sleepers: Vec<String> = (0..1_000).map(|n| format!("n{n}")).collect();
    let nodes: Vec<_> =
        sleepers.iter().map(|id| (id.as_str(), "core.delay", json!({"delayMs": 5_000}), json!({}))).collect();
    let mut definition = chain(&nodes);
    definition["edges"] = json!([]);
    let record = world.create(&definition).await;
    let other = world.create(&delay(5_001)).await;
    world.until(&record, RunStatus::Completed).await;
    let ended = recorded_at(&world, &record, "run.completed").await;
    assert!((5_000..6_000).contains(&ended), "{ended}");
    world.until(&other, RunStatus::Completed).await;
    let ended = recorded_at(&world, &other, "run.completed").await;
    assert!((5_001..6_001).contains(&ended), "{ended}");
    assert!(world.engine.stats().commits < 100, "{}", world.engine.stats().commits);
    world.settle().await;
    assert_eq!(world.store.next_timer().await.expect("readable"), None);
}

/// A cancelled run's timer never fires. R-TERM-03.
#[tokio::test(start_paused = true)]
async fn timer_of_a_cancelled_run_is_gone() {
    let world = World::new();
    let record = world.create(&delay(5_000)).await;
    world.cancel(&record).await.expect("cancelled");
    assert_eq!(world.store.next_timer().await.expect("readable"), None);
    let length = world.types(&record).await.len();
    world.pass(10_000).await;
    assert_eq!(world.types(&record).await.len(), length);
}

/// A node attempt that takes longer than `settings.timeoutMs` is cut. R-DUR-03.
#[tokio::test(start_paused = true)]
async fn attempt_is_cut_at_its_timeout() {
    let world = World::new();
    let definition = chain(&[("only", "test.slow", json!({}), json!({"timeoutMs": 3_000}))]);
    let record = world.create(&definition).await;
    world.until(&record, RunStatus::Failed).await;
    let ended = recorded_at(&world, &record, "run.failed").await;
    assert!((3_000..3_010).contains(&ended), "{ended}");
    world.settle().await;
    let stats = world.engine.stats();
    assert_eq!((stats.actors, stats.effects, stats.states), (0, 0, 0));
}

/// The clock port is asked again after every wake: a sleep that ends early fires nothing.
#[tokio::test(start_paused = true)]
async fn no_timer_fires_before_it_is_due() {
    let world = World::new();
    let record = world.create(&delay(5_000)).await;
    world.pass(4_990).await;
    world.create(&one("core.noop")).await;
    assert_eq!(world.record(&record.run_id).await.status, RunStatus::Running);
    assert!(world.clock.now() < START.plus_ms(5_000));
}
