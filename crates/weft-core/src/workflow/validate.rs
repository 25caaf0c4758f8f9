//! Whether the parts of a definition fit each other, and whether this host offers what they ask.
//!
//! A member that would be a promise nobody keeps (a condition that is not looked at, a schedule
//! that never fires, a value that is not masked) is refused by name; what never changes execution
//! is left alone (R-EVT-120).

use std::collections::{BTreeMap, BTreeSet};

use weft_model::ErrorCode;

use super::definition::{Definition, EdgeDef, NodeDef, PortValue, TriggerDef, TriggerType, VariableDef};
use super::fault::{Fault, join};
use super::{EDGES_MAX, NODES_MAX, NodeIx};
use crate::node::{NodeCatalog, NodeKind};

/// Longest workflow id and name.
const ID_CHARS_MAX: usize = 128;
const NAME_CHARS_MAX: usize = 256;

/// The places of the nodes by id.
pub(super) type Places<'a> = BTreeMap<&'a str, NodeIx>;

/// Checks everything but the order of the graph.
pub(super) fn check<'a>(definition: &'a Definition, catalog: &dyn NodeCatalog, faults: &mut Vec<Fault>) -> Places<'a> {
    check_root(definition, faults);
    let places = places(&definition.nodes, faults);
    let variables = check_variables(&definition.variables, faults);
    for (at, node) in definition.nodes.iter().enumerate() {
        let path = join("/nodes", at);
        check_type(node, &path, catalog, faults);
        check_features(node, &path, catalog, faults);
        check_ports(node, &path, &places, &variables, faults);
    }
    check_edges(&definition.edges, &places, faults);
    check_triggers(&definition.triggers, &places, faults);
    places
}

fn check_root(definition: &Definition, faults: &mut Vec<Fault>) {
    let root = &definition.root;
    let id = root.id.as_str();
    let lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    if !id.starts_with(|c: char| c.is_ascii_lowercase()) || !id.bytes().all(lower) || id.len() > ID_CHARS_MAX {
        faults.push(Fault::invalid("/id", "must be lower-case letters, digits, - and _, and begin with a letter"));
    }
    if root.name.is_empty() || root.name.chars().count() > NAME_CHARS_MAX {
        faults.push(Fault::invalid("/name", format!("must have 1 to {NAME_CHARS_MAX} characters")));
    }
    if root.version.is_empty() {
        faults.push(Fault::invalid("/version", "is empty"));
    }
    if root
        .slug
        .as_deref()
        .is_some_and(|slug| slug.is_empty() || slug.starts_with(['-', '_']) || !slug.bytes().all(lower))
    {
        faults.push(Fault::invalid("/slug", "must be lower-case letters, digits, - and _"));
    }
    let tags = root.metadata.tags.as_deref().unwrap_or_default();
    if tags.len() > 100 || tags.iter().any(|tag| tag.is_empty() || tag.chars().count() > 256) {
        faults.push(Fault::invalid("/metadata/tags", "has more than 100 tags, or one outside 1 to 256 characters"));
    }
    if root.settings.compensation.is_some() {
        faults.push(Fault::needs(
            ErrorCode::CapabilityRequired,
            "/settings/compensation".to_owned(),
            "compensation",
            "this host does not offer compensation".to_owned(),
        ));
    }
    if root.channels.as_ref().is_some_and(|channels| !channels.is_empty()) {
        faults.push(Fault::invalid("/channels", "channels are not offered yet"));
    }
    check_sizes(definition, faults);
}

fn check_sizes(definition: &Definition, faults: &mut Vec<Fault>) {
    if definition.nodes.is_empty() {
        faults.push(Fault::invalid("/nodes", "has no node"));
    }
    if definition.nodes.len() > NODES_MAX {
        faults.push(Fault::invalid("/nodes", format!("has more than {NODES_MAX} nodes")));
    }
    if definition.edges.len() > EDGES_MAX {
        faults.push(Fault::invalid("/edges", format!("has more than {EDGES_MAX} edges")));
    }
}

fn places<'a>(nodes: &'a [NodeDef], faults: &mut Vec<Fault>) -> Places<'a> {
    let mut places = BTreeMap::new();
    for (ix, node) in (0..).map(NodeIx).zip(nodes) {
        if places.insert(node.id.as_str(), ix).is_some() {
            let path = join(&join("/nodes", ix.0), "id");
            faults.push(Fault::invalid(path, format!("the node id {:?} is used twice", node.id.as_str())));
        }
    }
    places
}

fn check_variables<'a>(variables: &'a [VariableDef], faults: &mut Vec<Fault>) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    for (at, variable) in variables.iter().enumerate() {
        let path = join("/variables", at);
        if variable.name.is_empty() {
            faults.push(Fault::invalid(join(&path, "name"), "is empty"));
        }
        if !names.insert(variable.name.as_str()) {
            faults.push(Fault::invalid(
                join(&path, "name"),
                format!("the variable {:?} is declared twice", variable.name),
            ));
        }
        if variable.default_value.as_ref().is_some_and(|value| !variable.r#type.admits(value)) {
            let reason = format!("is not of type {}", variable.r#type.as_str());
            faults.push(Fault::invalid(join(&path, "defaultValue"), reason));
        }
        if variable.sensitive {
            let reason = "sensitive values are not masked yet, so none is taken";
            faults.push(Fault::invalid(join(&path, "sensitive"), reason));
        }
    }
    names
}

