//! The limits of the operations, in one place.

use std::time::Duration;

/// Bytes of a run's metadata as JSON, as the run options schema recommends.
pub const METADATA_MAX_BYTES: usize = 50 * 1024;
/// Characters of a list cursor (R-LIST-04).
pub const CURSOR_MAX_CHARS: usize = 2048;
/// Runs on a page when the request names no limit.
pub const PAGE_SIZE_DEFAULT: usize = 50;
/// Runs on a page at most; advertised as `runList.maxPageSize`.
pub const PAGE_SIZE_MAX: usize = 100;
/// Seconds that a poll waits when the request does not say (R-POLL-05).
pub const POLL_WAIT_DEFAULT_SECONDS: u64 = 30;
/// Seconds that a poll waits at most (R-POLL-05).
pub const POLL_WAIT_MAX_SECONDS: u64 = 60;
/// Milliseconds that a stream gathers events at most (R-SSE-17).
pub const BUFFER_MAX_MS: u64 = 5000;
/// Characters of a cancel reason; the bulk operation's limit holds for the single one too.
pub const REASON_MAX_CHARS: usize = 512;

/// The limits that an operator may change.
#[derive(Clone, Debug)]
pub struct OpsLimits {
    /// Bytes of a request body (DECISIONS 44).
    pub body_bytes_max: usize,
    /// Time between two keep-alive comments of a stream; at most 30 s (R-SSE-01).
    pub keep_alive: Duration,
    /// Streams open at once on the whole host, as protection (R-SSE-18).
    pub streams_max: usize,
    /// Node executions of a run at most; a smaller `recursionLimit` wins (R-OPT-04).
    pub node_executions_max: Option<u64>,
    /// Duration of a run at most; a smaller `runTimeoutMs` wins (R-OPT-05).
    pub run_duration_max_ms: Option<u64>,
    /// Events that one poll answer carries at most; the caller polls on from the last one.
    pub poll_events_max: usize,
    /// Bytes of events that one poll answer carries, about.
    pub poll_bytes_max: usize,
    /// Bytes of snapshots from which on a list's page is full, whatever its `limit`.
    pub list_bytes_max: usize,
}

impl OpsLimits {
    /// What a host uses unless its operator says otherwise. A poll page of 1,000 events or 4 MiB
    /// keeps one slow reader's memory below what one large request body may take; so does a list
    /// page of 4 MiB, which a hundred runs with large inputs would otherwise multiply by 200.
    pub fn standard() -> OpsLimits {
        OpsLimits {
            body_bytes_max: 4 * 1024 * 1024,
            keep_alive: Duration::from_secs(15),
            streams_max: 10_000,
            node_executions_max: None,
            run_duration_max_ms: None,
            poll_events_max: 1_000,
            poll_bytes_max: 4 * 1024 * 1024,
            list_bytes_max: 4 * 1024 * 1024,
        }
    }
}
