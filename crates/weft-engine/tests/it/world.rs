//! An engine over a memory store, on a clock that stands still until every task waits.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use serde_json::{Value, json};
use weft_core::{Cancel, Command, Start, Workflow};
use weft_engine::{
    BoxFuture, Clock, Engine, EngineError, EngineLimits, EnginePorts, Entropy, NewRunRequest, Outcome, Page, Reply,
    WorkflowFault, WorkflowSource,
};
use weft_model::event::Transport;
use weft_model::{Digest, JsonObject, Lane, NodeId, Owner, RunId, RunStatus, Subject, SubjectKind, TenantId};
use weft_store::{MemoryStore, PageLimit, RunRecord, Store};
use weft_testkit::ports::{CountedEntropy, PausedClock};

use crate::nodes::{Catalog, Probe};

/// A page that holds any log of these tests.
pub(crate) const ALL: PageLimit = PageLimit { events: usize::MAX, bytes: usize::MAX };

/// An engine and what it stands on. What is durable survives [`World::crash`].
pub(crate) struct World {
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: MemoryStore,
    pub(crate) clock: PausedClock,
    catalog: Arc<Catalog>,
    workflows: Arc<Compiled>,
    entropy: Arc<CountedEntropy>,
    limits: EngineLimits,
}

impl World {
    pub(crate) fn new() -> World {
        World::over(MemoryStore::new(), EngineLimits::default())
    }

    pub(crate) fn over(store: MemoryStore, limits: EngineLimits) -> World {
        let clock = PausedClock::starting();
        let catalog = Arc::new(Catalog::new());
        let workflows = Arc::new(Compiled::default());
        let entropy = Arc::new(CountedEntropy::from(1));
        let ports = ports(&store, clock, &workflows, &entropy);
        let engine = Engine::start(ports, limits.clone());
        World { engine, store, clock, catalog, workflows, entropy, limits }
    }

    /// Kills the engine where it stands and starts another one on what is durable.
    pub(crate) fn crash(self) -> World {
        let World { engine, store, clock, catalog, workflows, entropy, limits } = self;
        drop(engine);
        let ports = ports(&store, clock, &workflows, &entropy);
        let engine = Engine::start(ports, limits.clone());
        World { engine, store, clock, catalog, workflows, entropy, limits }
    }

    pub(crate) fn probe(&self) -> &Probe {
        &self.catalog.probe
    }

    /// Attempts begun so far.
    pub(crate) fn begun(&self) -> usize {
        self.probe().begun.load(Ordering::SeqCst)
    }

    pub(crate) fn request(&self, definition: &Value) -> NewRunRequest {
        let bytes = definition.to_string();
        let workflow = Arc::new(Workflow::compile(bytes.as_bytes(), &*self.catalog).expect("a definition"));
        self.workflows.0.lock().insert(workflow.digest(), Arc::clone(&workflow));
        let run_id = RunId::mint(&tenant(), self.clock.now(), self.entropy.random_128());
        NewRunRequest { run_id, workflow, start: start(), reply: None }
    }

    /// Creates a run and answers its record.
    pub(crate) async fn create(&self, definition: &Value) -> RunRecord {
        let request = self.request(definition);
        let run_id = request.run_id.clone();
        self.engine.create(request).await.expect("created");
        self.record(&run_id).await
    }

    /// The record as the store has it.
    pub(crate) async fn record(&self, run: &RunId) -> RunRecord {
        self.store.find_run(run).await.expect("readable").expect("a run")
    }

    pub(crate) async fn cancel(&self, record: &RunRecord) -> Result<Outcome, EngineError> {
        self.submit(record, Command::Cancel(Cancel::default())).await
    }

    pub(crate) async fn approve(&self, record: &RunRecord, node: &str) -> Result<Outcome, EngineError> {
        self.submit(record, approval(node)).await
    }

    pub(crate) async fn submit(&self, record: &RunRecord, command: Command) -> Result<Outcome, EngineError> {
        self.engine.submit(record, command, Reply::None).await
    }

    pub(crate) async fn page(&self, record: &RunRecord) -> Page {
        self.engine.page(record, None, ALL).await.expect("a page")
    }

    /// The log's types as the store has them.
    pub(crate) async fn types(&self, record: &RunRecord) -> Vec<String> {
        self.documents(record).await.iter().map(|event| text(&event["type"])).collect()
    }

