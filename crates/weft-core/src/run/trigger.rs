//! Trigger rules: when the edges that lead to a node let it run (R-APR-10, events sheet §8).
//!
//! Edges of one target that share a rule form a group; a node runs once every group is satisfied
//! and is skipped once one cannot be any more. Both are final: a satisfied group stays satisfied.

use crate::workflow::{Group, TriggerRule};

/// How a node ended, as its edges see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Succeeded,
    Failed,
    Skipped,
}

/// How the sources of one group ended so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    succeeded: u32,
    failed: u32,
    skipped: u32,
}

/// What a node's edges say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Undecided,
    Run,
    Skip,
}

impl Tally {
    pub(super) fn count(&mut self, ended: Ended) {
        match ended {
            Ended::Succeeded => self.succeeded += 1,
            Ended::Failed => self.failed += 1,
            Ended::Skipped => self.skipped += 1,
        }
    }

    pub(super) fn judge(self, group: Group) -> Verdict {
        let Self { succeeded, failed, skipped } = self;
        let all = succeeded + failed + skipped == group.edges;
        let (satisfied, lost) = match group.rule {
            TriggerRule::AllSuccess => (succeeded == group.edges, failed + skipped > 0),
            TriggerRule::AnySuccess => (succeeded > 0, all && succeeded == 0),
            TriggerRule::AllComplete => (all, false),
            TriggerRule::NoneFailed => (all && failed == 0, failed > 0),
            TriggerRule::AnyFailed => (failed > 0, all && failed == 0),
        };
        match (satisfied, lost) {
            (true, _) => Verdict::Run,
            (_, true) => Verdict::Skip,
            _ => Verdict::Undecided,
        }
    }
}

/// The verdict of all groups of one node.
pub(super) fn judge(groups: &[Group], tallies: &[Tally]) -> Verdict {
    let mut verdict = Verdict::Run;
    for (group, tally) in groups.iter().zip(tallies) {
        match tally.judge(*group) {
            Verdict::Run => {}
            Verdict::Undecided => verdict = Verdict::Undecided,
            Verdict::Skip => return Verdict::Skip,
        }
    }
    verdict
}
