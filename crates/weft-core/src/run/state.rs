//! What the fold of a run's log knows.

use std::collections::BTreeSet;
use std::sync::Arc;

use weft_model::event::{Failure, Transport};
use weft_model::{
    InterruptId, InterruptKind, InterruptPayload, JsonObject, NodeId, Owner, RunId, RunStatus, Timestamp, WorkflowId,
};

use super::trigger::{Tally, Verdict};
use crate::workflow::{NodeIx, Workflow};

/// A run, folded from its log.
///
/// The ready set and the counts behind it are kept up to date by every event, so that no step
/// costs the size of the graph. [`decide`](super::decide) appends, [`RunState::apply`] folds.
#[derive(Clone, Debug)]
pub struct RunState {
    pub(super) run_id: RunId,
    pub(super) workflow: Arc<Workflow>,
    pub(super) last_sequence: Option<u64>,
    pub(super) stage: Stage,
    pub(super) begun: Option<Box<Begun>>,
    pub(super) nodes: Vec<NodeSlot>,
    /// One count for each of the workflow's groups of edges.
    pub(super) tallies: Vec<Tally>,
    /// Nodes that may be started or skipped now.
    pub(super) ready: BTreeSet<NodeIx>,
    /// Nodes that have begun and not ended: running, asleep, between attempts, suspended.
    pub(super) open: BTreeSet<NodeIx>,
    /// Effect nodes whose attempt is in flight.
    pub(super) in_flight: usize,
    /// Open interrupts by the sequence of their request: the earliest decides the status.
    pub(super) waits: BTreeSet<(u64, NodeIx)>,
    /// Node executions so far; attempts after the first are the same execution.
    pub(super) executions: u64,
}

/// Where the run is between its first and its last event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stage {
    Pending,
    Open,
    Paused,
    Ended(Box<Ending>),
}

/// The terminal event, as far as the snapshot needs it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ending {
    pub(super) status: RunStatus,
    pub(super) at: Timestamp,
    pub(super) error: Option<Failure>,
}

/// What `run.started` said.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Begun {
    pub(super) at: Timestamp,
    pub(super) workflow_id: WorkflowId,
    pub(super) owner: Option<Owner>,
    pub(super) inputs: Option<JsonObject>,
    pub(super) transport: Option<Transport>,
    pub(super) engine_version: Option<u32>,
    pub(super) tags: Option<Vec<String>>,
    pub(super) metadata: Option<JsonObject>,
    pub(super) configurable: Option<JsonObject>,
    pub(super) recursion_limit: Option<u64>,
    pub(super) timeout_ms: Option<u64>,
    /// Defaults, then inputs, then what `variable.changed` said.
    pub(super) variables: JsonObject,
}

/// One node of the run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NodeSlot {
    pub(super) stage: NodeStage,
    pub(super) verdict: Verdict,
    /// Attempts begun.
    pub(super) attempts: u32,
    /// Interrupts requested.
    pub(super) visits: u32,
}

/// Where one node is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NodeStage {
    Waiting,
    /// An attempt has begun. A pure node in this stage is asleep: otherwise the decision that
    /// started it would have ended it.
    Running {
        attempt: u32,
        since: Timestamp,
    },
    Retrying {
        attempt: u32,
        due: Timestamp,
    },
    Suspended(Box<Wait>),
    Completed(Arc<JsonObject>),
    Failed(Box<Failure>),
    Skipped,
    Cancelled,
}

/// An interrupt and the attempt it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wait {
    /// Known from `node.suspended` on, which follows the request in the same commit (E1, E2).
    pub(super) interrupt_id: Option<InterruptId>,
    pub(super) payload: InterruptPayload,
    pub(super) sequence: u64,
    pub(super) requested_at: Timestamp,
    pub(super) attempt: u32,
    pub(super) since: Timestamp,
}

impl NodeSlot {
    pub(super) const NEW: Self =
        Self { stage: NodeStage::Waiting, verdict: Verdict::Undecided, attempts: 0, visits: 0 };

    /// Whether nothing more happens to the node.
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.stage, NodeStage::Completed(_) | NodeStage::Failed(_) | NodeStage::Skipped | NodeStage::Cancelled)
    }
}

/// A run's phase, with what belongs to it: a suspended run always has its interrupt.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase<'a> {
    /// No event yet.
    Pending,
    /// It moves, or waits for timers of its own.
    Active,
    /// Somebody paused it.
    Paused,
    /// It waits; the earliest open interrupt.
    Suspended(OpenInterrupt<'a>),
    /// It is over.
    Terminal(RunStatus),
}

/// An interrupt that can be answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenInterrupt<'a> {
    /// The node that waits.
    pub node_id: &'a NodeId,
    /// The interrupt.
    pub interrupt_id: &'a InterruptId,
    /// The request, verbatim.
    pub payload: &'a InterruptPayload,
    /// When it was requested.
    pub requested_at: Timestamp,
}

impl OpenInterrupt<'_> {
    /// Its kind.
    pub fn kind(&self) -> InterruptKind {
        self.payload.kind()
    }
}

