//! Every limit of the engine by name; a full one answers, it does not grow.

/// Runs that may have an actor at once. An actor with its folded state weighs a few KiB, so this
/// many weigh tens of MiB. Timers and recovery try again later; a caller gets `Busy`.
pub const ACTORS_MAX: usize = 20_000;
/// Orders that may wait for one run's actor. One order takes one commit, a few milliseconds, so
/// a full mailbox stands for a wait that no caller should be left in.
pub const MAILBOX_ORDERS: usize = 64;
/// Effects that may be in flight in the whole process. Each may hold a socket; 256 stay well
/// under the 1,024 file handles that a process gets by default.
pub const EFFECTS_CONCURRENT: usize = 256;
/// How often one order is decided anew because the log had moved under it.
pub const DECIDE_AGAIN_MAX: u32 = 2;
/// How often the same commit is offered again when the store could not say what became of it.
pub const COMMIT_AGAIN_MAX: u32 = 2;
/// Finished attempts, or due timers, of one run that share a commit.
pub const ORDERS_PER_COMMIT: usize = 64;
/// Bytes of events from which on no further one joins them. One response of an effect may have a
/// MiB, and 64 of them would be more than any commit holds.
pub const COMMIT_SHARED_BYTES: usize = 2 << 20;
/// First wait before the engine repeats an order of its own that the store could not take.
pub const RETRY_DELAY_FIRST_MS: u64 = 50;
/// Longest such wait; it doubles from the first.
pub const RETRY_DELAY_MAX_MS: u64 = 2_000;
/// Timers fired in one batch. The batch shares group commits and is awaited before the next.
pub const TIMER_BATCH: usize = 256;
/// Longest sleep of the timer service while a timer is set. A wall clock that jumps forwards is
/// noticed within it, so a timer fires within a second of being due.
pub const TIMER_CHECK_MS: u64 = 1_000;
/// Wait before a timer that could not be fired is tried again.
pub const TIMER_RETRY_MS: u64 = 5_000;
/// Timers that may be set aside for such a wait; the batch is read past them. One damaged run may
/// have as many timers as its definition has nodes, and they must not hide those of other runs.
/// Each takes about 100 bytes.
pub const TIMERS_ASIDE_MAX: usize = 16_384;
/// Moving runs read from the store at once by recovery.
pub const RECOVERY_PAGE: usize = 256;
/// Runs that recovery loads and decides at the same time.
pub const RECOVERY_CONCURRENT: usize = 32;
/// Pause between two recovery scans.
pub const RECOVERY_INTERVAL_MS: u64 = 30_000;
/// Bytes of recent events kept for readers, over all runs.
pub const RECENT_EVENT_BYTES: usize = 2 << 20;
/// Bytes of rendered run snapshots kept for readers, over all runs.
pub const RECENT_SNAPSHOT_BYTES: usize = 2 << 20;
/// Events after which a run's folded state is stored again (DECISIONS 30).
pub const STATE_SNAPSHOT_EVENTS: u64 = 1_000;
/// Bytes of events after which a run's folded state is stored again (DECISIONS 30).
pub const STATE_SNAPSHOT_BYTES: u64 = 256 << 10;
/// Events that one page of a log holds at most.
pub const PAGE_EVENTS: usize = 512;
/// Bytes that one page of a log holds at most; a single larger event still makes a page.
pub const PAGE_BYTES: usize = 512 << 10;
/// Time that a drain gives to effects in flight. A stop by SIGTERM has five seconds in all.
pub const DRAIN_GRACE_MS: u64 = 3_000;
/// What a drain waits beyond the grace for a commit that the store does not answer. Then the
/// actors are cut, as a crash would cut them.
pub const DRAIN_CUT_MS: u64 = 500;
/// Runs that readers fold at the same time, for snapshots and states. A fold holds a page of
/// events and a state, at worst a few MiB; the others wait for their turn.
pub const FOLDS_CONCURRENT: usize = 16;

/// The limits one engine runs with. The defaults are the constants of this module, where each
/// figure has its reason.
#[derive(Clone, Debug)]
pub struct EngineLimits {
    /// See [`ACTORS_MAX`].
    pub actors_max: usize,
    /// See [`MAILBOX_ORDERS`].
    pub mailbox_orders: usize,
    /// See [`EFFECTS_CONCURRENT`].
    pub effects_concurrent: usize,
    /// See [`TIMER_BATCH`].
    pub timer_batch: usize,
    /// See [`RECOVERY_PAGE`].
    pub recovery_page: usize,
    /// See [`RECOVERY_CONCURRENT`].
    pub recovery_concurrent: usize,
    /// See [`RECOVERY_INTERVAL_MS`].
    pub recovery_interval_ms: u64,
    /// See [`RECENT_EVENT_BYTES`].
    pub recent_event_bytes: usize,
    /// See [`RECENT_SNAPSHOT_BYTES`].
    pub recent_snapshot_bytes: usize,
    /// See [`STATE_SNAPSHOT_EVENTS`].
    pub state_snapshot_events: u64,
    /// See [`STATE_SNAPSHOT_BYTES`].
    pub state_snapshot_bytes: u64,
    /// See [`DRAIN_GRACE_MS`].
    pub drain_grace_ms: u64,
}

impl Default for EngineLimits {
    fn default() -> EngineLimits {
        EngineLimits {
            actors_max: ACTORS_MAX,
            mailbox_orders: MAILBOX_ORDERS,
            effects_concurrent: EFFECTS_CONCURRENT,
            timer_batch: TIMER_BATCH,
            recovery_page: RECOVERY_PAGE,
            recovery_concurrent: RECOVERY_CONCURRENT,
            recovery_interval_ms: RECOVERY_INTERVAL_MS,
            recent_event_bytes: RECENT_EVENT_BYTES,
            recent_snapshot_bytes: RECENT_SNAPSHOT_BYTES,
            state_snapshot_events: STATE_SNAPSHOT_EVENTS,
            state_snapshot_bytes: STATE_SNAPSHOT_BYTES,
            drain_grace_ms: DRAIN_GRACE_MS,
        }
    }
}
