//! The run as the wire shows it (events sheet §5).

use serde_json::Value;
use weft_model::run::{EVENT_LOG_SCHEMA_VERSION, SnapshotError};
use weft_model::{JsonObject, RunSnapshot};

use super::state::{NodeSlot, NodeStage, RunState, Stage};
use crate::workflow::NodeIx;

impl RunState {
    /// The snapshot: a pure function of the log (R-EVT-91). `None` before `run.started`, which
    /// names the owner that every snapshot has to name.
    pub fn snapshot(&self) -> Option<RunSnapshot> {
        let begun = self.begun.as_deref()?;
        let ending = match &self.stage {
            Stage::Ended(ending) => Some(ending),
            _ => None,
        };
        let error = ending.and_then(|ending| ending.error.as_ref()).map(|failure| SnapshotError {
            code: failure.code.clone(),
            message: failure.message.clone(),
            details: failure.details.clone(),
        });
        let current = if ending.is_none() { self.earliest_wait() } else { None };
        Some(RunSnapshot {
            run_id: self.run_id.clone(),
            workflow_id: begun.workflow_id.clone(),
            status: self.status(),
            owner: begun.owner.clone()?,
            event_log_schema_version: EVENT_LOG_SCHEMA_VERSION,
            engine_version: begun.engine_version,
            compensation_status: None,
            current_node_id: current.map(|(ix, _)| self.workflow.node_id(ix).clone()),
            started_at: Some(begun.at),
            completed_at: ending.map(|ending| ending.at),
            agent: None,
            run_orchestrator: None,
            node_states: Some(self.node_states()),
            variables: Some(self.variables()),
            channels: None,
            error,
            tags: begun.tags.clone(),
            metadata: begun.metadata.clone(),
            configurable: begun.configurable.clone(),
            metrics: None,
            parent_run_id: None,
            inputs: begun.inputs.clone(),
            extensions: None,
        })
    }

    /// The outputs of terminal nodes, merged by port name in definition order (E14).
    pub(super) fn outputs(&self) -> JsonObject {
        let mut merged = JsonObject::new();
        self.merge_outputs(&mut merged);
        merged
    }

    /// Defaults, then inputs, then the outputs of terminal nodes (E14).
    fn variables(&self) -> JsonObject {
        let mut variables = self.begun.as_deref().map(|begun| begun.variables.clone()).unwrap_or_default();
        self.merge_outputs(&mut variables);
        variables
    }

    fn merge_outputs(&self, into: &mut JsonObject) {
        for ix in self.workflow.terminals() {
            if let NodeStage::Completed(outputs) = &self.slot(*ix).stage {
                into.extend(outputs.iter().map(|(port, value)| (port.clone(), value.clone())));
            }
        }
    }

    /// The nodes that something has happened to. Its inner shape is the host's own.
    fn node_states(&self) -> JsonObject {
        let touched = (0..).map(NodeIx).zip(&self.nodes).filter(|(_, slot)| slot.stage != NodeStage::Waiting);
        touched.map(|(ix, slot)| (self.workflow.node_id(ix).to_string(), node_state(slot))).collect()
    }
}

fn node_state(slot: &NodeSlot) -> Value {
    let mut state = JsonObject::new();
    state.insert("status".to_owned(), status_word(&slot.stage).into());
    if slot.attempts > 0 {
        state.insert("attempts".to_owned(), slot.attempts.into());
    }
    match &slot.stage {
        NodeStage::Failed(failure) => {
            state.insert("errorCode".to_owned(), failure.code.as_str().into());
        }
        NodeStage::Suspended(wait) => {
            state.insert("waitingFor".to_owned(), wait.payload.kind().as_str().into());
        }
        _ => {}
    }
    Value::Object(state)
}

fn status_word(stage: &NodeStage) -> &'static str {
    match stage {
        NodeStage::Waiting => "pending",
        NodeStage::Running { .. } => "running",
        NodeStage::Retrying { .. } => "retrying",
        NodeStage::Suspended(_) => "suspended",
        NodeStage::Completed(_) => "completed",
        NodeStage::Failed(_) => "failed",
        NodeStage::Skipped => "skipped",
        NodeStage::Cancelled => "cancelled",
    }
}
