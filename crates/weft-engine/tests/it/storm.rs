//! Many runs, many orders, faults and crashes at random: the invariants hold all the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::join_all;
use serde_json::{Value, json};
use weft_engine::EngineLimits;
use weft_store::memory::MemoryWrite;
use weft_store::{MemoryFate, MemoryFaults, MemoryStore, RunRecord, Store, StoreError};

use crate::world::{World, chain, text};

/// A small generator, so that a seed is everything.
struct Dice(AtomicU64);

impl Dice {
    fn roll(&self, sides: u64) -> u64 {
        // SplitMix64.
        let mut z = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }
}

/// One write in eight goes wrong, one read in sixty.
impl MemoryFaults for Dice {
    fn on_write(&self, _: MemoryWrite<'_>) -> MemoryFate {
        match self.roll(32) {
            0 | 1 => MemoryFate::LoseAck,
            2 => MemoryFate::Fail(StoreError::Full),
            3 => MemoryFate::Fail(StoreError::Failed { reason: "dice".to_owned() }),
            _ => MemoryFate::Apply,
        }
    }

    fn on_read(&self, _: &'static str) -> Option<StoreError> {
        (self.roll(60) == 0).then_some(StoreError::Lost)
    }
}

fn mixed() -> Value {
    chain(&[
        ("nap", "core.delay", json!({"delayMs": 700}), json!({})),
        ("gate", "core.approvalGate", json!({}), json!({})),
        ("call", "test.again", json!({}), json!({})),
        ("last", "core.noop", json!({}), json!({})),
    ])
}

/// Witnesses I2, I3, I4 and I12, R-TERM-01, R-TERM-02, R-EVT-02.
async fn check(world: &World, record: &RunRecord) {
    let documents = world.documents(record).await;
    assert!(documents.iter().enumerate().all(|(at, event)| event["sequence"] == json!(at)), "{documents:#?}");
    let names: Vec<String> = documents.iter().map(|event| text(&event["type"])).collect();
    let count = |name: &str| names.iter().filter(|found| *found == name).count();
    let ends = count("run.completed") + count("run.failed") + count("run.cancelled");
    assert_eq!(ends, 1, "{names:?}");
    let last = names.last().expect("events");
    let status = world.record(&record.run_id).await.status;
    assert_eq!(last, &format!("run.{status}"));
    assert!(count("interrupt.resolved") <= 1, "{names:?}");
    assert!(count("run.started") == 1);
}

/// One seed: six runs, an approval each sent three times, a cancel now and then, two crashes.
async fn play(seed: u64) {
    let dice = Arc::new(Dice(AtomicU64::new(seed)));
    let mut world = World::new();
    let mut records = Vec::new();
    for _ in 0..6 {
        records.push(world.create(&mixed()).await);
    }
    world.store.set_faults(Some(Arc::clone(&dice) as Arc<dyn MemoryFaults>));
    for round in 0..3 {
        world.pass(dice.roll(900)).await;
        world.probe().permits.add_permits(usize::try_from(dice.roll(4)).expect("small"));
        let orders = records.iter().map(|record| async {
            if dice.roll(8) == 0 {
                let _ = world.cancel(record).await;
            }
            join_all((0..3).map(|_| world.approve(record, "gate"))).await
        });
        let orders = join_all(orders);
        // An order is cut off in the middle as often as it is waited for.
        let _ = tokio::time::timeout(std::time::Duration::from_millis(dice.roll(20)), orders).await;
        if round < 2 {
            world = world.crash();
        }
    }
    // The weather clears; everything comes to its end within the stated time.
    world.store.set_faults(None);
    world.probe().permits.add_permits(100);
    world.pass(40_000).await;
    for record in &records {
        let _ = world.approve(record, "gate").await;
    }
    world.pass(40_000).await;
    for record in &records {
        check(&world, record).await;
    }
    let stats = world.engine.stats();
    assert_eq!((stats.actors, stats.effects, stats.states, stats.broken), (0, 0, 0, 0), "seed {seed}");
    assert!(world.store.moving_runs(None, 1).await.expect("readable").is_empty());
    assert_eq!(world.store.next_timer().await.expect("readable"), None);
}

#[tokio::test(start_paused = true)]
async fn invariants_hold_in_every_weather() {
    for seed in 0..150 {
        play(seed).await;
    }
}

/// The same on several threads, for the races that one thread cannot have: orders against the
/// end of their actor, readers against commits.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn threads_do_not_break_the_hand_over() {
    let world = Arc::new(World::over(MemoryStore::new(), EngineLimits::default()));
    world.probe().permits.add_permits(10_000);
    let definition = chain(&[
        ("gate", "core.approvalGate", json!({}), json!({})),
        ("call", "test.gated", json!({}), json!({})),
        ("last", "core.noop", json!({}), json!({})),
    ]);
    let tasks = (0..200).map(|n| {
        let (world, definition) = (Arc::clone(&world), definition.clone());
        tokio::spawn(async move {
            let record = world.create(&definition).await;
            let reader = {
                let mut reader = world.engine.reader(&record, None);
                tokio::spawn(async move {
                    let mut next = 0;
                    while let Some(page) = reader.next().await.expect("readable") {
                        for event in &page.events {
                            assert_eq!(event.sequence, next);
                            next += 1;
                        }
                    }
                    next
                })
            };
            let orders = (0..4).map(|order| {
                let (world, record) = (Arc::clone(&world), record.clone());
                tokio::spawn(async move {
                    match order {
                        0 if n % 5 == 0 => world.cancel(&record).await.is_ok(),
                        _ => world.approve(&record, "gate").await.is_ok(),
                    }
                })
            });
            for order in join_all(orders).await {
                order.expect("no panic");
            }
            let read = reader.await.expect("no panic");
            assert_eq!(read, world.record(&record.run_id).await.last_sequence + 1);
            check(&world, &record).await;
        })
    });
    for task in join_all(tasks).await {
        task.expect("no panic");
    }
    assert_eq!(world.engine.stats().watched_runs, 0);
}
