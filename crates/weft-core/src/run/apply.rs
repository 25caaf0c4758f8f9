//! Folding one event into the state (events sheet §5).

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use weft_model::event::{Failure, NodeCompleted, RunStarted};
use weft_model::{Event, EventBody, EventType, InterruptPayload, JsonObject, NodeId, RunStatus};

use super::state::{Begun, Ending, NodeStage, RunState, Stage, Wait};
use super::trigger::{Ended, Verdict, judge};
use crate::workflow::NodeIx;

impl RunState {
    /// Folds one event. Total: an event this build does not know, or that does not fit, leaves the
    /// state untouched except for `last_sequence`, so an old binary can still read a new log.
    ///
    /// An event at or below `last_sequence` is folded already and changes nothing.
    pub fn apply(&mut self, event: &Event) {
        if self.last_sequence.is_some_and(|last| event.sequence <= last) {
            return;
        }
        self.last_sequence = Some(event.sequence);
        match (&self.stage, &event.body) {
            (Stage::Pending, EventBody::RunStarted(started)) => self.begin(event, started),
            // Nothing happens before the first event or after the last (R-TERM-02).
            (Stage::Pending | Stage::Ended(_), _) => {}
            (_, EventBody::RunCompleted(_)) => self.end(event, RunStatus::Completed, None),
            (_, EventBody::RunFailed(failed)) => self.end(event, RunStatus::Failed, Some(failed.error.clone())),
            (_, EventBody::RunCancelled(_)) => self.end(event, RunStatus::Cancelled, None),
            (_, EventBody::RunPaused(_)) => self.stage = Stage::Paused,
            (_, EventBody::RunResumed(_)) => self.stage = Stage::Open,
            (_, body) => self.apply_to_node(event, body),
        }
    }

    fn apply_to_node(&mut self, event: &Event, body: &EventBody) {
        if let EventBody::Other { event_type: EventType::VariableChanged, payload } = body {
            self.change_variable(payload.get());
            return;
        }
        let named = node_of(body).or(event.node_id.as_ref());
        let Some(ix) = named.and_then(|id| self.workflow.find(id)) else { return };
        if self.slot(ix).is_settled() {
            return;
        }
        match body {
            EventBody::NodeStarted(started) => self.start(ix, event, started.attempt.unwrap_or(0)),
            EventBody::NodeCompleted(completed) => self.complete(ix, completed),
            EventBody::NodeFailed(failed) => self.settle(ix, NodeStage::Failed(Box::new(failed.error.clone()))),
            EventBody::NodeSkipped(_) => self.settle(ix, NodeStage::Skipped),
            EventBody::NodeCancelled(_) => self.settle(ix, NodeStage::Cancelled),
            EventBody::NodeRetried(retried) => {
                let due = event.timestamp.plus_ms(retried.delay_ms.unwrap_or(0));
                self.leave(ix);
                self.nodes[ix.at()].stage = NodeStage::Retrying { attempt: retried.attempt, due };
                self.open.insert(ix);
            }
            EventBody::InterruptRequested(payload) => self.suspend(ix, event, payload),
            EventBody::NodeSuspended(suspended) => {
                if let NodeStage::Suspended(wait) = &mut self.nodes[ix.at()].stage {
                    wait.interrupt_id = Some(suspended.interrupt_id.clone());
                }
            }
            EventBody::InterruptResolved(_) => self.resume(ix),
            _ => {}
        }
    }

    fn begin(&mut self, event: &Event, started: &RunStarted) {
        let none = JsonObject::new();
        let inputs = started.inputs.as_ref().unwrap_or(&none);
        let limits = started.limits.unwrap_or_default();
        self.begun = Some(Box::new(Begun {
            at: event.timestamp,
            workflow_id: started.workflow_id.clone(),
            owner: started.owner.clone(),
            variables: self.workflow.initial_variables(inputs),
            inputs: started.inputs.clone(),
            transport: started.transport,
            engine_version: started.engine_version,
            tags: started.tags.clone(),
            metadata: started.metadata.clone(),
            configurable: started.configurable.clone(),
            recursion_limit: limits.node_executions,
            timeout_ms: limits.run_duration_ms,
        }));
        self.stage = Stage::Open;
        for ix in self.workflow.roots() {
            self.nodes[ix.at()].verdict = Verdict::Run;
            self.ready.insert(*ix);
        }
    }

    fn end(&mut self, event: &Event, status: RunStatus, error: Option<Failure>) {
        self.stage = Stage::Ended(Box::new(Ending { status, at: event.timestamp, error }));
        self.ready.clear();
    }

