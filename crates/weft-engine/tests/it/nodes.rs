//! Node types whose behaviour the tests steer.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Semaphore;
use weft_core::{EffectFuture, EffectNode, NodeCall, NodeCatalog, NodeKind, NodeType, PureNode, PureOutcome, Repeat};
use weft_model::{JsonObject, TypeId};
use weft_testkit::nodes::{Gate, Noop};

/// The types, and the handles by which a test watches and steers them.
pub(crate) struct Catalog {
    types: HashMap<TypeId, NodeType>,
    pub(crate) probe: Arc<Probe>,
}

/// What the effects report and wait for.
pub(crate) struct Probe {
    /// Attempts begun, over all runs.
    pub(crate) begun: AtomicUsize,
    /// `test.gate` effects end only with a permit of this.
    pub(crate) permits: Semaphore,
}

impl Catalog {
    pub(crate) fn new() -> Catalog {
        let probe = Arc::new(Probe { begun: AtomicUsize::new(0), permits: Semaphore::new(0) });
        let pure = |id: &str, node: Arc<dyn PureNode>| node_type(id, NodeKind::Pure(node));
        let effect = |id: &str, behaviour: Behaviour, repeat| {
            let node = Arc::new(Effect { probe: Arc::clone(&probe), behaviour });
            node_type(id, NodeKind::Effect { node, repeat })
        };
        let types = [
            pure("core.noop", Arc::new(Noop)),
            pure("core.delay", Arc::new(Delay)),
            pure("core.approvalGate", Arc::new(Gate)),
            pure("test.break", Arc::new(Break)),
            pure("test.large", Arc::new(Large)),
            effect("test.gated", Behaviour::Gated, Repeat::Never),
            effect("test.again", Behaviour::Gated, Repeat::Idempotent),
            effect("test.slow", Behaviour::Slow, Repeat::Never),
            effect("test.panics", Behaviour::Panics, Repeat::Never),
        ];
        Catalog { types: types.into_iter().map(|node_type| (node_type.id.clone(), node_type)).collect(), probe }
    }
}

impl NodeCatalog for Catalog {
    fn node_type(&self, id: &TypeId) -> Option<&NodeType> {
        self.types.get(id)
    }
}

fn node_type(id: &str, kind: NodeKind) -> NodeType {
    NodeType { id: id.parse().expect("a type id"), kind, family: None }
}

/// Sleeps `config.delayMs`.
struct Delay;

impl PureNode for Delay {
    fn check(&self, _: &JsonObject) -> Result<(), String> {
        Ok(())
    }

    fn evaluate(&self, call: &NodeCall) -> PureOutcome {
        PureOutcome::Sleep { ms: call.config["delayMs"].as_u64().expect("a number") }
    }
}

/// Breaks a rule of the host.
struct Break;

impl PureNode for Break {
    fn check(&self, _: &JsonObject) -> Result<(), String> {
        Ok(())
    }

    fn evaluate(&self, _: &NodeCall) -> PureOutcome {
        panic!("a node that breaks on purpose")
    }
}

/// Completes with `config.bytes` bytes of output.
struct Large;

impl PureNode for Large {
    fn check(&self, _: &JsonObject) -> Result<(), String> {
        Ok(())
    }

    fn evaluate(&self, call: &NodeCall) -> PureOutcome {
        let bytes = call.config["bytes"].as_u64().expect("a number");
        let text = "x".repeat(usize::try_from(bytes).expect("a small number"));
        PureOutcome::Complete(JsonObject::from_iter([("text".to_owned(), json!(text))]))
    }
}

#[derive(Clone, Copy)]
enum Behaviour {
    Gated,
    Slow,
    Panics,
}

struct Effect {
    probe: Arc<Probe>,
    behaviour: Behaviour,
}

impl EffectNode for Effect {
    fn check(&self, _: &JsonObject) -> Result<(), String> {
        Ok(())
    }

    fn execute(&self, call: NodeCall) -> EffectFuture {
        let (probe, behaviour) = (Arc::clone(&self.probe), self.behaviour);
        Box::pin(async move {
            probe.begun.fetch_add(1, Ordering::SeqCst);
            match behaviour {
                Behaviour::Gated => probe.permits.acquire().await.expect("open").forget(),
                Behaviour::Slow => tokio::time::sleep(Duration::from_secs(3_600)).await,
                Behaviour::Panics => panic!("an effect that breaks on purpose"),
            }
            Ok(JsonObject::from_iter([("attempt".to_owned(), json!(call.attempt))]))
        })
    }
}
