//! Why the engine did not do what it was asked.

use weft_core::Refusal;
use weft_store::{StoreError, StoreErrorKind};

use crate::ports::WorkflowFault;
use crate::registry::Full;

/// The one error of the engine's public calls.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The run's rules say no. Nothing was written.
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// The store said no; nothing was written. Look at its kind.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too many runs move, or too many orders wait for this one. Nothing was written.
    #[error("the engine is at its limit ({0})")]
    Busy(&'static str),
    /// The engine stops and takes no new work. Nothing was written.
    #[error("the engine is stopping")]
    Draining,
    /// The order may or may not have been written: the store's answer was lost and asking again
    /// failed, or the run's actor broke. The caller must read the run before it says anything.
    #[error("whether the order was written is unknown")]
    Unknown,
    /// A rule of the engine itself was broken while it worked on this order. Nothing was written
    /// for the order.
    #[error("an internal rule was broken: {0}")]
    Broken(String),
    /// The stored run cannot be loaded by this build; other runs are not affected.
    #[error("the run's workflow cannot be loaded: {0}")]
    Workflow(#[source] WorkflowFault),
    /// The run is not in the store.
    #[error("no such run")]
    NoSuchRun,
}

impl EngineError {
    /// Whether the order asked for more than one commit may hold.
    pub(crate) fn is_too_large(&self) -> bool {
        matches!(self, EngineError::Store(error) if error.kind() == StoreErrorKind::TooLarge)
    }
}

impl From<Full> for EngineError {
    fn from(full: Full) -> EngineError {
        EngineError::Busy(match full {
            Full::Actors => "moving runs",
            Full::Mailbox => "orders waiting for the run",
        })
    }
}

impl From<WorkflowFault> for EngineError {
    fn from(fault: WorkflowFault) -> EngineError {
        match fault {
            WorkflowFault::Store(error) => EngineError::Store(error),
            other => EngineError::Workflow(other),
        }
    }
}

/// What a panic said, for the log.
pub(crate) fn panic_text(panic: Box<dyn std::any::Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => match panic.downcast::<&'static str>() {
            Ok(text) => (*text).to_owned(),
            Err(_) => "a panic without a text".to_owned(),
        },
    }
}
