//! What a host needs to know of a workflow to admit a run of it, worked out once at load.

use std::sync::Arc;

use bytes::Bytes;
use jsonschema::Validator;
use serde::Deserialize;
use serde_json::Value;
use weft_core::Workflow;
use weft_model::{JsonObject, WorkflowId};

use crate::error::{OpError, OpResult};

/// A workflow that is served.
pub struct ServedWorkflow {
    workflow: Arc<Workflow>,
    configurable: Option<Validator>,
}

/// Why a compiled workflow cannot be served: its `configurableSchema` is no JSON Schema that run
/// options could be checked against.
#[derive(Debug, thiserror::Error)]
#[error("workflow {workflow}: configurableSchema: {reason}")]
pub struct UnservableWorkflow {
    /// The workflow.
    pub workflow: WorkflowId,
    /// What is wrong with the schema.
    pub reason: String,
}

impl UnservableWorkflow {
    fn new(workflow: &Workflow, reason: String) -> UnservableWorkflow {
        UnservableWorkflow { workflow: workflow.id().clone(), reason }
    }
}

/// The part of a definition that only this module reads.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OptionsSchema {
    configurable_schema: Option<Value>,
}

impl ServedWorkflow {
    /// Makes a compiled workflow ready to be served.
    ///
    /// # Errors
    /// Its schema for run options is none.
    pub fn new(workflow: Arc<Workflow>) -> Result<Self, UnservableWorkflow> {
        let OptionsSchema { configurable_schema } = serde_json::from_slice(workflow.raw())
            .map_err(|error| UnservableWorkflow::new(&workflow, error.to_string()))?;
        let configurable = configurable_schema
            .map(|schema| jsonschema::validator_for(&schema))
            .transpose()
            .map_err(|error| UnservableWorkflow::new(&workflow, error.to_string()))?;
        Ok(ServedWorkflow { workflow, configurable })
    }

    /// The compiled workflow.
    pub fn workflow(&self) -> &Arc<Workflow> {
        &self.workflow
    }

    /// The definition as JSON.
    pub fn raw(&self) -> &Bytes {
        self.workflow.raw()
    }

    /// Holds run options against the workflow's own schema (R-OPT-12, R-EVT-119). Absent options
    /// are as good as empty ones.
    pub(crate) fn check_configurable(&self, configurable: Option<&JsonObject>) -> OpResult<()> {
        let Some(schema) = &self.configurable else { return Ok(()) };
        let instance = Value::Object(configurable.cloned().unwrap_or_default());
        schema.validate(&instance).map_err(|fault| {
            let pointer = fault.instance_path().to_string();
            OpError::invalid_field("configurable", format!("configurable{pointer}: {}", fault.masked()))
        })
    }
}
