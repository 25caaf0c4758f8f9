//! Flipped bytes: the run they belong to fails by name, and no other.

use std::fs;

use weft_model::{Digest, ScopeSet, TenantId};
use weft_store::contract::fixture::{NOW, WHOLE, append, create, events_of, receipt, run_id, scope};
use weft_store::sqlite::SqliteStore;
use weft_store::{KeyRecord, RunKey, Store, StoreError, StoreErrorKind, TimerWrite};

use crate::world::Disk;

/// Three runs with three events each, closed in order.
async fn three_runs(disk: &Disk) -> Vec<RunKey> {
    let store = disk.open();
    let mut keys = Vec::new();
    for number in 0..3 {
        keys.push(store.commit(create(&run_id("acme", number), 3)).await.expect("created").run);
    }
    store.close().await.expect("closed in order");
    keys
}

async fn assert_only_the_second_is_damaged(store: &SqliteStore, keys: &[RunKey]) {
    let error = store.read_events(keys[1], None, WHOLE).await.expect_err("damaged");
    assert!(matches!(&error, StoreError::Corrupt { run: Some(run), .. } if *run == run_id("acme", 1)), "{error}");
    assert!(error.to_string().contains(run_id("acme", 1).as_str()));
    for sound in [keys[0], keys[2]] {
        assert_eq!(events_of(store, sound).await.len(), 3);
        store.commit(append(sound, 2, "goes on")).await.expect("a sound run goes on");
    }
    assert!(store.health().damage.expect("noted").contains(run_id("acme", 1).as_str()));
}

/// Witnesses R-DUR-06, R-EVT-107: a row changed in place, in each of its columns, fails the read.
#[tokio::test]
async fn a_changed_event_row_fails_its_run_by_name() {
    for change in [
        "body = replace(body, 'born', 'bore')",
        "body = CAST('' AS BLOB)",
        "body = 17",
        "crc = crc + 1",
        "crc = NULL",
        "seq = 7",
        "seq = 'x'",
        "run = 77",
    ] {
        let disk = Disk::new();
        let keys = three_runs(&disk).await;
        let raw = disk.raw();
        raw.execute_batch("PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON;").expect("set");
        let sql = format!("UPDATE OR IGNORE events SET {change} WHERE run = {} AND seq = 1", keys[1].0);
        // A column that refuses to be empty is emptied by way of the body.
        if raw.execute(&sql, []).unwrap_or(0) == 0 {
            raw.execute("UPDATE events SET body = x'00' WHERE run = ?1 AND seq = 1", [keys[1].0]).expect("changed");
        }
        drop(raw);
        let store = disk.open();
        assert_only_the_second_is_damaged(&store, &keys).await;
    }
}

/// Witnesses R-DUR-06: a missing row, also at the end of a log, is no shorter log.
#[tokio::test]
async fn a_missing_event_row_fails_its_run_by_name() {
    for seq in 0..3 {
        let disk = Disk::new();
        let keys = three_runs(&disk).await;
        disk.raw().execute("DELETE FROM events WHERE run = ?1 AND seq = ?2", (keys[1].0, seq)).expect("deleted");
        let store = disk.open();
        assert_only_the_second_is_damaged(&store, &keys).await;
    }
}

/// Witnesses R-DUR-06: a byte flipped in the file itself.
#[tokio::test]
async fn a_byte_flipped_in_the_file_fails_its_run_by_name() {
    let disk = Disk::new();
    let store = disk.open();
    let mut keys = Vec::new();
    for (number, mark) in ["first-mark", "second-mark", "third-mark"].into_iter().enumerate() {
        let run = store.commit(create(&run_id("acme", number as u64), 2)).await.expect("created").run;
        store.commit(append(run, 1, mark)).await.expect("appended");
        keys.push(run);
    }
    store.close().await.expect("closed in order");
    let mut bytes = fs::read(disk.path()).expect("the file");
    let at = bytes.windows(11).position(|window| window == b"second-mark").expect("the log is in the file");
    bytes[at] ^= 0x01;
    fs::write(disk.path(), bytes).expect("written back");
    let store = disk.open();
    assert_only_the_second_is_damaged(&store, &keys).await;
}

/// Witnesses R-DUR-06: a damaged index row fails its run and stays out of lists.
#[tokio::test]
async fn a_changed_run_row_fails_its_run_and_leaves_lists_whole() {
    for change in [
        "status = 6",
        "status = 99",
        "last_seq = 1",
        "last_seq = -1",
        "moving = 0",
        "workflow = 'another'",
        "definition = x'00'",
        "created_at = created_at + 1",
        "updated_at = 'then'",
    ] {
        let disk = Disk::new();
        let keys = three_runs(&disk).await;
        disk.raw().execute(&format!("UPDATE runs SET {change} WHERE key = {}", keys[1].0), []).expect("changed");
        let store = disk.open();
        let error = store.find_run(&run_id("acme", 1)).await.expect_err(change);
        assert!(matches!(&error, StoreError::Corrupt { run: Some(run), .. } if *run == run_id("acme", 1)), "{error}");
        let tenant = TenantId::parse("acme").expect("a tenant");
        let listed = store.list_runs(&tenant, None, 2).await.expect("a list");
        assert_eq!(listed.iter().map(|run| run.key).collect::<Vec<_>>(), [keys[2], keys[0]], "{change}");
        let moving = store.moving_runs(None, 2).await.expect("a list");
        assert_eq!(moving.iter().map(|run| run.key).collect::<Vec<_>>(), [keys[0], keys[2]], "{change}");
    }
}

