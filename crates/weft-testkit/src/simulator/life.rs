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
    catalog: Arc<SimCatalog>,
    workflows: Vec<LoadedWorkflow>,
}

impl Ground {
    /// An empty disk, and what every life is built from.
    pub(crate) fn new(seed: u64, clock: SimClock) -> Ground {
        let catalog = Arc::new(SimCatalog::new());
        let workflows = load(&catalog);
        Ground { seed, durable: MemoryStore::new(), peer: Arc::default(), clock, catalog, workflows }
    }
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
        let manner = Manner::of(number);
        let store: Arc<dyn Store> = Arc::new(FaultyStore::open(
            ground.durable.clone(),
            Arc::clone(&faults),
            Arc::clone(&switch),
            ground.clock.clone(),
            manner.read_ms(),
        ));
        let effects =
            EffectFaults { seed: ground.seed, faults, switch: Arc::clone(&switch), peer: Arc::clone(&ground.peer) };
        ground.catalog.enter(effects);
        let catalog = Arc::clone(&ground.catalog);
        let registry = Arc::new(WorkflowRegistry::new(Arc::clone(&store), catalog));
        registry.replace(ground.workflows.clone()).await.expect("the workflows can be served");
        let clock: Arc<dyn Clock> = Arc::new(ground.clock.clone());
        let entropy: Arc<dyn Entropy> = Arc::new(SimEntropy::for_life(ground.seed, number));
        let ports = EnginePorts {
            store: Arc::clone(&store),
            clock: Arc::clone(&clock),
            entropy: Arc::clone(&entropy),
            workflows: registry.clone(),
        };
        let engine = Engine::start(ports, manner.limits());
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

/// Room in the caches for everything that a simulation makes.
const CACHE_BYTES: usize = 256 << 20;

/// What differs between lives, so that all ways of getting at a state and at a page are used.
///
/// Whether something is in a cache depends on hashes that no seed rules. So a life either has
/// caches and a store whose reads take no time and never fail, where it does not matter, or has no
/// caches and a store that is read for everything.
pub(crate) struct Manner {
    /// Whether what was committed lately is kept in memory.
    pub(crate) remembers: bool,
    /// Events after which a state is kept.
    state_snapshot_events: u64,
}

impl Manner {
    pub(crate) fn of(life: u32) -> Manner {
        let often = EngineLimits::default().state_snapshot_events;
        let state_snapshot_events = [often, 3, 5][life as usize % 3];
        Manner { remembers: life.is_multiple_of(2), state_snapshot_events }
    }

    fn read_ms(&self) -> u64 {
        u64::from(!self.remembers)
    }

    fn limits(&self) -> EngineLimits {
        let bytes = if self.remembers { CACHE_BYTES } else { 0 };
        EngineLimits {
            drain_grace_ms: 0,
            recent_event_bytes: bytes,
            recent_snapshot_bytes: bytes,
            state_snapshot_events: self.state_snapshot_events,
            ..EngineLimits::default()
        }
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
