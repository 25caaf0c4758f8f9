//! From a checked definition to what a run walks on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use weft_model::Digest;

use super::definition::{Definition, EdgeDef, NodeDef, PortValue, Status, TriggerRule, VariableDef};
use super::fault::{Fault, join};
use super::graph::Graph;
use super::validate::{self, Places};
use super::variables::Variable;
use super::{Feed, Group, Node, NodeIx, Outgoing, Port, PortSource, Workflow, definition, settings};
use crate::node::NodeCatalog;

/// Handles of an edge that names none.
const DEFAULT_OUTPUT: &str = "output";
const DEFAULT_INPUT: &str = "input";

impl Workflow {
    /// Reads, checks and compiles a definition in JSON. Every fault that can be found at once is
    /// answered, each with the JSON pointer it is about (R-EVT-115 to R-EVT-118).
    pub fn compile(raw: &[u8], catalog: &dyn NodeCatalog) -> Result<Workflow, Vec<Fault>> {
        let definition = definition::read(raw)?;
        let mut faults = Vec::new();
        let places = validate::check(&definition, catalog, &mut faults);
        let settings = node_settings(&definition, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        let graph = order(&definition, &places).map_err(|fault| vec![fault])?;
        let faults = unreachable_connections(&definition, &places, &graph);
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(assemble(raw, &definition, &places, settings, catalog))
    }
}

fn node_settings(definition: &Definition, faults: &mut Vec<Fault>) -> Vec<(settings::RetryPolicy, Option<u64>)> {
    let max_retries = definition.root.settings.max_retries;
    let mut all = Vec::with_capacity(definition.nodes.len());
    for (at, node) in definition.nodes.iter().enumerate() {
        match settings::read(node.settings.as_ref(), max_retries, &join("/nodes", at)) {
            Ok(settings) => all.push(settings),
            Err(fault) => faults.push(fault),
        }
    }
    all
}

fn ends(edge: &EdgeDef, places: &Places<'_>) -> (NodeIx, NodeIx) {
    (places[edge.source_node_id.as_str()], places[edge.target_node_id.as_str()])
}

fn order(definition: &Definition, places: &Places<'_>) -> Result<Graph, Fault> {
    let edges: Vec<_> = definition.edges.iter().map(|edge| ends(edge, places)).collect();
    Graph::build(definition.nodes.len(), &edges).map_err(|cycle| {
        // The last step closes the cycle: its edge is where an author has to cut.
        let closing = cycle.len().checked_sub(2).map(|at| (cycle[at], cycle[at + 1]));
        let at = edges.iter().position(|edge| Some(*edge) == closing).unwrap_or(0);
        let names: Vec<_> = cycle.iter().map(|ix| definition.nodes[ix.at()].id.as_str()).collect();
        let reason = format!("the edges form a cycle, and loops are not offered yet: {}", names.join(" -> "));
        Fault::invalid(join("/edges", at), reason)
    })
}

/// A connection to a node that need not have run before would be a race.
fn unreachable_connections(definition: &Definition, places: &Places<'_>, graph: &Graph) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (ix, node) in (0..).map(NodeIx).zip(&definition.nodes) {
        for (name, value) in &node.inputs {
            let PortValue::Connection { node_id, .. } = value else { continue };
            if !graph.reaches(places[node_id.as_str()], ix) {
                let path = join(&join(&join("/nodes", ix.0), "inputs"), name);
                let reason = format!("no path of edges leads here from node {:?}", node_id.as_str());
                faults.push(Fault::invalid(join(&path, "nodeId"), reason));
            }
        }
    }
    faults
}

/// The edges of a definition, sorted out by node.
struct Wiring {
    groups: Vec<Group>,
    ranges: Vec<std::ops::Range<u32>>,
    outgoing: Vec<Vec<Outgoing>>,
    feeds: Vec<Vec<Feed>>,
    tolerates: Vec<Vec<NodeIx>>,
}

