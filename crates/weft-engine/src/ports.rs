//! What the engine asks of the world: time, randomness, workflows, the store.

use std::sync::Arc;

use weft_core::Workflow;
use weft_model::{Digest, Timestamp};
use weft_store::{BoxFuture, Store, StoreError};

/// The clock. The simulator's clock stands still until every task waits.
pub trait Clock: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Timestamp;
    /// Completes at `due`, at once when that is past. It may complete early; the engine looks at
    /// [`Clock::now`] again before it acts.
    fn sleep_until(&self, due: Timestamp) -> BoxFuture<'static, ()>;
}

/// The source of randomness for ids.
pub trait Entropy: Send + Sync + 'static {
    /// 128 random bits.
    fn random_128(&self) -> [u8; 16];
}

/// Where the engine gets the compiled workflow of a stored run.
pub trait WorkflowSource: Send + Sync + 'static {
    /// The workflow whose definition has this digest. A caller of `Engine::create` has made sure
    /// that the definition is stored; one that is missing later is a damaged store.
    fn fetch(&self, digest: Digest) -> BoxFuture<'_, Result<Arc<Workflow>, WorkflowFault>>;
}

/// Why a stored run's workflow could not be had.
#[derive(Debug, thiserror::Error)]
pub enum WorkflowFault {
    /// The store has no definition with this digest.
    #[error("no definition is stored under {0}")]
    Missing(Digest),
    /// The stored definition does not compile in this build, for example because it names a node
    /// type that this build or its settings lack.
    #[error("the stored definition {digest} does not compile: {reason}")]
    Refused {
        /// The definition.
        digest: Digest,
        /// The first fault, for the log.
        reason: String,
    },
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Everything an engine stands on.
#[derive(Clone)]
pub struct EnginePorts {
    /// The store of logs.
    pub store: Arc<dyn Store>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The workflows.
    pub workflows: Arc<dyn WorkflowSource>,
}
