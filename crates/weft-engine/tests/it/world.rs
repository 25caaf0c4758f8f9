//! An engine over a memory store, on a clock that stands still until every task waits.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::Instant;
use weft_core::{Cancel, Command, Start, Workflow};
use weft_engine::{
    BoxFuture, Clock, Engine, EngineError, EngineLimits, EnginePorts, Entropy, NewRunRequest, Outcome, Page, Reply,
    WorkflowFault, WorkflowSource,
};
use weft_model::event::Transport;
use weft_model::{
    Digest, JsonObject, Lane, NodeId, Owner, RunId, RunStatus, Subject, SubjectKind, TenantId, Timestamp,
};
use weft_store::{MemoryStore, PageLimit, RunRecord, Store};

use crate::nodes::{Catalog, Probe};

/// The moment at which every test starts.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);
/// A page that holds any log of these tests.
pub(crate) const ALL: PageLimit = PageLimit { events: usize::MAX, bytes: usize::MAX };

/// An engine and what it stands on. What is durable survives [`World::crash`].
pub(crate) struct World {
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: MemoryStore,
    pub(crate) clock: PausedClock,
    catalog: Arc<Catalog>,
    workflows: Arc<Compiled>,
    entropy: Arc<Counted>,
    limits: EngineLimits,
}

impl World {
    pub(crate) fn new() -> World {
        World::over(MemoryStore::new(), EngineLimits::default())
    }

    pub(crate) fn over(store: MemoryStore, limits: EngineLimits) -> World {
        let clock = PausedClock(Instant::now());
        let catalog = Arc::new(Catalog::new());
        let workflows = Arc::new(Compiled::default());
        let entropy = Arc::new(Counted(AtomicU64::new(1)));
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

fn ports(store: &MemoryStore, clock: PausedClock, workflows: &Arc<Compiled>, entropy: &Arc<Counted>) -> EnginePorts {
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

/// Follows the runtime's paused clock.
#[derive(Clone, Copy)]
pub(crate) struct PausedClock(Instant);

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        START.plus_ms(u64::try_from(self.0.elapsed().as_millis()).expect("a short test"))
    }

    fn sleep_until(&self, due: Timestamp) -> BoxFuture<'static, ()> {
        let wait = due.saturating_ms_since(self.now());
        Box::pin(tokio::time::sleep(std::time::Duration::from_millis(wait)))
    }
}

/// Values that never repeat.
struct Counted(AtomicU64);

impl Entropy for Counted {
    fn random_128(&self) -> [u8; 16] {
        let mut bits = [0; 16];
        bits[8..].copy_from_slice(&self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        bits
    }
}

/// The workflows of one test; they outlive a crash as stored definitions do.
#[derive(Default)]
struct Compiled(Mutex<HashMap<Digest, Arc<Workflow>>>);

impl WorkflowSource for Compiled {
    fn fetch(&self, digest: Digest) -> BoxFuture<'_, Result<Arc<Workflow>, WorkflowFault>> {
        Box::pin(async move { self.0.lock().get(&digest).cloned().ok_or(WorkflowFault::Missing(digest)) })
    }
}