/// A timer of a run without a readable id does not hold up the timers behind it, nor the wait for
/// the next one.
#[tokio::test]
async fn timers_of_a_nameless_run_are_passed_over() {
    let disk = Disk::new();
    let store = disk.open();
    let mut keys = Vec::new();
    for number in 0..2 {
        let mut commit = create(&run_id("acme", number), 1);
        commit.timers = vec![TimerWrite::Set { id: "sleep".to_owned(), due: NOW.plus_ms(number) }];
        keys.push(store.commit(commit).await.expect("created").run);
    }
    disk.raw().execute("UPDATE runs SET opaque = 'a b' WHERE key = ?1", [keys[0].0]).expect("changed");
    assert_eq!(store.next_timer().await.expect("readable"), Some(NOW.plus_ms(1)));
    let due = store.due_timers(NOW.plus_ms(1), 1).await.expect("a list");
    assert_eq!(due.iter().map(|timer| timer.run).collect::<Vec<_>>(), [keys[1]]);
}

/// Witnesses R-DUR-06: receipts, definitions and keys are checked as well, before anybody acts on
/// them.
#[tokio::test]
async fn other_changed_rows_fail_their_reads() {
    let disk = Disk::new();
    let store = disk.open();
    store.put_receipt(receipt(scope(1), "body")).await.expect("kept");
    let digest = Digest::of(b"definition");
    store.put_definition(digest, "{}".into()).await.expect("kept");
    let key = KeyRecord {
        key_id: "k1".parse().expect("a key id"),
        secret_sha256: [7; 32],
        tenant: "acme".parse().expect("a tenant"),
        subject: "alice".parse().expect("a subject"),
        scopes: ScopeSet::EMPTY,
        created_at: NOW,
        expires_at: Some(NOW),
        revoked_at: None,
        origin: None,
    };
    store.put_key(key.clone()).await.expect("kept");
    disk.raw()
        .execute_batch(
            "UPDATE receipts SET status = 200; UPDATE definitions SET body = CAST('[]' AS BLOB);
             UPDATE api_keys SET expires_at = NULL",
        )
        .expect("changed");
    let receipt = store.find_receipt(&scope(1)).await.expect_err("damaged");
    let definition = store.get_definition(&digest).await.expect_err("damaged");
    let found = store.find_key(&key.key_id).await.expect_err("damaged");
    let revoked = store.revoke_key(&key.key_id, NOW).await.expect_err("damaged");
    for error in [receipt, definition, found, revoked] {
        assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
    }
}

/// A file that is damaged as a database, or is none, is named as such: on opening, or in the
/// answer that meets the damage. Nothing panics and nothing is made up.
#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let disk = Disk::new();
    fs::write(disk.path(), "this is a text and not a database, and it is long enough to be looked at".repeat(40))
        .expect("written");
    let error = SqliteStore::open(disk.options()).err().expect("refused");
    assert!(error.to_string().contains("not a database"), "{error}");
}

/// Cutting the file or overwriting a page gives a sound prefix, or an error that says damage.
#[tokio::test]
async fn a_cut_or_overwritten_file_never_gives_a_wrong_answer() {
    let disk = Disk::new();
    three_runs(&disk).await;
    let good = fs::read(disk.path()).expect("the file");
    for page in 1..good.len() / 4096 {
        let mut bad = good.clone();
        bad[page * 4096..(page + 1) * 4096].fill(0xa5);
        answers_or_names_damage(&disk, &bad).await;
        answers_or_names_damage(&disk, &good[..page * 4096 + 100]).await;
    }
}

async fn answers_or_names_damage(disk: &Disk, bytes: &[u8]) {
    for side in ["-wal", "-shm"] {
        let path = format!("{}{side}", disk.path().display());
        if fs::exists(&path).expect("looked at") {
            fs::remove_file(&path).expect("removed");
        }
    }
    fs::write(disk.path(), bytes).expect("written");
    let Ok(store) = SqliteStore::open(disk.options()) else { return };
    for number in 0..3 {
        let Ok(Some(record)) = store.find_run(&run_id("acme", number)).await else { continue };
        assert_eq!(record.last_sequence, 2);
        match store.read_events(record.key, None, WHOLE).await {
            Ok(events) => assert_eq!(events.len(), 3),
            Err(error) => assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}"),
        }
    }
}
