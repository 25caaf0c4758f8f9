//! Creating runs, and what a run costs.

use serde_json::json;
use weft_engine::{EngineError, EngineLimits, ReceiptDraft};
use weft_model::{Digest, RunStatus};
use weft_store::memory::MemoryWrite;
use weft_store::{
    MemoryFate, MemoryFaults, MemoryStore, ReceiptScope, Store, StoreError, StoreErrorKind, StoredResponse,
};

use crate::world::{ALL, World, chain, delay, one, text};

/// Witnesses R-RUN-01 and R-DUR-01: what is answered is durable, in one commit.
#[tokio::test(start_paused = true)]
async fn pure_run_costs_one_commit() {
    let world = World::new();
    let before = world.store.counters();
    let record = world.create(&one("core.noop")).await;
    let after = world.store.counters();
    assert_eq!(record.status, RunStatus::Completed);
    assert!(!record.moving);
    assert_eq!(after.commits - before.commits, 1);
    assert!(after.row_writes - before.row_writes <= 12, "{after:?}");
    assert_eq!(world.engine.stats().actors, 0);
    assert_eq!(world.engine.stats().states, 0);
    let types = world.types(&record).await;
    assert_eq!(types.first().map(String::as_str), Some("run.started"));
    assert_eq!(types.last().map(String::as_str), Some("run.completed"));
}

/// A poll of a run that was just created is answered from memory. R-POLL-06, R-POLL-08.
#[tokio::test(start_paused = true)]
async fn fresh_run_is_read_without_the_store() {
    let world = World::new();
    let request = world.request(&one("core.noop"));
    let run_id = request.run_id.clone();
    world.engine.create(request).await.expect("created");
    world.store.set_faults(Some(std::sync::Arc::new(NoReads)));
    let record = world.engine.find(&run_id).await.expect("remembered").expect("a run");
    let page = world.engine.page(&record, None, ALL).await.expect("remembered");
    assert!(page.terminal);
    assert_eq!(page.events.last().map(|last| last.sequence), page.last_sequence);
    let snapshot = world.engine.snapshot(&record).await.expect("folded from memory");
    assert_eq!(snapshot.status, RunStatus::Completed);
}

/// A chain longer than one decision may be goes on in commits of its own. R-DUR-02.
#[tokio::test(start_paused = true)]
async fn long_chain_is_finished_by_an_actor() {
    let world = World::new();
    let ids: Vec<String> = (0..400).map(|n| format!("n{n}")).collect();
    let nodes: Vec<_> = ids.iter().map(|id| (id.as_str(), "core.noop", json!({}), json!({}))).collect();
    let record = world.create(&chain(&nodes)).await;
    world.until(&record, RunStatus::Completed).await;
    world.settle().await;
    let documents = world.documents(&record).await;
    assert!(documents.len() >= 800);
    assert!(documents.iter().enumerate().all(|(at, event)| event["sequence"] == json!(at)));
    assert_eq!(world.engine.stats().actors, 0);
    assert_eq!(world.engine.stats().states, 0);
}

/// Witnesses I11 for waiting runs: neither a task nor a folded state.
#[tokio::test(start_paused = true)]
async fn waiting_run_holds_neither_task_nor_state() {
    let world = World::new();
    for _ in 0..50 {
        let waiting = world.create(&one("core.approvalGate")).await;
        assert_eq!(waiting.status, RunStatus::WaitingApproval);
        let asleep = world.create(&delay(60_000)).await;
        assert_eq!(asleep.status, RunStatus::Running);
        assert!(!waiting.moving && !asleep.moving);
    }
    world.settle().await;
    let stats = world.engine.stats();
    assert_eq!((stats.actors, stats.states, stats.effects), (0, 0, 0));
}

/// R-IDEM-04: the receipt is in the run's own commit and is what the caller got.
#[tokio::test(start_paused = true)]
async fn receipt_is_written_with_the_run() {
    let world = World::new();
    let scope = ReceiptScope([7; 32]);
    let draft = || ReceiptDraft {
        scope,
        request: Digest::of(b"request"),
        render: Box::new(|state| StoredResponse {
            status: 201,
            headers: Vec::new(),
            body: state.status().as_str().into(),
        }),
    };
    let mut request = world.request(&one("core.approvalGate"));
    request.reply = Some(draft());
    let outcome = world.engine.create(request).await.expect("created");
    let stored = world.store.find_receipt(&scope).await.expect("readable").expect("a receipt");
    assert_eq!(stored.response.body, outcome.response.expect("rendered").body);
    assert_eq!(stored.response.body, "waiting-approval");

    // I5: the same key again is the store's conflict, and no second run.
    let mut again = world.request(&one("core.approvalGate"));
    again.reply = Some(draft());
    let run_id = again.run_id.clone();
    let error = world.engine.create(again).await.expect_err("refused");
    assert!(matches!(error, EngineError::Store(error) if error.kind() == StoreErrorKind::Conflict));
    assert!(world.store.find_run(&run_id).await.expect("readable").is_none());
}

