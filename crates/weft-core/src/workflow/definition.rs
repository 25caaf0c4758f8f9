//! The shape of a workflow definition, read strictly: a member the shape lacks is refused.
//!
//! Nodes, edges, triggers and variables are read one by one, so that a fault carries a JSON
//! pointer to the element it stands in. Whether the parts fit each other is `validate.rs`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use weft_model::{JsonObject, NodeId, TenantId, TypeId, WorkflowId};

use super::fault::{Fault, join};

/// A definition whose parts have the right shape.
pub(crate) struct Definition {
    pub(crate) root: Root,
    pub(crate) nodes: Vec<NodeDef>,
    pub(crate) edges: Vec<EdgeDef>,
    pub(crate) triggers: Vec<TriggerDef>,
    pub(crate) variables: Vec<VariableDef>,
}

/// The members of the document itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "some members are read for their shape only")]
pub(crate) struct Root {
    pub(crate) id: WorkflowId,
    pub(crate) name: String,
    pub(crate) version: String,
    nodes: Vec<Value>,
    edges: Vec<Value>,
    triggers: Vec<Value>,
    variables: Vec<Value>,
    pub(crate) metadata: Metadata,
    pub(crate) settings: Settings,
    description: Option<String>,
    r#type: Option<String>,
    pub(crate) is_active: Option<bool>,
    pub(crate) status: Option<Status>,
    tenant_id: Option<TenantId>,
    scope_id: Option<String>,
    pub(crate) slug: Option<String>,
    groups: Option<Vec<Group>>,
    pub(crate) channels: Option<BTreeMap<String, Value>>,
    pub(crate) configurable_schema: Option<JsonObject>,
    defaults: Option<Defaults>,
    accepts_inherited_artifacts: Option<Vec<JsonObject>>,
    created_at: Option<String>,
    updated_at: Option<String>,
}

/// Whether the definition is meant to be run.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Active,
    Inactive,
    Draft,
    Archived,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "prompts have no use yet; the member is read for its shape only")]
struct Defaults {
    prompt_refs: Option<JsonObject>,
}

/// One node.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "notes, position and the like never change execution (R-EVT-120)")]
pub(crate) struct NodeDef {
    pub(crate) id: NodeId,
    pub(crate) type_id: TypeId,
    pub(crate) name: String,
    position: Position,
    pub(crate) config: JsonObject,
    pub(crate) inputs: BTreeMap<String, PortValue>,
    pub(crate) credentials_ref: Option<String>,
    pub(crate) settings: Option<JsonObject>,
    output_role: Option<OutputRole>,
    #[serde(default)]
    pub(crate) disabled: bool,
    notes: Option<String>,
    group_id: Option<String>,
    pub(crate) agent: Option<Value>,
    envelope_contract: Option<JsonObject>,
    artifact_type: Option<String>,
    card_type: Option<String>,
    pub(crate) output_sensitivity: Option<BTreeMap<String, bool>>,
    pub(crate) compensation: Option<Compensation>,
    pub(crate) irreversible_effect: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "where a node is drawn never changes execution (R-EVT-120)")]
struct Position {
    x: f64,
    y: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum OutputRole {
    Primary,
    Secondary,
}

/// The inverse action of a node; only its references are checked while no host unwinds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "read for their shape only")]
pub(crate) struct Compensation {
    pub(crate) node_type_id: TypeId,
    input_mapping: Option<JsonObject>,
    retry: Option<CompensationRetry>,
    requires_approval: Option<bool>,
    waive_requires_approval: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "read for their shape only")]
struct CompensationRetry {
    max_attempts: Option<std::num::NonZeroU64>,
    backoff_ms: Option<u64>,
}

/// Where a port's value comes from.
#[derive(Deserialize, Clone)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(crate) enum PortValue {
    Static {
        value: Value,
    },
    Expression {
        #[expect(dead_code, reason = "read for its shape; expressions are not offered yet")]
        expression: String,
    },
    Connection {
        node_id: NodeId,
        output_key: String,
        #[serde(default)]
        optional: bool,
    },
    Variable {
        variable_name: String,
        #[serde(default)]
        optional: bool,
    },
}

/// One edge.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "the label never changes execution")]
pub(crate) struct EdgeDef {
    pub(crate) id: String,
    pub(crate) source_node_id: NodeId,
    pub(crate) source_output: Option<String>,
    pub(crate) target_node_id: NodeId,
    pub(crate) target_input: Option<String>,
    pub(crate) condition: Option<JsonObject>,
    label: Option<String>,
    #[serde(default)]
    pub(crate) trigger_rule: TriggerRule,
}

