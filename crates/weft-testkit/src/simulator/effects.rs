//! The outside world: the standard node types, with an HTTP node whose peer is made up.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::json;
use weft_core::{EffectFuture, EffectNode, NodeCall, NodeCatalog, NodeError, NodeKind, NodeType};
use weft_egress::{EgressClient, EgressOptions, EgressPolicy, SystemResolver, TrustRoots};
use weft_model::{ErrorCode, JsonObject, TypeId};
use weft_nodes::{Catalog, CatalogOptions};

use super::faults::{Fault, LifeFaults, Switch};
use super::rng::Rng;

/// The effect node type that is played.
const HTTP_FETCH: &str = "core.openwop.http.fetch";

/// An attempt as the peer knows it: run, node, attempt.
pub(crate) type AttemptId = (String, String, u32);

/// What the peer saw.
#[derive(Default)]
pub(crate) struct Peer(Mutex<BTreeMap<AttemptId, u32>>);

impl Peer {
    fn begin(&self, call: &NodeCall) {
        let attempt = (call.run_id.to_string(), call.node_id.to_string(), call.attempt);
        *self.0.lock().entry(attempt).or_default() += 1;
    }

    /// How often each attempt reached the peer.
    pub(crate) fn begun(&self) -> BTreeMap<AttemptId, u32> {
        self.0.lock().clone()
    }
}

/// What the effects of one life can do to it.
#[derive(Clone)]
pub(crate) struct EffectFaults {
    pub(crate) seed: u64,
    pub(crate) faults: Arc<LifeFaults>,
    pub(crate) switch: Arc<Switch>,
    pub(crate) peer: Arc<Peer>,
}

/// The standard catalog with the played HTTP node in it. Workflows are compiled against it once
/// and go on to the next life, so the node asks which life it is in.
pub(crate) struct SimCatalog {
    fetch: NodeType,
    life: Arc<Mutex<Option<EffectFaults>>>,
}

impl SimCatalog {
    /// The catalog of a simulation, before its first life.
    pub(crate) fn new() -> SimCatalog {
        let real = standard().node_type(&fetch_id()).expect("the standard catalog has the HTTP node").clone();
        let NodeKind::Effect { node: checks, repeat } = real.kind else { panic!("the HTTP node is an effect") };
        let life = Arc::default();
        let node = Arc::new(PlayedFetch { life: Arc::clone(&life), checks });
        SimCatalog { fetch: NodeType { kind: NodeKind::Effect { node, repeat }, ..real }, life }
    }

    /// From here on effects belong to this life.
    pub(crate) fn enter(&self, life: EffectFaults) {
        *self.life.lock() = Some(life);
    }
}

impl NodeCatalog for SimCatalog {
    fn node_type(&self, id: &TypeId) -> Option<&NodeType> {
        if *id == self.fetch.id { Some(&self.fetch) } else { standard().node_type(id) }
    }
}

/// One catalog a process: building its client reads every root certificate.
fn standard() -> &'static Catalog {
    static STANDARD: OnceLock<Catalog> = OnceLock::new();
    STANDARD.get_or_init(|| {
        let client = EgressClient::new(EgressOptions {
            policy: EgressPolicy::public_only(),
            resolver: Arc::new(SystemResolver::new()),
            trust: TrustRoots::bundled(),
        });
        Catalog::standard(client, CatalogOptions { max_response_bytes: 1024 })
    })
}

fn fetch_id() -> TypeId {
    HTTP_FETCH.parse().expect("the id follows the grammar")
}

/// Checks configs like the real node and dials nobody.
struct PlayedFetch {
    life: Arc<Mutex<Option<EffectFaults>>>,
    checks: Arc<dyn EffectNode>,
}

/// How the peer treats one attempt.
enum Treatment {
    Answer { after_ms: u64 },
    Fail { after_ms: u64, retryable: bool },
    Never,
}

impl EffectNode for PlayedFetch {
    fn check(&self, config: &JsonObject) -> Result<(), String> {
        self.checks.check(config)
    }

    fn execute(&self, call: NodeCall) -> EffectFuture {
        let life = self.life.lock().clone().expect("effects begin within a life");
        Box::pin(play(life, call))
    }
}

async fn play(world: EffectFaults, call: NodeCall) -> Result<JsonObject, NodeError> {
    if world.switch.is_dead() {
        return pending().await;
    }
    world.peer.begin(&call);
    crash(&world, Fault::CrashAtEffectBegin).await;
    // The attempt alone decides: what a peer does must not depend on who asked before.
    let mut rng = Rng::for_purpose(world.seed, &format!("{} {}", call.invocation_key, call.attempt));
    let result = match treatment(&mut rng, &world.faults, call.deadline.is_some()) {
        Treatment::Never => pending().await,
        Treatment::Answer { after_ms } => {
            tokio::time::sleep(Duration::from_millis(after_ms)).await;
            Ok(JsonObject::from_iter([
                ("status".to_owned(), json!(200)),
                ("body".to_owned(), json!({"attempt": call.attempt, "nonce": rng.next()})),
            ]))
        }
        Treatment::Fail { after_ms, retryable } => {
            tokio::time::sleep(Duration::from_millis(after_ms)).await;
            Err(failure(retryable))
        }
    };
    crash(&world, Fault::CrashAtEffectEnd).await;
    result
}

/// A peer that never answers is only for those who stop waiting.
fn treatment(rng: &mut Rng, faults: &LifeFaults, has_deadline: bool) -> Treatment {
    let quick = rng.between(1, 400);
    match rng.between(0, 100) {
        0..60 => Treatment::Answer { after_ms: quick },
        60..75 => {
            faults.tally.count(Fault::EffectLate);
            Treatment::Answer { after_ms: rng.between(500, 4_000) }
        }
        75..90 => {
            faults.tally.count(Fault::EffectFailed);
            Treatment::Fail { after_ms: quick, retryable: true }
        }
        90..94 => Treatment::Fail { after_ms: quick, retryable: false },
        _ if has_deadline => {
            faults.tally.count(Fault::EffectNever);
            Treatment::Never
        }
        _ => Treatment::Answer { after_ms: quick },
    }
}

async fn crash(world: &EffectFaults, fault: Fault) {
    if world.faults.effect_crashes() && world.switch.pull() {
        world.faults.tally.count(fault);
    }
    if world.switch.is_dead() {
        pending::<()>().await;
    }
}

fn failure(retryable: bool) -> NodeError {
    NodeError::new(ErrorCode::ServiceUnavailable, "The peer failed.").with_retryable(retryable)
}
