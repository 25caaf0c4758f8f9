//! The folded state as bytes: a cache, thrown away on any mismatch (DECISIONS 30).
//!
//! What can be derived (counts, the ready set, indexes) is not written: decoding derives it again
//! from the nodes, so that it cannot disagree with them. `bytes.rs` writes and reads the parts.

mod bytes;

use std::sync::Arc;

use weft_model::RunId;
use weft_model::json::to_bytes;

use super::state::{Begun, Ending, NodeSlot, NodeStage, RunState, Stage, Wait};
use super::trigger::{Ended, Verdict, judge};
use crate::workflow::{NodeIx, Workflow};
use bytes::{Reader, Writer};

const MAGIC: &[u8; 4] = b"WFTS";
/// Raised with every change of the layout.
const VERSION: u16 = 1;
/// The build that wrote a snapshot; another one folds the log instead.
const BUILD: &str = env!("CARGO_PKG_VERSION");
/// Bytes of the checksum at the end.
const CRC_LEN: usize = 4;

/// Why a snapshot cannot be used. The log can always be folded instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotFault {
    /// Cut short, or a bit has changed.
    #[error("the state snapshot is damaged")]
    Damaged,
    /// Written with another layout or by another build.
    #[error("the state snapshot was written by another build")]
    OtherBuild,
    /// Of a run of another definition.
    #[error("the state snapshot belongs to another definition")]
    OtherWorkflow,
}

/// Writes a state.
pub fn encode(state: &RunState) -> Vec<u8> {
    let mut out = Writer::new();
    out.raw(MAGIC);
    out.u16(VERSION);
    out.text(BUILD);
    out.raw(state.workflow.digest().as_bytes());
    out.text(state.run_id.as_str());
    out.optional(state.last_sequence, Writer::u64);
    write_stage(&mut out, &state.stage);
    out.optional(state.begun.as_deref(), write_begun);
    out.u64(state.executions);
    out.u32(state.nodes.len() as u32);
    for slot in &state.nodes {
        write_slot(&mut out, slot);
    }
    let mut out = out.into_bytes();
    let crc = crc32fast::hash(&out);
    out.extend_from_slice(&crc.to_le_bytes());
    out
}

/// Reads a state that [`encode`] wrote for a run of `workflow`.
pub fn decode(snapshot: &[u8], workflow: Arc<Workflow>) -> Result<RunState, SnapshotFault> {
    let body = checked(snapshot)?;
    let mut from = Reader::new(body);
    if from.raw(MAGIC.len())? != MAGIC || from.u16()? != VERSION || from.text()? != BUILD {
        return Err(SnapshotFault::OtherBuild);
    }
    if from.raw(workflow.digest().as_bytes().len())? != workflow.digest().as_bytes() {
        return Err(SnapshotFault::OtherWorkflow);
    }
    let run_id = RunId::parse(from.text()?).map_err(|_| SnapshotFault::Damaged)?;
    let mut state = RunState::new(run_id, workflow);
    state.last_sequence = from.optional(Reader::u64)?;
    state.stage = read_stage(&mut from)?;
    state.begun = from.optional(read_begun)?.map(Box::new);
    state.executions = from.u64()?;
    if from.u32()? as usize != state.nodes.len() {
        return Err(SnapshotFault::OtherWorkflow);
    }
    for slot in &mut state.nodes {
        *slot = read_slot(&mut from)?;
    }
    from.end()?;
    derive(&mut state);
    Ok(state)
}

fn checked(snapshot: &[u8]) -> Result<&[u8], SnapshotFault> {
    let at = snapshot.len().checked_sub(CRC_LEN).ok_or(SnapshotFault::Damaged)?;
    let (body, crc) = snapshot.split_at(at);
    if crc == crc32fast::hash(body).to_le_bytes() { Ok(body) } else { Err(SnapshotFault::Damaged) }
}

/// Derives counts, verdicts and indexes from the stages of the nodes. Verdicts are final and
/// counts are sums, so the order in which events made them does not matter.
fn derive(state: &mut RunState) {
    let workflow = Arc::clone(&state.workflow);
    for (ix, node) in workflow.nodes() {
        let ended = match &state.slot(ix).stage {
            NodeStage::Completed(_) => Ended::Succeeded,
            NodeStage::Failed(_) => Ended::Failed,
            NodeStage::Skipped => Ended::Skipped,
            _ => continue,
        };
        for edge in &node.outgoing {
            state.tallies[edge.group as usize].count(ended);
        }
    }
    let has_begun = state.begun.is_some();
    for (ix, node) in workflow.nodes() {
        let groups = node.groups.start as usize..node.groups.end as usize;
        let verdict = judge(&workflow.groups()[groups.clone()], &state.tallies[groups]);
        if has_begun {
            state.nodes[ix.at()].verdict = verdict;
        }
        index(state, ix);
    }
}

fn index(state: &mut RunState, ix: NodeIx) {
    let effect = state.is_effect(ix);
    let slot = &state.nodes[ix.at()];
    match &slot.stage {
        NodeStage::Waiting => {
            if slot.verdict != Verdict::Undecided && matches!(state.stage, Stage::Open | Stage::Paused) {
                state.ready.insert(ix);
            }
        }
        NodeStage::Running { .. } => {
            state.open.insert(ix);
            state.in_flight += usize::from(effect);
        }
        NodeStage::Retrying { .. } => {
            state.open.insert(ix);
        }
        NodeStage::Suspended(wait) => {
            state.waits.insert((wait.sequence, ix));
            state.open.insert(ix);
        }
        NodeStage::Completed(_) | NodeStage::Failed(_) | NodeStage::Skipped | NodeStage::Cancelled => {}
    }
}

