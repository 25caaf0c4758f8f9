//! One service for the timers of all runs.
//!
//! The store holds every timer; this service knows only when the next one is due. After a
//! restart it asks the store, so a timer keeps its original due time, and one that fell due
//! meanwhile fires at once. A due timer becomes an order to its run and leaves the store in the
//! commit that this order makes, so a crash in between fires it again.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::join_all;
use parking_lot::Mutex;
use tokio::sync::Notify;
use weft_core::TimerId;
use weft_model::Timestamp;
use weft_store::{RunKey, StoreError, TimerRow};

use crate::error::EngineError;
use crate::limits::{TIMER_CHECK_MS, TIMER_RETRY_MS, TIMERS_ASIDE_MAX};
use crate::shared::Shared;

/// How the rest of the engine tells the service of a new timer.
#[derive(Default)]
pub(crate) struct TimerBell {
    earliest: Mutex<Option<Timestamp>>,
    rung: Notify,
}

impl TimerBell {
    /// A timer that is due at `due` was committed.
    pub(crate) fn ring(&self, due: Timestamp) {
        let mut earliest = self.earliest.lock();
        if earliest.is_none_or(|known| due < known) {
            *earliest = Some(due);
            self.rung.notify_one();
        }
    }

    fn take(&self) -> Option<Timestamp> {
        self.earliest.lock().take()
    }
}

/// The service's own memory.
struct Service {
    shared: Arc<Shared>,
    /// When the next timer is due, as far as known.
    next: Option<Timestamp>,
    /// Timers that could not be fired, and when to try again. Without this, the timers of one
    /// corrupt run would stand at the head of every batch for ever.
    aside: HashMap<(RunKey, String), Timestamp>,
}

/// Runs until it is dropped.
pub(crate) async fn serve(shared: Arc<Shared>) {
    // The epoch is past: the first turn asks the store.
    let mut service = Service { shared, next: Some(Timestamp::EPOCH), aside: HashMap::new() };
    loop {
        service.rest().await;
        service.turn().await;
    }
}

impl Service {
    /// Waits until the next timer is due, or an earlier one is told of.
    async fn rest(&mut self) {
        loop {
            let told = self.shared.timers.take();
            self.next = self.next.into_iter().chain(told).min();
            let now = self.shared.ports.clock.now();
            let Some(next) = self.next else {
                self.shared.timers.rung.notified().await;
                continue;
            };
            if next <= now {
                return;
            }
            let until = next.min(now.plus_ms(TIMER_CHECK_MS));
            tokio::select! {
                biased;
                () = self.shared.timers.rung.notified() => {}
                () = self.shared.ports.clock.sleep_until(until) => {}
            }
        }
    }

    /// Fires what is due, a batch after the other, and finds out when the next timer is due.
    async fn turn(&mut self) {
        let now = self.shared.ports.clock.now();
        self.aside.retain(|_, again| *again > now);
        let next = match self.fire_due(now).await {
            Ok(()) => self.next_due().await,
            Err(error) => Err(error),
        };
        self.next = next.unwrap_or_else(|error| {
            tracing::warn!(%error, "timers could not be read; trying again");
            Some(self.shared.ports.clock.now().plus_ms(TIMER_RETRY_MS))
        });
    }

    async fn fire_due(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let batch = self.shared.limits.timer_batch;
        loop {
            let rows = self.shared.ports.store.due_timers(now, batch + self.aside.len()).await?;
            let full = rows.len() >= batch + self.aside.len();
            let due: Vec<TimerRow> =
                rows.into_iter().filter(|row| !self.aside.contains_key(&(row.run, row.id.clone()))).collect();
            if due.is_empty() {
                return Ok(());
            }
            let by_run = by_run(due);
            let fired = join_all(by_run.iter().map(|rows| fire(&self.shared, rows))).await;
            for (rows, fired) in by_run.into_iter().zip(fired) {
                if let Err(error) = fired {
                    self.set_aside(rows, &error);
                }
            }
            if !full || self.aside.len() >= TIMERS_ASIDE_MAX {
                return Ok(());
            }
        }
    }

    fn set_aside(&mut self, rows: Vec<TimerRow>, error: &EngineError) {
        if let Some(row) = rows.first() {
            tracing::warn!(run = %row.run_id, timers = rows.len(), %error, "due timers could not be fired");
        }
        let again = self.shared.ports.clock.now().plus_ms(TIMER_RETRY_MS);
        self.aside.extend(rows.into_iter().map(|row| ((row.run, row.id), again)));
    }

    /// When to look again. What is set aside hides what is due behind it, so then the look is soon.
    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let stored = self.shared.ports.store.next_timer().await?;
        let soon = self.shared.ports.clock.now().plus_ms(TIMER_CHECK_MS);
        Ok(if self.aside.is_empty() { stored } else { stored.map(|_| soon) })
    }
}

/// The rows of each run together, runs and rows in the order in which they are due.
fn by_run(rows: Vec<TimerRow>) -> Vec<Vec<TimerRow>> {
    let mut places: HashMap<RunKey, usize> = HashMap::new();
    let mut runs: Vec<Vec<TimerRow>> = Vec::new();
    for row in rows {
        let place = *places.entry(row.run).or_insert(runs.len());
        match runs.get_mut(place) {
            Some(run) => run.push(row),
            None => runs.push(vec![row]),
        }
    }
    runs
}

/// Fires timers of one run and waits for the commits in which they leave the store.
async fn fire(shared: &Arc<Shared>, rows: &[TimerRow]) -> Result<(), EngineError> {
    let Some(first) = rows.first() else { return Ok(()) };
    let timers: Result<Vec<TimerId>, _> = rows.iter().map(|row| row.id.parse::<TimerId>()).collect();
    let timers = timers.map_err(|unknown| EngineError::Broken(unknown.to_string()))?;
    shared.fire(&first.run_id, timers).await?;
    shared.counters.timers_fired.add(rows.len() as u64);
    Ok(())
}
