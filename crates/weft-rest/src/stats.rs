//! Counters of the door, for the metrics that the binary renders.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::StatusCode;

use crate::route::{OPERATION_NAMES, Route};

/// Status classes: 1xx to 5xx.
const CLASSES: usize = 5;
const CLASS_NAMES: [&str; CLASSES] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Counts answers by operation and status class, and the streams that are open.
#[derive(Debug)]
pub struct RestStats {
    answers: [[AtomicU64; CLASSES]; OPERATION_NAMES.len()],
    streams_open: AtomicU64,
}

/// One counter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestCount {
    /// The operation, or `probe` or `none`.
    pub operation: &'static str,
    /// The status class, for example `2xx`.
    pub class: &'static str,
    /// Answers since the start.
    pub answers: u64,
}

impl RestStats {
    pub(crate) fn new() -> RestStats {
        RestStats { answers: Default::default(), streams_open: AtomicU64::new(0) }
    }

    /// Every counter, zeros included, so that a series exists from the start.
    pub fn requests(&self) -> impl Iterator<Item = RequestCount> + '_ {
        self.answers.iter().zip(OPERATION_NAMES).flat_map(|(row, operation)| {
            row.iter().zip(CLASS_NAMES).map(move |(counter, class)| RequestCount {
                operation,
                class,
                answers: counter.load(Ordering::Relaxed),
            })
        })
    }

    /// Streams that are open right now.
    pub fn streams_open(&self) -> u64 {
        self.streams_open.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self, route: &Route<'_>, status: StatusCode) {
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES) - 1;
        self.answers[route.index()][class].fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts one stream for as long as it lives.
pub(crate) struct OpenStream(Arc<RestStats>);

impl OpenStream {
    pub(crate) fn new(stats: Arc<RestStats>) -> OpenStream {
        stats.streams_open.fetch_add(1, Ordering::Relaxed);
        OpenStream(stats)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.streams_open.fetch_sub(1, Ordering::Relaxed);
    }
}
