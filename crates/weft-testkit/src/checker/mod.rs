//! The reliability invariants as one pure function (invariants I1–I5, I7 and I12).
//!
//! Input is what clients did and were told ([`History`]) and what the host shows afterwards
//! through its public interface ([`Observed`]). The function knows no host, no clock and no
//! file, so a kill loop, a simulator and a unit test all use the same judge.

mod history;
mod invariants;
#[cfg(test)]
mod tests;

pub use history::{Create, History, Observed, ObservedRun, Resolve, StreamedRun};

/// The invariants, named as the reliability table names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invariant {
    /// Every acknowledged run exists with its owner, workflow and inputs.
    I1,
    /// Sequences are 0, 1, 2, …; an event once read never changes or disappears.
    I2,
    /// One terminal event, the last; the snapshot agrees.
    I3,
    /// Every run comes to rest: terminal or suspended.
    I4,
    /// One idempotency key and body is one run.
    I5,
    /// What a subscriber got across reconnects is the log, in order.
    I7,
    /// An approval is accepted at most once, and an acknowledged one is on the log.
    I12,
}

/// One broken promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which promise.
    pub invariant: Invariant,
    /// The run it concerns; empty when none exists.
    pub run: String,
    /// What was seen, in a sentence.
    pub what: String,
}

/// Judges a history. An empty answer means that every promise was kept.
#[must_use]
pub fn check(history: &History, observed: &Observed) -> Vec<Violation> {
    let mut violations = Vec::new();
    for run in observed.runs() {
        invariants::sequence_is_whole(run, &mut violations);
        invariants::one_terminal_event(run, &mut violations);
        invariants::is_at_rest(run, &mut violations);
        invariants::resolved_at_most_once(run, &mut violations);
    }
    invariants::acknowledged_creates_exist(history, observed, &mut violations);
    invariants::one_run_per_key(history, observed, &mut violations);
    invariants::reads_never_change(history, observed, &mut violations);
    invariants::streams_are_the_log(history, observed, &mut violations);
    invariants::acknowledged_answers_hold(history, observed, &mut violations);
    violations
}