fn write_stage(out: &mut Writer, stage: &Stage) {
    match stage {
        Stage::Pending => out.u8(0),
        Stage::Open => out.u8(1),
        Stage::Paused => out.u8(2),
        Stage::Ended(ending) => {
            out.u8(3);
            out.text(ending.status.as_str());
            out.moment(ending.at);
            out.optional(ending.error.as_ref(), |out, value| out.document(&to_bytes(value)));
        }
    }
}

fn read_stage(from: &mut Reader<'_>) -> Result<Stage, SnapshotFault> {
    Ok(match from.u8()? {
        0 => Stage::Pending,
        1 => Stage::Open,
        2 => Stage::Paused,
        3 => Stage::Ended(Box::new(Ending {
            status: weft_model::RunStatus::parse(from.text()?).ok_or(SnapshotFault::Damaged)?,
            at: from.moment()?,
            error: from.optional(Reader::json)?,
        })),
        _ => return Err(SnapshotFault::Damaged),
    })
}

fn write_begun(out: &mut Writer, begun: &Begun) {
    out.moment(begun.at);
    out.text(begun.workflow_id.as_str());
    out.optional(begun.owner.as_ref(), |out, value| out.document(&to_bytes(value)));
    out.optional(begun.inputs.as_ref(), |out, value| out.document(&to_bytes(value)));
    out.optional(begun.transport.as_ref(), |out, value| out.document(&to_bytes(value)));
    out.optional(begun.engine_version, Writer::u32);
    out.optional(begun.tags.as_ref(), |out, value| out.document(&to_bytes(value)));
    out.optional(begun.metadata.as_ref(), |out, value| out.document(&to_bytes(value)));
    out.optional(begun.configurable.as_ref(), |out, value| out.document(&to_bytes(value)));
    out.optional(begun.recursion_limit, Writer::u64);
    out.optional(begun.timeout_ms, Writer::u64);
    out.document(&to_bytes(&begun.variables));
}

fn read_begun(from: &mut Reader<'_>) -> Result<Begun, SnapshotFault> {
    Ok(Begun {
        at: from.moment()?,
        workflow_id: weft_model::WorkflowId::parse(from.text()?).map_err(|_| SnapshotFault::Damaged)?,
        owner: from.optional(Reader::json)?,
        inputs: from.optional(Reader::json)?,
        transport: from.optional(Reader::json)?,
        engine_version: from.optional(Reader::u32)?,
        tags: from.optional(Reader::json)?,
        metadata: from.optional(Reader::json)?,
        configurable: from.optional(Reader::json)?,
        recursion_limit: from.optional(Reader::u64)?,
        timeout_ms: from.optional(Reader::u64)?,
        variables: from.json()?,
    })
}

fn write_slot(out: &mut Writer, slot: &NodeSlot) {
    match &slot.stage {
        NodeStage::Waiting => out.u8(0),
        NodeStage::Running { attempt, since } => {
            out.u8(1);
            out.u32(*attempt);
            out.moment(*since);
        }
        NodeStage::Retrying { attempt, due } => {
            out.u8(2);
            out.u32(*attempt);
            out.moment(*due);
        }
        NodeStage::Suspended(wait) => {
            out.u8(3);
            write_wait(out, wait);
        }
        NodeStage::Completed(outputs) => {
            out.u8(4);
            out.document(&to_bytes(outputs.as_ref()));
        }
        NodeStage::Failed(failure) => {
            out.u8(5);
            out.document(&to_bytes(failure.as_ref()));
        }
        NodeStage::Skipped => out.u8(6),
        NodeStage::Cancelled => out.u8(7),
    }
    out.u32(slot.attempts);
    out.u32(slot.visits);
}

fn read_slot(from: &mut Reader<'_>) -> Result<NodeSlot, SnapshotFault> {
    let stage = match from.u8()? {
        0 => NodeStage::Waiting,
        1 => NodeStage::Running { attempt: from.u32()?, since: from.moment()? },
        2 => NodeStage::Retrying { attempt: from.u32()?, due: from.moment()? },
        3 => NodeStage::Suspended(Box::new(read_wait(from)?)),
        4 => NodeStage::Completed(Arc::new(from.json()?)),
        5 => NodeStage::Failed(Box::new(from.json()?)),
        6 => NodeStage::Skipped,
        7 => NodeStage::Cancelled,
        _ => return Err(SnapshotFault::Damaged),
    };
    Ok(NodeSlot { stage, verdict: Verdict::Undecided, attempts: from.u32()?, visits: from.u32()? })
}

fn write_wait(out: &mut Writer, wait: &Wait) {
    out.optional(wait.interrupt_id.as_ref(), |out, value| out.document(&to_bytes(value)));
    out.document(&to_bytes(&wait.payload));
    out.u64(wait.sequence);
    out.moment(wait.requested_at);
    out.u32(wait.attempt);
    out.moment(wait.since);
}

fn read_wait(from: &mut Reader<'_>) -> Result<Wait, SnapshotFault> {
    Ok(Wait {
        interrupt_id: from.optional(Reader::json)?,
        payload: from.json()?,
        sequence: from.u64()?,
        requested_at: from.moment()?,
        attempt: from.u32()?,
        since: from.moment()?,
    })
}
