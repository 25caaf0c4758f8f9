//! What happened, line by line. Two runs of one seed must write the same lines.

use std::fmt::Display;

use parking_lot::Mutex;
use weft_model::Digest;

use super::world::SimClock;

/// The lines of one simulation.
pub(crate) struct Trace {
    clock: SimClock,
    loud: bool,
    lines: Mutex<Vec<String>>,
}

impl Trace {
    /// An empty trace. A loud one prints its lines as they come.
    pub(crate) fn new(clock: SimClock, loud: bool) -> Trace {
        Trace { clock, loud, lines: Mutex::default() }
    }

    /// Adds a line.
    pub(crate) fn note(&self, who: impl Display, what: impl Display) {
        let line = format!("{:>8} {who}: {what}", self.clock.passed_ms());
        if self.loud {
            println!("{line}");
        }
        self.lines.lock().push(line);
    }

    /// Adds a line that is never printed: what the host shows at the end.
    pub(crate) fn keep(&self, line: String) {
        self.lines.lock().push(line);
    }

    /// The lines so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().clone()
    }

    /// The fingerprint of all lines.
    pub(crate) fn digest(&self) -> String {
        Digest::of(self.lines.lock().join("\n").as_bytes()).to_hex()
    }
}
