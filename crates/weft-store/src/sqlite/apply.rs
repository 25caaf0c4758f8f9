//! One write inside the group's transaction.
//!
//! Everything that a write can conflict in is judged before its first row, so a conflict leaves
//! nothing behind and its neighbours in the group never notice it (ARCHITECTURE.md, sentence 9).

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};
use weft_model::{KeyId, TenantId, Timestamp};

use super::checksum::{self, Checksum};
use super::rows;
use super::statements::Statements;
use super::write::{PURGE_SLICE, Write, Written};
use crate::error::{Conflict, StoreError};
use crate::keys::KeyRecord;
use crate::log::{Commit, RunChange};
use crate::outbox::{Settlement, SettlementKind};
use crate::receipts::Receipt;
use crate::runs::{NewRun, RunIndex, RunKey};
use crate::timers::TimerWrite;

/// A judgement of the write inside, or a failure of the database outside. Only the second kind
/// undoes the group.
pub(super) type Judged<T> = rusqlite::Result<Result<T, StoreError>>;

/// Tenants whose numbers are remembered; far more than move at a time.
const TENANTS_KEPT: usize = 10_000;

/// What the writer knows without asking the database. It belongs to the transaction: when one is
/// undone the memo is read anew.
pub(super) struct Memo {
    last_run: i64,
    tenants: HashMap<TenantId, i64>,
}

impl Memo {
    /// Reads what has to be known. Costs the same for any number of runs: the last key is the
    /// end of a tree.
    pub(super) fn load(conn: &Connection) -> rusqlite::Result<Memo> {
        let last_run = conn.query_row("SELECT coalesce(max(key), 0) FROM runs", [], |row| row.get(0))?;
        Ok(Memo { last_run, tenants: HashMap::new() })
    }

    /// The number of a tenant, given when the tenant is first seen.
    fn tenant(&mut self, statements: &Statements<'_>, tenant: &str) -> rusqlite::Result<i64> {
        if let Some(number) = self.tenants.get(tenant) {
            return Ok(*number);
        }
        let known = statements
            .other("SELECT id FROM tenants WHERE name = ?1")?
            .query_row([tenant], |row| row.get(0))
            .optional()?;
        let number = match known {
            Some(number) => number,
            None => statements.other("INSERT INTO tenants (name) VALUES (?1)")?.insert([tenant])?,
        };
        if self.tenants.len() >= TENANTS_KEPT {
            self.tenants.clear();
        }
        let tenant = TenantId::parse(tenant).expect("a tenant's name was parsed before it came here");
        self.tenants.insert(tenant, number);
        Ok(number)
    }
}