    /// The log as the store has it.
    pub(crate) async fn documents(&self, record: &RunRecord) -> Vec<Value> {
        let events = self.store.read_events(record.key, None, ALL).await.expect("readable");
        events.iter().map(|event| serde_json::from_slice(&event.bytes).expect("JSON")).collect()
    }

    /// Waits until the run has this status in the store.
    pub(crate) async fn until(&self, record: &RunRecord, status: RunStatus) {
        let mut watch = self.engine.watch(record.key);
        while self.record(&record.run_id).await.status != status {
            watch.changed().await;
        }
    }

    /// The workflows of this test are nowhere to be found any more.
    pub(crate) fn forget_workflows(&self) {
        self.workflows.0.lock().clear();
    }

    /// Lets every task run that can run, without time passing.
    pub(crate) async fn settle(&self) {
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
    }

    /// Lets this much time pass.
    pub(crate) async fn pass(&self, ms: u64) {
        tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
        self.settle().await;
    }
}

fn ports(
    store: &MemoryStore,
    clock: PausedClock,
    workflows: &Arc<Compiled>,
    entropy: &Arc<CountedEntropy>,
) -> EnginePorts {
    EnginePorts {
        store: Arc::new(store.clone()),
        clock: Arc::new(clock),
        entropy: Arc::clone(entropy) as Arc<dyn Entropy>,
        workflows: Arc::clone(workflows) as Arc<dyn WorkflowSource>,
    }
}

pub(crate) fn approval(node: &str) -> Command {
    Command::ResolveInterrupt {
        node: node.parse::<NodeId>().expect("a node id"),
        value: json!({"action": "accept", "decidedAt": "2027-01-15T08:00:00Z"}),
        by: alice(),
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

pub(crate) fn tenant() -> TenantId {
    "acme".parse().expect("a tenant")
}

fn alice() -> Subject {
    Subject {
        issuer: "weft".into(),
        subject_id: "alice".parse().expect("a subject id"),
        tenant: tenant(),
        lane: Lane::ApiKey,
        kind: SubjectKind::User,
        key_class: None,
        actor: None,
    }
}

fn start() -> Start {
    Start {
        inputs: JsonObject::new(),
        owner: Owner { tenant: tenant(), workspace: None, subject: alice() },
        transport: Transport::Rest,
        tags: Vec::new(),
        metadata: None,
        configurable: None,
        recursion_limit: None,
        run_timeout_ms: None,
    }
}

/// A workflow of nodes that follow each other: id, type, config, settings.
pub(crate) fn chain(nodes: &[(&str, &str, Value, Value)]) -> Value {
    let node = |(id, type_id, config, settings): &(&str, &str, Value, Value)| {
        json!({"id": id, "typeId": type_id, "name": id, "position": {"x": 0, "y": 0},
               "config": config, "inputs": {}, "settings": settings})
    };
    let edge = |pair: &[(&str, &str, Value, Value)]| json!({"id": format!("{}-{}", pair[0].0, pair[1].0), "sourceNodeId": pair[0].0, "targetNodeId": pair[1].0});
    json!({
        "id": "flow", "name": "flow", "version": "1.0.0",
        "nodes": nodes.iter().map(node).collect::<Vec<_>>(),
        "edges": nodes.windows(2).map(edge).collect::<Vec<_>>(),
        "triggers": [], "variables": [], "metadata": {}, "settings": {},
    })
}

/// A workflow of nodes of one type, side by side.
pub(crate) fn fan_out(type_id: &str, count: usize) -> Value {
    let ids: Vec<String> = (0..count).map(|n| format!("n{n}")).collect();
    let nodes: Vec<_> = ids.iter().map(|id| (id.as_str(), type_id, json!({}), json!({}))).collect();
    let mut definition = chain(&nodes);
    definition["edges"] = json!([]);
    definition
}

/// A workflow of one node.
pub(crate) fn one(type_id: &str) -> Value {
    chain(&[("only", type_id, json!({}), json!({}))])
}

/// A workflow that waits for a timer.
pub(crate) fn delay(ms: u64) -> Value {
    chain(&[("wait", "core.delay", json!({"delayMs": ms}), json!({}))])
}

/// The workflows of one test; they outlive a crash as stored definitions do.
#[derive(Default)]
struct Compiled(Mutex<HashMap<Digest, Arc<Workflow>>>);

impl WorkflowSource for Compiled {
    fn fetch(&self, digest: Digest) -> BoxFuture<'_, Result<Arc<Workflow>, WorkflowFault>> {
        Box::pin(async move { self.0.lock().get(&digest).cloned().ok_or(WorkflowFault::Missing(digest)) })
    }
}
