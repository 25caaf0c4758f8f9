//! The judgement: the checker's promises, and those that only a simulator can see broken.

use std::collections::BTreeMap;

use serde_json::Value;

use super::clients::Promises;
use super::effects::AttemptId;
use super::observe::Observation;
use crate::checker::{self, History};

/// What a fresh host shows must be what the last one showed: the log decides, not a memory.
pub(crate) fn same(before: &Observation, after: &Observation) -> Vec<String> {
    let ids = before.runs.keys().chain(after.runs.keys().filter(|id| !before.runs.contains_key(*id)));
    ids.filter(|id| before.runs.get(*id) != after.runs.get(*id))
        .map(|id| {
            let shown = |one: &Observation| format!("{} after {} events", one.status(id), one.log(id).len());
            format!("restart: {id} was {} and is {}", shown(before), shown(after))
        })
        .collect()
}

/// Every broken promise, in words.
pub(crate) fn judge(
    history: &History,
    promises: &Promises,
    observation: &Observation,
    begun: &BTreeMap<AttemptId, u32>,
) -> Vec<String> {
    let broken = checker::check(history, &observation.for_checker());
    let mut words: Vec<String> =
        broken.iter().map(|broken| format!("{:?}: {}: {}", broken.invariant, broken.run, broken.what)).collect();
    words.extend(promises.breaches.iter().cloned());
    cancels_hold(promises, observation, &mut words);
    refusals_were_true(promises, observation, &mut words);
    effects_were_announced(observation, begun, &mut words);
    writes_were_made_once(begun, &mut words);
    words
}

fn events<'o>(observation: &'o Observation, run: &str, kind: &'static str) -> impl Iterator<Item = &'o Value> {
    observation.log(run).iter().filter(move |event| event["type"] == kind)
}

/// R-CAN-01: an acknowledged cancel ends the run as cancelled.
fn cancels_hold(promises: &Promises, observation: &Observation, words: &mut Vec<String>) {
    for run in promises.cancelled.iter().filter(|run| observation.status(run) != "cancelled") {
        words.push(format!("cancel: {run} was cancelled and is {}", observation.status(run)));
    }
}

/// R-IDEM-04, R-INT-13: a key whose request had its effect is answered with that effect.
fn refusals_were_true(promises: &Promises, observation: &Observation, words: &mut Vec<String>) {
    for (run, value) in &promises.refused_answers {
        if events(observation, run, "interrupt.resolved").any(|event| &event["payload"]["resumeValue"] == value) {
            words.push(format!("key: {run} holds an answer whose sender was refused"));
        }
    }
    for (run, reason) in &promises.refused_cancels {
        if events(observation, run, "run.cancelled").any(|event| event["payload"]["reason"] == reason.as_str()) {
            words.push(format!("key: {run} holds a cancel whose sender was refused"));
        }
    }
}

/// DECISIONS 29, 36: no attempt reaches its peer before its announcement is durable, and none
/// reaches it twice.
fn effects_were_announced(observation: &Observation, begun: &BTreeMap<AttemptId, u32>, words: &mut Vec<String>) {
    for ((run, node, attempt), times) in begun {
        let announced = events(observation, run, "node.started")
            .filter(|event| event["nodeId"] == node.as_str())
            .any(|event| event["payload"]["attempt"].as_u64().unwrap_or(0) == u64::from(*attempt));
        if !announced {
            words.push(format!("I6: attempt {attempt} of {node} in {run} was made and never announced"));
        }
        if *times > 1 {
            words.push(format!("I6: attempt {attempt} of {node} in {run} was made {times} times"));
        }
    }
}

/// I6: what must not be repeated reaches its peer once at most.
fn writes_were_made_once(begun: &BTreeMap<AttemptId, u32>, words: &mut Vec<String>) {
    let mut writes: BTreeMap<&str, u32> = BTreeMap::new();
    for ((run, _, _), times) in begun.iter().filter(|((_, node, _), _)| node == "post") {
        *writes.entry(run).or_default() += times;
    }
    for (run, times) in writes.into_iter().filter(|(_, times)| *times > 1) {
        words.push(format!("I6: the write of {run} was made {times} times"));
    }
}
