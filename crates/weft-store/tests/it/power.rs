//! Power loss and torn writes: the write-ahead log cut or changed at any place.

use std::fs;
use std::path::PathBuf;

use weft_store::contract::fixture::{WHOLE, create, run_id};
use weft_store::sqlite::{SqliteOptions, SqliteStore};
use weft_store::{Store, StoreErrorKind};

use crate::world::Disk;

/// Commits in the trace, each in a transaction of its own.
const COMMITS: u64 = 24;
/// Cuts and changes tried; they are spread evenly over the log.
const CASES: usize = 100;

/// The bytes of a database in the middle of its life, and how long its log was when each commit
/// was acknowledged.
struct Trace {
    main: Vec<u8>,
    log: Vec<u8>,
    acknowledged_at: Vec<usize>,
}

async fn trace() -> Trace {
    let disk = Disk::new();
    let store = disk.open();
    let log = PathBuf::from(format!("{}-wal", disk.path().display()));
    let mut acknowledged_at = Vec::new();
    for number in 0..COMMITS {
        store.commit(create(&run_id("acme", number), 3)).await.expect("created");
        acknowledged_at.push(fs::metadata(&log).expect("the log").len() as usize);
    }
    // Copied while the store is open, as a power loss would leave it.
    Trace { main: fs::read(disk.path()).expect("the file"), log: fs::read(log).expect("the log"), acknowledged_at }
}

impl Trace {
    /// Starts on a changed log; answers how many runs are there. What is there is whole, and is a
    /// prefix of the commits.
    async fn start_on(&self, log: &[u8]) -> u64 {
        let disk = Disk::new();
        fs::write(disk.path(), &self.main).expect("written");
        fs::write(format!("{}-wal", disk.path().display()), log).expect("written");
        // A log that is lost from its first page on takes the schema with it; then the file is a
        // new database.
        let store = SqliteStore::open(SqliteOptions { readers: 1, ..disk.options() }).expect("a sound prefix");
        let mut found = 0;
        for number in 0..COMMITS {
            let record = store.find_run(&run_id("acme", number)).await.expect("readable");
            let Some(record) = record else { continue };
            assert_eq!(number, found, "a later commit without an earlier one");
            let events = store.read_events(record.key, None, WHOLE).await.expect("readable");
            assert_eq!(events.len(), 3);
            found += 1;
        }
        store.commit(create(&run_id("acme", 1000), 1)).await.expect("it goes on");
        found
    }
}

/// Witnesses R-DUR-01: whatever the disk had not been told to keep may be gone, and nothing else.
#[tokio::test]
async fn a_log_cut_anywhere_keeps_what_was_flushed() {
    let trace = trace().await;
    for case in 0..=CASES {
        let cut = trace.log.len() * case / CASES;
        let found = trace.start_on(&trace.log[..cut]).await;
        let flushed = trace.acknowledged_at.iter().filter(|length| **length <= cut).count() as u64;
        assert!(found >= flushed, "{flushed} commits were flushed before byte {cut}, {found} are there");
    }
}

/// Witnesses R-DUR-06: a flipped bit ends the log before the change; it never becomes an answer.
#[tokio::test]
async fn a_log_changed_anywhere_is_read_up_to_the_change() {
    let trace = trace().await;
    for case in 0..CASES {
        let at = trace.log.len() * case / CASES + case % 61;
        let mut log = trace.log.clone();
        let Some(byte) = log.get_mut(at) else { break };
        *byte ^= 1 << (case % 8);
        let found = trace.start_on(&log).await;
        let before = trace.acknowledged_at.iter().filter(|length| **length <= at).count() as u64;
        assert!(found >= before, "{before} commits stand before byte {at}, {found} are there");
    }
}

/// Witnesses R-DUR-06: a flipped bit anywhere in the file gives the right answer, or names the
/// damage; it never panics and never gives another answer.
#[tokio::test]
async fn a_file_changed_anywhere_never_gives_a_wrong_answer() {
    let made = Disk::new();
    let store = made.open();
    for number in 0..COMMITS {
        store.commit(create(&run_id("acme", number), 3)).await.expect("created");
    }
    store.close().await.expect("closed in order");
    let good = fs::read(made.path()).expect("the file");
    for case in 0..CASES {
        let mut bad = good.clone();
        bad[good.len() * case / CASES + case % 61] ^= 1 << (case % 8);
        let disk = Disk::new();
        fs::write(disk.path(), &bad).expect("written");
        let Ok(store) = SqliteStore::open(SqliteOptions { readers: 1, ..disk.options() }) else { continue };
        for number in 0..COMMITS {
            let record = match store.find_run(&run_id("acme", number)).await {
                Ok(Some(record)) => record,
                // An index that lost a name cannot be told from a name that never was.
                Ok(None) => continue,
                Err(error) => {
                    assert!(matches!(error.kind(), StoreErrorKind::Corrupt | StoreErrorKind::Transient), "{error}");
                    continue;
                }
            };
            assert_eq!((record.run_id, record.last_sequence), (run_id("acme", number), 2));
            match store.read_events(record.key, None, WHOLE).await {
                Ok(events) => assert_eq!(events.iter().map(|event| event.sequence).collect::<Vec<_>>(), [0, 1, 2]),
                Err(error) => {
                    assert!(matches!(error.kind(), StoreErrorKind::Corrupt | StoreErrorKind::Transient), "{error}");
                }
            }
        }
    }
}
