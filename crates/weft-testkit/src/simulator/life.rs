//! One life of the host: from a start on what is durable to the crash that ends it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use weft_auth::{Authenticator, KeyRing};
use weft_core::Workflow;
use weft_engine::{Clock, Engine, EngineLimits, EnginePorts, Entropy};
use weft_ops::discovery::{DiscoverySettings, HttpClientFacets};
use weft_ops::workflows::{LoadedWorkflow, WorkflowRegistry};
use weft_ops::{Host, HostParts, OpsLimits};
use weft_store::{MemoryStore, Store};

use super::effects::{EffectFaults, Peer, SimCatalog};
use super::faults::{LifeFaults, Switch};
use super::store::FaultyStore;
use super::workflows;
use super::world::{SimClock, SimEntropy};

/// What outlives a crash: the disk, the peer, the clock on the wall.
#[derive(Clone)]
pub(crate) struct Ground {
    pub(crate) seed: u64,
    pub(crate) durable: MemoryStore,
    pub(crate) peer: Arc<Peer>,
    pub(crate) clock: SimClock,
}

/// A host that lives.
pub(crate) struct Life {
    pub(crate) host: Arc<Host>,
    /// Pulled by whatever kills the host.
    pub(crate) switch: Arc<Switch>,
    /// Cancelled when the connections of all clients break.
    pub(crate) cut: CancellationToken,
    engine: Arc<Engine>,
}

impl Life {
    /// Starts a host on what is durable.
    pub(crate) async fn begin(ground: &Ground, number: u32, faults: LifeFaults) -> Arc<Life> {
        let faults = Arc::new(faults);
        let switch = Arc::new(Switch::default());
        let read_ms = u64::from(number % 2);
        let store: Arc<dyn Store> = Arc::new(FaultyStore::open(
            ground.durable.clone(),
            Arc::clone(&faults),
            Arc::clone(&switch),
            ground.clock.clone(),
            read_ms,
        ));
        let effects =
            EffectFaults { seed: ground.seed, faults, switch: Arc::clone(&switch), peer: Arc::clone(&ground.peer) };
        let catalog = Arc::new(SimCatalog::of(effects));
        let registry = Arc::new(WorkflowRegistry::new(Arc::clone(&store), catalog.clone()));
        registry.replace(load(&catalog)).await.expect("the workflows can be served");
        let clock: Arc<dyn Clock> = Arc::new(ground.clock.clone());
        let entropy: Arc<dyn Entropy> = Arc::new(SimEntropy::for_life(ground.seed, number));
        let ports = EnginePorts {
            store: Arc::clone(&store),
            clock: Arc::clone(&clock),
            entropy: Arc::clone(&entropy),
            catalog,
            workflows: registry.clone(),
        };
        let engine = Engine::start(ports, limits(number));
        let host = Host::new(HostParts {
            engine: Arc::clone(&engine),
            authenticator: Authenticator::new(Arc::new(KeyRing::new(Arc::clone(&store))), None),
            store,
            workflows: registry,
            clock,
            entropy,
            discovery: discovery(),
            limits: OpsLimits::standard(),
        });
        Arc::new(Life { host, switch, cut: CancellationToken::new(), engine })
    }

    /// Ends it as a crash does. The switch must have been pulled: nothing is written any more.
    pub(crate) fn end(&self) {
        self.engine.kill();
    }
}

/// Every third life keeps states every few events and no events in memory, so that both ways of
/// getting at a state and at a page are used.
fn limits(life: u32) -> EngineLimits {
    let standard = EngineLimits { drain_grace_ms: 0, ..EngineLimits::default() };
    match life % 3 {
        0 => standard,
        1 => EngineLimits { state_snapshot_events: 3, ..standard },
        _ => EngineLimits { state_snapshot_events: 5, recent_event_bytes: 0, recent_snapshot_bytes: 0, ..standard },
    }
}

fn load(catalog: &SimCatalog) -> Vec<LoadedWorkflow> {
    let compile = |definition: serde_json::Value| {
        let bytes = definition.to_string();
        let workflow = Workflow::compile(bytes.as_bytes(), catalog)
            .unwrap_or_else(|faults| panic!("a workflow of the simulator does not compile: {faults:?}"));
        LoadedWorkflow { tenant: None, workflow: Arc::new(workflow) }
    };
    workflows::definitions().into_iter().map(compile).collect()
}

fn discovery() -> DiscoverySettings {
    DiscoverySettings {
        implementation_version: "0.0.0".to_owned(),
        anonymous_lane: false,
        http_client: Some(HttpClientFacets {
            max_response_body_bytes: 1024,
            request_timeout_ms: 30_000,
            methods: vec!["GET".to_owned(), "POST".to_owned()],
        }),
        fixtures: Vec::new(),
    }
}
