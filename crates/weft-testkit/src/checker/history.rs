//! What clients did and saw, and what the host shows afterwards.

use std::collections::BTreeMap;

use serde_json::Value;

/// One logical create: all retries of it share one entry.
#[derive(Clone, Debug)]
pub struct Create {
    /// The tenant of the credential.
    pub tenant: String,
    /// The workflow asked for.
    pub workflow: String,
    /// The inputs sent.
    pub inputs: Value,
    /// The idempotency key, when one was sent.
    pub key: Option<String>,
    /// A marker sent as the run's only tag, unique to this logical create: it finds runs that
    /// were made although no answer arrived.
    pub marker: String,
    /// The run ids of all 2xx answers, in the order they came.
    pub answers: Vec<String>,
}

/// One attempt to resolve an interrupt that was answered 200.
#[derive(Clone, Debug)]
pub struct Resolve {
    /// The run.
    pub run: String,
    /// The waiting node.
    pub node: String,
    /// The resume value sent.
    pub value: Value,
    /// The idempotency key, when one was sent: retries under one key are one attempt.
    pub key: Option<String>,
}

/// What one subscriber received for one run, across all its reconnects, in order of arrival.
#[derive(Clone, Debug)]
pub struct StreamedRun {
    /// The run.
    pub run: String,
    /// The events.
    pub events: Vec<Value>,
    /// Whether the host closed the stream after the terminal event.
    pub ended: bool,
}

/// Everything the clients remember.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Logical creates.
    pub creates: Vec<Create>,
    /// Resolves that were answered 200.
    pub resolves: Vec<Resolve>,
    /// Event documents read at any time, by run: pages and frames alike.
    pub reads: Vec<(String, Value)>,
    /// Subscribers.
    pub streams: Vec<StreamedRun>,
}

/// One run as the host shows it after the faults.
#[derive(Clone, Debug)]
pub struct ObservedRun {
    /// The run's snapshot.
    pub snapshot: Value,
    /// Its whole log.
    pub log: Vec<Value>,
}

impl ObservedRun {
    /// The run's id as its snapshot states it.
    #[must_use]
    pub fn id(&self) -> &str {
        member(&self.snapshot, "runId")
    }

    /// The run's status as its snapshot states it.
    #[must_use]
    pub fn status(&self) -> &str {
        member(&self.snapshot, "status")
    }
}

/// Everything the host shows after the faults, when it has come to rest.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    runs: BTreeMap<String, ObservedRun>,
}

impl Observed {
    /// An observation of these runs.
    #[must_use]
    pub fn new(runs: impl IntoIterator<Item = ObservedRun>) -> Self {
        Self { runs: runs.into_iter().map(|run| (run.id().to_owned(), run)).collect() }
    }

    /// The run with this id.
    #[must_use]
    pub fn run(&self, id: &str) -> Option<&ObservedRun> {
        self.runs.get(id)
    }

    /// All runs, by id.
    pub fn runs(&self) -> impl Iterator<Item = &ObservedRun> {
        self.runs.values()
    }
}

/// A string member of a document; empty where it is absent.
pub(super) fn member<'v>(document: &'v Value, name: &str) -> &'v str {
    document.get(name).and_then(Value::as_str).unwrap_or_default()
}