    fn start(&mut self, ix: NodeIx, event: &Event, attempt: u32) {
        self.leave(ix);
        if self.slot(ix).attempts == 0 {
            self.executions += 1;
        }
        let slot = &mut self.nodes[ix.at()];
        slot.stage = NodeStage::Running { attempt, since: event.timestamp };
        slot.attempts = attempt.saturating_add(1);
        self.open.insert(ix);
        if self.is_effect(ix) {
            self.in_flight += 1;
        }
    }

    fn complete(&mut self, ix: NodeIx, completed: &NodeCompleted) {
        let outputs = completed.outputs.clone().unwrap_or_default();
        self.settle(ix, NodeStage::Completed(Arc::new(outputs)));
    }

    fn suspend(&mut self, ix: NodeIx, event: &Event, payload: &InterruptPayload) {
        let (attempt, since) = match self.slot(ix).stage {
            NodeStage::Running { attempt, since } => (attempt, since),
            _ => (self.slot(ix).attempts.saturating_sub(1), event.timestamp),
        };
        self.leave(ix);
        let wait = Wait {
            interrupt_id: None,
            payload: payload.clone(),
            sequence: event.sequence,
            requested_at: event.timestamp,
            attempt,
            since,
        };
        let slot = &mut self.nodes[ix.at()];
        slot.stage = NodeStage::Suspended(Box::new(wait));
        slot.visits = slot.visits.saturating_add(1);
        self.open.insert(ix);
        self.waits.insert((event.sequence, ix));
    }

    /// The attempt goes on; the events that follow in the same commit end it.
    fn resume(&mut self, ix: NodeIx) {
        let Some(wait) = self.wait(ix) else { return };
        let stage = NodeStage::Running { attempt: wait.attempt, since: wait.since };
        self.leave(ix);
        self.nodes[ix.at()].stage = stage;
        self.open.insert(ix);
        if self.is_effect(ix) {
            self.in_flight += 1;
        }
    }

    /// Ends a node and tells the nodes after it. The cost is its number of edges.
    fn settle(&mut self, ix: NodeIx, stage: NodeStage) {
        let ended = match &stage {
            NodeStage::Completed(_) => Some(Ended::Succeeded),
            NodeStage::Failed(_) => Some(Ended::Failed),
            NodeStage::Skipped => Some(Ended::Skipped),
            // Nodes are cancelled only where the run ends: nothing follows them.
            _ => None,
        };
        self.leave(ix);
        self.nodes[ix.at()].stage = stage;
        if let Some(ended) = ended {
            self.tell_successors(ix, ended);
        }
    }

    pub(super) fn tell_successors(&mut self, ix: NodeIx, ended: Ended) {
        let workflow = Arc::clone(&self.workflow);
        for edge in &workflow.node(ix).outgoing {
            self.tallies[edge.group as usize].count(ended);
            let slot = &mut self.nodes[edge.target.at()];
            if slot.verdict != Verdict::Undecided {
                continue;
            }
            let groups = workflow.node(edge.target).groups.clone();
            let groups = groups.start as usize..groups.end as usize;
            slot.verdict = judge(&workflow.groups()[groups.clone()], &self.tallies[groups]);
            if slot.verdict != Verdict::Undecided && slot.stage == NodeStage::Waiting {
                self.ready.insert(edge.target);
            }
        }
    }

    /// Takes a node out of every index it stands in.
    fn leave(&mut self, ix: NodeIx) {
        self.ready.remove(&ix);
        if !self.open.remove(&ix) {
            return;
        }
        match &self.slot(ix).stage {
            NodeStage::Running { .. } if self.is_effect(ix) => self.in_flight -= 1,
            NodeStage::Suspended(wait) => {
                let place = (wait.sequence, ix);
                self.waits.remove(&place);
            }
            _ => {}
        }
    }

    fn change_variable(&mut self, payload: &str) {
        #[derive(Deserialize)]
        struct Changed {
            name: String,
            next: Option<Value>,
        }
        let Ok(changed) = serde_json::from_str::<Changed>(payload) else { return };
        let Some(begun) = self.begun.as_deref_mut() else { return };
        begun.variables.insert(changed.name, changed.next.unwrap_or(Value::Null));
    }
}

fn node_of(body: &EventBody) -> Option<&NodeId> {
    match body {
        EventBody::NodeStarted(payload) => Some(&payload.node_id),
        EventBody::NodeCompleted(payload) => Some(&payload.node_id),
        EventBody::NodeFailed(payload) => Some(&payload.node_id),
        EventBody::NodeSkipped(payload) => Some(&payload.node_id),
        EventBody::NodeCancelled(payload) => Some(&payload.node_id),
        EventBody::NodeRetried(payload) => Some(&payload.node_id),
        EventBody::NodeSuspended(payload) => Some(&payload.node_id),
        EventBody::InterruptResolved(payload) => Some(&payload.node_id),
        _ => None,
    }
}
