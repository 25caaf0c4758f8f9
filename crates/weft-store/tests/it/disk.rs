//! A full disk, a full queue, a failing statement.

use futures_util::future::join_all;
use weft_store::contract::fixture::{NOW, append, create, events_of, receipt, run_id, scope};
use weft_store::sqlite::{SqliteOptions, SqliteStore};
use weft_store::{Receipt, Store, StoreError, StoreErrorKind, StoreState};

use crate::world::Disk;

/// A full disk refuses writes and nothing else; what was acknowledged stays, and once there is
/// room the store goes on without being opened again.
#[tokio::test]
async fn a_full_disk_passes() {
    let disk = Disk::new();
    let options = SqliteOptions { pages_max: Some(64), ..disk.options() };
    let store = SqliteStore::open(options).expect("the database opens");
    let big = "x".repeat(3000);
    let mut acknowledged = Vec::new();
    let refused = loop {
        let number = acknowledged.len() as u64;
        let mut commit = create(&run_id("acme", number), 2);
        commit.receipt = Some(receipt(scope(number), &big));
        match store.commit(commit).await {
            Ok(committed) => acknowledged.push(committed.run),
            Err(error) => break error,
        }
        assert!(acknowledged.len() < 1000, "the bound has to be met");
    };
    assert_eq!(refused.kind(), StoreErrorKind::Full);
    assert_eq!(store.health().state, StoreState::Full);
    // Nothing of the refused commit is there, and everything acknowledged is.
    let next = acknowledged.len() as u64;
    assert!(store.find_run(&run_id("acme", next)).await.expect("readable").is_none());
    assert_eq!(store.find_receipt(&scope(next)).await.expect("readable"), None);
    for run in &acknowledged {
        assert_eq!(events_of(&store, *run).await.len(), 2);
    }
    let gone = store.purge_receipts(NOW.plus_ms(1)).await.expect("deleting needs no room");
    assert_eq!(gone, acknowledged.len() as u64);
    store.commit(create(&run_id("acme", next), 2)).await.expect("there is room again");
    assert_eq!(store.health().state, StoreState::Ready);
    store.close().await.expect("closed in order");
    let store = disk.open();
    for number in 0..=next {
        assert!(store.find_run(&run_id("acme", number)).await.expect("readable").is_some(), "{number}");
    }
}

/// A queue at its bound answers; it does not grow. Every write that was taken is answered.
#[tokio::test]
async fn a_full_queue_answers_instead_of_growing() {
    let disk = Disk::new();
    let options = SqliteOptions { queue_bytes: 8 * 1024, ..disk.options() };
    let store = SqliteStore::open(options).expect("the database opens");
    // Held from outside, so that the writer cannot take what waits.
    let outside = disk.raw();
    outside.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    let offers: Vec<_> = (0..200).map(|number| store.commit(create(&run_id("acme", number), 2))).collect();
    assert!(store.health().queued_bytes <= 8 * 1024);
    outside.execute_batch("ROLLBACK").expect("given back");
    let answers = join_all(offers).await;
    let refused: Vec<&StoreError> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert!(!refused.is_empty() && refused.len() < answers.len());
    for error in refused {
        assert!(matches!(error, StoreError::Busy { queue: "write" }), "{error}");
        assert_eq!(error.kind(), StoreErrorKind::Transient);
    }
    for (number, answer) in (0..).zip(&answers) {
        let found = store.find_run(&run_id("acme", number)).await.expect("readable");
        assert_eq!(found.is_some(), answer.is_ok());
    }
    assert_eq!(store.health().queued_bytes, 0);
}

/// A write above the bound of one commit is refused by size, however empty the queue is.
#[tokio::test]
async fn an_oversized_commit_is_refused_by_size() {
    let disk = Disk::new();
    let options = SqliteOptions { commit_bytes: 4096, ..disk.options() };
    let store = SqliteStore::open(options).expect("the database opens");
    let large = Receipt { ..receipt(scope(1), &"x".repeat(5000)) };
    let refused = store.put_receipt(large).await.expect_err("too large");
    assert!(matches!(refused, StoreError::TooLarge { limit: 4096, .. }), "{refused}");
    store.put_receipt(receipt(scope(1), "small")).await.expect("small ones are taken");
}

/// A statement that fails in the middle of a group undoes the group once, and then fails the one
/// write that it belongs to.
#[tokio::test]
async fn an_unexpected_failure_is_isolated() {
    let disk = Disk::new();
    let store = disk.open();
    let run = store.commit(create(&run_id("acme", 0), 1)).await.expect("created").run;
    let outside = disk.raw();
    outside
        .execute_batch(
            "CREATE TRIGGER poison BEFORE INSERT ON events WHEN instr(CAST(NEW.body AS TEXT), 'poison') > 0
             BEGIN SELECT abs(-9223372036854775808); END",
        )
        .expect("a trigger");
    // Held from outside until all are queued, so that they meet in one group.
    outside.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    let mut offers: Vec<_> = (1..=9).map(|number| store.commit(create(&run_id("acme", number), 2))).collect();
    offers.insert(5, store.commit(append(run, 0, "poison")));
    outside.execute_batch("ROLLBACK").expect("given back");
    let answers = join_all(offers).await;
    for (at, answer) in answers.iter().enumerate() {
        assert_eq!(answer.is_ok(), at != 5, "{at}: {answer:?}");
    }
    assert!(matches!(answers[5], Err(StoreError::Failed { .. })));
    assert_eq!(events_of(&store, run).await.len(), 1);
    for number in 1..=9 {
        let record = store.find_run(&run_id("acme", number)).await.expect("readable").expect("written");
        assert_eq!(events_of(&store, record.key).await.len(), 2);
    }
    assert_eq!(store.health().state, StoreState::Ready);
}