fn wire(definition: &Definition, places: &Places<'_>) -> Wiring {
    let nodes = definition.nodes.len();
    let mut counts: Vec<BTreeMap<TriggerRule, u32>> = vec![BTreeMap::new(); nodes];
    for edge in &definition.edges {
        let (_, target) = ends(edge, places);
        *counts[target.at()].entry(edge.trigger_rule).or_default() += 1;
    }
    let mut wiring = Wiring {
        groups: Vec::new(),
        ranges: Vec::with_capacity(nodes),
        outgoing: (0..nodes).map(|_| Vec::new()).collect(),
        feeds: (0..nodes).map(|_| Vec::new()).collect(),
        tolerates: vec![Vec::new(); nodes],
    };
    for rules in &counts {
        let first = wiring.groups.len() as u32;
        wiring.groups.extend(rules.iter().map(|(rule, edges)| Group { rule: *rule, edges: *edges }));
        wiring.ranges.push(first..wiring.groups.len() as u32);
    }
    for edge in &definition.edges {
        let (source, target) = ends(edge, places);
        let place = counts[target.at()].keys().position(|rule| *rule == edge.trigger_rule).unwrap_or(0);
        let group = wiring.ranges[target.at()].start + place as u32;
        let tolerant = matches!(edge.trigger_rule, TriggerRule::AllComplete | TriggerRule::AnyFailed);
        wiring.outgoing[source.at()].push(Outgoing { target, group, tolerant });
        if tolerant {
            wiring.tolerates[target.at()].push(source);
        }
        wiring.feeds[target.at()].push(Feed {
            source,
            output: edge.source_output.clone().unwrap_or_else(|| DEFAULT_OUTPUT.to_owned()),
            port: edge.target_input.clone().unwrap_or_else(|| DEFAULT_INPUT.to_owned()),
        });
    }
    wiring
}

fn assemble(
    raw: &[u8],
    definition: &Definition,
    places: &Places<'_>,
    settings: Vec<(settings::RetryPolicy, Option<u64>)>,
    catalog: &dyn NodeCatalog,
) -> Workflow {
    let mut wiring = wire(definition, places);
    let mut families = BTreeSet::new();
    let mut nodes = Vec::with_capacity(definition.nodes.len());
    for (at, (def, (retry, timeout_ms))) in definition.nodes.iter().zip(settings).enumerate() {
        let node_type = catalog.node_type(&def.type_id).expect("validation found the type in this catalog");
        families.extend(node_type.family);
        let outgoing = std::mem::take(&mut wiring.outgoing[at]);
        nodes.push(Node {
            id: def.id.clone(),
            type_id: def.type_id.clone(),
            kind: node_type.kind.clone(),
            config: Arc::new(def.config.clone()),
            ports: ports(def, places),
            feeds: feeds(def, std::mem::take(&mut wiring.feeds[at])),
            disabled: def.disabled,
            retry,
            timeout_ms,
            terminal: outgoing.is_empty(),
            outgoing,
            groups: wiring.ranges[at].clone(),
            tolerates: std::mem::take(&mut wiring.tolerates[at]),
        });
    }
    let root = &definition.root;
    let indexed = || (0..).map(NodeIx).zip(&nodes);
    Workflow {
        id: root.id.clone(),
        name: root.name.clone(),
        version: root.version.clone(),
        digest: Digest::of(raw),
        raw: Bytes::copy_from_slice(raw),
        by_id: indexed().map(|(ix, node)| (node.id.clone(), ix)).collect(),
        roots: indexed().filter(|(_, node)| node.groups.is_empty()).map(|(ix, _)| ix).collect(),
        terminals: indexed().filter(|(_, node)| node.terminal).map(|(ix, _)| ix).collect(),
        groups: wiring.groups,
        variables: definition.variables.iter().map(variable).collect(),
        timeout_ms: root.settings.timeout.filter(|ms| *ms > 0),
        families: families.into_iter().collect(),
        active: root.is_active != Some(false) && root.status.is_none_or(|status| status == Status::Active),
        nodes,
    }
}

fn ports(def: &NodeDef, places: &Places<'_>) -> Vec<Port> {
    let bind = |(name, value): (&String, &PortValue)| {
        let source = match value.clone() {
            PortValue::Static { value } => PortSource::Static(value),
            PortValue::Connection { node_id, output_key, optional } => {
                PortSource::Connection { node: places[node_id.as_str()], output: output_key, optional }
            }
            PortValue::Variable { variable_name, optional } => PortSource::Variable { name: variable_name, optional },
            PortValue::Expression { .. } => return None,
        };
        Some(Port { name: name.clone(), source })
    };
    def.inputs.iter().filter_map(bind).collect()
}

/// A bound port wins over what an edge brings.
fn feeds(def: &NodeDef, feeds: Vec<Feed>) -> Vec<Feed> {
    feeds.into_iter().filter(|feed| !def.inputs.contains_key(&feed.port)).collect()
}

fn variable(def: &VariableDef) -> Variable {
    Variable { name: def.name.clone(), kind: def.r#type, required: def.required, default: def.default_value.clone() }
}
