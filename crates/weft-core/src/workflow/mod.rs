//! Workflows: a definition read strictly, checked, and compiled into what a run walks on.
//!
//! `definition.rs` is the shape, `validate.rs` says whether the parts fit each other and this
//! host, `graph.rs` knows order and cycles, `compile.rs` puts the result together, and
//! `variables.rs` holds inputs against declarations.

mod compile;
mod definition;
mod fault;
mod graph;
mod settings;
#[cfg(test)]
mod tests;
mod validate;
mod variables;

pub use definition::TriggerRule;
pub use fault::Fault;
pub(crate) use fault::join;
pub(crate) use settings::RetryPolicy;
pub use variables::VariableType;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use weft_model::{Digest, JsonObject, NodeId, TypeId, WorkflowId};

use crate::node::NodeKind;
use variables::Variable;

/// Most nodes of one workflow. A folded run weighs about 150 bytes a node, so a run of this many
/// stays within a few MiB.
pub const NODES_MAX: usize = 20_000;
/// Most edges of one workflow, five a node.
pub const EDGES_MAX: usize = 100_000;

/// A node by its place in the definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIx(pub(crate) u32);

impl NodeIx {
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// A definition that this host can run.
pub struct Workflow {
    id: WorkflowId,
    name: String,
    version: String,
    digest: Digest,
    raw: Bytes,
    nodes: Vec<Node>,
    // Only ever asked for one name, so its order never shows.
    by_id: HashMap<NodeId, NodeIx>,
    groups: Vec<Group>,
    roots: Vec<NodeIx>,
    terminals: Vec<NodeIx>,
    variables: Vec<Variable>,
    timeout_ms: Option<u64>,
    families: Vec<&'static str>,
    active: bool,
}

/// One compiled node.
pub(crate) struct Node {
    pub(crate) id: NodeId,
    pub(crate) type_id: TypeId,
    pub(crate) kind: NodeKind,
    pub(crate) config: Arc<JsonObject>,
    pub(crate) ports: Vec<Port>,
    /// What the incoming edges bring, unless a port of that name is bound.
    pub(crate) feeds: Vec<Feed>,
    pub(crate) disabled: bool,
    pub(crate) retry: RetryPolicy,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) outgoing: Vec<Outgoing>,
    /// Its part of the workflow's groups.
    pub(crate) groups: Range<u32>,
    /// The sources whose failure an edge to this node takes further (R-APR-10).
    pub(crate) tolerates: Vec<NodeIx>,
    pub(crate) terminal: bool,
}

/// A bound input port.
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) source: PortSource,
}

/// Where a port's value comes from.
pub(crate) enum PortSource {
    Static(Value),
    Connection { node: NodeIx, output: String, optional: bool },
    Variable { name: String, optional: bool },
}

/// A value that an edge carries.
pub(crate) struct Feed {
    pub(crate) source: NodeIx,
    pub(crate) output: String,
    pub(crate) port: String,
}

/// An edge as its source sees it.
pub(crate) struct Outgoing {
    pub(crate) target: NodeIx,
    pub(crate) group: u32,
    /// Whether it takes a failure of its source further (R-APR-10).
    pub(crate) tolerant: bool,
}

/// The edges of one target that share a trigger rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub(crate) rule: TriggerRule,
    pub(crate) edges: u32,
}

impl Workflow {
    /// Its id.
    pub fn id(&self) -> &WorkflowId {
        &self.id
    }

    /// Its name, for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The author's version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The digest of the definition's bytes: what a run pins (DECISIONS 34).
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The definition as it was given, JSON.
    pub fn raw(&self) -> &Bytes {
        &self.raw
    }

    /// How many nodes it has.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The ids of its nodes, in definition order.
    pub fn node_ids(&self) -> impl Iterator<Item = &NodeId> {
        self.nodes.iter().map(|node| &node.id)
    }

    /// The place of a node.
    pub fn find(&self, id: &NodeId) -> Option<NodeIx> {
        self.by_id.get(id).copied()
    }

    /// The id of a node.
    pub fn node_id(&self, ix: NodeIx) -> &NodeId {
        &self.nodes[ix.at()].id
    }

    /// The type of a node.
    pub fn type_id(&self, ix: NodeIx) -> &TypeId {
        &self.nodes[ix.at()].type_id
    }

    /// The longest duration of a run that the author allows.
    pub fn timeout_ms(&self) -> Option<u64> {
        self.timeout_ms
    }

    /// The capability families that its node types belong to, sorted.
    pub fn families(&self) -> &[&'static str] {
        &self.families
    }

    /// Whether its author means it to be run: `status` is absent or `active`.
    pub fn is_active(&self) -> bool {
        self.active
    }

    pub(crate) fn node(&self, ix: NodeIx) -> &Node {
        &self.nodes[ix.at()]
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = (NodeIx, &Node)> {
        (0..).map(NodeIx).zip(&self.nodes)
    }

    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub(crate) fn roots(&self) -> &[NodeIx] {
        &self.roots
    }

    pub(crate) fn terminals(&self) -> &[NodeIx] {
        &self.terminals
    }
}

impl std::fmt::Debug for Workflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workflow").field("id", &self.id).field("digest", &self.digest).finish_non_exhaustive()
    }
}
