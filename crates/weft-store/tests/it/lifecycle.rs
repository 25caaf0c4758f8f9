//! Opening, closing, and what survives between.

use std::sync::Arc;

use futures_util::future::join_all;
use weft_store::contract::fixture::{append, create, events_of, run_id};
use weft_store::sqlite::{OpenError, SqliteOptions, SqliteStore};
use weft_store::{Store, StoreError, StoreErrorKind, StoreState};

use crate::world::Disk;

/// A database of a later build is refused by the name of its schema, and left as it is.
#[test]
fn a_newer_schema_is_refused_by_name() {
    let disk = Disk::new();
    drop(disk.open());
    disk.raw()
        .execute("INSERT INTO migrations (version, name, checksum) VALUES (9000, '9000_from_the_future', 'x')", [])
        .expect("a later build was here");
    let refused = SqliteStore::open(disk.options()).err().expect("refused");
    assert!(matches!(refused, OpenError::Schema { .. }));
    let text = std::error::Error::source(&refused).expect("a cause").to_string();
    assert!(text.contains("9000_from_the_future") && text.contains("0001_initial"), "{text}");
}

/// A migration whose text is not the one that made the database is refused by name.
#[test]
fn a_changed_migration_is_refused_by_name() {
    let disk = Disk::new();
    drop(disk.open());
    disk.raw().execute("UPDATE migrations SET checksum = 'other' WHERE version = 1", []).expect("changed");
    let refused = SqliteStore::open(disk.options()).err().expect("refused");
    assert!(refused.to_string().contains("migration 0001_initial"), "{refused}");
}

/// Another program's database is not taken over.
#[test]
fn a_foreign_database_is_refused() {
    let disk = Disk::new();
    disk.raw().execute_batch("CREATE TABLE theirs (a)").expect("a foreign table");
    let refused = SqliteStore::open(disk.options()).err().expect("refused");
    assert!(matches!(refused, OpenError::Foreign { .. }));
    let tables: i64 =
        disk.raw().query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).expect("readable");
    assert_eq!(tables, 1);
}

/// Closing writes what waits, moves the log into the file, and refuses what comes later.
#[tokio::test]
async fn closing_finishes_what_was_offered() {
    let disk = Disk::new();
    let store = disk.open();
    let offers: Vec<_> = (0..50).map(|number| store.commit(create(&run_id("acme", number), 2))).collect();
    store.close().await.expect("closed in order");
    assert!(join_all(offers).await.iter().all(Result::is_ok));
    store.close().await.expect("closing twice is harmless");
    let late = store.commit(create(&run_id("acme", 99), 1)).await.expect_err("closed");
    assert_eq!(late.kind(), StoreErrorKind::Stopped);
    let late = store.find_run(&run_id("acme", 1)).await.expect_err("closed");
    assert!(matches!(late, StoreError::Stopped { .. }));
    assert!(matches!(store.health().state, StoreState::Stopped { .. }));
    let log = format!("{}-wal", disk.path().display());
    assert_eq!(std::fs::metadata(log).map_or(0, |log| log.len()), 0);
}

/// A read never waits for the writer, however long a write takes.
#[tokio::test]
async fn reads_do_not_wait_for_the_writer() {
    let disk = Disk::new();
    let store = disk.open();
    let run = store.commit(create(&run_id("acme", 0), 2)).await.expect("created").run;
    // Held from outside, so that the writer is stuck in its transaction.
    let outside = disk.raw();
    outside.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
    let stuck = store.commit(append(run, 1, "later"));
    for _ in 0..20 {
        assert_eq!(events_of(&store, run).await.len(), 2);
        assert!(store.find_run(&run_id("acme", 0)).await.expect("readable").is_some());
    }
    outside.execute_batch("ROLLBACK").expect("given back");
    stuck.await.expect("written in the end");
    assert_eq!(events_of(&store, run).await.len(), 3);
}

/// The log is moved into the file while the writer goes on, and starts over.
#[tokio::test]
async fn the_log_is_moved_beside_the_writer() {
    let disk = Disk::new();
    let options = SqliteOptions { checkpoint_pages: 20, ..disk.options() };
    let store = Arc::new(SqliteStore::open(options).expect("the database opens"));
    let run = store.commit(create(&run_id("acme", 0), 1)).await.expect("created").run;
    for last in 0..300 {
        store.commit(append(run, last, "next")).await.expect("appended");
    }
    // Without a checkpoint every one of the commits would have left at least three pages in the log:
    // of the runs, of the events and of their index.
    let log = std::fs::metadata(format!("{}-wal", disk.path().display())).expect("the log").len();
    assert!(log < 300 * 2 * 4096, "{log}");
    assert_eq!(events_of(&*store, run).await.len(), 301);
}

/// Every index that a start or a scan relies on is used: none of them reads a whole table.
#[test]
fn scans_of_a_start_use_their_indexes() {
    let disk = Disk::new();
    drop(disk.open());
    let raw = disk.raw();
    for (sql, index) in [
        ("SELECT coalesce(max(key), 0) FROM runs", "SEARCH runs"),
        ("SELECT key FROM runs r WHERE r.moving = 1 AND r.key > 5 ORDER BY r.key", "runs_moving"),
        ("SELECT key, opaque FROM runs WHERE tenant = 1 AND key < 9 ORDER BY key DESC", "runs_of_tenant"),
        ("SELECT min(due) FROM timers", "timers_due"),
        ("SELECT id FROM timers WHERE due <= 5 ORDER BY due, run, id", "timers_due"),
        ("SELECT seq, crc, body FROM events WHERE run = 1 AND seq >= 5 ORDER BY seq", "sqlite_autoindex_events_1"),
    ] {
        let plan: Vec<String> = raw
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .expect("a plan")
            .query_map([], |row| row.get(3))
            .expect("a plan")
            .collect::<Result<_, _>>()
            .expect("a plan");
        assert!(plan[0].contains(index), "{sql}: {plan:?}");
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{sql}: {plan:?}");
    }
}
