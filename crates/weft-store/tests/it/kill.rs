//! `kill -9` in the middle of commits: everything acknowledged is there afterwards.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use weft_store::contract::fixture::{append, create, run_id};
use weft_store::sqlite::{SqliteOptions, SqliteStore};
use weft_store::{RunKey, Store};

use crate::world::Disk;

/// Set for the child only: the database that it writes to.
const DATABASE: &str = "WEFT_STORE_TEST_KILL_DATABASE";
/// Set for the child only: the number of its first run.
const FIRST: &str = "WEFT_STORE_TEST_KILL_FIRST";
/// Commits offered at a time by the child, so that groups of several are cut.
const WIDTH: u64 = 8;

/// In the child: commits until it is killed, and prints the number of each acknowledged run.
/// Started by hand, without its variables, it has nothing to do.
#[tokio::test]
async fn child_of_the_kill_test() {
    let Some(database) = std::env::var_os(DATABASE) else { return };
    let first: u64 = std::env::var(FIRST).expect("set with the database").parse().expect("a number");
    let options = SqliteOptions { checkpoint_pages: 40, ..SqliteOptions::at(Path::new(&database)) };
    let store = SqliteStore::open(options).expect("the database opens");
    for number in (first..).step_by(WIDTH as usize) {
        let offers: Vec<_> =
            (number..number + WIDTH).map(|number| (number, store.commit(create(&run_id("acme", number), 2)))).collect();
        for (number, offer) in offers {
            let run = offer.await.expect("created").run;
            // Written past the test harness, which would keep it back.
            let mut out = std::io::stdout().lock();
            writeln!(out, "ack {number} {}", run.0).and_then(|()| out.flush()).expect("the parent listens");
            drop(out);
            store.commit(append(run, 1, "second")).await.expect("appended");
        }
    }
}

/// Witnesses R-DUR-01, R-DUR-02: kills after a number of acknowledgements, again and again on one
/// database, and reads everything back.
#[tokio::test]
async fn nothing_acknowledged_is_lost_by_a_kill() {
    let disk = Disk::new();
    let mut acknowledged: Vec<(u64, RunKey)> = Vec::new();
    for after in [1, 3, 10, 64, 200] {
        let first = acknowledged.last().map_or(0, |(number, _)| number + 1_000);
        let (mut child, mut lines) = start(&disk, first);
        let killed_at = acknowledged.len() + after;
        let mut line = String::new();
        while lines.read_line(&mut line).expect("readable") > 0 {
            if let Some(ack) = parse(&line) {
                acknowledged.push(ack);
            }
            line.clear();
            if acknowledged.len() == killed_at {
                child.kill().expect("killed");
            }
        }
        child.wait().expect("gone");
        assert!(acknowledged.len() >= killed_at, "the child ended by itself");
        check(&disk, &acknowledged).await;
    }
}

fn start(disk: &Disk, first: u64) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "kill::child_of_the_kill_test", "--nocapture", "--test-threads", "1"])
        .env(DATABASE, disk.path())
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child");
    let lines = BufReader::new(child.stdout.take().expect("piped"));
    (child, lines)
}

/// Reads `ack NUMBER KEY`; the harness prints other lines, and may print in front of one of ours.
fn parse(line: &str) -> Option<(u64, RunKey)> {
    let (_, ack) = line.trim_end().rsplit_once("ack ")?;
    let (number, key) = ack.split_once(' ')?;
    Some((number.parse().ok()?, RunKey(key.parse().ok()?)))
}

async fn check(disk: &Disk, acknowledged: &[(u64, RunKey)]) {
    let store = disk.open();
    for (number, run) in acknowledged {
        let record = store.find_run(&run_id("acme", *number)).await.expect("readable");
        let record = record.unwrap_or_else(|| panic!("run {number} was acknowledged and is gone"));
        assert_eq!(record.key, *run);
        let events = store.read_events(*run, None, weft_store::contract::fixture::WHOLE).await.expect("readable");
        assert_eq!(events.len() as u64, record.last_sequence + 1);
        assert!(events.len() >= 2);
    }
    assert!(store.moving_runs(None, usize::MAX).await.expect("a list").len() >= acknowledged.len());
    let sound: String = disk.raw().query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("readable");
    assert_eq!(sound, "ok");
    assert!(store.health().damage.is_none());
}
