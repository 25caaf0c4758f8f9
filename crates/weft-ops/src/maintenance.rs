//! What a host does by itself, apart from its runs.

use std::sync::Arc;

use crate::host::Host;

/// Time between two sweeps. Records outlive their retention by at most this long.
const SWEEP_INTERVAL_MS: u64 = 60 * 60 * 1000;

/// Deletes what has outlived its retention, now and every hour, until it is dropped. Its owner
/// spawns it and aborts it.
pub async fn maintain(host: Arc<Host>) {
    loop {
        if let Err(cause) = host.purge().await {
            // The next sweep deletes what this one left.
            tracing::warn!(%cause, "old idempotency records were not deleted");
        }
        host.rest(SWEEP_INTERVAL_MS).await;
    }
}
