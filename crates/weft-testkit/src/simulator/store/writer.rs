//! The one writer: groups in the order in which they were offered, each member with its own fate.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use weft_store::{Commit, Committed, MemoryStore, Receipt, Store, StoreError};

use crate::simulator::faults::{Fate, Fault, LifeFaults, Switch};
use crate::simulator::world::SimClock;

type Done<T> = oneshot::Sender<Result<T, StoreError>>;

/// A write and where its answer goes.
pub(super) enum Write {
    Commit(Box<Commit>, Done<Committed>),
    Receipt(Receipt, Done<()>),
}

/// A write with what is to become of it.
pub(super) struct Offer {
    pub(super) write: Write,
    pub(super) fate: Fate,
}

/// Writes until the life is over.
pub(super) async fn serve(
    durable: MemoryStore,
    faults: Arc<LifeFaults>,
    switch: Arc<Switch>,
    clock: SimClock,
    mut offers: mpsc::UnboundedReceiver<Offer>,
) {
    let mut unanswered = Vec::new();
    while let Some(first) = offers.recv().await {
        let mut group = vec![first];
        while let Ok(next) = offers.try_recv() {
            group.push(next);
        }
        sleep(faults.pace_ms()).await;
        for Offer { write, fate } in group {
            // A store that answers no reads takes no writes either.
            let fate = if faults.is_away(clock.passed_ms()) { Fate::Refused } else { fate };
            before(fate, &faults, &switch).await;
            if switch.is_dead() {
                pending::<()>().await;
            }
            match write {
                Write::Commit(commit, done) => {
                    let applied = apply(fate, async || durable.commit(*commit).await).await;
                    after(fate, &faults, &switch).await;
                    answer(applied, fate, done, &mut unanswered);
                }
                Write::Receipt(receipt, done) => {
                    let applied = apply(fate, async || durable.put_receipt(receipt).await).await;
                    after(fate, &faults, &switch).await;
                    // Nothing hangs on the late answer of a lone receipt that a commit's does not
                    // show better, so it is only ever lost.
                    let fate = if fate == Fate::AnswerNever { Fate::AnswerLost } else { fate };
                    answer(applied, fate, done, &mut Vec::new());
                }
            }
        }
    }
}

async fn before(fate: Fate, faults: &LifeFaults, switch: &Switch) {
    match fate {
        Fate::Slow(ms) => {
            faults.tally.count(Fault::CommitSlow);
            sleep(ms).await;
        }
        Fate::CrashBefore if switch.pull() => faults.tally.count(Fault::CrashBeforeApply),
        Fate::Refused => faults.tally.count(Fault::CommitRefused),
        Fate::Full => faults.tally.count(Fault::DiskFull),
        _ => {}
    }
}

async fn apply<T>(fate: Fate, write: impl AsyncFnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    match fate {
        Fate::Refused => Err(StoreError::Failed { reason: "the write was rolled back".to_owned() }),
        Fate::Full => Err(StoreError::Full),
        _ => write().await,
    }
}

async fn after(fate: Fate, faults: &LifeFaults, switch: &Switch) {
    match fate {
        Fate::Late(ms) => {
            faults.tally.count(Fault::AcknowledgedLate);
            sleep(ms).await;
        }
        Fate::AnswerLost => faults.tally.count(Fault::AnswerLost),
        Fate::AnswerNever => faults.tally.count(Fault::AnswerNever),
        Fate::CrashAfter if switch.pull() => {
            faults.tally.count(Fault::CrashAfterApply);
            pending::<()>().await;
        }
        _ => {}
    }
}

fn answer<T>(applied: Result<T, StoreError>, fate: Fate, done: Done<T>, unanswered: &mut Vec<Done<T>>) {
    match fate {
        Fate::AnswerLost => drop(done.send(Err(StoreError::Lost))),
        Fate::AnswerNever => unanswered.push(done),
        // Whoever asked may have gone away.
        _ => drop(done.send(applied)),
    }
}

async fn sleep(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}
