//! Layer 1: one key, one effect, one answer.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::json;
use weft_model::ErrorCode;
use weft_ops::limits::OpsLimits;
use weft_ops::{RECEIPT_RETENTION_MS, runs};

use crate::world::{KEY, World, accept, body_of, code, create_request, run_id_of};

/// Witnesses R-IDEM-09, R-IDEM-04, R-IDEM-12, R-RUN-01: 64 concurrent copies are one run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_copies_are_one_run() {
    let world = Arc::new(World::new().await);
    let copies = (0..64).map(|_| {
        let world = Arc::clone(&world);
        tokio::spawn(async move { world.create(json!({"workflowId": "noop"}), Some(KEY)).await })
    });
    let mut fresh = 0;
    let mut runs = Vec::new();
    for copy in join_all(copies).await {
        let answer = copy.expect("no panic").expect("answered");
        fresh += usize::from(!answer.replayed);
        assert_eq!(answer.status, 201);
        runs.push(run_id_of(&answer));
    }
    runs.dedup();
    assert_eq!((runs.len(), fresh, world.run_count().await), (1, 1, 1));
}

/// Witnesses R-IDEM-04, R-IDEM-15: the same answer, said to be a replay.
#[tokio::test(start_paused = true)]
async fn a_copy_is_answered_from_the_record() {
    let world = World::new().await;
    let first = world.create(json!({"workflowId": "gate", "tags": ["a"]}), Some(KEY)).await.expect("created");
    world.resolve(&run_id_of(&first), accept(), None).await.expect("resolved");
    // The members in another order are the same request.
    let again = world.create(json!({"tags": ["a"], "workflowId": "gate"}), Some(KEY)).await.expect("replayed");
    assert_eq!((again.status, &again.headers, &again.body), (first.status, &first.headers, &first.body));
    assert!(again.replayed && !first.replayed);
    assert_eq!(world.run_count().await, 1);
}

/// Witnesses R-IDEM-10: the record survives a restart.
#[tokio::test(start_paused = true)]
async fn the_record_survives_a_restart() {
    let before = World::new().await;
    let first = before.create(json!({"workflowId": "noop"}), Some(KEY)).await.expect("created");
    let after = World::over(before.store.clone(), OpsLimits::standard()).await;
    let again = after.create(json!({"workflowId": "noop"}), Some(KEY)).await.expect("replayed");
    assert!(again.replayed);
    assert_eq!(again.body, first.body);
}

/// Witnesses R-IDEM-08: another request under the same key never sees the first one's answer.
#[tokio::test(start_paused = true)]
async fn another_request_under_the_key_is_a_mismatch() {
    let world = World::new().await;
    world.create(json!({"workflowId": "noop"}), Some(KEY)).await.expect("created");
    let other = world.create(json!({"workflowId": "chain"}), Some(KEY)).await;
    let error = other.expect_err("refused");
    assert_eq!((error.code(), error.status()), (ErrorCode::IdempotencyKeyMismatch, 409));
    assert_eq!(world.run_count().await, 1);
}

/// Witnesses R-IDEM-11: what is said about a key, inside or outside, does not say the key.
#[tokio::test(start_paused = true)]
async fn no_error_says_the_key() {
    let world = World::new().await;
    let first = world.create(json!({"workflowId": "noop"}), Some(KEY)).await.expect("created");
    let mismatch = world.create(json!({"workflowId": "chain"}), Some(KEY)).await.expect_err("refused");
    let malformed = world.create(json!({"workflowId": "noop"}), Some("not a key")).await.expect_err("refused");
    let said = format!("{first:?} {mismatch:?} {mismatch} {malformed:?} {malformed}");
    assert!(!said.contains(KEY) && !said.contains("not a key"), "{said}");
}

/// Witnesses R-IDEM-02: nothing is executed under a malformed key.
#[tokio::test(start_paused = true)]
async fn a_malformed_key_executes_nothing() {
    let world = World::new().await;
    for key in ["idem-1", "", "key with blanks 0123456789", "a, b"] {
        let refused = world.create(json!({"workflowId": "noop"}), Some(key)).await;
        assert_eq!(code(refused), ErrorCode::IdempotencyKeyInvalid, "{key}");
    }
    assert_eq!(world.run_count().await, 0);
}

/// Witnesses R-IDEM-03: the tenant and the operation are part of the record's key.
#[tokio::test(start_paused = true)]
async fn the_key_is_independent_across_tenants_and_operations() {
    let world = World::new().await;
    let run = run_id_of(&world.create(json!({"workflowId": "hold"}), Some(KEY)).await.expect("created"));
    let globex = world.caller("globex", weft_auth::caller_facing_scopes()).await;
    let theirs = create_request(json!({"workflowId": "hold"}), Some(KEY));
    let theirs = runs::create(&world.host, &globex, theirs).await.expect("created");
    assert!(!theirs.replayed);
    assert_ne!(run_id_of(&theirs), run);
    let cancelled = world.cancel(&run, Some(KEY)).await.expect("cancelled");
    assert!(!cancelled.replayed);
}

