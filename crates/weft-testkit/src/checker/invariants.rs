//! One function per promise. Each looks at everything and reports every breach it finds.

use std::collections::BTreeMap;

use serde_json::Value;

use super::history::member;
use super::{History, Invariant, Observed, ObservedRun, Violation};

const TERMINAL: [&str; 3] = ["run.completed", "run.failed", "run.cancelled"];
const AT_REST: [&str; 7] =
    ["completed", "failed", "cancelled", "paused", "waiting-approval", "waiting-input", "waiting-external"];

fn report(violations: &mut Vec<Violation>, invariant: Invariant, run: &str, what: impl Into<String>) {
    violations.push(Violation { invariant, run: run.to_owned(), what: what.into() });
}

fn sequence(event: &Value) -> Option<u64> {
    event.get("sequence").and_then(Value::as_u64)
}

fn is_terminal(event: &Value) -> bool {
    TERMINAL.contains(&member(event, "type"))
}

/// I2: 0, 1, 2, … without gap or repeat, and every event is this run's.
pub(super) fn sequence_is_whole(run: &ObservedRun, violations: &mut Vec<Violation>) {
    if run.log.first().is_none_or(|first| member(first, "type") != "run.started") {
        report(violations, Invariant::I2, run.id(), "the log does not begin with run.started");
    }
    for (expected, event) in (0_u64..).zip(&run.log) {
        if sequence(event) != Some(expected) {
            let what = format!("position {expected} holds sequence {:?}", sequence(event));
            report(violations, Invariant::I2, run.id(), what);
            break;
        }
        if member(event, "runId") != run.id() {
            report(violations, Invariant::I2, run.id(), format!("event {expected} names another run"));
        }
    }
}

/// I3: a terminal run has exactly one terminal event, which ends the forward log, and the
/// snapshot says the same; a run at work has none.
pub(super) fn one_terminal_event(run: &ObservedRun, violations: &mut Vec<Violation>) {
    let terminal: Vec<usize> = (0..run.log.len()).filter(|at| is_terminal(&run.log[*at])).collect();
    match (terminal.as_slice(), run.status()) {
        ([at], "completed" | "failed" | "cancelled") => {
            let kind = member(&run.log[*at], "type");
            if kind.strip_prefix("run.") != Some(run.status()) {
                report(violations, Invariant::I3, run.id(), format!("{kind} but the snapshot is {}", run.status()));
            }
            let after = run.log[at + 1..].iter().map(|event| member(event, "type"));
            for late in after.filter(|kind| !kind.starts_with("compensation.") && *kind != "run.dead-lettered") {
                report(violations, Invariant::I3, run.id(), format!("{late} follows {kind}"));
            }
        }
        ([], status) if !matches!(status, "completed" | "failed" | "cancelled") => {}
        (events, status) => {
            let what = format!("{} terminal events and status {status}", events.len());
            report(violations, Invariant::I3, run.id(), what);
        }
    }
}

/// I4: after the faults every run has come to rest.
pub(super) fn is_at_rest(run: &ObservedRun, violations: &mut Vec<Violation>) {
    if !AT_REST.contains(&run.status()) {
        report(violations, Invariant::I4, run.id(), format!("still {}", run.status()));
    }
}

/// I1: an acknowledged run exists as it was asked for.
pub(super) fn acknowledged_creates_exist(history: &History, observed: &Observed, violations: &mut Vec<Violation>) {
    for create in &history.creates {
        for id in &create.answers {
            let Some(run) = observed.run(id) else {
                report(violations, Invariant::I1, id, "acknowledged but absent");
                continue;
            };
            let tenant = run.snapshot.pointer("/owner/tenant").and_then(Value::as_str).unwrap_or_default();
            if tenant != create.tenant {
                report(violations, Invariant::I1, id, format!("owned by {tenant}, created by {}", create.tenant));
            }
            if member(&run.snapshot, "workflowId") != create.workflow {
                report(violations, Invariant::I1, id, "runs another workflow than asked");
            }
            let inputs = run.log.first().and_then(|started| started.pointer("/payload/inputs"));
            if inputs.unwrap_or(&Value::Null) != &create.inputs {
                report(violations, Invariant::I1, id, "started with other inputs than sent");
            }
        }
    }
}

