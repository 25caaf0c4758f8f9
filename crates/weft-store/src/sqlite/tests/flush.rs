//! A flush that fails (DECISIONS 29).

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::ffi;
use tempfile::TempDir;

use crate::contract::fixture::{append, create, events_of, run_id};
use crate::error::{StoreError, StoreErrorKind};
use crate::sqlite::{SqliteOptions, SqliteStore};
use crate::sqlite::{open, vitals::Vitals, write::Write, writer::Writer};
use crate::status::StoreState;
use crate::store::Store;

fn failure(code: i32) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
}

/// Witnesses R-DUR-01: a failed flush stops the writer for good; what was acknowledged before it
/// is there, what was not is never acknowledged, and reads go on.
#[tokio::test]
async fn a_failed_flush_stops_the_writer_for_good() {
    let folder = TempDir::new().expect("a folder");
    let options = SqliteOptions::at(folder.path().join("weft.db"));
    let commits = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&commits);
    // The third flush fails; every later one would succeed.
    let flush = move || match seen.fetch_add(1, Ordering::SeqCst) {
        2 => Err(failure(ffi::SQLITE_IOERR_FSYNC)),
        _ => Ok(()),
    };
    let store = SqliteStore::open_with(&options, Box::new(flush)).expect("opened");
    let run = store.commit(create(&run_id("acme", 1), 1)).await.expect("the first flush").run;
    store.commit(append(run, 0, "second")).await.expect("the second flush");
    for number in 2..5 {
        let refused = store.commit(create(&run_id("acme", number), 1)).await.expect_err("stopped");
        assert_eq!(refused.kind(), StoreErrorKind::Stopped);
    }
    assert_eq!(commits.load(Ordering::SeqCst), 3, "nothing was tried after the failure");
    assert!(matches!(store.health().state, StoreState::Stopped { .. }));
    assert_eq!(events_of(&store, run).await.len(), 2);
    let closed = store.close().await.expect_err("it did not end in order");
    assert_eq!(closed.kind(), StoreErrorKind::Stopped);
    drop(store);
    let store = SqliteStore::open(options).expect("the next start");
    assert_eq!(events_of(&store, run).await.len(), 2);
    assert!(store.find_run(&run_id("acme", 2)).await.expect("readable").is_none());
    store.commit(create(&run_id("acme", 2), 1)).await.expect("writes again");
}

/// Witnesses R-DUR-01: each commit and each checkpoint is flushed, and no commit stops to move the
/// log.
#[test]
fn connections_are_set_up_to_flush() {
    let folder = TempDir::new().expect("a folder");
    let options = SqliteOptions::at(folder.path().join("weft.db"));
    let number = |conn: &rusqlite::Connection, pragma: &str| -> i64 {
        conn.pragma_query_value(None, pragma, |row| row.get(0)).expect("a value")
    };
    const FULL: i64 = 2;
    let writer = open::writer(&options).expect("opened");
    assert_eq!((number(&writer, "synchronous"), number(&writer, "wal_autocheckpoint")), (FULL, 0));
    let checkpointer = open::checkpointer(&options.path).expect("opened");
    assert_eq!(number(&checkpointer, "synchronous"), FULL);
}

/// A writer with scripted failures, driven by hand as a simulator would.
fn writer(folder: &TempDir, script: Vec<Option<i32>>) -> Writer {
    let conn = open::writer(&SqliteOptions::at(folder.path().join("weft.db"))).expect("opened");
    let mut script = VecDeque::from(script);
    let before_commit = move || script.pop_front().flatten().map_or(Ok(()), |code| Err(failure(code)));
    Writer::new(conn, Arc::new(Vitals::new()), Box::new(before_commit)).expect("a writer")
}

fn creates(numbers: std::ops::Range<u64>) -> Vec<Write> {
    numbers.map(|number| Write::Commit(Box::new(create(&run_id("acme", number), 2)))).collect()
}

#[test]
fn a_failed_group_is_tried_one_by_one() {
    let folder = TempDir::new().expect("a folder");
    // The group of three fails, then the second of the three alone.
    let mut writer = writer(&folder, vec![Some(ffi::SQLITE_BUSY), None, Some(ffi::SQLITE_BUSY), None]);
    let answers = writer.commit_group(&creates(0..3));
    assert_eq!(answers.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    assert!(matches!(answers[1], Err(StoreError::Failed { .. })));
    let again = writer.commit_group(&creates(0..3));
    assert_eq!(again.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn a_full_disk_fails_the_group_and_the_next_group_is_tried() {
    let folder = TempDir::new().expect("a folder");
    let mut writer = writer(&folder, vec![Some(ffi::SQLITE_FULL), None]);
    let answers = writer.commit_group(&creates(0..3));
    assert!(answers.iter().all(|answer| matches!(answer, Err(StoreError::Full))));
    let again = writer.commit_group(&creates(0..3));
    assert!(again.iter().all(Result::is_ok));
}

#[test]
fn a_group_is_one_transaction() {
    let folder = TempDir::new().expect("a folder");
    let conn = open::writer(&SqliteOptions::at(folder.path().join("weft.db"))).expect("opened");
    let vitals = Arc::new(Vitals::new());
    let mut writer = Writer::new(conn, Arc::clone(&vitals), Box::new(|| Ok(()))).expect("a writer");
    writer.commit_group(&creates(0..64));
    let counters = vitals.counters();
    assert_eq!((counters.commits, counters.groups), (64, 1));
    // One row a run and two events, and the tenant once.
    assert_eq!(counters.row_writes, 64 * 3 + 1);
    assert_eq!(counters.statements, 64 * 3 + 2);
}
