//! The port of node types: what a type tells the core and what the core asks of it.
//!
//! A pure type is a function of its config and inputs and runs inside a decision; an effect type
//! reaches outside and runs only after the event that announces it is durable (DECISIONS 36).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;
use weft_model::event::Failure;
use weft_model::{FailureCode, InterruptData, JsonObject, NodeId, RunId, Timestamp, TypeId};

/// The node types of this host.
pub trait NodeCatalog: Send + Sync {
    /// The type of this id, or `None` when the host does not offer it.
    fn node_type(&self, id: &TypeId) -> Option<&NodeType>;
}

/// One node type.
#[derive(Clone)]
pub struct NodeType {
    /// Its id, as definitions name it.
    pub id: TypeId,
    /// What runs it.
    pub kind: NodeKind,
    /// The capability family a host must advertise to offer it.
    pub family: Option<&'static str>,
}

/// What runs a node of a type.
#[derive(Clone)]
pub enum NodeKind {
    /// Runs inside the decision.
    Pure(Arc<dyn PureNode>),
    /// Runs outside, after the commit.
    Effect {
        /// The implementation.
        node: Arc<dyn EffectNode>,
        /// Whether an attempt that a crash cut off may be made again.
        repeat: Repeat,
    },
}

/// Whether an attempt that a crash cut off may be made again (DECISIONS 36).
#[derive(Clone, Copy)]
pub enum Repeat {
    /// Always: making it twice is making it once.
    Idempotent,
    /// Never: it may have had its effect already.
    Never,
    /// The node's config decides.
    ByConfig(fn(&JsonObject) -> bool),
}

impl Repeat {
    /// Whether a node with this config may repeat a cut attempt.
    pub fn admits(self, config: &JsonObject) -> bool {
        match self {
            Self::Idempotent => true,
            Self::Never => false,
            Self::ByConfig(judge) => judge(config),
        }
    }
}

/// A type whose outcome follows from config and inputs alone.
pub trait PureNode: Send + Sync {
    /// Checks a config when a workflow is compiled; the reason is for its author.
    fn check(&self, config: &JsonObject) -> Result<(), String>;
    /// What the node does. It is deterministic: recovery asks again and expects the same answer.
    fn evaluate(&self, call: &NodeCall) -> PureOutcome;
}

/// What a pure node does.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "it lives for one step and is never stored")]
pub enum PureOutcome {
    /// It completes with values by port name.
    Complete(JsonObject),
    /// It fails.
    Fail(NodeError),
    /// It waits for an answer.
    Suspend(InterruptRequest),
    /// It waits on a durable timer and then completes without outputs.
    Sleep {
        /// How long.
        ms: u64,
    },
}

/// An interrupt a node asks for; its kind is its data's, and the core derives the key (R-INT-04).
#[derive(Debug, Clone, PartialEq)]
pub struct InterruptRequest {
    /// What is asked.
    pub data: InterruptData,
    /// The schema a resume value has to fit.
    pub resume_schema: Option<JsonObject>,
    /// How long to wait; absent or 0 waits for ever.
    pub timeout_ms: Option<u64>,
}

/// The work of one attempt of an effect node.
pub type EffectFuture = Pin<Box<dyn Future<Output = Result<JsonObject, NodeError>> + Send>>;

/// A type that reaches outside.
pub trait EffectNode: Send + Sync {
    /// Checks a config when a workflow is compiled; the reason is for its author.
    fn check(&self, config: &JsonObject) -> Result<(), String>;
    /// Makes one attempt. Dropping the future aborts it.
    fn execute(&self, call: NodeCall) -> EffectFuture;
}

/// One attempt of a node.
#[derive(Debug, Clone)]
pub struct NodeCall {
    /// The run.
    pub run_id: RunId,
    /// The node.
    pub node_id: NodeId,
    /// The attempt, from 0.
    pub attempt: u32,
    /// The node's config.
    pub config: Arc<JsonObject>,
    /// Values by port name, resolved.
    pub inputs: JsonObject,
    /// When the attempt or the run is out of time, whichever is earlier.
    pub deadline: Option<Timestamp>,
    /// The same text for every attempt of this node in this run, and for nothing else: what an
    /// idempotent peer is told.
    pub invocation_key: String,
}

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeError {
    /// A registered or vendor code (R-EVT-22).
    pub code: FailureCode,
    /// A sentence for people.
    pub message: String,
    /// Facts for programs.
    pub details: Option<JsonObject>,
    /// Whether another attempt may succeed.
    pub retryable: bool,
}

impl NodeError {
    /// An error that another attempt does not mend.
    pub fn new(code: impl Into<FailureCode>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), details: None, retryable: false }
    }

    /// Adds one member to `details`.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.get_or_insert_default().insert(name.to_owned(), value.into());
        self
    }

    /// The same error, with a word on whether another attempt may succeed.
    #[must_use]
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// The wire's form.
    pub(crate) fn into_failure(self) -> Failure {
        Failure { code: self.code, message: self.message, details: self.details, retryable: Some(self.retryable) }
    }
}

impl fmt::Debug for NodeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            NodeKind::Pure(_) => "pure",
            NodeKind::Effect { .. } => "effect",
        };
        f.debug_struct("NodeType").field("id", &self.id).field("kind", &kind).field("family", &self.family).finish()
    }
}