/// I5: all answers to one key name one run, and only one run carries the create's marker.
pub(super) fn one_run_per_key(history: &History, observed: &Observed, violations: &mut Vec<Violation>) {
    let mut by_marker: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for run in observed.runs() {
        for tag in run.snapshot.get("tags").and_then(Value::as_array).into_iter().flatten() {
            by_marker.entry(tag.as_str().unwrap_or_default()).or_default().push(run.id());
        }
    }
    for create in history.creates.iter().filter(|create| create.key.is_some()) {
        let mut answers = create.answers.clone();
        answers.sort_unstable();
        answers.dedup();
        if answers.len() > 1 {
            report(violations, Invariant::I5, &answers[0], format!("one key was answered {} runs", answers.len()));
        }
        let made = by_marker.get(create.marker.as_str()).map_or(&[][..], Vec::as_slice);
        if made.len() > 1 {
            report(violations, Invariant::I5, made[0], format!("one key made {} runs", made.len()));
        }
    }
}

/// I2: an event read at any time is in the final log, unchanged.
pub(super) fn reads_never_change(history: &History, observed: &Observed, violations: &mut Vec<Violation>) {
    for (id, event) in &history.reads {
        let Some(run) = observed.run(id) else {
            report(violations, Invariant::I2, id, "a run that was read is gone");
            continue;
        };
        let at = sequence(event).and_then(|sequence| usize::try_from(sequence).ok());
        match at.and_then(|at| run.log.get(at)) {
            Some(kept) if kept == event => {}
            Some(_) => report(violations, Invariant::I2, id, format!("event {at:?} changed after it was read")),
            None => report(violations, Invariant::I2, id, format!("event {at:?} was read and is gone")),
        }
    }
}

/// I7: a subscriber's union is the log: in order, nothing twice, nothing missing up to where it
/// read; when the host ended the stream, up to the terminal event.
pub(super) fn streams_are_the_log(history: &History, observed: &Observed, violations: &mut Vec<Violation>) {
    for stream in &history.streams {
        let Some(run) = observed.run(&stream.run) else {
            report(violations, Invariant::I7, &stream.run, "a streamed run is gone");
            continue;
        };
        for (at, event) in stream.events.iter().enumerate() {
            if run.log.get(at) != Some(event) {
                let what = format!("frame {at} of a subscriber holds sequence {:?}", sequence(event));
                report(violations, Invariant::I7, &stream.run, what);
                break;
            }
        }
        if stream.ended && !stream.events.last().is_some_and(is_terminal) {
            report(violations, Invariant::I7, &stream.run, "a stream ended before the terminal event");
        }
    }
}

/// I12: an interrupt is resolved at most once on the log.
pub(super) fn resolved_at_most_once(run: &ObservedRun, violations: &mut Vec<Violation>) {
    let mut resolved: BTreeMap<&str, u32> = BTreeMap::new();
    for event in run.log.iter().filter(|event| member(event, "type") == "interrupt.resolved") {
        let interrupt = event.pointer("/payload/interruptId").and_then(Value::as_str).unwrap_or_default();
        *resolved.entry(interrupt).or_default() += 1;
    }
    for (interrupt, count) in resolved.into_iter().filter(|(_, count)| *count > 1) {
        report(violations, Invariant::I12, run.id(), format!("interrupt {interrupt} was resolved {count} times"));
    }
}

/// I12: of all attempts on one interrupt one was acknowledged, and the log holds that answer.
pub(super) fn acknowledged_answers_hold(history: &History, observed: &Observed, violations: &mut Vec<Violation>) {
    let mut attempts: BTreeMap<(&str, &str), Vec<&super::Resolve>> = BTreeMap::new();
    for resolve in &history.resolves {
        attempts.entry((&resolve.run, &resolve.node)).or_default().push(resolve);
    }
    for ((id, node), accepted) in attempts {
        let first = accepted[0];
        let same = |other: &&super::Resolve| other.key.is_some() && other.key == first.key;
        if accepted.len() > 1 && !accepted[1..].iter().all(same) {
            report(violations, Invariant::I12, id, format!("{} answers were accepted at {node}", accepted.len()));
        }
        let recorded = observed.run(id).and_then(|run| {
            run.log
                .iter()
                .find(|event| member(event, "type") == "interrupt.resolved" && member(event, "nodeId") == node)
        });
        match recorded {
            None => report(violations, Invariant::I12, id, format!("the accepted answer at {node} is not on the log")),
            Some(event) if event.pointer("/payload/resumeValue") != Some(&first.value) => {
                report(violations, Invariant::I12, id, format!("the log holds another answer at {node}"));
            }
            Some(_) => {}
        }
    }
}
