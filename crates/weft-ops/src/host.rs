//! The host as the operations see it: the engine, the store and everything they are asked through.

use std::sync::Arc;

use tokio::sync::Semaphore;
use weft_auth::{Authenticator, Caller};
use weft_core::Workflow;
use weft_engine::{Clock, Engine, Entropy, Page};
use weft_model::{ErrorCode, RunId, Timestamp};
use weft_store::{PageLimit, RunRecord, Store, StoreHealth};

use crate::discovery::{self, Discovery, DiscoverySettings};
use crate::engine_error::{engine_error, run_unknown};
use crate::error::{OpError, OpResult};
use crate::idempotency::Idempotency;
use crate::limits::OpsLimits;
use crate::workflows::WorkflowRegistry;

/// What a host is built from. `wire_up` fills it; nothing in it has a default.
pub struct HostParts {
    /// The engine that carries runs on.
    pub engine: Arc<Engine>,
    /// The store that the engine commits to.
    pub store: Arc<dyn Store>,
    /// The lanes that callers come in by.
    pub authenticator: Authenticator,
    /// The workflows that are served.
    pub workflows: Arc<WorkflowRegistry>,
    /// The clock that the engine uses too.
    pub clock: Arc<dyn Clock>,
    /// The source of fresh ids that the engine uses too.
    pub entropy: Arc<dyn Entropy>,
    /// What the discovery document says.
    pub discovery: DiscoverySettings,
    /// The limits of the operations.
    pub limits: OpsLimits,
}

/// A host. Doors hold it in an `Arc` and hand it to the operations.
pub struct Host {
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) workflows: Arc<WorkflowRegistry>,
    pub(crate) idempotency: Idempotency,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) limits: OpsLimits,
    authenticator: Authenticator,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    discovery: Discovery,
    families: Vec<&'static str>,
}

impl Host {
    /// Puts a host together.
    pub fn new(parts: HostParts) -> Arc<Host> {
        Arc::new(Host {
            idempotency: Idempotency::new(Arc::clone(&parts.store)),
            streams: Arc::new(Semaphore::new(parts.limits.streams_max)),
            families: discovery::families_of(&parts.discovery),
            discovery: Discovery::render(&parts.discovery),
            engine: parts.engine,
            store: parts.store,
            workflows: parts.workflows,
            limits: parts.limits,
            authenticator: parts.authenticator,
            clock: parts.clock,
            entropy: parts.entropy,
        })
    }

    /// Authenticates a request by all of its `Authorization` values.
    pub async fn authenticate(&self, values: &[&[u8]]) -> OpResult<Caller> {
        self.authenticator.authenticate(values, self.now()).await.map_err(|error| {
            let refusal = OpError::new(error.code(), error.to_string());
            match error {
                weft_auth::AuthError::Store(cause) => crate::store_error::store_error(cause),
                _ => refusal,
            }
        })
    }

    /// The discovery document.
    pub fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// Whether a family is advertised. Routes and node types are gated by what the document says.
    pub fn advertises(&self, family: &str) -> bool {
        self.families.contains(&family)
    }

    /// The limits of the operations.
    pub fn limits(&self) -> &OpsLimits {
        &self.limits
    }

    /// The state of the store, for the readiness probe.
    pub fn store_health(&self) -> StoreHealth {
        self.store.health()
    }

    /// Deletes what has outlived its retention. Called by the maintenance loop.
    pub async fn purge(&self) -> OpResult<()> {
        self.idempotency.purge(self.now()).await
    }

    /// The record of a run, or the one answer for runs that are not there.
    pub(crate) async fn find_run(&self, run_id: &RunId) -> OpResult<RunRecord> {
        self.engine.find(run_id).await.map_err(engine_error)?.ok_or_else(run_unknown)
    }

    /// A page of a run's events after `after`.
    pub(crate) async fn page(&self, record: &RunRecord, after: Option<u64>) -> OpResult<Page> {
        let limit = PageLimit { events: self.limits.poll_events_max, bytes: self.limits.poll_bytes_max };
        self.engine.page(record, after, limit).await.map_err(engine_error)
    }

    /// Refuses a workflow whose node types need a family that is not advertised (R-RUN-13).
    pub(crate) fn check_capabilities(&self, workflow: &Workflow) -> OpResult<()> {
        match workflow.families().iter().find(|family| !self.families.contains(*family)) {
            None => Ok(()),
            Some(missing) => Err(OpError::new(
                ErrorCode::CapabilityRequired,
                "The workflow has a node of a family that this host does not offer.",
            )
            .with_detail("requiredCapability", *missing)),
        }
    }

    /// Sleeps on the host's clock.
    pub(crate) async fn rest(&self, ms: u64) {
        self.clock.sleep_until(self.now().plus_ms(ms)).await;
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn random(&self) -> [u8; 16] {
        self.entropy.random_128()
    }
}
