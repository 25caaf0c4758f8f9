//! Stopping in order. R23 of the reliability table.

use std::sync::Arc;

use weft_engine::EngineError;
use weft_model::RunStatus;
use weft_store::memory::MemoryWrite;
use weft_store::{MemoryFate, MemoryFaults};

use crate::world::{World, delay, one};

/// What can end in the grace ends; nothing new is taken.
#[tokio::test(start_paused = true)]
async fn drain_lets_effects_end() {
    let world = World::new();
    let record = world.create(&one("test.gated")).await;
    world.settle().await;
    let drain = world.engine.drain();
    tokio::pin!(drain);
    assert!(futures_util::poll!(drain.as_mut()).is_pending());
    let refused = world.engine.create(world.request(&one("core.noop"))).await.expect_err("refused");
    assert!(matches!(refused, EngineError::Draining));
    assert!(matches!(world.cancel(&record).await, Err(EngineError::Draining)));
    world.probe().permits.add_permits(1);
    drain.await;
    assert_eq!(world.record(&record.run_id).await.status, RunStatus::Completed);
    assert_eq!(world.engine.stats().actors, 0);
}

/// What does not end is handed back and taken up by the next start. Witnesses R-DUR-02 and I4.
#[tokio::test(start_paused = true)]
async fn drain_hands_back_what_does_not_end() {
    let world = World::new();
    let record = world.create(&one("test.again")).await;
    world.settle().await;
    let before = tokio::time::Instant::now();
    world.engine.drain().await;
    assert!(before.elapsed().as_secs() <= 5);
    assert!(world.record(&record.run_id).await.moving);
    assert_eq!(world.engine.stats().effects, 0);

    let world = world.crash();
    world.settle().await;
    world.probe().permits.add_permits(1);
    world.until(&record, RunStatus::Completed).await;
}

/// A live reader gets all that is durable and then its end.
#[tokio::test(start_paused = true)]
async fn drain_ends_readers() {
    let world = World::new();
    let record = world.create(&delay(60_000)).await;
    let mut reader = world.engine.reader(&record, None);
    let page = reader.next().await.expect("readable").expect("events");
    assert_eq!(page.events.last().map(|event| event.sequence), Some(record.last_sequence));
    world.engine.drain().await;
    assert!(reader.next().await.expect("readable").is_none());
}

/// A store that never answers does not keep the host from stopping.
#[tokio::test(start_paused = true)]
async fn drain_does_not_wait_for_a_store_that_hangs() {
    let world = World::new();
    world.store.set_faults(Some(Arc::new(Hangs)));
    let create = world.engine.create(world.request(&one("test.gated")));
    tokio::pin!(create);
    assert!(futures_util::poll!(create.as_mut()).is_pending());
    let before = tokio::time::Instant::now();
    world.engine.drain().await;
    assert!(before.elapsed().as_secs() < 5);
    assert!(matches!(create.await, Err(EngineError::Unknown)));
    assert_eq!(world.engine.stats().actors, 0);
}

struct Hangs;

impl MemoryFaults for Hangs {
    fn on_write(&self, _: MemoryWrite<'_>) -> MemoryFate {
        MemoryFate::Hang
    }
}
