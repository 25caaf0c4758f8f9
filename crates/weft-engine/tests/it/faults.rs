//! A store that fails, and rules that break elsewhere.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde_json::json;
use weft_engine::EngineError;
use weft_model::{EncodedEvent, RunStatus};
use weft_store::memory::MemoryWrite;
use weft_store::{
    Commit, Conflict, MemoryFate, MemoryFaults, RunChange, RunIndex, RunRecord, Store, StoreError, StoreErrorKind,
    TimerWrite,
};
use weft_testkit::ports::START;

use crate::world::{World, chain, delay, one};

/// Gives the next commits these fates; then all is well. Reads fail while they are told to.
#[derive(Default)]
pub(crate) struct Script {
    fates: Mutex<VecDeque<MemoryFate>>,
    reads_fail: AtomicBool,
}

impl Script {
    fn on(world: &World, fates: impl IntoIterator<Item = MemoryFate>) -> Arc<Script> {
        let script = Arc::new(Script { fates: Mutex::new(fates.into_iter().collect()), ..Script::default() });
        world.store.set_faults(Some(Arc::clone(&script) as Arc<dyn MemoryFaults>));
        script
    }

    fn fail_reads(&self, fail: bool) {
        self.reads_fail.store(fail, Ordering::SeqCst);
    }
}

impl MemoryFaults for Script {
    fn on_write(&self, write: MemoryWrite<'_>) -> MemoryFate {
        match write {
            MemoryWrite::Commit(_) => self.fates.lock().pop_front().unwrap_or(MemoryFate::Apply),
            MemoryWrite::Other(_) => MemoryFate::Apply,
        }
    }

    fn on_read(&self, _: &'static str) -> Option<StoreError> {
        self.reads_fail.load(Ordering::SeqCst).then_some(StoreError::Lost)
    }
}

fn fail(error: StoreError) -> MemoryFate {
    MemoryFate::Fail(error)
}

fn kind(error: &EngineError) -> Option<StoreErrorKind> {
    match error {
        EngineError::Store(error) => Some(error.kind()),
        _ => None,
    }
}

async fn count(world: &World, record: &RunRecord, name: &str) -> usize {
    world.types(record).await.iter().filter(|found| *found == name).count()
}

/// Witnesses R-DUR-01 and I2, I12: a lost acknowledgement is settled, never applied twice.
#[tokio::test(start_paused = true)]
async fn lost_acknowledgement_is_settled_by_reading_back() {
    let world = World::new();
    Script::on(&world, [MemoryFate::LoseAck]);
    let record = world.create(&one("core.approvalGate")).await;
    assert_eq!(count(&world, &record, "run.started").await, 1);

    Script::on(&world, [MemoryFate::LoseAck]);
    world.approve(&record, "only").await.expect("settled");
    assert_eq!(count(&world, &record, "interrupt.resolved").await, 1);
    assert_eq!(world.record(&record.run_id).await.status, RunStatus::Completed);
    assert_eq!(world.engine.stats().outcomes_unknown, 2);
}

/// Invariant 5 of the architecture: no effect begins and no answer leaves before the commit that
/// holds it is acknowledged. R-DUR-01.
#[tokio::test(start_paused = true)]
async fn nothing_happens_before_the_acknowledgement() {
    let world = World::new();
    Script::on(&world, [MemoryFate::Hang]);
    let create = world.engine.create(world.request(&one("test.gated")));
    tokio::pin!(create);
    assert!(futures_util::poll!(create.as_mut()).is_pending());
    world.settle().await;
    assert!(futures_util::poll!(create.as_mut()).is_pending());
    assert_eq!((world.begun(), world.engine.stats().created), (0, 0));
}

/// A commit that failed and is seen not to be there is offered again.
#[tokio::test(start_paused = true)]
async fn failed_commit_is_offered_again() {
    let world = World::new();
    let failed = || fail(StoreError::Failed { reason: "passing".to_owned() });
    Script::on(&world, [failed(), failed()]);
    let record = world.create(&one("core.noop")).await;
    assert_eq!(record.status, RunStatus::Completed);

    Script::on(&world, [failed(), failed(), failed(), failed()]);
    let error = world.engine.create(world.request(&one("core.noop"))).await.expect_err("refused");
    assert_eq!(kind(&error), Some(StoreErrorKind::Transient));
}