/// When the edges of one target that share a rule let it run.
#[derive(Deserialize, Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum TriggerRule {
    /// Every source succeeded.
    #[default]
    AllSuccess,
    /// At least one source succeeded.
    AnySuccess,
    /// Every source is settled, however.
    AllComplete,
    /// Every source is settled and none failed.
    NoneFailed,
    /// At least one source failed.
    AnyFailed,
}

/// One trigger.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "read for their shape only")]
pub(crate) struct TriggerDef {
    pub(crate) id: String,
    pub(crate) r#type: TriggerType,
    name: Option<String>,
    description: Option<String>,
    config: Option<JsonObject>,
    pub(crate) enabled: Option<bool>,
    pub(crate) node_id: Option<NodeId>,
    event_type: Option<String>,
}

/// What starts a workflow.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TriggerType {
    Manual,
    Schedule,
    Webhook,
    Event,
    Artifact,
    Canvas,
    Envelope,
    Command,
    ChatMessage,
    ChannelWrite,
}

/// One declared variable.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "a format is a hint and never refuses a value (R-EVT-120)")]
pub(crate) struct VariableDef {
    pub(crate) name: String,
    pub(crate) r#type: super::VariableType,
    description: Option<String>,
    #[serde(default)]
    pub(crate) required: bool,
    pub(crate) default_value: Option<Value>,
    #[serde(default)]
    pub(crate) sensitive: bool,
    pub(crate) format: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "groups never change execution (R-EVT-120)")]
struct Group {
    id: String,
    name: String,
    color: Option<String>,
    #[serde(default)]
    collapsed: bool,
    node_ids: Vec<NodeId>,
    position: Position,
    size: Size,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "how large a group is drawn never changes execution")]
struct Size {
    width: f64,
    height: f64,
}

/// The closed metadata object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "read for their shape only")]
pub(crate) struct Metadata {
    created_by: Option<String>,
    created_at: Option<String>,
    updated_by: Option<String>,
    updated_at: Option<String>,
    pub(crate) tags: Option<Vec<String>>,
    category: Option<String>,
    author: Option<String>,
    code_version: Option<String>,
    customized_at: Option<String>,
    customized_by: Option<String>,
    forked_from: Option<String>,
    cloned_from: Option<String>,
    cloned_at: Option<String>,
    custom_properties: Option<JsonObject>,
    compliance_class: Option<ComplianceClass>,
    compliance_config: Option<ComplianceConfig>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ComplianceClass {
    Public,
    Pii,
    Phi,
    Pci,
    Regulated,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "read for its shape only")]
struct ComplianceConfig {
    masking_mode: Option<MaskingMode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum MaskingMode {
    Mask,
    Omit,
    Hash,
    Passthrough,
}

/// The workflow's settings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "read for their shape only")]
pub(crate) struct Settings {
    pub(crate) timeout: Option<u64>,
    pub(crate) max_retries: Option<u32>,
    log_level: Option<LogLevel>,
    max_loopback_iterations: Option<std::num::NonZeroU64>,
    pub(crate) compensation: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum LogLevel {
    Debug,
    Info,
    Warn,
    Error,
}

/// Reads the shape of a definition; every element that does not fit is a fault of its own.
pub(crate) fn read(raw: &[u8]) -> Result<Definition, Vec<Fault>> {
    let value = weft_model::json::parse(raw).map_err(|fault| vec![Fault::invalid("", fault.to_string())])?;
    let mut root: Root = object(value).map_err(|reason| vec![Fault::invalid("", reason)])?;
    let mut faults = Vec::new();
    let nodes = elements("/nodes", std::mem::take(&mut root.nodes), &mut faults);
    let edges = elements("/edges", std::mem::take(&mut root.edges), &mut faults);
    let triggers = elements("/triggers", std::mem::take(&mut root.triggers), &mut faults);
    let variables = elements("/variables", std::mem::take(&mut root.variables), &mut faults);
    if faults.is_empty() { Ok(Definition { root, nodes, edges, triggers, variables }) } else { Err(faults) }
}

fn elements<T: DeserializeOwned>(path: &str, values: Vec<Value>, faults: &mut Vec<Fault>) -> Vec<T> {
    let mut read = Vec::with_capacity(values.len());
    for (at, value) in values.into_iter().enumerate() {
        match object(value) {
            Ok(element) => read.push(element),
            Err(reason) => faults.push(Fault::invalid(join(path, at), reason)),
        }
    }
    read
}

/// Reads an object. A list would be taken for the members in their order, which no author means.
fn object<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    if !value.is_object() {
        return Err("is not a JSON object".to_owned());
    }
    serde_json::from_value(value).map_err(|error| error.to_string())
}
