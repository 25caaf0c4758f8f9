//! Members of events and calls that the one-line tables do not show.

use serde_json::{Value, json};
use weft_model::{Event, EventBody};

use super::Scene;
use super::scene::{command, run_id};
use crate::run::{Decision, Effect};

fn payload(event: &Event) -> Value {
    let document: Value = serde_json::from_slice(&event.encode(&run_id()).bytes).unwrap();
    document["payload"].clone()
}

fn find<'a>(scene: &'a Scene, kind: &str) -> &'a Event {
    scene.log.iter().find(|event| event.body.type_name() == kind).unwrap()
}

fn call(decision: &Decision) -> &crate::node::NodeCall {
    match &decision.effects[..] {
        [Effect::RunNode { call, .. }] => call,
        other => panic!("one effect was expected: {other:?}"),
    }
}

/// The request and its alias share one payload; the id travels on the suspension, which the
/// request caused, and is the one that is resolved.
// R-INT-01, R-INT-02, R-INT-03, R-EVT-41, R-EVT-46, R-EVT-47, R-EVT-07, R-TOK-10
#[test]
fn an_interrupt_has_one_id_and_one_key() {
    let mut scene = Scene::new(r#"g gate {"timeoutMs":700,"description":"d","onTimeout":"reject"}"#);
    scene.order("start");
    let requested = find(&scene, "interrupt.requested");
    let suspended = find(&scene, "node.suspended");
    let alias = find(&scene, "approval.requested");
    assert_eq!(payload(requested), payload(alias));
    assert_eq!(suspended.causation_id.as_ref(), Some(&requested.id));
    assert_eq!(alias.causation_id.as_ref(), Some(&requested.id));
    let key = payload(requested)["key"].as_str().unwrap().to_owned();
    assert_eq!(payload(suspended)["key"], json!(key));
    assert_eq!(payload(requested)["timeoutMs"], json!(700));
    assert_eq!(payload(requested)["data"]["description"], json!("d"));
    let members: Vec<_> = payload(requested).as_object().unwrap().keys().cloned().collect();
    assert_eq!(members, ["data", "key", "kind", "timeoutMs"], "no id and no token in the request");
    let id = payload(suspended)["interruptId"].clone();
    assert_eq!(scene.state.open_interrupts().next().unwrap().interrupt_id.as_str(), id.as_str().unwrap());

    scene.order(r#"resolve g {"action":"accept","decidedBy":"somebody"} by dora"#);
    let resolved = payload(find(&scene, "interrupt.resolved"));
    assert_eq!(
        (&resolved["interruptId"], &resolved["nodeId"], &resolved["kind"]),
        (&id, &json!("g"), &json!("approval"))
    );
    assert_eq!(resolved["resolvedBy"]["subjectId"], json!("dora"));
    assert_eq!(payload(find(&scene, "approval.received")), resolved);
    assert_eq!(payload(find(&scene, "approval.granted")), resolved);
    let resumed = payload(find(&scene, "node.resumed"));
    assert_eq!((&resumed["interruptId"], &resumed["resumeValue"]), (&id, &resolved["resumeValue"]));
}

/// A key is derived: the same for every process, another for every node.
// R-INT-04, R-INT-05
#[test]
fn a_key_is_derived_from_run_and_node() {
    let keys = || {
        let mut scene = Scene::new("g gate; h gate");
        scene.order("start");
        let keys: Vec<_> = scene.state.open_interrupts().map(|open| open.payload.key.clone()).collect();
        keys
    };
    assert_eq!(keys(), keys());
    assert_ne!(keys()[0], keys()[1]);
}

/// A timeout names its cause and nobody as its author.
// R-APR-11, R-EVT-47, R-EVT-48
#[test]
fn a_timed_out_gate_was_answered_by_nobody() {
    let mut scene = Scene::new(r#"g gate {"timeoutMs":5}"#);
    scene.order("start");
    scene.order("fire interrupt/g/0");
    let resolved = payload(find(&scene, "interrupt.resolved"));
    assert_eq!(
        (&resolved["action"], &resolved["decision"], &resolved["reason"]),
        (&json!("timeout"), &json!("rejected"), &json!("timeout"))
    );
    assert_eq!((resolved.get("resolvedBy"), resolved.get("resumeValue")), (None, None));
    let failed = payload(find(&scene, "run.failed"));
    assert_eq!((&failed["failedNodeId"], &failed["error"]["code"]), (&json!("g"), &json!("approval_rejected")));
    assert_eq!(failed["error"]["retryable"], json!(false));
}

/// `run.started` carries the owner, the door and the bounds in force.
// R-EVT-05, R-EVT-25, R-EVT-26, R-RUN-14, R-OPT-05, R-OPT-11, E19
#[test]
fn the_first_event_carries_what_the_run_began_with() {
    let mut scene = Scene::new("a noop; set timeout=900");
    scene.order(r#"start {"k":1} limit=7 timeout=1000"#);
    let started = payload(find(&scene, "run.started"));
    assert_eq!(started["transport"], json!("rest"));
    assert_eq!(started["inputs"], json!({"k": 1}));
    assert_eq!(started["x-limits"], json!({"nodeExecutions": 7, "runDurationMs": 900}));
    assert_eq!(started["owner"], serde_json::to_value(scene.state.snapshot().unwrap().owner).unwrap());
    assert!(scene.log.iter().all(|event| event.engine_version == Some(1)));
}

/// Every attempt of a node has one invocation key, and no other node has it.
#[test]
fn attempts_share_their_invocation_key() {
    let mut scene = Scene::new("a call; set maxRetries=1");
    let first = scene.command(command("start")).unwrap();
    scene.order("fail a#0 retryable");
    let second = scene.command(command("fire retry/a/1")).unwrap();
    assert_eq!(call(&first).invocation_key, call(&second).invocation_key);
    assert_eq!(call(&first).invocation_key.len(), 64);
    let mut other = Scene::new("b call");
    let other = other.command(command("start")).unwrap();
    assert_ne!(call(&other).invocation_key, call(&first).invocation_key);
}

/// The deadline of an attempt is its own or the run's, whichever is earlier.
#[test]
fn an_attempt_knows_its_deadline() {
    for (line, order, deadline_ms) in [
        ("a call", "start", None),
        ("a call timeout=50", "start", Some(50)),
        ("a call", "start timeout=70", Some(70)),
        ("a call timeout=50", "start timeout=70", Some(50)),
        ("a call timeout=90", "start timeout=70", Some(70)),
    ] {
        let mut scene = Scene::new(line);
        let decision = scene.command(command(order)).unwrap();
        assert_eq!(call(&decision).deadline, deadline_ms.map(|ms| scene.now.plus_ms(ms)), "{line} {order}");
    }
}

/// Durations are counted from the attempt's and the run's beginning.
#[test]
fn durations_are_counted() {
    let mut scene = Scene::new("s sleep; a call; s>a");
    scene.order("start");
    scene.order("after 100");
    scene.order("fire sleep/s/0");
    scene.order("after 30");
    scene.order("finish a#0");
    let completed: Vec<_> = scene
        .log
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::NodeCompleted(completed) => completed.duration_ms,
            EventBody::RunCompleted(completed) => completed.duration_ms,
            _ => None,
        })
        .collect();
    assert_eq!(completed, [100, 30, 130]);
}

/// A question is recorded with who asked, for the log's readers only.
// R-APR-02, R-EVT-60
#[test]
fn a_question_is_recorded() {
    let mut scene = Scene::new(r#"g gate {"actions":["ask"]}"#);
    scene.order("start");
    scene.order(r#"resolve g {"action":"ask","feedback":"why?"} by dora"#);
    let asked = payload(find(&scene, "log.appended"));
    assert_eq!((&asked["level"], &asked["nodeId"]), (&json!("info"), &json!("g")));
    assert_eq!(asked["fields"]["askedBy"], json!("dora"));
    assert_eq!(asked["fields"]["resumeValue"]["feedback"], json!("why?"));
}

/// What recovery reports of a cut attempt says that nobody knows whether it had its effect.
// R-EVT-32
#[test]
fn a_cut_attempt_says_so() {
    let mut scene = Scene::new("a call");
    scene.order("start");
    scene.order("recover");
    let failed = payload(find(&scene, "node.failed"));
    assert_eq!(failed["error"]["details"], json!({"reason": "interrupted"}));
    assert_eq!(payload(find(&scene, "workflow.restored")), json!({"engineVersion": 1}));
}
