//! The statements of a commit, prepared once and held for a whole group.

use std::cell::Cell;

use rusqlite::{CachedStatement, Connection};

/// The statements that a commit can need. Looking each of them up in the connection's cache for
/// every row would cost more than a row.
pub(super) struct Statements<'c> {
    pub(super) conn: &'c Connection,
    pub(super) insert_run: CachedStatement<'c>,
    pub(super) update_run: CachedStatement<'c>,
    pub(super) insert_event: CachedStatement<'c>,
    pub(super) set_timer: CachedStatement<'c>,
    pub(super) clear_timer: CachedStatement<'c>,
    pub(super) find_receipt: CachedStatement<'c>,
    pub(super) insert_receipt: CachedStatement<'c>,
    /// Statements run so far.
    pub(super) run: Cell<u64>,
}

const INSERT_RUN: &str = "INSERT INTO runs (key, tenant, opaque, workflow, definition, created_at, born_crc,
    status, moving, last_seq, updated_at, crc) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
    ON CONFLICT (tenant, opaque) DO NOTHING";
const UPDATE_RUN: &str = "UPDATE runs SET status = ?1, moving = ?2, last_seq = ?3, updated_at = ?4, crc = ?5
    WHERE key = ?6 AND last_seq = ?7";
const INSERT_EVENT: &str = "INSERT INTO events (run, seq, crc, body) VALUES (?1, ?2, ?3, ?4)";
const SET_TIMER: &str = "INSERT INTO timers (run, id, due) VALUES (?1, ?2, ?3)
    ON CONFLICT (run, id) DO UPDATE SET due = excluded.due";
const CLEAR_TIMER: &str = "DELETE FROM timers WHERE run = ?1 AND id = ?2";
const FIND_RECEIPT: &str = "SELECT 1 FROM receipts WHERE scope = ?1";
const INSERT_RECEIPT: &str = "INSERT INTO receipts (scope, request, status, headers, body, created_at, crc)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

impl<'c> Statements<'c> {
    pub(super) fn of(conn: &'c Connection) -> rusqlite::Result<Statements<'c>> {
        Ok(Statements {
            conn,
            insert_run: conn.prepare_cached(INSERT_RUN)?,
            update_run: conn.prepare_cached(UPDATE_RUN)?,
            insert_event: conn.prepare_cached(INSERT_EVENT)?,
            set_timer: conn.prepare_cached(SET_TIMER)?,
            clear_timer: conn.prepare_cached(CLEAR_TIMER)?,
            find_receipt: conn.prepare_cached(FIND_RECEIPT)?,
            insert_receipt: conn.prepare_cached(INSERT_RECEIPT)?,
            run: Cell::new(0),
        })
    }

    /// A statement of the rarer writes.
    pub(super) fn other(&self, sql: &str) -> rusqlite::Result<CachedStatement<'c>> {
        self.count();
        self.conn.prepare_cached(sql)
    }

    /// Counts a statement.
    pub(super) fn count(&self) {
        self.run.set(self.run.get() + 1);
    }
}
