//! Timers: moments at which a run has to be looked at again. They keep their due time over
//! restarts (R-EVT-136).

use weft_model::{RunId, Timestamp};

use crate::runs::RunKey;

/// A change of a run's timers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimerWrite {
    /// Sets a timer; one of the same id is moved.
    Set {
        /// Its id within the run.
        id: String,
        /// When it is due.
        due: Timestamp,
    },
    /// Clears a timer, if it is there.
    Clear {
        /// Its id within the run.
        id: String,
    },
}

/// A timer as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimerRow {
    /// The run.
    pub run: RunKey,
    /// The run's public id.
    pub run_id: RunId,
    /// Its id within the run.
    pub id: String,
    /// When it is due.
    pub due: Timestamp,
}
