//! What the host shows at the end, read through its operations like any client would.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use weft_auth::{Caller, caller_facing_scopes};
use weft_model::{RunId, RunStatus};
use weft_ops::Host;
use weft_ops::events::{PollEvents, poll};
use weft_ops::runs::{ListRuns, get, list};

use super::clients::TENANTS;
use super::workflows;
use super::world::SimClock;
use crate::checker::{Observed, ObservedRun};

/// First and longest pause between two looks at runs that still move.
const LOOK_MS: (u64, u64) = (100, 30_000);

/// All runs of all tenants, by id.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Observation {
    pub(crate) runs: BTreeMap<String, (Value, Vec<Value>)>,
}

impl Observation {
    /// As the checker takes it.
    pub(crate) fn for_checker(&self) -> Observed {
        let run = |(snapshot, log): &(Value, Vec<Value>)| ObservedRun { snapshot: snapshot.clone(), log: log.clone() };
        Observed::new(self.runs.values().map(run))
    }

    /// The events of a run; none for a run that is not there.
    pub(crate) fn log(&self, run: &str) -> &[Value] {
        self.runs.get(run).map_or(&[], |(_, log)| log)
    }

    /// The status of a run.
    pub(crate) fn status(&self, run: &str) -> &str {
        self.runs.get(run).and_then(|(snapshot, _)| snapshot["status"].as_str()).unwrap_or("absent")
    }

    /// Every event, a line each.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.runs.values().flat_map(|(snapshot, log)| std::iter::once(snapshot).chain(log)).map(Value::to_string)
    }
}

/// Waits until no run moves any more; after this many milliseconds, answers which still do.
pub(crate) async fn wait_for_rest(host: &Arc<Host>, clock: &SimClock, allowed_ms: u64) -> Result<(), Vec<String>> {
    let by = clock.passed_ms() + allowed_ms;
    let mut pause = LOOK_MS.0;
    loop {
        let moving = moving(host).await;
        if moving.is_empty() {
            return Ok(());
        }
        if clock.passed_ms() >= by {
            return Err(moving);
        }
        clock.until_ms(clock.passed_ms() + pause).await;
        pause = (pause * 2).min(LOOK_MS.1);
    }
}

async fn moving(host: &Host) -> Vec<String> {
    let mut moving = Vec::new();
    for tenant in TENANTS {
        for run in listed(host, &caller(tenant)).await {
            if !rests(&run) {
                moving.push(run["runId"].to_string());
            }
        }
    }
    moving
}

/// Whether a run will stay as it is. A run that waits at one node may still work at another, and a
/// gate with a deadline ends by itself.
fn rests(run: &Value) -> bool {
    let status = run["status"].as_str().and_then(RunStatus::parse);
    let may_wait = !run["workflowId"].as_str().is_some_and(workflows::ends_by_itself);
    let works = |node: &Value| matches!(node["status"].as_str(), Some("running" | "retrying"));
    let all_wait = !run["nodeStates"].as_object().into_iter().flatten().any(|(_, node)| works(node));
    status.is_some_and(|status| status.is_terminal() || (status.is_waiting() && may_wait && all_wait))
}

/// Reads everything.
///
/// # Panics
/// When a calm host refuses to be read.
pub(crate) async fn observe(host: &Arc<Host>) -> Observation {
    let mut observation = Observation::default();
    for tenant in TENANTS {
        let caller = caller(tenant);
        for listed in listed(host, &caller).await {
            let id = listed["runId"].as_str().expect("a snapshot names its run").to_owned();
            let run_id: RunId = id.parse().expect("a run id");
            let snapshot = get(host, &caller, &run_id).await.expect("a listed run can be read");
            let snapshot: Value = serde_json::from_slice(&snapshot.body).expect("a snapshot is JSON");
            let log = log(host, &caller, &run_id).await;
            observation.runs.insert(id, (snapshot, log));
        }
    }
    observation
}

async fn listed(host: &Host, caller: &Caller) -> Vec<Value> {
    let mut runs = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let request = ListRuns { limit: Some("100"), cursor: cursor.as_deref() };
        let page = list(host, caller, request).await.expect("a calm host lists its runs");
        let page: Value = serde_json::from_slice(&page).expect("a list is JSON");
        runs.extend(page["runs"].as_array().into_iter().flatten().cloned());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return runs,
        }
    }
}

async fn log(host: &Host, caller: &Caller, run: &RunId) -> Vec<Value> {
    let mut events = Vec::<Value>::new();
    loop {
        let after = events.last().map(|event| event["sequence"].to_string());
        let request = PollEvents { after_sequence: after.as_deref(), timeout: Some("1") };
        let page = poll(host, caller, run, request).await.expect("a listed run has a log");
        let page: Value = serde_json::from_slice(&page).expect("a page is JSON");
        events.extend(page["events"].as_array().into_iter().flatten().cloned());
        if events.last().is_none_or(|event| event["sequence"] == page["lastSequence"]) {
            return events;
        }
    }
}

fn caller(tenant: &str) -> Caller {
    let (key, subject) = ("observer".parse().expect("a key id"), "observer".parse().expect("a subject"));
    Caller::of_key(key, tenant.parse().expect("a tenant"), subject, caller_facing_scopes(), None)
}
