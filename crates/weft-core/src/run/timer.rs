//! Names of durable timers, and changes to them.

use std::fmt;
use std::str::FromStr;

use weft_model::{NodeId, Timestamp};

/// A timer of one run. Its text is stable: it is stored with the run.
///
/// A node's timer carries the attempt (or the visit, for an interrupt), so that a timer that was
/// read as due just before it was replaced cannot fire on its successor.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimerId {
    /// The run's own bound.
    RunDeadline,
    /// A timer of one node.
    Node {
        /// What it is for.
        kind: NodeTimer,
        /// The node.
        node: NodeId,
        /// The attempt, from 0; for an interrupt the visit, from 0.
        attempt: u32,
    },
}

/// What a node's timer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeTimer {
    /// The node completes when it fires.
    Sleep,
    /// The next attempt starts when it fires.
    Retry,
    /// The attempt fails when it fires.
    Timeout,
    /// The interrupt is resolved as timed out when it fires.
    Interrupt,
}

/// A change to the stored timers of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimerChange {
    /// Sets or moves a timer.
    Set {
        /// The timer.
        timer: TimerId,
        /// When it is due.
        due: Timestamp,
    },
    /// Removes a timer; one that is not set stays so.
    Clear(TimerId),
}

/// A text that names no timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a timer")]
pub struct UnknownTimer;

const RUN: &str = "run";

impl NodeTimer {
    const ALL: [Self; 4] = [Self::Sleep, Self::Retry, Self::Timeout, Self::Interrupt];

    fn as_str(self) -> &'static str {
        match self {
            Self::Sleep => "sleep",
            Self::Retry => "retry",
            Self::Timeout => "timeout",
            Self::Interrupt => "interrupt",
        }
    }
}

impl fmt::Display for TimerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RunDeadline => f.write_str(RUN),
            // A node id has no slash.
            Self::Node { kind, node, attempt } => write!(f, "{}/{node}/{attempt}", kind.as_str()),
        }
    }
}

impl FromStr for TimerId {
    type Err = UnknownTimer;

    fn from_str(text: &str) -> Result<Self, UnknownTimer> {
        if text == RUN {
            return Ok(Self::RunDeadline);
        }
        let mut parts = text.split('/');
        let (Some(kind), Some(node), Some(attempt), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(UnknownTimer);
        };
        let kind = NodeTimer::ALL.into_iter().find(|known| known.as_str() == kind).ok_or(UnknownTimer)?;
        let node = NodeId::parse(node).map_err(|_| UnknownTimer)?;
        let number: u32 = attempt.parse().map_err(|_| UnknownTimer)?;
        // One timer has one name: "+1" and "01" would be a second one.
        if number.to_string() != attempt {
            return Err(UnknownTimer);
        }
        Ok(Self::Node { kind, node, attempt: number })
    }
}
