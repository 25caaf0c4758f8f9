//! A host over a memory store, with a clock that the test moves and a handful of node types.

use std::collections::HashMap;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use weft_auth::{KeyRing, NewKey, caller_facing_scopes};
use weft_core::{
    EffectFuture, EffectNode, NodeCall, NodeCatalog, NodeError, NodeKind, NodeType, PureNode, Repeat, Workflow,
};
use weft_engine::{Clock, Engine, EngineLimits, EnginePorts, Entropy};
use weft_model::event::Transport;
use weft_model::{ErrorCode, JsonObject, NodeId, RunId, ScopeSet, TenantId, TypeId};
use weft_ops::discovery::DiscoverySettings;
use weft_ops::events::{PollEvents, poll};
use weft_ops::limits::OpsLimits;
use weft_ops::runs::{CancelRun, CreateRun};
use weft_ops::workflows::{LoadedWorkflow, WorkflowRegistry};
use weft_ops::{Answer, Authenticator, Caller, Host, HostParts, OpResult, interrupts, runs};
use weft_store::{MemoryStore, Store};
use weft_testkit::nodes::{Gate, Noop};
use weft_testkit::ports::{CountedEntropy, PausedClock, START};

/// A key that is valid and means nothing.
pub(crate) const KEY: &str = "key-0123456789-0123456789";

/// A host and what stands behind it.
pub(crate) struct World {
    pub(crate) host: Arc<Host>,
    pub(crate) store: MemoryStore,
    pub(crate) keys: Arc<KeyRing>,
    pub(crate) registry: Arc<WorkflowRegistry>,
    pub(crate) acme: Caller,
    catalog: Arc<Catalog>,
    entropy: Arc<CountedEntropy>,
}

impl World {
    /// A host with the workflows of this module, and a caller of tenant `acme`.
    pub(crate) async fn new() -> World {
        World::over(MemoryStore::new(), OpsLimits::standard()).await
    }

    /// The same over a store that may hold something already, as after a restart.
    pub(crate) async fn over(store: MemoryStore, limits: OpsLimits) -> World {
        let shared: Arc<dyn Store> = Arc::new(store.clone());
        let catalog = Arc::new(Catalog::new());
        let registry = Arc::new(WorkflowRegistry::new(Arc::clone(&shared), catalog.clone()));
        let clock: Arc<dyn Clock> = Arc::new(PausedClock::starting());
        let entropy = Arc::new(CountedEntropy::from(fresh_seed()));
        let ports = EnginePorts {
            store: Arc::clone(&shared),
            clock: Arc::clone(&clock),
            entropy: entropy.clone(),
            workflows: registry.clone(),
        };
        let engine = Engine::start(ports, EngineLimits::default());
        let keys = Arc::new(KeyRing::new(Arc::clone(&shared)));
        let host = Host::new(HostParts {
            engine,
            store: shared,
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
            limits,
        });
        let mut world =
            World { host, store, keys, registry, acme: Caller::anonymous(tenant("acme")), catalog, entropy };
        world.serve(&[]).await;
        world.acme = world.caller("acme", caller_facing_scopes()).await;
        world
    }

    /// Serves the workflows of this module and `more`.
    pub(crate) async fn serve(&self, more: &[(Option<&str>, Value)]) {
        let standard = [noop(), chain(), hold(), gate(), typed(), gated(), options()];
        let all = standard.into_iter().map(|definition| (None, definition)).chain(more.iter().cloned());
        let loaded = all.map(|(owner, definition)| LoadedWorkflow {
            tenant: owner.map(tenant),
            workflow: Arc::new(
                Workflow::compile(definition.to_string().as_bytes(), self.catalog.as_ref()).expect("a definition"),
            ),
        });
        self.registry.replace(loaded.collect()).await.expect("served");
    }

    /// A verified caller with a key of its own.
    pub(crate) async fn caller(&self, of: &str, scopes: ScopeSet) -> Caller {
        let new = NewKey {
            tenant: tenant(of),
            subject: "alice".parse().expect("a subject"),
            scopes,
            expires_at: None,
            origin: None,
        };
        let mut random = || self.entropy.random_128();
        let issued = self.keys.create(new, START, &mut random).await.expect("stored");
        let value = format!("Bearer {}", issued.text.expose());
        self.host.authenticate(&[value.as_bytes()]).await.expect("verified")
    }

    pub(crate) async fn create(&self, body: Value, key: Option<&str>) -> OpResult<Answer> {
        runs::create(&self.host, &self.acme, create_request(body, key)).await
    }

    /// Creates a run of a workflow and returns its id.
    pub(crate) async fn run(&self, workflow: &str) -> RunId {
        let answer = self.create(json!({ "workflowId": workflow }), None).await.expect("created");
        run_id_of(&answer)
    }

    pub(crate) async fn cancel(&self, run: &RunId, key: Option<&str>) -> OpResult<Answer> {
        let request = CancelRun { body: None, idempotency_key: key.map(str::to_owned) };
        runs::cancel(&self.host, &self.acme, run, request).await
    }

    pub(crate) async fn resolve(&self, run: &RunId, body: Value, key: Option<&str>) -> OpResult<Answer> {
        let request = interrupts::ResolveInterrupt { body, idempotency_key: key.map(str::to_owned) };
        interrupts::resolve(&self.host, &self.acme, run, &node("gate"), request).await
    }

    pub(crate) async fn snapshot(&self, run: &RunId) -> Value {
        let snapshot = runs::get(&self.host, &self.acme, run).await.expect("a snapshot");
        serde_json::from_slice(&snapshot.body).expect("JSON")
    }

