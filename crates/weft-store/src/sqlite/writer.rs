//! The writer: a group of writes in, their answers out. A thread or a test drives it.

use std::sync::Arc;

use rusqlite::{Connection, MAIN_DB, wal::CheckpointMode};

use super::apply::{Memo, apply};
use super::fate::{Fate, fate, store_error};
use super::rows;
use super::statements::Statements;
use super::vitals::Vitals;
use super::write::{Write, Written};
use crate::error::StoreError;
use crate::log::RunChange;
use crate::status::StoreCounters;

/// The answer of a write.
pub(super) type Answer = Result<Written, StoreError>;

/// What runs right before a transaction is made durable; an error counts as the database's own.
/// Tests break the disk with it.
pub(super) type BeforeCommit = Box<dyn FnMut() -> rusqlite::Result<()> + Send>;

/// The one connection that writes.
pub(super) struct Writer {
    conn: Connection,
    memo: Memo,
    vitals: Arc<Vitals>,
    before_commit: BeforeCommit,
}

impl Writer {
    pub(super) fn new(conn: Connection, vitals: Arc<Vitals>, before_commit: BeforeCommit) -> rusqlite::Result<Writer> {
        let memo = Memo::load(&conn)?;
        Ok(Writer { conn, memo, vitals, before_commit })
    }

    /// Makes a group durable in one transaction and answers each of its writes. Conflicts are
    /// part of the answers. When the database fails, the transaction is undone; unless nothing
    /// can be written at all, the writes are then tried one by one, so that only the guilty fail.
    pub(super) fn commit_group(&mut self, writes: &[Write]) -> Vec<Answer> {
        if let Some(stopped) = self.vitals.stopped() {
            return vec![Err(stopped); writes.len()];
        }
        let error = match self.transact(writes) {
            Ok(answers) => return answers,
            Err(error) => error,
        };
        self.undo();
        match (fate(&error), writes) {
            (Fate::Stop, _) => {
                self.vitals.break_down(&error.to_string());
                vec![Err(store_error(&error)); writes.len()]
            }
            (Fate::Full, _) => {
                self.vitals.full();
                vec![Err(StoreError::Full); writes.len()]
            }
            (Fate::Fail | Fate::Corrupt | Fate::TooLarge, [write]) => vec![Err(self.failed(&error, write))],
            (Fate::Fail | Fate::Corrupt | Fate::TooLarge, writes) => {
                writes.iter().flat_map(|write| self.commit_group(std::slice::from_ref(write))).collect()
            }
        }
    }

    /// Pages in the write-ahead log that stand between a crash and the next start.
    pub(super) fn log_pages(&self) -> u32 {
        let (pages, _) = self.conn.wal_checkpoint_v2(Some(MAIN_DB), CheckpointMode::NOOP).unwrap_or((0, 0));
        u32::try_from(pages).unwrap_or(0)
    }

    fn transact(&mut self, writes: &[Write]) -> rusqlite::Result<Vec<Answer>> {
        let changes = self.conn.total_changes();
        self.conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut statements = Statements::of(&self.conn)?;
        let mut answers = Vec::with_capacity(writes.len());
        for write in writes {
            answers.push(apply(&mut statements, &mut self.memo, write)?);
        }
        let run = statements.run.get();
        drop(statements);
        (self.before_commit)()?;
        self.conn.prepare_cached("COMMIT")?.execute([])?;
        let row_writes = self.conn.total_changes() - changes;
        let done = |(write, answer): (&Write, &Answer)| matches!(write, Write::Commit(_)) && answer.is_ok();
        self.vitals.written(StoreCounters {
            commits: writes.iter().zip(&answers).filter(|pair| done(*pair)).count() as u64,
            groups: u64::from(row_writes > 0),
            row_writes,
            statements: run,
        });
        Ok(answers)
    }

    fn undo(&mut self) {
        let undone = if self.conn.is_autocommit() { Ok(()) } else { self.conn.execute_batch("ROLLBACK") };
        match undone.and_then(|()| Memo::load(&self.conn)) {
            Ok(memo) => self.memo = memo,
            // Without knowing where the tables end nothing can be written. A full disk or a
            // passing fault does not come here: both are reads of pages that were just read.
            Err(error) => self.vitals.break_down(&error.to_string()),
        }
    }

    /// The error of a single write; damage names the run that was to be written.
    fn failed(&self, error: &rusqlite::Error, write: &Write) -> StoreError {
        let mut failed = store_error(error);
        match (&mut failed, write) {
            (StoreError::Corrupt { run, .. }, Write::Commit(commit)) => {
                *run = match &commit.run {
                    RunChange::Create(new) => Some(new.run_id.clone()),
                    RunChange::Append { run, .. } => rows::find_run_id(&self.conn, *run),
                };
            }
            (StoreError::TooLarge { bytes, .. }, write) => *bytes = write.size(),
            _ => {}
        }
        self.vitals.note(&failed);
        failed
    }
}