impl RunState {
    /// A run without events.
    pub fn new(run_id: RunId, workflow: Arc<Workflow>) -> Self {
        Self {
            nodes: vec![NodeSlot::NEW; workflow.node_count()],
            tallies: vec![Tally::default(); workflow.groups().len()],
            run_id,
            workflow,
            last_sequence: None,
            stage: Stage::Pending,
            begun: None,
            ready: BTreeSet::new(),
            open: BTreeSet::new(),
            in_flight: 0,
            waits: BTreeSet::new(),
            executions: 0,
        }
    }

    /// The run.
    pub fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// The workflow it executes.
    pub fn workflow(&self) -> &Arc<Workflow> {
        &self.workflow
    }

    /// The sequence of the last event folded.
    pub fn last_sequence(&self) -> Option<u64> {
        self.last_sequence
    }

    /// The wire's word for where the run is (R-EVT-92).
    pub fn status(&self) -> RunStatus {
        match &self.stage {
            Stage::Pending => RunStatus::Pending,
            Stage::Paused => RunStatus::Paused,
            Stage::Ended(ending) => ending.status,
            Stage::Open => match self.earliest_wait() {
                Some((_, wait)) => wait.payload.kind().waiting_status(),
                None => RunStatus::Running,
            },
        }
    }

    /// The phase, with what belongs to it.
    pub fn phase(&self) -> Phase<'_> {
        match &self.stage {
            Stage::Pending => Phase::Pending,
            Stage::Paused => Phase::Paused,
            Stage::Ended(ending) => Phase::Terminal(ending.status),
            Stage::Open => self.open_interrupts().next().map_or(Phase::Active, Phase::Suspended),
        }
    }

    /// Whether the run is over.
    pub fn is_terminal(&self) -> bool {
        matches!(self.stage, Stage::Ended(_))
    }

    /// Whether something remains to be done now: an attempt in flight, or a node that is ready.
    /// A run that only waits for timers or people does not move.
    pub fn is_moving(&self) -> bool {
        self.stage == Stage::Open && (self.in_flight > 0 || !self.ready.is_empty())
    }

    /// The interrupts that can be answered, earliest first.
    pub fn open_interrupts(&self) -> impl Iterator<Item = OpenInterrupt<'_>> {
        let open = self.stage == Stage::Open || self.stage == Stage::Paused;
        self.waits.iter().filter(move |_| open).filter_map(|(_, ix)| {
            let wait = self.wait(*ix)?;
            Some(OpenInterrupt {
                node_id: self.workflow.node_id(*ix),
                interrupt_id: wait.interrupt_id.as_ref()?,
                payload: &wait.payload,
                requested_at: wait.requested_at,
            })
        })
    }

    /// The effect attempts in flight, in definition order.
    pub fn attempts_in_flight(&self) -> impl Iterator<Item = (&NodeId, u32)> {
        self.open.iter().filter_map(|ix| match self.slot(*ix).stage {
            NodeStage::Running { attempt, .. } if self.is_effect(*ix) => Some((self.workflow.node_id(*ix), attempt)),
            _ => None,
        })
    }

    pub(super) fn slot(&self, ix: NodeIx) -> &NodeSlot {
        &self.nodes[ix.at()]
    }

    pub(super) fn wait(&self, ix: NodeIx) -> Option<&Wait> {
        match &self.slot(ix).stage {
            NodeStage::Suspended(wait) => Some(wait),
            _ => None,
        }
    }

    pub(super) fn earliest_wait(&self) -> Option<(NodeIx, &Wait)> {
        let (_, ix) = self.waits.first()?;
        Some((*ix, self.wait(*ix)?))
    }

    pub(super) fn is_effect(&self, ix: NodeIx) -> bool {
        matches!(self.workflow.node(ix).kind, crate::node::NodeKind::Effect { .. })
    }

    /// Whether an edge takes the failure of a node further: one that tolerates failures, to a
    /// node that is not skipped (R-APR-10).
    pub(super) fn routes_failure(&self, ix: NodeIx) -> bool {
        let taken = |target: NodeIx| {
            let slot = self.slot(target);
            slot.verdict != Verdict::Skip && slot.stage != NodeStage::Skipped
        };
        self.workflow.node(ix).outgoing.iter().any(|edge| edge.tolerant && taken(edge.target))
    }

    /// When the run is out of time.
    pub(super) fn run_deadline(&self) -> Option<Timestamp> {
        let begun = self.begun.as_deref()?;
        Some(begun.at.plus_ms(begun.timeout_ms?))
    }
}

/// Two states are equal when they would answer everything alike.
impl PartialEq for RunState {
    fn eq(&self, other: &Self) -> bool {
        self.run_id == other.run_id
            && self.workflow.digest() == other.workflow.digest()
            && self.last_sequence == other.last_sequence
            && self.stage == other.stage
            && self.begun == other.begun
            && self.nodes == other.nodes
            && self.tallies == other.tallies
            && self.ready == other.ready
            && self.open == other.open
            && self.in_flight == other.in_flight
            && self.waits == other.waits
            && self.executions == other.executions
    }
}