/// R-EVT-91: the snapshot is the fold of the log, whoever folds it and when.
#[tokio::test(start_paused = true)]
async fn snapshot_follows_every_commit() {
    let world = World::new();
    let record = world.create(&one("core.approvalGate")).await;
    let waiting = world.engine.snapshot(&record).await.expect("a snapshot");
    assert_eq!(waiting.status, RunStatus::WaitingApproval);
    let kept = world.engine.snapshot(&record).await.expect("a snapshot");
    assert_eq!(waiting.bytes.as_ptr(), kept.bytes.as_ptr());
    world.approve(&record, "only").await.expect("approved");
    let done = world.engine.snapshot(&record).await.expect("a snapshot");
    assert_eq!(done.status, RunStatus::Completed);
    let document: serde_json::Value = serde_json::from_slice(&done.bytes).expect("JSON");
    assert_eq!(text(&document["status"]), "completed");

    let world = world.crash();
    let again = world.engine.snapshot(&record).await.expect("a snapshot");
    assert_eq!(done.bytes, again.bytes);
}

/// A large log is stored as a state too, and loaded from there. DECISIONS 30.
#[tokio::test(start_paused = true)]
async fn large_log_leaves_a_state_snapshot() {
    let world = World::new();
    let large = json!({"bytes": 300_000});
    let definition =
        chain(&[("big", "test.large", large, json!({})), ("gate", "core.approvalGate", json!({}), json!({}))]);
    let record = world.create(&definition).await;
    let stored = world.store.load_snapshot(record.key).await.expect("readable").expect("a state");
    assert_eq!(stored.sequence, record.last_sequence);
    let world = world.crash();
    world.approve(&record, "gate").await.expect("approved");
    assert_eq!(world.record(&record.run_id).await.status, RunStatus::Completed);
}

/// Witnesses R-DUR-04: the verdict on a run is written without its state, which may be what was
/// too large for the commit before.
#[tokio::test(start_paused = true)]
async fn verdict_is_written_without_the_state() {
    let limits = EngineLimits { state_snapshot_events: 1, ..EngineLimits::default() };
    let world = World::over(MemoryStore::new(), limits);
    let nodes = [("gate", "core.approvalGate", json!({}), json!({})), ("bad", "test.break", json!({}), json!({}))];
    let record = world.create(&chain(&nodes)).await;
    world.approve(&record, "gate").await.expect_err("broken");
    let ended = world.record(&record.run_id).await;
    assert_eq!(ended.status, RunStatus::Failed);
    let stored = world.store.load_snapshot(record.key).await.expect("readable").expect("a state");
    assert_eq!(stored.sequence, record.last_sequence, "the one of before");
    assert!(stored.sequence < ended.last_sequence);
}

/// Invariant 10 of the architecture and R-SSE-22: an event is encoded once, whoever reads it.
#[tokio::test(start_paused = true)]
async fn events_are_encoded_once_for_200_subscribers() {
    let world = World::new();
    let record = world.create(&one("core.approvalGate")).await;
    let mut readers: Vec<_> = (0..200).map(|_| world.engine.reader(&record, None)).collect();
    assert_eq!(world.engine.stats().watched_runs, 1);
    world.approve(&record, "only").await.expect("approved");
    let mut bytes = None;
    for reader in &mut readers {
        let page = reader.next().await.expect("readable").expect("events");
        let first = page.events[0].bytes.as_ptr();
        // The same memory for all of them, so there was one encoding.
        assert_eq!(*bytes.get_or_insert(first), first);
        assert_eq!(reader.next().await.expect("readable").map(|page| page.events.len()), None);
    }
    drop(readers);
    assert_eq!(world.engine.stats().watched_runs, 0);
}

/// A store whose reads fail.
struct NoReads;

impl MemoryFaults for NoReads {
    fn on_write(&self, _: MemoryWrite<'_>) -> MemoryFate {
        MemoryFate::Apply
    }

    fn on_read(&self, _: &'static str) -> Option<StoreError> {
        Some(StoreError::Lost)
    }
}