/// Witnesses R-IDEM-05: a final refusal is replayed, also when the reason has gone.
#[tokio::test(start_paused = true)]
async fn a_final_refusal_is_replayed() {
    let world = World::new().await;
    let missing = json!({"workflowId": "late"});
    assert_eq!(code(world.create(missing.clone(), Some(KEY)).await), ErrorCode::NotFound);
    let mut late = crate::world::noop();
    late["id"] = json!("late");
    world.serve(&[(None, late)]).await;
    let again = world.create(missing.clone(), Some(KEY)).await.expect("a stored answer");
    assert_eq!((again.status, again.replayed), (404, true));
    assert_eq!(body_of(&again)["error"], "not_found");
    world.create(missing, None).await.expect("created without the key");
}

/// Witnesses R-IDEM-07: refusals about the request itself, the caller or the key are not kept.
#[tokio::test(start_paused = true)]
async fn refusals_of_form_and_permission_are_not_kept() {
    let world = World::new().await;
    let body = json!({"workflowId": "typed"});
    for _ in 0..2 {
        assert_eq!(code(world.create(body.clone(), Some(KEY)).await), ErrorCode::ValidationError);
    }
    let reader = world.caller("acme", weft_model::ScopeSet::EMPTY).await;
    let create = || create_request(json!({"workflowId": "noop"}), Some(KEY));
    assert_eq!(code(runs::create(&world.host, &reader, create()).await), ErrorCode::Forbidden);
    let created = runs::create(&world.host, &world.acme, create()).await.expect("created");
    assert!(!created.replayed);
}

/// Witnesses R-IDEM-01, R-INT-13: every mutating operation honours the key, each for its own
/// request.
#[tokio::test(start_paused = true)]
async fn cancel_and_resolve_honour_the_key() {
    let world = World::new().await;
    let run = world.run("hold").await;
    let first = world.cancel(&run, Some(KEY)).await.expect("cancelled");
    let again = world.cancel(&run, Some(KEY)).await.expect("replayed");
    assert_eq!((again.status, &again.body, again.replayed), (200, &first.body, true));
    assert_eq!(code(world.cancel(&run, None).await), ErrorCode::RunTerminal);

    let gate = world.run("gate").await;
    let first = world.resolve(&gate, accept(), Some(KEY)).await.expect("resolved");
    let again = world.resolve(&gate, accept(), Some(KEY)).await.expect("replayed");
    assert_eq!((again.status, &again.body, again.replayed), (200, &first.body, true));
    let other = world.run("gate").await;
    assert_eq!(code(world.resolve(&other, accept(), Some(KEY)).await), ErrorCode::IdempotencyKeyMismatch);
}

/// Witnesses R-IDEM-09 for a sender that goes away: whatever moment its request is dropped at, a
/// copy is answered and there is one run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sender_that_goes_away_leaves_no_second_run() {
    let world = Arc::new(World::new().await);
    for round in 0..40_u32 {
        let key = format!("key-of-a-leaving-sender-{round}");
        let leaving = {
            let (world, key) = (Arc::clone(&world), key.clone());
            tokio::spawn(async move { world.create(json!({"workflowId": "noop"}), Some(&key)).await.map(drop) })
        };
        for _ in 0..round % 8 {
            tokio::task::yield_now().await;
        }
        leaving.abort();
        let before = world.create(json!({"workflowId": "noop"}), Some(&key)).await.expect("answered");
        let after = world.create(json!({"workflowId": "noop"}), Some(&key)).await.expect("replayed");
        assert_eq!(before.body, after.body);
        assert!(after.replayed);
        assert_eq!(world.run_count().await, 1 + round as usize);
    }
}

/// Witnesses R-IDEM-10: a record is kept for its 24 hours, and not for ever.
#[tokio::test(start_paused = true)]
async fn records_are_purged_after_their_retention() {
    let world = World::new().await;
    world.create(json!({"workflowId": "noop"}), Some(KEY)).await.expect("created");
    let copy = async || world.create(json!({"workflowId": "noop"}), Some(KEY)).await.expect("answered").replayed;
    tokio::time::advance(std::time::Duration::from_secs(24 * 60 * 60)).await;
    world.host.purge().await.expect("purged");
    assert!(copy().await);
    tokio::time::advance(std::time::Duration::from_secs(2 * 60 * 60)).await;
    world.host.purge().await.expect("purged");
    assert!(!copy().await);
    const { assert!(RECEIPT_RETENTION_MS >= 24 * 60 * 60 * 1000) }
}
