//! A host over a memory store with the standard node types, the conformance fixtures, and the door
//! in front of it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use weft_auth::{KeyRing, NewKey, caller_facing_scopes};
use weft_core::Workflow;
use weft_egress::{EgressClient, EgressOptions, EgressPolicy, SystemResolver, TrustRoots};
use weft_engine::{Clock, Engine, EngineLimits, EnginePorts, Entropy};
use weft_model::{KeyId, RunId, ScopeSet, TenantId};
use weft_nodes::{Catalog, CatalogOptions, MAX_RESPONSE_BYTES_DEFAULT};
use weft_ops::discovery::DiscoverySettings;
use weft_ops::limits::OpsLimits;
use weft_ops::workflows::{LoadedWorkflow, WorkflowRegistry};
use weft_ops::{Authenticator, Host, HostParts};
use weft_rest::{CorsPolicy, Probes, Readiness, RestDoor, RestOptions, router};
use weft_store::{MemoryStore, Store};
use weft_testkit::ports::{CountedEntropy, PausedClock, START};

use crate::ask::{Answered, Ask};

/// The fixtures that tests create runs of.
const FIXTURES: [&str; 6] = [
    include_str!("../../../../fixtures/conformance-noop.json"),
    include_str!("../../../../fixtures/conformance-approval.json"),
    include_str!("../../../../fixtures/conformance-cancellable.json"),
    include_str!("../../../../fixtures/conformance-failure.json"),
    include_str!("../../../../fixtures/conformance-identity.json"),
    include_str!("../../../../fixtures/conformance-multi-node.json"),
];

/// What a test may change of a world.
pub(crate) struct Settings {
    pub(crate) limits: OpsLimits,
    pub(crate) cors: CorsPolicy,
    pub(crate) body_read_within: Duration,
    pub(crate) kept_answers_kib: usize,
    pub(crate) probes: Arc<dyn Probes>,
}

impl Settings {
    pub(crate) fn standard() -> Settings {
        Settings {
            limits: OpsLimits::standard(),
            cors: CorsPolicy::none(),
            body_read_within: RestOptions::BODY_READ_WITHIN,
            kept_answers_kib: RestOptions::KEPT_ANSWERS_KIB,
            probes: Arc::new(Well),
        }
    }
}

/// A door and what stands behind it.
pub(crate) struct World {
    pub(crate) door: RestDoor,
    pub(crate) closing: CancellationToken,
    pub(crate) keys: Arc<KeyRing>,
    pub(crate) registry: Arc<WorkflowRegistry>,
    pub(crate) catalog: Arc<Catalog>,
    /// A key of tenant `acme` with the usual scopes.
    pub(crate) key: String,
    entropy: Arc<CountedEntropy>,
}

impl World {
    pub(crate) async fn new() -> World {
        World::with(Settings::standard()).await
    }

    pub(crate) async fn with(settings: Settings) -> World {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let client = EgressClient::new(EgressOptions {
            policy: EgressPolicy::public_only(),
            resolver: Arc::new(SystemResolver::new()),
            trust: TrustRoots::bundled(),
        });
        let options = CatalogOptions { max_response_bytes: MAX_RESPONSE_BYTES_DEFAULT };
        let catalog = Arc::new(Catalog::standard(client, options));
        let registry = Arc::new(WorkflowRegistry::new(Arc::clone(&store), catalog.clone()));
        let clock: Arc<dyn Clock> = Arc::new(PausedClock::starting());
        let entropy = Arc::new(CountedEntropy::from(1));
        let engine = Engine::start(
            EnginePorts {
                store: Arc::clone(&store),
                clock: Arc::clone(&clock),
                entropy: entropy.clone(),
                workflows: registry.clone(),
            },
            EngineLimits::default(),
        );
        let keys = Arc::new(KeyRing::new(Arc::clone(&store)));
        let host = Host::new(HostParts {
            engine,
            store,
            authenticator: Authenticator::new(Arc::clone(&keys), None),
            workflows: Arc::clone(&registry),
            clock,
            entropy: entropy.clone(),
            discovery: DiscoverySettings {
                implementation_version: "0.0.0".to_owned(),
                anonymous_lane: false,
                http_client: None,
                fixtures: Vec::new(),
            },
            limits: settings.limits,
        });
        let closing = CancellationToken::new();
        let door = router(
            host,
            RestOptions {
                cors: settings.cors,
                body_read_within: settings.body_read_within,
                kept_answers_kib: settings.kept_answers_kib,
                probes: settings.probes,
                closing: closing.clone(),
            },
        );
        let mut world = World { door, closing, keys, registry, catalog, key: String::new(), entropy };
        world.serve(&[]).await;
        world.key = world.key_of("acme", caller_facing_scopes()).await.1;
        world
    }

