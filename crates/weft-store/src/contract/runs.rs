//! Rules of the index of runs.

use futures_util::future::join_all;
use weft_model::{RunStatus, TenantId, Timestamp};

use super::Backend;
use super::fixture::{NOW, append, bare, create, event, events_of, moving, new_run, run_id};
use crate::error::{Conflict, StoreError};
use crate::log::RunChange;
use crate::runs::{RunIndex, RunKey};

/// A created run is found by its id, as it was created, also after another start.
pub async fn a_created_run_is_found_after_a_restart(backend: &dyn Backend) {
    let store = backend.open().await;
    let id = run_id("acme", 1);
    let new = new_run(&id);
    let run = store.commit(create(&id, 2)).await.expect("created").run;
    let log = events_of(&*store, run).await;
    drop(store);
    let store = backend.open().await;
    let record = store.find_run(&id).await.expect("readable").expect("there");
    assert_eq!((record.key, &record.run_id, record.last_sequence), (run, &id, 1));
    assert_eq!((record.workflow_id, record.definition), (new.workflow_id, new.definition));
    assert_eq!((record.status, record.moving), (RunStatus::Running, true));
    assert_eq!((record.created_at, record.updated_at), (NOW, NOW));
    assert_eq!(events_of(&*store, run).await, log);
}

/// A run id is taken once, and a taken one changes nothing.
pub async fn a_run_id_is_taken_once(backend: &dyn Backend) {
    let store = backend.open().await;
    let id = run_id("acme", 1);
    let answers = join_all((0..8).map(|_| store.commit(create(&id, 2)))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    let refused = store.commit(create(&id, 5)).await.expect_err("taken");
    assert!(matches!(refused, StoreError::Conflict(Conflict::RunExists)), "{refused}");
    let record = store.find_run(&id).await.expect("readable").expect("there");
    assert_eq!(record.last_sequence, 1);
    assert_eq!(events_of(&*store, record.key).await.len(), 2);
}

/// The same opaque part under another tenant is another run, and lists keep tenants apart.
pub async fn tenants_are_kept_apart(backend: &dyn Backend) {
    let store = backend.open().await;
    store.commit(create(&run_id("acme", 1), 1)).await.expect("created");
    store.commit(create(&run_id("acme2", 1), 1)).await.expect("created");
    for tenant in ["acme", "acme2"] {
        let tenant_id = TenantId::parse(tenant).expect("a tenant");
        let runs = store.list_runs(&tenant_id, None, 10).await.expect("a list");
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].run_id, run_id(tenant, 1));
    }
    let nobody = TenantId::parse("nobody").expect("a tenant");
    assert!(store.list_runs(&nobody, None, 10).await.expect("a list").is_empty());
    assert!(store.find_run(&run_id("nobody", 1)).await.expect("readable").is_none());
}

/// Lists are newest first and continue behind the last run of the page before.
pub async fn lists_are_newest_first(backend: &dyn Backend) {
    let store = backend.open().await;
    let tenant = TenantId::parse("acme").expect("a tenant");
    let mut keys = Vec::new();
    for number in 0..7 {
        keys.push(store.commit(create(&run_id("acme", number), 1)).await.expect("created").run);
        store.commit(create(&run_id("other", number), 1)).await.expect("a neighbour");
    }
    assert!(keys.is_sorted());
    keys.reverse();
    let (mut before, mut seen) = (None, Vec::new());
    loop {
        let page = store.list_runs(&tenant, before, 3).await.expect("a page");
        let Some(last) = page.last() else { break };
        before = Some(last.key);
        seen.extend(page.iter().map(|run| run.key));
    }
    assert_eq!(seen, keys);
}

/// Exactly the runs marked as moving are found by recovery, also after another start.
pub async fn moving_runs_are_found_after_a_restart(backend: &dyn Backend) {
    let store = backend.open().await;
    let mut keys = Vec::new();
    for number in 0..5 {
        keys.push(store.commit(create(&run_id("acme", number), 1)).await.expect("created").run);
    }
    let index = RunIndex { status: RunStatus::WaitingApproval, moving: false, updated_at: NOW.plus_ms(1) };
    let rest = RunChange::Append { run: keys[1], expect_last: 0, index };
    store.commit(bare(rest, vec![event(1, "rest")])).await.expect("at rest");
    let mut ended = create(&run_id("acme", 9), 1);
    ended.run = RunChange::Create(crate::runs::NewRun { index: moving(false), ..new_run(&run_id("acme", 9)) });
    store.commit(ended).await.expect("created");
    drop(store);
    let store = backend.open().await;
    let all = store.moving_runs(None, 10).await.expect("a list");
    assert_eq!(all.iter().map(|run| run.key).collect::<Vec<_>>(), [keys[0], keys[2], keys[3], keys[4]]);
    let next = store.moving_runs(Some(keys[0]), 2).await.expect("a list");
    assert_eq!(next.iter().map(|run| run.key).collect::<Vec<_>>(), [keys[2], keys[3]]);
    let rested = store.find_run(&run_id("acme", 1)).await.expect("readable").expect("there");
    assert_eq!((rested.status, rested.updated_at), (RunStatus::WaitingApproval, NOW.plus_ms(1)));
    let again = RunChange::Append { run: keys[1], expect_last: 1, index: moving(true) };
    store.commit(bare(again, vec![event(2, "again")])).await.expect("moving again");
    assert_eq!(store.moving_runs(None, 10).await.expect("a list").len(), 5);
}

/// Every status is stored and read back.
pub async fn every_status_survives(backend: &dyn Backend) {
    let store = backend.open().await;
    let id = run_id("acme", 1);
    let run = store.commit(create(&id, 1)).await.expect("created").run;
    for (last, status) in (0..).zip(RunStatus::ALL) {
        let mut change = append(run, last, "status");
        let index = RunIndex { status, moving: false, updated_at: Timestamp::from_micros(-1) };
        change.run = RunChange::Append { run, expect_last: last, index };
        store.commit(change).await.expect("appended");
        let record = store.find_run(&id).await.expect("readable").expect("there");
        assert_eq!((record.status, record.updated_at), (status, Timestamp::from_micros(-1)));
    }
}

/// Keys grow with every run and are not used again after another start.
pub async fn run_keys_grow_over_restarts(backend: &dyn Backend) {
    let mut last = RunKey(i64::MIN);
    for number in 0..3 {
        let store = backend.open().await;
        let run = store.commit(create(&run_id("acme", number), 1)).await.expect("created").run;
        assert!(run > last);
        last = run;
    }
}