fn check_type(node: &NodeDef, path: &str, catalog: &dyn NodeCatalog, faults: &mut Vec<Fault>) {
    let Some(node_type) = catalog.node_type(&node.type_id) else {
        let type_id = node.type_id.as_str();
        let reason = format!("this host has no node type {type_id:?}");
        let path = join(path, "typeId");
        faults.push(Fault::needs(ErrorCode::CapabilityNotProvided, path, type_id, reason));
        return;
    };
    let checked = match &node_type.kind {
        NodeKind::Pure(pure) => pure.check(&node.config),
        NodeKind::Effect { node: effect, .. } => effect.check(&node.config),
    };
    if let Err(reason) = checked {
        let mut fault = Fault::invalid(join(path, "config"), reason);
        fault.code = ErrorCode::NodeConfigInvalid;
        faults.push(fault);
    }
    // The gate's own type reads its config; that one vote decides is the core's rule today.
    let votes = node.config.get("requiredApprovals").and_then(serde_json::Value::as_u64);
    if node.type_id.as_str() == "core.approvalGate" && votes.is_some_and(|votes| votes > 1) {
        let reason = "approvals by several people are not offered yet; requiredApprovals must be 1";
        faults.push(Fault::invalid(join(&join(path, "config"), "requiredApprovals"), reason));
    }
}

fn check_features(node: &NodeDef, path: &str, catalog: &dyn NodeCatalog, faults: &mut Vec<Fault>) {
    let mut refuse = |member: &str, reason: &str| faults.push(Fault::invalid(join(path, member), reason));
    if node.name.is_empty() {
        refuse("name", "is empty");
    }
    if node.agent.is_some() {
        refuse("agent", "agents are not offered yet");
    }
    if node.credentials_ref.is_some() {
        refuse("credentialsRef", "credential references are not offered yet");
    }
    if node.output_sensitivity.as_ref().is_some_and(|ports| ports.values().any(|sensitive| *sensitive)) {
        refuse("outputSensitivity", "sensitive outputs are not masked yet, so none is taken");
    }
    let Some(compensation) = &node.compensation else { return };
    if node.irreversible_effect == Some(true) {
        refuse("compensation", "a node whose effect is irreversible cannot have an inverse action");
    }
    if catalog.node_type(&compensation.node_type_id).is_none() {
        let reason = format!("this host has no node type {:?}", compensation.node_type_id.as_str());
        faults.push(Fault::invalid(join(&join(path, "compensation"), "nodeTypeId"), reason));
    }
}

fn check_ports(node: &NodeDef, path: &str, places: &Places<'_>, variables: &BTreeSet<&str>, faults: &mut Vec<Fault>) {
    for (name, value) in &node.inputs {
        let path = join(&join(path, "inputs"), name);
        match value {
            PortValue::Static { .. } => {}
            PortValue::Expression { .. } => {
                faults.push(Fault::invalid(join(&path, "expression"), "expressions are not offered yet"));
            }
            PortValue::Connection { node_id, output_key, .. } => {
                if !places.contains_key(node_id.as_str()) {
                    faults.push(unknown_node(join(&path, "nodeId"), node_id.as_str()));
                }
                if output_key.is_empty() {
                    faults.push(Fault::invalid(join(&path, "outputKey"), "is empty"));
                }
            }
            PortValue::Variable { variable_name, .. } => {
                if !variables.contains(variable_name.as_str()) {
                    let reason = format!("no variable {variable_name:?} is declared");
                    faults.push(Fault::invalid(join(&path, "variableName"), reason));
                }
            }
        }
    }
}

fn check_edges(edges: &[EdgeDef], places: &Places<'_>, faults: &mut Vec<Fault>) {
    for (at, edge) in edges.iter().enumerate() {
        let path = join("/edges", at);
        if edge.id.is_empty() {
            faults.push(Fault::invalid(join(&path, "id"), "is empty"));
        }
        for (member, node) in [("sourceNodeId", &edge.source_node_id), ("targetNodeId", &edge.target_node_id)] {
            if !places.contains_key(node.as_str()) {
                faults.push(unknown_node(join(&path, member), node.as_str()));
            }
        }
        if edge.condition.is_some() {
            faults.push(Fault::invalid(join(&path, "condition"), "edge conditions are not offered yet"));
        }
    }
}

fn check_triggers(triggers: &[TriggerDef], places: &Places<'_>, faults: &mut Vec<Fault>) {
    for (at, trigger) in triggers.iter().enumerate() {
        let path = join("/triggers", at);
        if trigger.id.is_empty() {
            faults.push(Fault::invalid(join(&path, "id"), "is empty"));
        }
        if let Some(node) = trigger.node_id.as_ref().filter(|node| !places.contains_key(node.as_str())) {
            faults.push(unknown_node(join(&path, "nodeId"), node.as_str()));
        }
        if trigger.r#type != TriggerType::Manual && trigger.enabled != Some(false) {
            let reason = "only manual triggers are offered yet; set enabled to false to keep this one";
            faults.push(Fault::invalid(join(&path, "type"), reason));
        }
    }
}

fn unknown_node(path: String, id: &str) -> Fault {
    Fault::invalid(path, format!("there is no node {id:?}"))
}
