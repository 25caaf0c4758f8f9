//! Which faults there are, when they happen, and how often each did.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::rng::Rng;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The host stopped at a moment of its own.
    Crash,
    /// The host stopped within its first milliseconds, while it recovered.
    CrashInRecovery,
    /// The host stopped with a commit offered and not applied.
    CrashBeforeApply,
    /// The host stopped with a commit applied and not acknowledged.
    CrashAfterApply,
    /// The host stopped when an effect had been announced and just began.
    CrashAtEffectBegin,
    /// The host stopped when an effect had happened and was not recorded.
    CrashAtEffectEnd,
    /// A commit was applied and its answer was an error.
    AnswerLost,
    /// A commit was applied and its answer never came.
    AnswerNever,
    /// A commit was not applied, and the answer said so.
    CommitRefused,
    /// A commit found the disk full.
    DiskFull,
    /// A commit was applied late.
    CommitSlow,
    /// A commit was applied and acknowledged late.
    AcknowledgedLate,
    /// The store answered no read for a while.
    StoreAway,
    /// The wall clock was set forwards by up to an hour.
    ClockForwards,
    /// The wall clock was set back by up to an hour.
    ClockBack,
    /// An effect answered late.
    EffectLate,
    /// An effect failed in a way that may pass.
    EffectFailed,
    /// An effect never answered.
    EffectNever,
    /// A client stopped waiting for its answer.
    ClientGone,
    /// A subscriber dropped its stream and came back behind its last event.
    StreamDropped,
}

impl Fault {
    /// Every kind.
    pub const ALL: [Fault; 20] = [
        Fault::Crash,
        Fault::CrashInRecovery,
        Fault::CrashBeforeApply,
        Fault::CrashAfterApply,
        Fault::CrashAtEffectBegin,
        Fault::CrashAtEffectEnd,
        Fault::AnswerLost,
        Fault::AnswerNever,
        Fault::CommitRefused,
        Fault::DiskFull,
        Fault::CommitSlow,
        Fault::AcknowledgedLate,
        Fault::StoreAway,
        Fault::ClockForwards,
        Fault::ClockBack,
        Fault::EffectLate,
        Fault::EffectFailed,
        Fault::EffectNever,
        Fault::ClientGone,
        Fault::StreamDropped,
    ];
}

/// How often each thing happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<Fault, u64>);

impl Counts {
    /// How often this fault happened.
    pub fn of(&self, fault: Fault) -> u64 {
        self.0.get(&fault).copied().unwrap_or_default()
    }

    /// Adds another simulation's counts.
    pub fn add(&mut self, other: &Counts) {
        for (fault, count) in &other.0 {
            *self.0.entry(*fault).or_default() += count;
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in Fault::ALL.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{fault:?} {}", self.of(*fault))?;
        }
        Ok(())
    }
}

/// The counts of the simulation under way.
#[derive(Clone, Default)]
pub(crate) struct Tally(Arc<Mutex<Counts>>);

impl Tally {
    /// One more.
    pub(crate) fn count(&self, fault: Fault) {
        *self.0.lock().0.entry(fault).or_default() += 1;
    }

    /// The counts so far.
    pub(crate) fn counts(&self) -> Counts {
        self.0.lock().clone()
    }
}

/// Stops one life of the host at the very moment at which it is pulled: from then on nothing
/// reaches the store and nothing comes back from it.
#[derive(Default)]
pub(crate) struct Switch {
    dead: AtomicBool,
    pulled: Notify,
}

impl Switch {
    /// Pulls it, unless it has been pulled. Answers whether it was this pull.
    pub(crate) fn pull(&self) -> bool {
        let first = !self.dead.swap(true, Ordering::SeqCst);
        if first {
            self.pulled.notify_one();
        }
        first
    }

    /// Whether the life is over.
    pub(crate) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    /// Completes when it is pulled. One waiter only.
    pub(crate) async fn pulled(&self) {
        self.pulled.notified().await;
    }
}

/// What becomes of one write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Applied and acknowledged at a healthy disk's pace.
    Healthy,
    /// Never applied: the store refuses.
    Refused,
    /// Never applied: no room.
    Full,
    /// Applied, but the answer is an error.
    AnswerLost,
    /// Applied, but there is no answer.
    AnswerNever,
    /// Applied after this long.
    Slow(u64),
    /// Acknowledged this long after it was applied.
    Late(u64),
    /// The host dies before it is applied.
    CrashBefore,
    /// The host dies after it is applied.
    CrashAfter,
}

/// The faults of one life of the host.
pub(crate) struct LifeFaults {
    rng: Mutex<Rng>,
    /// A life without faults, for the end.
    calm: bool,
    /// When the store answers nothing, in milliseconds since the beginning.
    away: Vec<Range<u64>>,
    /// When the disk is full.
    full: Vec<Range<u64>>,
    pub(crate) tally: Tally,
}

impl LifeFaults {
    /// The faults of a life that is meant to last for `span`, in milliseconds since the beginning.
    /// Reads fail only where every read gets to the store.
    pub(crate) fn draw(seed: u64, life: u32, span: Range<u64>, reads_fail: bool, tally: Tally) -> LifeFaults {
        let mut rng = Rng::for_purpose(seed, &format!("faults {life}"));
        let mut windows = |per_mille: u64, longest: u64| {
            let mut windows = Vec::new();
            if !span.is_empty() && rng.happens(per_mille) {
                let from = rng.between(span.start, span.end);
                windows.push(from..from + rng.between(20, longest));
            }
            windows
        };
        let (away, full) = (windows(if reads_fail { 600 } else { 0 }, 600), windows(200, 1_500));
        LifeFaults { rng: Mutex::new(rng), calm: false, away, full, tally }
    }

    /// A life in which nothing goes wrong.
    pub(crate) fn none(seed: u64, life: u32, tally: Tally) -> LifeFaults {
        let rng = Mutex::new(Rng::for_purpose(seed, &format!("calm {life}")));
        LifeFaults { rng, calm: true, away: Vec::new(), full: Vec::new(), tally }
    }

    /// Whether reads fail now. A matter of time alone: which reader asks first does not matter.
    pub(crate) fn is_away(&self, now_ms: u64) -> bool {
        self.away.iter().any(|window| window.contains(&now_ms))
    }

    /// What becomes of the write that is offered now.
    pub(crate) fn fate(&self, now_ms: u64) -> Fate {
        if self.calm {
            return Fate::Healthy;
        }
        if self.full.iter().any(|window| window.contains(&now_ms)) {
            return Fate::Full;
        }
        let mut rng = self.rng.lock();
        match rng.between(0, 1000) {
            0..25 => Fate::AnswerLost,
            25..29 => Fate::AnswerNever,
            29..50 => Fate::Refused,
            50..75 => Fate::Slow(rng.between(20, 900)),
            75..100 => Fate::Late(rng.between(20, 900)),
            100..104 => Fate::CrashBefore,
            104..108 => Fate::CrashAfter,
            _ => Fate::Healthy,
        }
    }

    /// How long a healthy disk takes.
    pub(crate) fn pace_ms(&self) -> u64 {
        self.rng.lock().between(1, 5)
    }

    /// Whether an effect takes the host down with it.
    pub(crate) fn effect_crashes(&self) -> bool {
        !self.calm && self.rng.lock().happens(12)
    }
}
