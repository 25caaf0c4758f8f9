//! The live feed: at any cursor, under appends, no gap and no repeat.

use futures_util::future::join_all;
use serde_json::json;
use weft_model::RunStatus;
use weft_store::{PageLimit, RunRecord};

use crate::world::{World, chain, one};

/// A workflow of gates, each of which an approval opens.
fn gates(count: usize) -> serde_json::Value {
    let ids: Vec<String> = (0..count).map(|n| format!("g{n}")).collect();
    let nodes: Vec<_> = ids.iter().map(|id| (id.as_str(), "core.approvalGate", json!({}), json!({}))).collect();
    chain(&nodes)
}

async fn read_to_end(world: &World, record: &RunRecord, after: Option<u64>) -> Vec<u64> {
    let mut reader = world.engine.reader(record, after);
    let mut seen = Vec::new();
    while let Some(page) = reader.next().await.expect("readable") {
        assert!(!page.events.is_empty());
        seen.extend(page.events.iter().map(|event| event.sequence));
        tokio::task::yield_now().await;
    }
    seen
}

/// Witnesses R-SSE-12, R-SSE-19, R-SSE-20 and I7, I2.
#[tokio::test(start_paused = true)]
async fn readers_join_anywhere_under_appends() {
    let world = World::new();
    let record = world.create(&gates(30)).await;
    let write = async {
        for gate in 0..30 {
            world.approve(&record, &format!("g{gate}")).await.expect("approved");
            tokio::task::yield_now().await;
        }
    };
    let read = join_all((0..60u64).map(|n| {
        let (world, record) = (&world, &record);
        async move {
            for _ in 0..n * 3 {
                tokio::task::yield_now().await;
            }
            let after = n.checked_sub(10);
            (after, read_to_end(world, record, after).await)
        }
    }));
    let ((), read) = tokio::join!(write, read);
    let last = world.record(&record.run_id).await.last_sequence;
    for (after, seen) in read {
        let first = after.map_or(0, |after| after + 1);
        assert_eq!(seen, (first..=last).collect::<Vec<_>>());
    }
    assert_eq!(world.engine.stats().watched_runs, 0);
}

/// R-SSE-13: past the end of a finished run there is nothing; a live one is waited for.
#[tokio::test(start_paused = true)]
async fn reader_past_the_end_ends_or_waits() {
    let world = World::new();
    let done = world.create(&one("core.noop")).await;
    assert_eq!(read_to_end(&world, &done, Some(done.last_sequence)).await, Vec::<u64>::new());
    assert_eq!(read_to_end(&world, &done, Some(9_999)).await, Vec::<u64>::new());

    let live = world.create(&one("core.approvalGate")).await;
    let mut reader = world.engine.reader(&live, Some(9_999));
    {
        let next = reader.next();
        tokio::pin!(next);
        assert!(futures_util::poll!(next.as_mut()).is_pending());
    }
    world.cancel(&live).await.expect("cancelled");
    assert!(reader.next().await.expect("readable").is_none());
}

/// Witnesses R-SSE-18 and I11: a reader that does not read holds a cursor and no events.
#[tokio::test(start_paused = true)]
async fn slow_reader_holds_no_memory() {
    let world = World::new();
    let record = world.create(&gates(150)).await;
    let mut slow: Vec<_> = (0..200).map(|_| world.engine.reader(&record, None)).collect();
    for gate in 0..150 {
        world.approve(&record, &format!("g{gate}")).await.expect("approved");
    }
    let stats = world.engine.stats();
    // The caches are bounded whatever the readers do.
    assert!(stats.recent_event_bytes <= 2 << 20, "{stats:?}");
    let last = world.record(&record.run_id).await.last_sequence;
    let mut seen = Vec::new();
    while let Some(page) = slow[0].next().await.expect("readable") {
        seen.extend(page.events.iter().map(|event| event.sequence));
    }
    assert_eq!(seen, (0..=last).collect::<Vec<_>>());
}

/// R-POLL-03: a page never shows an event beyond the head that it names.
#[tokio::test(start_paused = true)]
async fn page_tells_one_story() {
    let world = World::new();
    let record = world.create(&gates(3)).await;
    for gate in 0..3 {
        let limit = PageLimit { events: 2, bytes: usize::MAX };
        let page = world.engine.page(&record, None, limit).await.expect("a page");
        assert_eq!(page.events.len(), 2);
        assert_eq!(page.status, RunStatus::WaitingApproval);
        assert!(page.events.last().map(|event| event.sequence) <= page.last_sequence);
        assert!(!page.is_last(None));
        world.approve(&record, &format!("g{gate}")).await.expect("approved");
    }
    let page = world.page(&record).await;
    assert!(page.terminal && page.is_last(None));
}
