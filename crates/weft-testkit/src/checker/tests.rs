//! The judge is judged: a clean history passes, and each planted violation is found.

use serde_json::{Value, json};

use super::*;

const RUN: &str = "acme/0123456789abcdefghij";

fn event(sequence: u64, kind: &str, payload: Value) -> Value {
    json!({"eventId": format!("event-{sequence:012}"), "runId": RUN, "type": kind, "payload": payload,
           "timestamp": "2026-01-01T00:00:00Z", "sequence": sequence, "schemaVersion": 1})
}

fn at_node(mut event: Value) -> Value {
    event["nodeId"] = json!("gate");
    event
}

fn answer() -> Value {
    json!({"action": "accept", "decidedAt": "2026-01-01T00:00:00Z"})
}

/// A run that was created under a key, approved once, streamed to its end and read in between.
fn clean() -> (History, Vec<ObservedRun>) {
    let log = vec![
        event(0, "run.started", json!({"workflowId": "w", "inputs": {"n": 1}})),
        at_node(event(1, "interrupt.requested", json!({"kind": "approval"}))),
        at_node(event(2, "node.suspended", json!({"nodeId": "gate", "interruptId": "acme/i"}))),
        at_node(event(3, "interrupt.resolved", json!({"interruptId": "acme/i", "resumeValue": answer()}))),
        event(4, "run.completed", json!({"outputs": {}})),
    ];
    let snapshot = json!({"runId": RUN, "workflowId": "w", "status": "completed",
                          "owner": {"tenant": "acme"}, "tags": ["m-1"]});
    let history = History {
        creates: vec![Create {
            tenant: "acme".into(),
            workflow: "w".into(),
            inputs: json!({"n": 1}),
            key: Some("k".into()),
            marker: "m-1".into(),
            answers: vec![RUN.into(), RUN.into()],
        }],
        resolves: vec![Resolve { run: RUN.into(), node: "gate".into(), value: answer(), key: None }],
        reads: vec![(RUN.into(), log[2].clone())],
        streams: vec![StreamedRun { run: RUN.into(), events: log.clone(), ended: true }],
    };
    (history, vec![ObservedRun { snapshot, log }])
}

#[test]
fn a_clean_history_passes() {
    let (history, runs) = clean();
    assert_eq!(check(&history, &Observed::new(runs)), []);
}

/// Plants one violation and expects the checker to name its invariant.
fn planted(invariant: Invariant, plant: impl FnOnce(&mut History, &mut Vec<ObservedRun>)) {
    let (mut history, mut runs) = clean();
    plant(&mut history, &mut runs);
    let found = check(&history, &Observed::new(runs));
    assert!(found.iter().any(|violation| violation.invariant == invariant), "{invariant:?} not found in {found:?}");
}

#[test]
fn an_acknowledged_run_that_is_gone_is_found() {
    planted(Invariant::I1, |_, runs| runs.clear());
}

#[test]
fn a_run_with_another_owner_is_found() {
    planted(Invariant::I1, |_, runs| runs[0].snapshot["owner"]["tenant"] = json!("other"));
}

#[test]
fn a_run_of_another_workflow_is_found() {
    planted(Invariant::I1, |_, runs| runs[0].snapshot["workflowId"] = json!("v"));
}

#[test]
fn a_run_with_other_inputs_is_found() {
    planted(Invariant::I1, |history, _| history.creates[0].inputs = json!({"n": 2}));
}

#[test]
fn a_gap_in_the_log_is_found() {
    planted(Invariant::I2, |history, runs| {
        runs[0].log.remove(1);
        history.streams.clear();
    });
}

#[test]
fn a_repeated_sequence_is_found() {
    planted(Invariant::I2, |_, runs| runs[0].log[4]["sequence"] = json!(3));
}

#[test]
fn an_event_of_another_run_is_found() {
    planted(Invariant::I2, |_, runs| runs[0].log[1]["runId"] = json!("acme/zzzzzzzzzzzzzzzzzzzz"));
}

#[test]
fn an_event_that_changed_after_it_was_read_is_found() {
    planted(Invariant::I2, |history, _| history.reads[0].1["payload"]["interruptId"] = json!("acme/other"));
}

#[test]
fn an_event_that_was_read_and_is_gone_is_found() {
    planted(Invariant::I2, |history, _| history.reads[0].1["sequence"] = json!(9));
}

#[test]
fn a_second_terminal_event_is_found() {
    planted(Invariant::I3, |_, runs| runs[0].log.push(event(5, "run.failed", json!({}))));
}

#[test]
fn a_terminal_run_without_terminal_event_is_found() {
    planted(Invariant::I3, |history, runs| {
        runs[0].log.pop();
        history.streams.clear();
    });
}

#[test]
fn a_node_event_after_the_end_is_found() {
    planted(Invariant::I3, |_, runs| runs[0].log.push(at_node(event(5, "node.started", json!({})))));
}

#[test]
fn a_snapshot_that_disagrees_with_the_log_is_found() {
    planted(Invariant::I3, |_, runs| runs[0].snapshot["status"] = json!("failed"));
}

#[test]
fn a_run_that_never_comes_to_rest_is_found() {
    planted(Invariant::I4, |_, runs| runs[0].snapshot["status"] = json!("running"));
}

#[test]
fn two_runs_answered_to_one_key_are_found() {
    planted(Invariant::I5, |history, _| history.creates[0].answers[1] = "acme/other0123456789abc".into());
}

#[test]
fn a_second_run_made_under_one_key_without_an_answer_is_found() {
    planted(Invariant::I5, |_, runs| {
        let mut twin = runs[0].clone();
        twin.snapshot["runId"] = json!("acme/twin0123456789abcdef");
        runs.push(twin);
    });
}

#[test]
fn a_frame_twice_is_found() {
    planted(Invariant::I7, |history, _| {
        let frame = history.streams[0].events[1].clone();
        history.streams[0].events.insert(1, frame);
    });
}

#[test]
fn a_missing_frame_is_found() {
    planted(Invariant::I7, |history, _| drop(history.streams[0].events.remove(2)));
}

#[test]
fn a_stream_that_ended_early_is_found() {
    planted(Invariant::I7, |history, _| drop(history.streams[0].events.pop()));
}

#[test]
fn an_interrupt_resolved_twice_is_found() {
    planted(Invariant::I12, |_, runs| {
        let again = runs[0].log[3].clone();
        runs[0].log.insert(4, again);
    });
}

#[test]
fn two_accepted_answers_are_found() {
    planted(Invariant::I12, |history, _| {
        let second = history.resolves[0].clone();
        history.resolves.push(second);
    });
}

#[test]
fn an_accepted_answer_that_is_not_on_the_log_is_found() {
    planted(Invariant::I12, |_, runs| runs[0].log[3]["payload"]["resumeValue"] = json!({"action": "reject"}));
}
