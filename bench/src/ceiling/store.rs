//! The raw group-commit loop: the rows of a small run, durable, 64 runs a transaction.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

/// Runs a transaction, as many as there are clients in the paired measure.
const GROUP: usize = 64;

/// Durable runs a second that a bare loop reaches on the disk of `folder`.
pub(crate) fn runs_per_second(folder: &Path, length: Duration) -> anyhow::Result<f64> {
    let mut database = Connection::open(folder.join("ceiling.db"))?;
    database.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 20000;
         CREATE TABLE run (key INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, status INTEGER NOT NULL);
         CREATE TABLE event (pos INTEGER PRIMARY KEY, run INTEGER NOT NULL, seq INTEGER NOT NULL,
                             crc INTEGER NOT NULL, body BLOB NOT NULL, UNIQUE (run, seq));",
    )?;
    let events: Vec<String> = (0..4).map(super::event).collect();
    let (begun, mut runs) = (Instant::now(), 0_i64);
    while begun.elapsed() < length {
        let transaction = database.transaction()?;
        for _ in 0..GROUP {
            runs += 1;
            transaction
                .prepare_cached("INSERT INTO run (key, id, status) VALUES (?1, ?2, 1)")?
                .execute(params![runs, format!("bench/{runs:036}")])?;
            let mut insert =
                transaction.prepare_cached("INSERT INTO event (run, seq, crc, body) VALUES (?1, ?2, ?3, ?4)")?;
            for (sequence, body) in (0_i64..).zip(&events) {
                insert.execute(params![runs, sequence, 1, body.as_bytes()])?;
            }
        }
        transaction.commit()?;
    }
    Ok(runs as f64 / begun.elapsed().as_secs_f64())
}

/// The median time of one small append with its flush, in milliseconds.
pub(crate) fn flush_p50_ms(folder: &Path) -> anyhow::Result<f64> {
    use std::io::Write;
    const APPENDS: usize = 400;
    let mut file = std::fs::File::create(folder.join("flush"))?;
    let mut times = Vec::with_capacity(APPENDS);
    for _ in 0..APPENDS {
        let begun = Instant::now();
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    Ok(crate::report::percentile_ms(&times, 0.5))
}
