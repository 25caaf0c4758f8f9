//! From decisions to one commit: encode once, count, snapshot when it is time.

use std::panic::{AssertUnwindSafe, catch_unwind};

use weft_core::run::snapshot_codec;
use weft_core::{Command, Decision, Effect, RunState, Stamp, TimerChange, TimerId, decide};
use weft_model::{EncodedEvent, RunId, Timestamp};
use weft_store::{Receipt, RunIndex, StateSnapshot, StoredResponse, TimerWrite};

use crate::error::{EngineError, panic_text};
use crate::limits::EngineLimits;
use crate::order::ReceiptDraft;
use crate::ports::EnginePorts;

/// Asks the core, and catches a rule that breaks inside it. After `Broken` the state is worthless.
pub(crate) fn judge(ports: &EnginePorts, state: &mut RunState, command: Command) -> Result<Decision, EngineError> {
    let mut random = || ports.entropy.random_128();
    let mut stamp = Stamp { now: ports.clock.now(), random: &mut random };
    catch_unwind(AssertUnwindSafe(|| decide(state, command, &mut stamp)))
        .map_err(|panic| EngineError::Broken(panic_text(panic)))?
        .map_err(EngineError::Refused)
}

/// What one commit will hold, and what follows from it.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) events: Vec<EncodedEvent>,
    pub(crate) timers: Vec<TimerWrite>,
    pub(crate) effects: Vec<Effect>,
    /// The earliest timer that it sets.
    pub(crate) earliest: Option<Timestamp>,
    /// The chain stopped at its bound.
    pub(crate) more: bool,
    /// The folded state, when it is time to store it again.
    pub(crate) snapshot: Option<StateSnapshot>,
    /// Whether the folded state stays out, however much the log has grown.
    pub(crate) stateless: bool,
    pub(crate) receipt: Option<Receipt>,
}

/// How much a log has grown since its state was last stored.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Growth {
    pub(crate) events: u64,
    pub(crate) bytes: u64,
    /// The size of the state that was stored, as far as this process knows.
    pub(crate) stored_bytes: u64,
}

impl Draft {
    /// Adds a decision. This is the one place where an event is encoded (ARCHITECTURE.md, sentence 10).
    pub(crate) fn add(&mut self, run: &RunId, decision: Decision) {
        self.events.extend(decision.events.iter().map(|event| event.encode(run)));
        self.effects.extend(decision.effects);
        self.more = decision.more;
        for change in decision.timers {
            match change {
                TimerChange::Set { timer, due } => {
                    self.earliest = Some(self.earliest.map_or(due, |known| known.min(due)));
                    self.timers.push(TimerWrite::Set { id: timer.to_string(), due });
                }
                TimerChange::Clear(timer) => self.clear_timer(&timer),
            }
        }
    }

    /// The bytes of its events.
    pub(crate) fn bytes(&self) -> usize {
        self.events.iter().map(|event| event.bytes.len()).sum()
    }

    /// Removes a stored timer.
    pub(crate) fn clear_timer(&mut self, timer: &TimerId) {
        self.timers.push(TimerWrite::Clear { id: timer.to_string() });
    }

    /// Whether there is anything to write but a receipt.
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.timers.is_empty()
    }

    /// Renders the receipt from the state that the draft leads to; answers the response in it.
    pub(crate) fn seal(
        &mut self,
        reply: Option<&ReceiptDraft>,
        state: &RunState,
        now: Timestamp,
    ) -> Option<StoredResponse> {
        let reply = reply?;
        let response = (reply.render)(state);
        self.receipt =
            Some(Receipt { scope: reply.scope, request: reply.request, response: response.clone(), created_at: now });
        Some(response)
    }

    /// Counts the growth and takes a state snapshot when the log has grown enough (DECISIONS 30).
    pub(crate) fn measure(&mut self, growth: &mut Growth, state: &RunState, limits: &EngineLimits) {
        growth.add(&self.events);
        if self.stateless {
            return;
        }
        if let (true, Some(sequence)) = (growth.calls_for_snapshot(limits), state.last_sequence()) {
            let bytes = snapshot_codec::encode(state);
            *growth = Growth { stored_bytes: bytes.len() as u64, ..Growth::default() };
            self.snapshot = Some(StateSnapshot { sequence, bytes: bytes.into() });
        }
    }

    /// The run's index row after this draft.
    pub(crate) fn index(&self, state: &RunState, now: Timestamp) -> RunIndex {
        RunIndex { status: state.status(), moving: state.is_moving() || self.more, updated_at: now }
    }
}

impl Growth {
    /// A large state is stored when the log has grown by as much again: stored at every step, a
    /// run that carries megabytes would write all of them as often as it has nodes.
    fn calls_for_snapshot(self, limits: &EngineLimits) -> bool {
        let bytes_due = limits.state_snapshot_bytes.max(self.stored_bytes);
        self.events >= limits.state_snapshot_events || self.bytes >= bytes_due
    }

    pub(crate) fn add(&mut self, events: &[EncodedEvent]) {
        self.events += events.len() as u64;
        self.bytes += events.iter().map(|event| event.bytes.len() as u64).sum::<u64>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run whose every step adds a MiB to its state writes that state a few times, not at every
    /// step.
    #[test]
    fn a_growing_state_is_stored_as_often_as_it_doubles() {
        let limits = EngineLimits::default();
        let (mut growth, mut state_bytes, mut written) = (Growth::default(), 0, 0);
        for _ in 0..64 {
            growth.bytes += 1 << 20;
            state_bytes += 1 << 20;
            if growth.calls_for_snapshot(&limits) {
                growth = Growth { stored_bytes: state_bytes, ..Growth::default() };
                written += 1;
            }
        }
        assert_eq!(written, 7, "at 1, 2, 4, 8, 16, 32 and 64 MiB");
    }
}