    /// The whole log of a run.
    pub(crate) async fn log(&self, run: &RunId) -> Vec<Value> {
        let page = poll(&self.host, &self.acme, run, PollEvents { after_sequence: None, timeout: Some("1") }).await;
        let page: Value = serde_json::from_slice(&page.expect("a page")).expect("JSON");
        page["events"].as_array().expect("a list").clone()
    }

    /// The runs of the caller, by id.
    pub(crate) async fn run_count(&self) -> usize {
        let request = runs::ListRuns { limit: Some("1000"), cursor: None };
        let list = runs::list(&self.host, &self.acme, request).await.expect("a list");
        let list: Value = serde_json::from_slice(&list).expect("JSON");
        list["runs"].as_array().expect("a list").len()
    }
}

pub(crate) fn create_request(body: Value, key: Option<&str>) -> CreateRun {
    CreateRun {
        body,
        idempotency_key: key.map(str::to_owned),
        dedup: None,
        force_engine_version: None,
        transport: Transport::Rest,
    }
}

pub(crate) fn run_id_of(answer: &Answer) -> RunId {
    body_of(answer)["runId"].as_str().expect("an id").parse().expect("a run id")
}

pub(crate) fn body_of(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).expect("JSON")
}

pub(crate) fn code<T: std::fmt::Debug>(result: OpResult<T>) -> ErrorCode {
    result.expect_err("refused").code()
}

pub(crate) fn tenant(text: &str) -> TenantId {
    text.parse().expect("a tenant")
}

pub(crate) fn node(text: &str) -> NodeId {
    text.parse().expect("a node id")
}

/// An approval that accepts.
pub(crate) fn accept() -> Value {
    json!({"resumeValue": {"action": "accept", "decidedAt": "2027-01-15T08:00:00Z"}})
}

fn definition(id: &str, nodes: &[(&str, &str)], extra: Value) -> Value {
    let node = |(id, type_id): &(&str, &str)| json!({"id": id, "typeId": type_id, "name": id, "position": {"x": 0, "y": 0}, "config": {}, "inputs": {}});
    let edge = |pair: &[(&str, &str)]| json!({"id": format!("{}-{}", pair[0].0, pair[1].0), "sourceNodeId": pair[0].0, "targetNodeId": pair[1].0});
    let mut definition = json!({
        "id": id,
        "name": id,
        "version": "1.0.0",
        "nodes": nodes.iter().map(node).collect::<Vec<_>>(),
        "edges": nodes.windows(2).map(edge).collect::<Vec<_>>(),
        "triggers": [],
        "variables": [],
        "metadata": {},
        "settings": {},
    });
    let members = definition.as_object_mut().expect("an object");
    members.extend(extra.as_object().expect("an object").clone());
    definition
}

/// One node that completes at once.
pub(crate) fn noop() -> Value {
    definition("noop", &[("only", "core.noop")], json!({}))
}

fn chain() -> Value {
    definition("chain", &[("a", "core.noop"), ("b", "core.noop"), ("c", "core.noop")], json!({}))
}

/// One node that runs until it is cancelled.
fn hold() -> Value {
    definition("hold", &[("held", "test.hold")], json!({}))
}

/// An approval, then one more node.
fn gate() -> Value {
    definition("gate", &[("gate", "test.gate"), ("after", "core.noop")], json!({}))
}

/// Requires an input.
fn typed() -> Value {
    let variables = json!([
        {"name": "amount", "type": "number", "required": true},
        {"name": "note", "type": "string", "defaultValue": "none"},
    ]);
    definition("typed", &[("only", "core.noop")], json!({ "variables": variables }))
}

/// Has a node of a family that the host does not advertise.
fn gated() -> Value {
    definition("gated", &[("only", "test.gated")], json!({}))
}

/// Has a schema for its run options.
fn options() -> Value {
    let schema = json!({
        "type": "object",
        "properties": {"version": {"const": 1}, "ai": {"type": "object", "properties": {"model": {"enum": ["small"]}}}},
    });
    definition("options", &[("only", "core.noop")], json!({ "configurableSchema": schema }))
}

struct Catalog(HashMap<TypeId, NodeType>);

impl Catalog {
    fn new() -> Catalog {
        let pure = |id: &str, node: Arc<dyn PureNode>, family| NodeType {
            id: id.parse().expect("a type id"),
            kind: NodeKind::Pure(node),
            family,
        };
        let types = [
            pure("core.noop", Arc::new(Noop), None),
            pure("test.gate", Arc::new(Gate), None),
            pure("test.gated", Arc::new(Noop), Some("conversationPrimitive")),
            NodeType {
                id: "test.hold".parse().expect("a type id"),
                kind: NodeKind::Effect { node: Arc::new(Hold), repeat: Repeat::Idempotent },
                family: None,
            },
        ];
        Catalog(types.into_iter().map(|node_type| (node_type.id.clone(), node_type)).collect())
    }
}

impl NodeCatalog for Catalog {
    fn node_type(&self, id: &TypeId) -> Option<&NodeType> {
        self.0.get(id)
    }
}

struct Hold;

impl EffectNode for Hold {
    fn check(&self, _: &JsonObject) -> Result<(), String> {
        Ok(())
    }

    fn execute(&self, _: NodeCall) -> EffectFuture {
        Box::pin(pending::<Result<JsonObject, NodeError>>())
    }
}

/// Where the values of one world start.
fn fresh_seed() -> u64 {
    static WORLDS: AtomicU64 = AtomicU64::new(1);
    WORLDS.fetch_add(1, Ordering::Relaxed) << 32
}