/// Applies one write.
pub(super) fn apply(statements: &mut Statements<'_>, memo: &mut Memo, write: &Write) -> Judged<Written> {
    match write {
        Write::Commit(commit) => apply_commit(statements, memo, commit),
        Write::PutDefinition { digest, bytes } => {
            let crc = Checksum::new().bytes(digest.as_bytes()).bytes(bytes).column();
            let mut insert = statements
                .other("INSERT INTO definitions (digest, body, crc) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?;
            insert.execute((digest.as_bytes(), bytes.as_ref(), crc))?;
            Ok(Ok(Written::Done))
        }
        Write::PutReceipt(receipt) => {
            if has_receipt(statements, receipt)? {
                return Ok(Err(Conflict::ReceiptExists.into()));
            }
            insert_receipt(statements, receipt)?;
            Ok(Ok(Written::Done))
        }
        Write::PurgeReceipts { before } => purge(statements, *before).map(|gone| Ok(Written::Count(gone))),
        Write::PutKey(key) => put_key(statements, memo, key),
        Write::RevokeKey { key_id, at } => revoke_key(statements, key_id, *at),
        Write::SettleOutbox(settlements) => {
            settlements.iter().try_for_each(|settlement| settle(statements, settlement))?;
            Ok(Ok(Written::Done))
        }
    }
}

fn apply_commit(statements: &mut Statements<'_>, memo: &mut Memo, commit: &Commit) -> Judged<Written> {
    let last = match commit.next_last() {
        Ok(last) => column(last),
        Err(conflict) => return Ok(Err(conflict.into())),
    };
    if let Some(receipt) = &commit.receipt
        && has_receipt(statements, receipt)?
    {
        return Ok(Err(Conflict::ReceiptExists.into()));
    }
    // The run's row decides the rest: when it is not written, nothing has been.
    let run = match &commit.run {
        RunChange::Create(new) => create(statements, memo, new, last)?,
        RunChange::Append { run, expect_last, index } => append(statements, *run, *expect_last, last, index)?,
    };
    let run = match run {
        Ok(run) => run,
        Err(conflict) => return Ok(Err(conflict.into())),
    };
    for event in &commit.events {
        let (seq, body) = (column(event.sequence), event.bytes.as_ref());
        statements.count();
        statements.insert_event.execute((run.0, seq, checksum::event(run.0, seq, body), body))?;
    }
    for timer in &commit.timers {
        statements.count();
        match timer {
            TimerWrite::Set { id, due } => statements.set_timer.execute((run.0, id, due.as_micros()))?,
            TimerWrite::Clear { id } => statements.clear_timer.execute((run.0, id))?,
        };
    }
    if let Some(receipt) = &commit.receipt {
        insert_receipt(statements, receipt)?;
    }
    apply_rare(statements, run, commit)?;
    Ok(Ok(Written::Run(run)))
}

fn create(
    statements: &mut Statements<'_>,
    memo: &mut Memo,
    new: &NewRun,
    last: i64,
) -> rusqlite::Result<Result<RunKey, Conflict>> {
    let tenant = memo.tenant(statements, new.run_id.tenant())?;
    let key = memo.last_run + 1;
    let index = &new.index;
    statements.count();
    let written = statements.insert_run.execute((
        key,
        tenant,
        new.run_id.opaque(),
        new.workflow_id.as_str(),
        new.definition.as_bytes(),
        new.created_at.as_micros(),
        rows::born_checksum(key, tenant, new),
        rows::status_number(index.status),
        index.moving,
        last,
        index.updated_at.as_micros(),
        rows::head_checksum(key, last, index),
    ))?;
    if written == 0 {
        return Ok(Err(Conflict::RunExists));
    }
    memo.last_run = key;
    Ok(Ok(RunKey(key)))
}

/// Moves the run's row on, if it is where the commit expects it: one statement judges and writes.
fn append(
    statements: &mut Statements<'_>,
    run: RunKey,
    expect_last: u64,
    last: i64,
    index: &RunIndex,
) -> rusqlite::Result<Result<RunKey, Conflict>> {
    statements.count();
    let written = statements.update_run.execute((
        rows::status_number(index.status),
        index.moving,
        last,
        index.updated_at.as_micros(),
        rows::head_checksum(run.0, last, index),
        run.0,
        column(expect_last),
    ))?;
    if written > 0 {
        return Ok(Ok(run));
    }
    let found: Option<i64> = statements
        .other("SELECT last_seq FROM runs WHERE key = ?1")?
        .query_row([run.0], |row| row.get(0))
        .optional()?;
    Ok(Err(match found {
        None => Conflict::NoSuchRun,
        Some(found) => Conflict::Moved { expected: expect_last, found: found.unsigned_abs() },
    }))
}

/// The parts of a commit that most commits do not have.
fn apply_rare(statements: &Statements<'_>, run: RunKey, commit: &Commit) -> rusqlite::Result<()> {
    if let Some(snapshot) = &commit.snapshot {
        let mut keep = statements.other(
            "INSERT INTO state_snapshots (run, seq, bytes) VALUES (?1, ?2, ?3)
             ON CONFLICT (run) DO UPDATE SET seq = excluded.seq, bytes = excluded.bytes",
        )?;
        keep.execute((run.0, column(snapshot.sequence), snapshot.bytes.as_ref()))?;
    }
    for message in &commit.outbox {
        let mut post = statements
            .other("INSERT INTO outbox (run, topic, attempts, due, payload, crc) VALUES (?1, ?2, 0, ?3, ?4, ?5)")?;
        let crc = rows::message_checksum(run, message);
        post.execute((run.0, &message.topic, message.due.as_micros(), message.payload.as_ref(), crc))?;
    }
    Ok(())
}

fn has_receipt(statements: &mut Statements<'_>, receipt: &Receipt) -> rusqlite::Result<bool> {
    statements.count();
    statements.find_receipt.exists([receipt.scope.0])
}

fn insert_receipt(statements: &mut Statements<'_>, receipt: &Receipt) -> rusqlite::Result<()> {
    let headers = rows::headers_text(&receipt.response.headers);
    statements.count();
    statements.insert_receipt.execute((
        receipt.scope.0,
        receipt.request.as_bytes(),
        receipt.response.status,
        &headers,
        receipt.response.body.as_ref(),
        receipt.created_at.as_micros(),
        rows::receipt_checksum(receipt, &headers),
    ))?;
    Ok(())
}

/// Deletes the oldest receipts, up to the first that is kept. They stand in the order in which
/// they were made, so no index over their times is needed.
fn purge(statements: &Statements<'_>, before: Timestamp) -> rusqlite::Result<u64> {
    let mut oldest = statements.other("SELECT id, created_at FROM receipts ORDER BY id LIMIT ?1")?;
    let mut rows = oldest.query([column(PURGE_SLICE)])?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        if row.get::<_, i64>(1)? >= before.as_micros() {
            break;
        }
        last = Some(row.get::<_, i64>(0)?);
    }
    let Some(last) = last else { return Ok(0) };
    drop(rows);
    let gone = statements.other("DELETE FROM receipts WHERE id <= ?1")?.execute([last])?;
    Ok(gone as u64)
}