/// When the log cannot be read back either, the caller is told just that.
#[tokio::test(start_paused = true)]
async fn unknown_outcome_is_said_to_be_unknown() {
    let world = World::new();
    let record = world.create(&one("core.approvalGate")).await;
    let script = Script::on(&world, [MemoryFate::LoseAck]);
    {
        let approve = world.approve(&record, "only");
        tokio::pin!(approve);
        assert!(futures_util::poll!(approve.as_mut()).is_pending());
        script.fail_reads(true);
        // The actor loads before it commits, so reads fail only from here on.
        let result = approve.await;
        assert!(result.is_err());
    }
    script.fail_reads(false);
    // I12: whatever became of the first answer, a second one does not make two.
    let _ = world.approve(&record, "only").await;
    assert_eq!(count(&world, &record, "interrupt.resolved").await, 1);
}

/// An effect's result waits for a store that is full, and the run goes on by itself. R5.
#[tokio::test(start_paused = true)]
async fn result_waits_for_a_full_store() {
    let world = World::new();
    let record = world.create(&one("test.gated")).await;
    world.settle().await;
    Script::on(&world, [fail(StoreError::Full), fail(StoreError::Full), fail(StoreError::Full)]);
    world.probe().permits.add_permits(1);
    world.until(&record, RunStatus::Completed).await;
    assert_eq!(world.begun(), 1);
    assert_eq!(count(&world, &record, "node.completed").await, 1);
}

/// A caller is told at once that the store is full. R5.
#[tokio::test(start_paused = true)]
async fn caller_is_told_that_the_store_is_full() {
    let world = World::new();
    let record = world.create(&one("core.approvalGate")).await;
    Script::on(&world, [fail(StoreError::Full), fail(StoreError::Full)]);
    let error = world.approve(&record, "only").await.expect_err("refused");
    assert_eq!(kind(&error), Some(StoreErrorKind::Full));
    let error = world.engine.create(world.request(&one("core.noop"))).await.expect_err("refused");
    assert_eq!(kind(&error), Some(StoreErrorKind::Full));
    world.approve(&record, "only").await.expect("approved");
}

/// A store that has stopped is said to have stopped, and is not asked again and again. R6.
#[tokio::test(start_paused = true)]
async fn stopped_store_is_surfaced() {
    let world = World::new();
    let record = world.create(&one("test.gated")).await;
    world.settle().await;
    let stopped = || fail(StoreError::Stopped { reason: "fsync".to_owned() });
    Script::on(&world, std::iter::repeat_with(stopped).take(50));
    let error = world.cancel(&record).await.expect_err("refused");
    assert_eq!(kind(&error), Some(StoreErrorKind::Stopped));
    world.probe().permits.add_permits(1);
    world.settle().await;
    let stats = world.engine.stats();
    assert_eq!((stats.actors, stats.effects, stats.states), (0, 0, 0));
    assert!(world.record(&record.run_id).await.moving);
}

/// A run that asks for more than a commit may hold ends, visibly. R24, R-DUR-04.
#[tokio::test(start_paused = true)]
async fn run_too_large_for_a_commit_is_failed() {
    let world = World::new();
    let record = world.create(&delay(1_000)).await;
    Script::on(&world, [fail(StoreError::TooLarge { bytes: 2, limit: 1 })]);
    world.until(&record, RunStatus::Failed).await;
    let documents = world.documents(&record).await;
    assert_eq!(documents.last().expect("events")["payload"]["error"]["code"], "internal_error");
    world.settle().await;
    assert_eq!(world.store.next_timer().await.expect("readable"), None);
}

