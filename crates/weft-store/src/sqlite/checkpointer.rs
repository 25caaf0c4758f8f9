//! The checkpointer: moves the write-ahead log into the file, beside the writer.
//!
//! The log can only start over when all of it has been moved, and under load the writer is always
//! a little ahead. So the bulk is moved while the writer goes on, and the small rest between two
//! groups, when the writer holds still for it.

use std::sync::Arc;
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};
use rusqlite::{Connection, MAIN_DB, wal::CheckpointMode};

use super::committer::spawn;
use super::fate::{Fate, fate};
use super::vitals::Vitals;

/// Rounds of moving the bulk before the writer is asked to hold still.
const BULK_ROUNDS: u32 = 4;
/// Pages left over by the bulk that are few enough to be moved while the writer holds still.
const REST_PAGES: i32 = 256;

/// How the writer wakes the checkpointer.
pub(super) struct Alarm {
    threshold: u32,
    state: Mutex<AlarmState>,
    rung: Condvar,
}

struct AlarmState {
    /// Pages in the log at which the alarm rings next.
    next: u32,
    pending: bool,
    closing: bool,
}

impl Alarm {
    pub(super) fn new(threshold: u32) -> Alarm {
        let state = AlarmState { next: threshold, pending: false, closing: false };
        Alarm { threshold, state: Mutex::new(state), rung: Condvar::new() }
    }

    /// The log has `pages` pages.
    pub(super) fn tell(&self, pages: u32) {
        let mut state = self.state.lock();
        if pages >= state.next && !state.pending {
            state.pending = true;
            self.rung.notify_one();
        }
    }

    /// Ends the checkpointer after a last round. To be called after the writer has ended.
    pub(super) fn close(&self) {
        self.state.lock().closing = true;
        self.rung.notify_one();
    }

    /// Waits for the next round; `false` for the last one.
    fn wait(&self) -> bool {
        let mut state = self.state.lock();
        while !state.pending && !state.closing {
            self.rung.wait(&mut state);
        }
        !state.closing
    }

    /// A round is over and left `left` pages that a reader still needs.
    fn done(&self, left: u32) {
        let mut state = self.state.lock();
        state.next = left.saturating_add(self.threshold);
        state.pending = false;
    }
}

/// What the checkpointing thread works with.
pub(super) struct Checkpointer {
    pub(super) conn: Connection,
    pub(super) alarm: Arc<Alarm>,
    pub(super) gate: Arc<Mutex<()>>,
    pub(super) vitals: Arc<Vitals>,
}

impl Checkpointer {
    /// Starts the thread. It ends when the alarm is closed.
    pub(super) fn start(self) -> std::io::Result<JoinHandle<()>> {
        spawn("weft-store-checkpoint", move || self.run())
    }

    fn run(self) {
        while self.alarm.wait() {
            let left = self.round().unwrap_or_else(|error| {
                self.failed(&error);
                // Nothing is lost: what was not moved is still in the log. It is tried again when
                // the log has grown once more.
                self.checkpoint(CheckpointMode::NOOP).map_or(0, |(pages, _)| u32::try_from(pages).unwrap_or(0))
            });
            self.alarm.done(left);
        }
        if !self.broken()
            && let Err(error) = self.checkpoint(CheckpointMode::TRUNCATE)
        {
            self.failed(&error);
        }
    }

    /// One round. Answers the pages that stay in the log because a reader still needs them.
    fn round(&self) -> rusqlite::Result<u32> {
        if self.broken() {
            return Ok(0);
        }
        for _ in 0..BULK_ROUNDS {
            let (pages, moved) = self.checkpoint(CheckpointMode::PASSIVE)?;
            if pages - moved <= REST_PAGES {
                break;
            }
        }
        let _gate = self.gate.lock();
        let (pages, moved) = self.checkpoint(CheckpointMode::PASSIVE)?;
        Ok(if pages == moved { 0 } else { u32::try_from(pages).unwrap_or(0) })
    }

    fn checkpoint(&self, mode: CheckpointMode) -> rusqlite::Result<(i32, i32)> {
        self.conn.wal_checkpoint_v2(Some(MAIN_DB), mode)
    }

    /// Whether a flush has failed. Then the log is the only good copy of what it holds, and must
    /// stay as it is for the next start.
    fn broken(&self) -> bool {
        self.vitals.broken()
    }

    fn failed(&self, error: &rusqlite::Error) {
        match fate(error) {
            Fate::Stop => self.vitals.break_down(&error.to_string()),
            _ => tracing::warn!(%error, "the write-ahead log could not be moved into the database file"),
        }
    }
}
