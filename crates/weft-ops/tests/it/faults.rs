//! What a store's failures mean to callers.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use weft_model::ErrorCode;
use weft_ops::OpsLimits;
use weft_ops::runs::{self, ListRuns};
use weft_store::StoreError;
use weft_store::memory::{MemoryFate, MemoryFaults, MemoryWrite};

use crate::world::{KEY, World, body_of, code};

/// Fails commits and reads with what the test put here.
#[derive(Default)]
struct Script {
    commits: Mutex<Vec<MemoryFate>>,
    reads: Mutex<Option<StoreError>>,
    damaged_log: Mutex<Option<StoreError>>,
}

impl MemoryFaults for Script {
    fn on_write(&self, write: MemoryWrite<'_>) -> MemoryFate {
        match write {
            MemoryWrite::Commit(_) => self.commits.lock().pop().unwrap_or(MemoryFate::Apply),
            MemoryWrite::Other(_) => MemoryFate::Apply,
        }
    }

    fn on_read(&self, method: &'static str) -> Option<StoreError> {
        let damaged = if method == "read_events" { self.damaged_log.lock().take() } else { None };
        damaged.or_else(|| self.reads.lock().clone())
    }
}

async fn scripted() -> (World, Arc<Script>) {
    let script = Arc::new(Script::default());
    let world = World::new().await;
    world.store.set_faults(Some(script.clone()));
    (world, script)
}

/// Witnesses R-IDEM-06: a 5xx is not the key's answer. The same key executes again, and its final
/// outcome is the record.
#[tokio::test(start_paused = true)]
async fn a_failure_of_the_host_is_not_kept() {
    let (world, script) = scripted().await;
    script.commits.lock().push(MemoryFate::Fail(StoreError::Full));
    let body = json!({"workflowId": "noop"});
    let error = world.create(body.clone(), Some(KEY)).await.expect_err("no room");
    assert_eq!((error.code(), error.status()), (ErrorCode::ServiceUnavailable, 503));
    assert!(error.retry_after().is_some());
    let created = world.create(body.clone(), Some(KEY)).await.expect("created");
    assert!(!created.replayed);
    let again = world.create(body, Some(KEY)).await.expect("replayed");
    assert_eq!((again.replayed, again.body), (true, created.body));
    assert_eq!(world.run_count().await, 1);
}

/// Witnesses R-IDEM-04, R-IDEM-12: an acknowledgement that is lost inside the host is not the
/// caller's trouble: one run, one fresh answer.
#[tokio::test(start_paused = true)]
async fn a_lost_acknowledgement_is_one_run() {
    let (world, script) = scripted().await;
    script.commits.lock().push(MemoryFate::LoseAck);
    let body = json!({"workflowId": "noop"});
    let created = world.create(body.clone(), Some(KEY)).await.expect("created");
    assert!(!created.replayed);
    let again = world.create(body, Some(KEY)).await.expect("replayed");
    assert_eq!((again.replayed, again.body), (true, created.body));
    assert_eq!(world.run_count().await, 1);
}

/// Witnesses R-ERR-03, R-ERR-15, R-IDEM-06: each failure by its code, and its words stay inside.
#[tokio::test(start_paused = true)]
async fn a_stores_words_stay_inside() {
    let (world, script) = scripted().await;
    let secret = "/var/lib/weft/secret.db";
    let run = world.run("noop").await;
    for (failure, expected) in [
        (StoreError::Failed { reason: secret.to_owned() }, ErrorCode::ServiceUnavailable),
        (StoreError::Stopped { reason: secret.to_owned() }, ErrorCode::ServiceUnavailable),
        (StoreError::Corrupt { run: None, reason: secret.to_owned() }, ErrorCode::InternalError),
    ] {
        *script.reads.lock() = Some(failure);
        let error = world.create(json!({"workflowId": "noop"}), Some(KEY)).await.expect_err("refused");
        assert_eq!(error.code(), expected);
        assert!(error.cause().is_some());
        assert!(!String::from_utf8_lossy(&error.envelope()).contains(secret));
    }
    *script.reads.lock() = None;
    let created = world.create(json!({"workflowId": "noop"}), Some(KEY)).await.expect("created");
    assert_ne!(body_of(&created)["runId"], json!(run.as_str()));
    script.commits.lock().push(MemoryFate::Fail(StoreError::TooLarge { bytes: 2, limit: 1 }));
    assert_eq!(code(world.create(json!({"workflowId": "noop"}), None).await), ErrorCode::PayloadTooLarge);
}

/// Witnesses R-DUR-06 and DECISIONS 30: one damaged run fails its own read and hides no other.
#[tokio::test(start_paused = true)]
async fn a_damaged_run_hides_no_other() {
    let before = World::new().await;
    let (one, two) = (before.run("noop").await, before.run("noop").await);
    let world = World::over(before.store.clone(), OpsLimits::standard()).await;
    let script = Arc::new(Script::default());
    world.store.set_faults(Some(script.clone()));
    let damage = || Some(StoreError::corrupt(&two, "a checksum does not fit"));
    *script.damaged_log.lock() = damage();
    let error = runs::get(&world.host, &world.acme, &two).await.expect_err("damaged");
    assert_eq!((error.code(), error.status()), (ErrorCode::InternalError, 500));
    *script.damaged_log.lock() = damage();
    let list = runs::list(&world.host, &world.acme, ListRuns::default()).await.expect("a list");
    let list: Value = serde_json::from_slice(&list).expect("JSON");
    assert_eq!(list["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(list["runs"][0]["runId"], json!(one.as_str()));
}

/// Witnesses R-LIST-02: a store that is away for a moment makes no shorter list; it makes none.
#[tokio::test(start_paused = true)]
async fn a_list_is_whole_or_refused() {
    let before = World::new().await;
    before.run("noop").await;
    let world = World::over(before.store.clone(), OpsLimits::standard()).await;
    let script = Arc::new(Script::default());
    world.store.set_faults(Some(script.clone()));
    *script.damaged_log.lock() = Some(StoreError::Failed { reason: "away".to_owned() });
    let error = runs::list(&world.host, &world.acme, ListRuns::default()).await.expect_err("refused");
    assert_eq!(error.code(), ErrorCode::ServiceUnavailable);
}