/// The log moved under a decision, as it does when another host shares the store: the order is
/// decided anew on what is there.
#[tokio::test(start_paused = true)]
async fn moved_log_is_decided_anew() {
    let world = World::new();
    let record = world.create(&one("test.gated")).await;
    world.settle().await;
    append_foreign(&world, &record, 2).await;
    world.probe().permits.add_permits(1);
    world.until(&record, RunStatus::Completed).await;
    assert_eq!(world.engine.stats().conflicts, 1);
    let documents = world.documents(&record).await;
    assert!(documents.iter().enumerate().all(|(at, event)| event["sequence"] == json!(at)));
}

/// A damaged log fails its own run's orders and recovery, and no other run's. R-DUR-06, R4.
#[tokio::test(start_paused = true)]
async fn damaged_run_is_left_and_others_go_on() {
    let world = World::new();
    let damaged = world.create(&one("test.again")).await;
    let sound = world.create(&one("test.again")).await;
    let asleep = world.create(&delay(60_000)).await;
    world.settle().await;
    let bytes = bytes::Bytes::from_static(b"{\"type\":\"log.appended\",\"sequence\":7}");
    append(&world, &damaged, EncodedEvent { sequence: 2, event_type: foreign_type(), bytes }, &[]).await;
    // A due timer of the damaged run stands before all others.
    let timer = TimerWrite::Set { id: "run".to_owned(), due: START };
    let bytes = bytes::Bytes::from_static(b"{}");
    append(&world, &damaged, EncodedEvent { sequence: 3, event_type: foreign_type(), bytes }, &[timer]).await;

    let world = world.crash();
    world.settle().await;
    let error = world.cancel(&damaged).await.expect_err("refused");
    assert_eq!(kind(&error), Some(StoreErrorKind::Corrupt));
    world.probe().permits.add_permits(1);
    world.until(&sound, RunStatus::Completed).await;
    world.until(&asleep, RunStatus::Completed).await;
    let late = world.record(&asleep.run_id).await.updated_at.saturating_ms_since(START);
    assert!((60_000..61_100).contains(&late), "{late}");
    // Each scan reports it again: the second one came while the others went on.
    assert!(world.engine.stats().recovery_failed >= 1);
    assert!(world.record(&damaged.run_id).await.moving);
}

/// A workflow that this build cannot run stops its own runs only.
#[tokio::test(start_paused = true)]
async fn run_without_its_workflow_is_left() {
    let world = World::new();
    let lost = world.create(&chain(&[("gate", "core.approvalGate", json!({}), json!({}))])).await;
    world.forget_workflows();
    let error = world.approve(&lost, "gate").await.expect_err("refused");
    assert!(matches!(error, EngineError::Workflow(_)));
    world.create(&one("core.noop")).await;
}

fn foreign_type() -> weft_model::EventType {
    weft_model::EventType::parse("log.appended").expect("a type")
}

/// Appends an event behind the engine's back.
async fn append_foreign(world: &World, record: &RunRecord, sequence: u64) {
    let stored = world.store.read_events(record.key, None, crate::world::ALL).await.expect("readable");
    let (run, mut event) = weft_model::Event::decode(&stored[1].bytes).expect("an event");
    event.sequence = sequence;
    event.body = weft_model::EventBody::Other {
        event_type: foreign_type(),
        payload: serde_json::value::RawValue::from_string("{}".to_owned()).expect("JSON"),
    };
    append(world, record, event.encode(&run), &[]).await;
}

async fn append(world: &World, record: &RunRecord, event: EncodedEvent, timers: &[TimerWrite]) {
    let RunRecord { status, moving, updated_at, .. } = *record;
    let run = RunChange::Append {
        run: record.key,
        expect_last: event.sequence - 1,
        index: RunIndex { status, moving, updated_at },
    };
    let (timers, events) = (timers.to_vec(), vec![event]);
    let commit = Commit { run, events, timers, receipt: None, outbox: Vec::new(), snapshot: None };
    let result = world.store.commit(commit).await;
    assert!(!matches!(result, Err(StoreError::Conflict(Conflict::Moved { .. }))));
}
