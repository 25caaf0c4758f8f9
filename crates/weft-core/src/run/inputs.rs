//! What an attempt is called with.

use std::sync::Arc;

use serde_json::Value;
use weft_model::{Digest, ErrorCode, JsonObject, Timestamp, json};

use super::state::{NodeStage, RunState};
use crate::node::{NodeCall, NodeError};
use crate::workflow::{NodeIx, PortSource};

/// Bytes that the ports of one attempt may bring together, about: twice the largest request body.
/// A value is copied for every port that names it, so without a bound a definition of a few
/// hundred ports would make gigabytes of one input.
pub const CALL_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What a node is called with.
pub(super) struct Call {
    pub(super) call: NodeCall,
    /// The weight of its inputs.
    pub(super) bytes: usize,
}

/// The values of a node's ports, counted before they are copied.
#[derive(Default)]
struct Inputs {
    values: JsonObject,
    bytes: usize,
}

impl Inputs {
    fn take(&mut self, port: &str, value: &Value) -> Result<(), NodeError> {
        self.bytes = self.bytes.saturating_add(json::weight(value));
        if self.bytes > CALL_BYTES_MAX {
            crossing!(InputsTooLarge);
            return Err(too_large(port));
        }
        self.values.insert(port.to_owned(), value.clone());
        Ok(())
    }
}

impl RunState {
    /// Resolves a node's ports and puts its call together.
    pub(super) fn call(&self, ix: NodeIx, attempt: u32, since: Timestamp) -> Result<Call, NodeError> {
        let node = self.workflow.node(ix);
        let Inputs { values, bytes } = self.inputs(ix)?;
        let call = NodeCall {
            run_id: self.run_id.clone(),
            node_id: node.id.clone(),
            attempt,
            config: Arc::clone(&node.config),
            inputs: values,
            deadline: self.attempt_deadline(ix, since),
            invocation_key: self.invocation_key(ix),
        };
        Ok(Call { call, bytes })
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

    fn inputs(&self, ix: NodeIx) -> Result<Inputs, NodeError> {
        let node = self.workflow.node(ix);
        let mut inputs = Inputs::default();
        for feed in &node.feeds {
            // The first edge that brings a value keeps its port.
            if !inputs.values.contains_key(&feed.port)
                && let Some(value) = self.output(feed.source, &feed.output)
            {
                inputs.take(&feed.port, value)?;
            }
        }
        for port in &node.ports {
            let (value, optional) = match &port.source {
                PortSource::Static(value) => (Some(value), true),
                PortSource::Connection { node, output, optional } => (self.output(*node, output), *optional),
                PortSource::Variable { name, optional } => (self.variable(name), *optional),
            };
            match value {
                Some(value) => inputs.take(&port.name, value)?,
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
    crossing!(PortUnset);
    NodeError::new(ErrorCode::ValidationError, format!("the input port {port} has no value")).with_detail("field", port)
}

fn too_large(port: &str) -> NodeError {
    let message = format!("the inputs of the node are larger than {CALL_BYTES_MAX} bytes");
    NodeError::new(ErrorCode::PayloadTooLarge, message).with_detail("field", port)
}