    /// Serves the fixtures and `more`.
    pub(crate) async fn serve(&self, more: &[Value]) {
        let more: Vec<String> = more.iter().map(Value::to_string).collect();
        let all = FIXTURES.into_iter().chain(more.iter().map(String::as_str));
        let loaded = all.map(|definition| LoadedWorkflow {
            tenant: None,
            workflow: Arc::new(Workflow::compile(definition.as_bytes(), self.catalog.as_ref()).expect("a definition")),
        });
        self.registry.replace(loaded.collect()).await.expect("served");
    }

    /// A new key: its id and its text.
    pub(crate) async fn key_of(&self, tenant: &str, scopes: ScopeSet) -> (KeyId, String) {
        let new = NewKey {
            tenant: tenant.parse().expect("a tenant"),
            subject: "alice".parse().expect("a subject"),
            scopes,
            expires_at: None,
            origin: None,
        };
        let mut random = || self.entropy.random_128();
        let issued = self.keys.create(new, START, &mut random).await.expect("stored");
        (issued.key_id, issued.text.expose().to_owned())
    }

    /// Asks the door with the world's key.
    pub(crate) async fn ask(&self, ask: Ask) -> Answered {
        ask.bearer(&self.key).of(&self.door).await
    }

    /// Asks the door as it stands.
    pub(crate) async fn ask_plainly(&self, ask: Ask) -> Answered {
        ask.of(&self.door).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        self.ask(Ask::get(path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answered {
        self.ask(Ask::post(path).json(&body)).await
    }

    /// Creates a run of a fixture.
    pub(crate) async fn run(&self, workflow: &str) -> RunId {
        let created = self.post("/runs", json!({ "workflowId": workflow })).await;
        assert_eq!(created.status, 201, "{}", created.text());
        created.json()["runId"].as_str().expect("an id").parse().expect("a run id")
    }

    /// Creates a run that waits for an approval at the node `gate`.
    pub(crate) async fn waiting_run(&self) -> RunId {
        self.run("conformance-approval").await
    }

    /// Accepts the approval of a waiting run.
    pub(crate) async fn accept(&self, run: &RunId) -> Answered {
        self.post(&format!("/runs/{}/interrupts/gate", run.projected()), accept()).await
    }
}

/// An approval that accepts.
pub(crate) fn accept() -> Value {
    json!({"resumeValue": {"action": "accept", "decidedAt": "2027-01-15T08:00:00Z"}})
}

/// An id that a run of this tenant could have, and none has.
pub(crate) fn unknown_run(tenant: &str) -> RunId {
    let tenant: TenantId = tenant.parse().expect("a tenant");
    RunId::mint(&tenant, START, [9; 16])
}

/// Probes of a host that is well.
struct Well;

impl Probes for Well {
    fn readiness(&self) -> Readiness {
        Readiness { ready: true, details: vec![("store", "ok".to_owned())] }
    }

    fn metrics(&self) -> String {
        "# EOF\n".to_owned()
    }
}
