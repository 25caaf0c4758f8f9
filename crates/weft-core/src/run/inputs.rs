//! What an attempt is called with.

use std::sync::Arc;

use serde_json::Value;
use weft_model::{Digest, ErrorCode, FailureCode, JsonObject, Timestamp};

use super::state::{NodeStage, RunState};
use crate::node::{NodeCall, NodeError};
use crate::workflow::{NodeIx, PortSource};

impl RunState {
    /// Resolves a node's ports and puts its call together.
    pub(super) fn call(&self, ix: NodeIx, attempt: u32, since: Timestamp) -> Result<NodeCall, NodeError> {
        let node = self.workflow.node(ix);
        Ok(NodeCall {
            run_id: self.run_id.clone(),
            node_id: node.id.clone(),
            attempt,
            config: Arc::clone(&node.config),
            inputs: self.inputs(ix)?,
            deadline: self.attempt_deadline(ix, since),
            invocation_key: self.invocation_key(ix),
        })
    }

    /// When an attempt that began at `since`, or the run, is out of time.
    fn attempt_deadline(&self, ix: NodeIx, since: Timestamp) -> Option<Timestamp> {
        let own = self.workflow.node(ix).timeout_ms.map(|ms| since.plus_ms(ms));
        match (own, self.run_deadline()) {
            (Some(own), Some(run)) => Some(own.min(run)),
            (own, run) => own.or(run),
        }
    }

    fn invocation_key(&self, ix: NodeIx) -> String {
        // Pure nodes call nobody, and a digest costs more than the rest of their step.
        if !self.is_effect(ix) {
            return String::new();
        }
        let node = self.workflow.node_id(ix).as_str();
        Digest::of_parts(&[b"invocation", self.run_id.as_str().as_bytes(), node.as_bytes()]).to_hex()
    }

    fn inputs(&self, ix: NodeIx) -> Result<JsonObject, NodeError> {
        let node = self.workflow.node(ix);
        let mut inputs = JsonObject::new();
        for feed in &node.feeds {
            // The first edge that brings a value keeps its port.
            if !inputs.contains_key(&feed.port)
                && let Some(value) = self.output(feed.source, &feed.output)
            {
                inputs.insert(feed.port.clone(), value.clone());
            }
        }
        for port in &node.ports {
            let (value, optional) = match &port.source {
                PortSource::Static(value) => (Some(value), true),
                PortSource::Connection { node, output, optional } => (self.output(*node, output), *optional),
                PortSource::Variable { name, optional } => (self.variable(name), *optional),
            };
            match value {
                Some(value) => {
                    inputs.insert(port.name.clone(), value.clone());
                }
                None if optional => {}
                None => return Err(unset(&port.name)),
            }
        }
        Ok(inputs)
    }

    fn output(&self, ix: NodeIx, name: &str) -> Option<&Value> {
        match &self.slot(ix).stage {
            NodeStage::Completed(outputs) => outputs.get(name),
            _ => None,
        }
    }

    fn variable(&self, name: &str) -> Option<&Value> {
        self.begun.as_deref()?.variables.get(name)
    }
}

/// A port that needs a value and has none (R-EVT-123).
fn unset(port: &str) -> NodeError {
    let details = JsonObject::from_iter([("field".to_owned(), Value::from(port))]);
    NodeError {
        code: FailureCode::Registered(ErrorCode::ValidationError),
        message: format!("the input port {port} has no value"),
        details: Some(details),
        retryable: false,
    }
}
