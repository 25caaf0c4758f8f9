//! Takes up the runs that should move and have no actor: after a start, and ever again.
//!
//! A run is marked as moving in the commit that sets it in motion, so what a crash left is found
//! by one indexed scan. The scan repeats because an actor can also end without its run being
//! done: a full disk, a broken rule. No lease is waited for; one process owns the data folder
//! (DECISIONS 31), so a moving run without an actor here has none anywhere.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::StreamExt;
use weft_store::{RunKey, RunRecord, StoreError};

use crate::shared::Shared;

/// Runs until it is dropped.
pub(crate) async fn serve(shared: Arc<Shared>) {
    loop {
        match scan(&shared).await {
            Ok(()) => shared.recovered.store(true, Ordering::Relaxed),
            Err(error) => tracing::warn!(%error, "recovery could not read the moving runs; trying again"),
        }
        let again = shared.ports.clock.now().plus_ms(shared.limits.recovery_interval_ms);
        shared.ports.clock.sleep_until(again).await;
    }
}

/// Visits every moving run once, a page after the other.
async fn scan(shared: &Arc<Shared>) -> Result<(), StoreError> {
    let page_size = shared.limits.recovery_page;
    let mut after: Option<RunKey> = None;
    loop {
        let page = shared.ports.store.moving_runs(after, page_size).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.key);
        let full = page.len() >= page_size;
        futures_util::stream::iter(page)
            .for_each_concurrent(shared.limits.recovery_concurrent, |record| adopt(shared, record))
            .await;
        if !full {
            return Ok(());
        }
    }
}

/// Seats an actor for a run that has none and waits until it has taken the run up. A run that
/// cannot be taken up is reported and left; it is no reason to leave the others.
async fn adopt(shared: &Arc<Shared>, record: RunRecord) {
    if shared.registry.is_seated(&record.run_id) {
        return;
    }
    match shared.adopt(&record.run_id).await {
        Ok(()) => shared.counters.recovered.add_one(),
        Err(error) => {
            shared.counters.recovery_failed.add_one();
            tracing::error!(run = %record.run_id, %error, "a run could not be recovered; it is left as it is");
        }
    }
}
