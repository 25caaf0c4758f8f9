//! The transitions that tests must cross, recorded per thread.

use std::cell::RefCell;
use std::collections::BTreeSet;

macro_rules! crossings {
    ($($name:ident),+ $(,)?) => {
        /// A transition of a run.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Crossing { $($name),+ }

        impl Crossing {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$name),+];
        }
    };
}

crossings! {
    SkippedByRule, SkippedDisabled, EffectStarted, PortUnset, Slept, SleepOver, Completed, RetryPlanned, RetryDue,
    AttemptTimedOut, FailureRouted, FailureEndsRun, Suspended, SuspendRefused, Asked, Granted, Refined, Rejected,
    InterruptTimedOut, RunCompleted, RunTimedOut, ExecutionsExceeded, CancelledRunning, CancelledAsleep,
    CancelledBetweenAttempts, CancelledSuspended, RunCancelled, CutAttemptRepeated, CutAttemptFailed, TimersRestored,
    ChainCut, Condemned, RouteLost, InputsTooLarge,
}

thread_local! {
    static CROSSED: RefCell<BTreeSet<Crossing>> = const { RefCell::new(BTreeSet::new()) };
}

pub(crate) fn record(crossing: Crossing) {
    CROSSED.with_borrow_mut(|crossed| {
        crossed.insert(crossing);
    });
}

/// What this thread has crossed since the last call.
pub(crate) fn take() -> BTreeSet<Crossing> {
    CROSSED.take()
}
