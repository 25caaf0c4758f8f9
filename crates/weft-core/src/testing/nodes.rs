//! Small node types, one for each thing a node can do.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use weft_model::interrupt::{ApprovalData, CustomData};
use weft_model::{ErrorCode, InterruptData, JsonObject, TypeId};

use crate::node::{
    EffectFuture, EffectNode, InterruptRequest, NodeCall, NodeCatalog, NodeError, NodeKind, NodeType, PureNode,
    PureOutcome, Repeat,
};

/// The types `test.*`.
pub(crate) struct Types(BTreeMap<&'static str, NodeType>);

impl Types {
    pub(crate) fn new() -> Self {
        let mut types = BTreeMap::new();
        for (name, evaluate) in PURE {
            types.insert(*name, node_type(name, NodeKind::Pure(Arc::new(Pure(*evaluate))), None));
        }
        let by_config = |config: &JsonObject| config.get("repeat") == Some(&Value::Bool(true));
        for (name, repeat) in [
            ("test.call", Repeat::Never),
            ("test.read", Repeat::Idempotent),
            ("test.maybe", Repeat::ByConfig(by_config)),
        ] {
            let kind = NodeKind::Effect { node: Arc::new(Outside), repeat };
            types.insert(name, node_type(name, kind, Some("httpClient")));
        }
        Self(types)
    }
}

impl NodeCatalog for Types {
    fn node_type(&self, id: &TypeId) -> Option<&NodeType> {
        self.0.get(id.as_str())
    }
}

fn node_type(name: &str, kind: NodeKind, family: Option<&'static str>) -> NodeType {
    NodeType { id: TypeId::parse(name).unwrap(), kind, family }
}

type Evaluate = fn(&NodeCall) -> PureOutcome;

const PURE: &[(&str, Evaluate)] = &[
    ("test.noop", |_| PureOutcome::Complete(JsonObject::new())),
    ("test.emit", |call| PureOutcome::Complete(call.config.as_ref().clone())),
    ("test.echo", |call| PureOutcome::Complete(call.inputs.clone())),
    ("test.fail", |call| PureOutcome::Fail(error(call.config.get("retryable") == Some(&Value::Bool(true))))),
    ("test.flaky", flaky),
    ("test.sleep", |call| PureOutcome::Sleep { ms: number(call, "ms").unwrap_or(100) }),
    ("test.gate", gate),
    ("core.approvalGate", gate),
    ("test.custom", custom),
];

fn number(call: &NodeCall, name: &str) -> Option<u64> {
    call.config.get(name).and_then(Value::as_u64)
}

fn error(retryable: bool) -> NodeError {
    NodeError::new(ErrorCode::InternalError, "on purpose").with_retryable(retryable)
}

/// Fails until attempt `until`.
fn flaky(call: &NodeCall) -> PureOutcome {
    if u64::from(call.attempt) >= number(call, "until").unwrap_or(1) {
        PureOutcome::Complete(JsonObject::new())
    } else {
        PureOutcome::Fail(error(true))
    }
}

fn gate(call: &NodeCall) -> PureOutcome {
    let mut data = serde_json::json!({
        "artifactId": "artifact", "artifactType": "expense", "title": "Approve?", "actions": ["accept", "reject"],
    });
    for (name, value) in call.config.iter().filter(|(name, _)| *name != "timeoutMs") {
        data[name.as_str()] = value.clone();
    }
    let data: ApprovalData = serde_json::from_value(data).unwrap();
    PureOutcome::Suspend(InterruptRequest {
        data: InterruptData::Approval(data),
        resume_schema: None,
        timeout_ms: number(call, "timeoutMs"),
    })
}

fn custom(_: &NodeCall) -> PureOutcome {
    let data = InterruptData::Custom(CustomData { custom_kind: "mine".to_owned(), payload: None });
    PureOutcome::Suspend(InterruptRequest { data, resume_schema: None, timeout_ms: None })
}

struct Pure(Evaluate);

impl PureNode for Pure {
    fn check(&self, config: &JsonObject) -> Result<(), String> {
        match config.get("refuse") {
            Some(reason) => Err(reason.to_string()),
            None => Ok(()),
        }
    }

    fn evaluate(&self, call: &NodeCall) -> PureOutcome {
        (self.0)(call)
    }
}

struct Outside;

impl EffectNode for Outside {
    fn check(&self, _: &JsonObject) -> Result<(), String> {
        Ok(())
    }

    fn execute(&self, call: NodeCall) -> EffectFuture {
        Box::pin(async move { Ok(call.inputs) })
    }
}
