//! A decision in the making: events are folded as they are written.

use std::collections::BTreeMap;

use weft_model::event::SCHEMA_VERSION;
use weft_model::run::ENGINE_VERSION;
use weft_model::{Event, EventBody, EventId, NodeId, Timestamp};

use super::command::{Decision, Effect, Stamp};
use super::state::RunState;
use super::timer::{NodeTimer, TimerChange, TimerId};
use crate::workflow::NodeIx;

/// The state, the stamp, and what has been decided so far.
pub(super) struct Draft<'a, 's> {
    pub(super) state: &'a mut RunState,
    stamp: &'a mut Stamp<'s>,
    events: Vec<Event>,
    effects: Vec<Effect>,
    timers: BTreeMap<TimerId, Pending>,
    /// Bytes of the inputs of the nodes that were begun.
    carried: usize,
    more: bool,
}

/// The last word on a timer. One that is set and cleared within a decision leaves no trace, so a
/// run that ends at once writes no timer.
enum Pending {
    Set { due: Timestamp, was_stored: bool },
    Clear,
}

impl<'a, 's> Draft<'a, 's> {
    pub(super) fn new(state: &'a mut RunState, stamp: &'a mut Stamp<'s>) -> Self {
        Self { state, stamp, events: Vec::new(), effects: Vec::new(), timers: BTreeMap::new(), carried: 0, more: false }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.stamp.now
    }

    pub(super) fn random(&mut self) -> [u8; 16] {
        (self.stamp.random)()
    }

    pub(super) fn event_count(&self) -> usize {
        self.events.len()
    }

    pub(super) fn carry(&mut self, bytes: usize) {
        self.carried = self.carried.saturating_add(bytes);
    }

    pub(super) fn carried_bytes(&self) -> usize {
        self.carried
    }

    pub(super) fn stop_for_more(&mut self) {
        self.more = true;
    }

    pub(super) fn node_id(&self, ix: NodeIx) -> NodeId {
        self.state.workflow.node_id(ix).clone()
    }

    /// Appends an event of the run.
    pub(super) fn emit(&mut self, body: EventBody) -> EventId {
        self.append(None, None, body)
    }

    /// Appends an event of one node.
    pub(super) fn emit_at(&mut self, ix: NodeIx, body: EventBody) -> EventId {
        let node_id = self.node_id(ix);
        self.append(Some(node_id), None, body)
    }

    /// Appends an event of one node that another event caused.
    pub(super) fn emit_caused(&mut self, ix: NodeIx, cause: &EventId, body: EventBody) -> EventId {
        let node_id = self.node_id(ix);
        self.append(Some(node_id), Some(cause.clone()), body)
    }

    fn append(&mut self, node_id: Option<NodeId>, causation_id: Option<EventId>, body: EventBody) -> EventId {
        let id = EventId::mint(self.stamp.now, (self.stamp.random)());
        let event = Event {
            id: id.clone(),
            node_id,
            timestamp: self.stamp.now,
            sequence: self.state.last_sequence.map_or(0, |last| last + 1),
            schema_version: SCHEMA_VERSION,
            engine_version: Some(ENGINE_VERSION),
            causation_id,
            body,
        };
        self.state.apply(&event);
        self.events.push(event);
        id
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub(super) fn node_timer(&self, kind: NodeTimer, ix: NodeIx, attempt: u32) -> TimerId {
        TimerId::Node { kind, node: self.node_id(ix), attempt }
    }

    pub(super) fn set_timer(&mut self, timer: TimerId, due: Timestamp) {
        let was_stored = match self.timers.get(&timer) {
            None => false,
            Some(Pending::Clear) => true,
            Some(Pending::Set { was_stored, .. }) => *was_stored,
        };
        self.timers.insert(timer, Pending::Set { due, was_stored });
    }

    pub(super) fn clear_timer(&mut self, timer: TimerId) {
        match self.timers.get(&timer) {
            Some(Pending::Set { was_stored: false, .. }) => {
                self.timers.remove(&timer);
            }
            _ => {
                self.timers.insert(timer, Pending::Clear);
            }
        }
    }

    pub(super) fn finish(self) -> Decision {
        let timers = self
            .timers
            .into_iter()
            .map(|(timer, pending)| match pending {
                Pending::Set { due, .. } => TimerChange::Set { timer, due },
                Pending::Clear => TimerChange::Clear(timer),
            })
            .collect();
        Decision { events: self.events, effects: cancel_out(self.effects), timers, more: self.more }
    }
}

/// An attempt that was begun and aborted in one decision never starts.
fn cancel_out(effects: Vec<Effect>) -> Vec<Effect> {
    let mut aborted: std::collections::BTreeSet<(NodeId, u32)> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::AbortNode { node, attempt } => Some((node.clone(), *attempt)),
            Effect::RunNode { .. } => None,
        })
        .collect();
    if aborted.is_empty() {
        return effects;
    }
    let mut never_started = std::collections::BTreeSet::new();
    let kept: Vec<_> = effects
        .into_iter()
        .filter(|effect| match effect {
            Effect::RunNode { call, .. } => {
                let key = (call.node_id.clone(), call.attempt);
                let aborted_here = aborted.remove(&key);
                if aborted_here {
                    never_started.insert(key);
                }
                !aborted_here
            }
            Effect::AbortNode { .. } => true,
        })
        .collect();
    kept.into_iter()
        .filter(|effect| match effect {
            Effect::AbortNode { node, attempt } => !never_started.contains(&(node.clone(), *attempt)),
            Effect::RunNode { .. } => true,
        })
        .collect()
}
