//! What the clients know and were promised.

use parking_lot::Mutex;
use serde_json::Value;

use crate::checker::{Create, History};

/// A run that some client was told of.
#[derive(Clone, Debug)]
pub(crate) struct KnownRun {
    pub(crate) tenant: &'static str,
    pub(crate) id: String,
    pub(crate) workflow: &'static str,
}

/// Promises beyond the checker's own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Promises {
    /// Cancels that were answered 200: the run must end as cancelled.
    pub(crate) cancelled: Vec<String>,
    /// Keyed answers that were finally refused as too late: (run, value). The log must not hold
    /// them, because then the refusal should have been the replayed 200 (R-INT-13).
    pub(crate) refused_answers: Vec<(String, Value)>,
    /// Keyed cancels that were finally refused because the run was over: (run, reason). The run
    /// must not have been cancelled for this reason (R-IDEM-04).
    pub(crate) refused_cancels: Vec<(String, String)>,
    /// Answers that no rule allows.
    pub(crate) breaches: Vec<String>,
}

/// The memory of all clients.
#[derive(Default)]
pub(crate) struct Memory {
    known: Mutex<Vec<KnownRun>>,
    history: Mutex<History>,
    promises: Mutex<Promises>,
}

impl Memory {
    /// Notes a run, once.
    pub(crate) fn learn(&self, run: KnownRun) {
        let mut known = self.known.lock();
        if !known.iter().any(|other| other.id == run.id) {
            known.push(run);
        }
    }

    /// The known runs that fit, oldest first.
    pub(crate) fn known(&self, fits: impl Fn(&KnownRun) -> bool) -> Vec<KnownRun> {
        self.known.lock().iter().filter(|run| fits(run)).cloned().collect()
    }

    /// Enters a create; answers where, for its answers.
    pub(crate) fn enter(&self, create: Create) -> usize {
        let mut history = self.history.lock();
        history.creates.push(create);
        history.creates.len() - 1
    }

    /// Adds to the history.
    pub(crate) fn record(&self, change: impl FnOnce(&mut History)) {
        change(&mut self.history.lock());
    }

    /// Adds to the promises.
    pub(crate) fn promise(&self, change: impl FnOnce(&mut Promises)) {
        change(&mut self.promises.lock());
    }

    /// Notes an answer that no rule allows.
    pub(crate) fn breach(&self, what: String) {
        self.promise(|promises| promises.breaches.push(what));
    }

    /// Everything, at the end.
    pub(crate) fn recall(&self) -> (History, Promises) {
        (self.history.lock().clone(), self.promises.lock().clone())
    }
}