fn put_key(statements: &Statements<'_>, memo: &mut Memo, key: &KeyRecord) -> Judged<Written> {
    if statements.other("SELECT 1 FROM api_keys WHERE key_id = ?1")?.exists([key.key_id.as_str()])? {
        return Ok(Err(Conflict::KeyExists.into()));
    }
    let tenant = memo.tenant(statements, key.tenant.as_str())?;
    let mut insert = statements.other(
        "INSERT INTO api_keys (key_id, secret, tenant, subject, scopes, created_at, expires_at, revoked_at, origin, crc)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    insert.execute((
        key.key_id.as_str(),
        key.secret_sha256,
        tenant,
        key.subject.as_str(),
        key.scopes.to_string(),
        key.created_at.as_micros(),
        key.expires_at.map(Timestamp::as_micros),
        key.revoked_at.map(Timestamp::as_micros),
        key.origin.as_deref(),
        rows::key_checksum(key, tenant),
    ))?;
    Ok(Ok(Written::Done))
}

fn revoke_key(statements: &Statements<'_>, key_id: &KeyId, at: Timestamp) -> Judged<Written> {
    let sql = format!(
        "SELECT {} FROM api_keys k LEFT JOIN tenants t ON t.id = k.tenant WHERE k.key_id = ?1",
        rows::KEY_COLUMNS
    );
    let found = statements.other(&sql)?.query_row([key_id.as_str()], |row| Ok(rows::key_record(row))).optional()?;
    let (mut key, tenant) = match found {
        None => return Ok(Ok(Written::Known(false))),
        Some(Err(damage)) => return Ok(Err(damage)),
        Some(Ok(found)) => found,
    };
    if key.revoked_at.is_none() {
        key.revoked_at = Some(at);
        let mut update = statements.other("UPDATE api_keys SET revoked_at = ?1, crc = ?2 WHERE key_id = ?3")?;
        update.execute((at.as_micros(), rows::key_checksum(&key, tenant), key_id.as_str()))?;
    }
    Ok(Ok(Written::Known(true)))
}

fn settle(statements: &Statements<'_>, settlement: &Settlement) -> rusqlite::Result<()> {
    match settlement.kind {
        SettlementKind::Done => statements.other("DELETE FROM outbox WHERE id = ?1")?.execute([settlement.id.0])?,
        SettlementKind::Retry { due } => statements
            .other("UPDATE outbox SET due = ?1, attempts = attempts + 1 WHERE id = ?2")?
            .execute((due.as_micros(), settlement.id.0))?,
    };
    Ok(())
}

/// A sequence or a count as a column holds it. No log comes near the bound.
fn column(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
