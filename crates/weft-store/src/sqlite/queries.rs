//! The reads, each on a connection of the pool.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Params, Row};
use weft_model::{Digest, EncodedEvent, KeyId, RunId, TenantId, Timestamp};

use super::checksum::Checksum;
use super::rows::{self, KEY_COLUMNS, OUTBOX_COLUMNS, RECEIPT_COLUMNS, RUN_COLUMNS};
use crate::error::StoreError;
use crate::keys::KeyRecord;
use crate::log::{PageLimit, StateSnapshot};
use crate::outbox::OutboxRow;
use crate::receipts::{Receipt, ReceiptScope};
use crate::runs::{RunKey, RunRecord};
use crate::timers::TimerRow;

type Read<T> = Result<T, StoreError>;

const RUNS: &str = "FROM runs r LEFT JOIN tenants t ON t.id = r.tenant";
const KEYS: &str = "FROM api_keys k LEFT JOIN tenants t ON t.id = k.tenant";

/// The run of an id. A damaged row is an error; a name that the index lost altogether cannot be
/// told from one that never was, because only whole pages could carry a checksum for that.
pub(super) fn find_run(conn: &Connection, run_id: &RunId) -> Read<Option<RunRecord>> {
    let sql = format!(
        "SELECT {RUN_COLUMNS} {RUNS} WHERE r.tenant = (SELECT id FROM tenants WHERE name = ?1) AND r.opaque = ?2"
    );
    one(conn, &sql, (run_id.tenant(), run_id.opaque()), rows::run_record)
}

/// A page of a run's log. Every row is checked, and so is that none is missing, at the end of the
/// log too: an index that lost an entry must not look like a shorter log.
pub(super) fn read_events(
    conn: &Connection,
    run: RunKey,
    after: Option<u64>,
    limit: PageLimit,
) -> Read<Vec<EncodedEvent>> {
    let corrupt = |reason: String| StoreError::Corrupt { run: rows::find_run_id(conn, run), reason };
    // Read before the events, which can only grow after it.
    let last: Option<i64> = conn
        .prepare_cached("SELECT last_seq FROM runs WHERE key = ?1")?
        .query_row([run.0], |row| row.get(0))
        .optional()?;
    let Some(last) = last.map(|last| u64::try_from(last).unwrap_or(0)) else { return Ok(Vec::new()) };
    let mut expected = after.map_or(0, |after| after.saturating_add(1));
    let mut select =
        conn.prepare_cached("SELECT seq, crc, body FROM events WHERE run = ?1 AND seq >= ?2 ORDER BY seq")?;
    let mut found = select.query((run.0, i64::try_from(expected).unwrap_or(i64::MAX)))?;
    let (mut page, mut bytes) = (Vec::new(), 0);
    while let Some(row) = found.next().map_err(|error| corrupt_or(&error, corrupt))? {
        let event = rows::event(row, run.0, expected).map_err(corrupt)?;
        if !limit.admits(page.len(), bytes, event.bytes.len()) {
            return Ok(page);
        }
        bytes += event.bytes.len();
        page.push(event);
        expected = expected.saturating_add(1);
        if page.len() >= limit.events {
            return Ok(page);
        }
    }
    if expected <= last {
        return Err(corrupt(format!("event {expected} is missing")));
    }
    Ok(page)
}

/// Damage that the database found by itself while it read a run's rows is named after the run.
fn corrupt_or(error: &rusqlite::Error, corrupt: impl Fn(String) -> StoreError) -> StoreError {
    match super::fate::store_error(error) {
        StoreError::Corrupt { reason, .. } => corrupt(reason),
        other => other,
    }
}

pub(super) fn list_runs(
    conn: &Connection,
    tenant: &TenantId,
    before: Option<RunKey>,
    limit: usize,
) -> Read<Vec<RunRecord>> {
    let sql = format!(
        "SELECT {RUN_COLUMNS} {RUNS} WHERE r.tenant = (SELECT id FROM tenants WHERE name = ?1) AND r.key < ?2
         ORDER BY r.key DESC"
    );
    good(conn, &sql, (tenant.as_str(), before.map_or(i64::MAX, |key| key.0)), limit, rows::run_record)
}

pub(super) fn moving_runs(conn: &Connection, after: Option<RunKey>, limit: usize) -> Read<Vec<RunRecord>> {
    let sql = format!("SELECT {RUN_COLUMNS} {RUNS} WHERE r.moving = 1 AND r.key > ?1 ORDER BY r.key");
    good(conn, &sql, [after.map_or(i64::MIN, |key| key.0)], limit, rows::run_record)
}

