//! How a store says no.

use weft_model::RunId;

/// What a caller can do about a [`StoreError`]. Retry loops look at this and at nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoreErrorKind {
    /// Repeating may help. Whether a write took effect is not known; its expected position keeps
    /// a repeated commit from being applied twice.
    Transient,
    /// The write was made for another state of the store. Nothing of it was written.
    Conflict,
    /// What is stored cannot be trusted.
    Corrupt,
    /// There is no room. Nothing was written; repeating helps once there is room again.
    Full,
    /// This store takes no more writes until it is opened again.
    Stopped,
    /// The write is larger than one commit may be. Repeating never helps.
    TooLarge,
}

/// Why a commit does not fit the state of the store. All of these are judged before anything is
/// written, so a conflict never touches the neighbours of its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Conflict {
    /// The run id is taken.
    #[error("the run exists already")]
    RunExists,
    /// There is no run with this key.
    #[error("there is no such run")]
    NoSuchRun,
    /// The log has moved on.
    #[error("the log ends at {found}, not at {expected}")]
    Moved {
        /// The end the commit was made for.
        expected: u64,
        /// Where the log ends.
        found: u64,
    },
    /// The events do not continue the log without gap or repeat (R-EVT-02, R-EVT-03).
    #[error("event {found} stands where event {expected} belongs")]
    OutOfOrder {
        /// The sequence that comes next.
        expected: u64,
        /// The sequence offered, or the expected one when there is no event at all.
        found: u64,
    },
    /// The key of a request has its answer already (R-IDEM-04).
    #[error("the request has its receipt already")]
    ReceiptExists,
    /// The id of an API key is taken.
    #[error("the key id is taken")]
    KeyExists,
}

/// An error of a store.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// See [`Conflict`].
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// A queue is at its bound; nothing was written or read.
    #[error("the {queue} queue is full")]
    Busy {
        /// Which queue.
        queue: &'static str,
    },
    /// The answer was lost. A write may have taken effect.
    #[error("the answer was lost")]
    Lost,
    /// The database refused for a reason that may pass; the write was rolled back.
    #[error("the database failed: {reason}")]
    Failed {
        /// The database's own words.
        reason: String,
    },
    /// A stored row, or the database itself, is damaged (R-DUR-06).
    #[error("{} is damaged: {reason}", of_run(run.as_ref()))]
    Corrupt {
        /// The run whose rows are damaged, when it is one run's.
        run: Option<RunId>,
        /// What does not fit.
        reason: String,
    },
    /// The disk or the database's own limit is reached.
    #[error("there is no room left")]
    Full,
    /// The writer has stopped for good, or the store is closed.
    #[error("the store has stopped: {reason}")]
    Stopped {
        /// Why.
        reason: String,
    },
    /// See [`StoreErrorKind::TooLarge`].
    #[error("a commit of {bytes} bytes is larger than the limit of {limit}")]
    TooLarge {
        /// The size of the write.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
}

impl StoreError {
    /// What a caller can do about it.
    pub fn kind(&self) -> StoreErrorKind {
        match self {
            Self::Conflict(_) => StoreErrorKind::Conflict,
            Self::Busy { .. } | Self::Lost | Self::Failed { .. } => StoreErrorKind::Transient,
            Self::Corrupt { .. } => StoreErrorKind::Corrupt,
            Self::Full => StoreErrorKind::Full,
            Self::Stopped { .. } => StoreErrorKind::Stopped,
            Self::TooLarge { .. } => StoreErrorKind::TooLarge,
        }
    }

    /// Damage in the rows of one run.
    pub fn corrupt(run: &RunId, reason: impl Into<String>) -> Self {
        Self::Corrupt { run: Some(run.clone()), reason: reason.into() }
    }
}

fn of_run(run: Option<&RunId>) -> String {
    match run {
        Some(run) => format!("run {run}"),
        None => "the database".to_owned(),
    }
}