pub(super) fn due_timers(conn: &Connection, up_to: Timestamp, limit: usize) -> Read<Vec<TimerRow>> {
    let sql = "SELECT d.run, d.id, d.due, t.name, r.opaque FROM timers d
        LEFT JOIN runs r ON r.key = d.run LEFT JOIN tenants t ON t.id = r.tenant
        WHERE d.due <= ?1 ORDER BY d.due, d.run, d.id";
    good(conn, sql, [up_to.as_micros()], limit, |row| {
        let run: i64 = row.get(0)?;
        let due = Timestamp::from_micros(row.get(2)?);
        Ok(TimerRow { run: RunKey(run), run_id: rows::run_id(row, 3, 4, run)?, id: row.get(1)?, due })
    })
}

/// The due time of the first timer that [`due_timers`] would answer. A timer of a run that has no
/// readable id is no timer here either, or whoever waits for it would never wait.
pub(super) fn next_timer(conn: &Connection) -> Read<Option<Timestamp>> {
    Ok(due_timers(conn, Timestamp::MAX, 1)?.first().map(|timer| timer.due))
}

pub(super) fn load_snapshot(conn: &Connection, run: RunKey) -> Read<Option<StateSnapshot>> {
    one(conn, "SELECT seq, bytes FROM state_snapshots WHERE run = ?1", [run.0], |row| {
        let sequence = u64::try_from(row.get::<_, i64>(0)?).unwrap_or(u64::MAX);
        Ok(StateSnapshot { sequence, bytes: Bytes::from(row.get::<_, Vec<u8>>(1)?) })
    })
}

pub(super) fn get_definition(conn: &Connection, digest: &Digest) -> Read<Option<Bytes>> {
    one(conn, "SELECT body, crc FROM definitions WHERE digest = ?1", [digest.as_bytes()], |row| {
        let body: Vec<u8> = row.get(0)?;
        if Checksum::new().bytes(digest.as_bytes()).bytes(&body).column() != row.get::<_, i64>(1)? {
            let reason = format!("definition {digest} does not match its checksum");
            return Err(StoreError::Corrupt { run: None, reason });
        }
        Ok(Bytes::from(body))
    })
}

pub(super) fn find_receipt(conn: &Connection, scope: &ReceiptScope) -> Read<Option<Receipt>> {
    let sql = format!("SELECT {RECEIPT_COLUMNS} FROM receipts WHERE scope = ?1");
    one(conn, &sql, [scope.0], rows::receipt)
}

pub(super) fn find_key(conn: &Connection, key_id: &KeyId) -> Read<Option<KeyRecord>> {
    let sql = format!("SELECT {KEY_COLUMNS} {KEYS} WHERE k.key_id = ?1");
    one(conn, &sql, [key_id.as_str()], |row| rows::key_record(row).map(|(key, _)| key))
}

pub(super) fn list_keys(conn: &Connection, tenant: Option<&TenantId>) -> Read<Vec<KeyRecord>> {
    let sql = format!("SELECT {KEY_COLUMNS} {KEYS} WHERE ?1 IS NULL OR t.name = ?1 ORDER BY k.id");
    good(conn, &sql, [tenant.map(TenantId::as_str)], usize::MAX, |row| rows::key_record(row).map(|(key, _)| key))
}

pub(super) fn due_outbox(conn: &Connection, up_to: Timestamp, limit: usize) -> Read<Vec<OutboxRow>> {
    let sql = format!("SELECT {OUTBOX_COLUMNS} FROM outbox WHERE due <= ?1 ORDER BY due, id");
    good(conn, &sql, [up_to.as_micros()], limit, rows::outbox_row)
}

/// The row that a query finds, if there is one.
fn one<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Read<T>,
) -> Read<Option<T>> {
    let mut select = conn.prepare_cached(sql)?;
    let mut found = select.query(params)?;
    found.next()?.map(read).transpose()
}

/// The first `limit` good rows of a query. A damaged row is reported and passed over, because
/// one run's damage must not hide the others (DECISIONS 30); reading that run by its id fails.
fn good<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    limit: usize,
    read: impl Fn(&Row<'_>) -> Read<T>,
) -> Read<Vec<T>> {
    let mut select = conn.prepare_cached(sql)?;
    let mut found = select.query(params)?;
    let mut page = Vec::new();
    while page.len() < limit {
        let Some(row) = found.next()? else { break };
        match read(row) {
            Ok(value) => page.push(value),
            Err(error) => tracing::error!(%error, "a damaged row is left out of a list"),
        }
    }
    Ok(page)
}
