//! The run as the wire shows it.

use serde_json::{Value, json};
use weft_model::RunStatus;

use super::Scene;
use super::scene::start;
use crate::run::{Command, Phase};

fn shown(scene: &Scene) -> Value {
    serde_json::to_value(scene.state.snapshot()).unwrap()
}

/// No event, no snapshot: there is no owner to name yet.
#[test]
fn a_run_without_events_has_no_snapshot() {
    let scene = Scene::new("a noop");
    assert!(scene.state.snapshot().is_none());
    assert_eq!(scene.state.status(), RunStatus::Pending);
    assert_eq!(scene.state.phase(), Phase::Pending);
}

/// The options of the create request are shown as they were given.
// R-EVT-26, R-EVT-95, R-EVT-96, R-OPT-11, R-OPT-14, R-RUN-14, R-RUN-15
#[test]
fn the_snapshot_shows_what_the_run_began_with() {
    let mut scene = Scene::new("a sleep");
    let mut order = start(json!({"x": 1}));
    order.tags = vec!["one".to_owned()];
    order.metadata = json!({"k": "v"}).as_object().cloned();
    order.configurable = json!({"version": 1, "run": {"recursionLimit": 9}}).as_object().cloned();
    scene.command(Command::Start(order)).unwrap();
    let snapshot = shown(&scene);
    assert_eq!(
        snapshot,
        json!({
            "runId": "acme/0123456789abcdef",
            "workflowId": "flow",
            "status": "running",
            "owner": {
                "tenant": "acme",
                "subject": {"issuer": "weft", "subjectId": "alice", "tenant": "acme", "lane": "api-key", "kind": "user"},
            },
            "eventLogSchemaVersion": 3,
            "engineVersion": 1,
            "startedAt": "2027-01-15T08:00:00.000000Z",
            "nodeStates": {"a": {"status": "running", "attempts": 1}},
            "variables": {"x": 1},
            "tags": ["one"],
            "metadata": {"k": "v"},
            "configurable": {"version": 1, "run": {"recursionLimit": 9}},
            "inputs": {"x": 1},
        })
    );
}

/// The outputs of terminal nodes join the variables after the inputs; others do not.
// R-EVT-135
#[test]
fn terminal_outputs_become_variables() {
    let mut scene = Scene::new(
        r#"var x number default=1; var y number; a emit {"z":5}; b emit {"x":2,"payload":{"k":[null]}}; a>b"#,
    );
    scene.order(r#"start {"y":3}"#);
    assert_eq!(shown(&scene)["variables"], json!({"x": 2, "y": 3, "payload": {"k": [null]}}));
    assert_eq!(shown(&scene)["inputs"], json!({"y": 3}));
}

/// `currentNodeId` is there exactly while an interrupt is open, and names the earliest.
// R-EVT-92, R-EVT-93, R-SNAP-02, R-SNAP-03
#[test]
fn the_earliest_open_interrupt_is_shown() {
    let mut scene = Scene::new("g gate; h gate; a sleep");
    scene.order("start");
    assert_eq!((&shown(&scene)["status"], &shown(&scene)["currentNodeId"]), (&json!("waiting-approval"), &json!("g")));
    assert!(matches!(scene.state.phase(), Phase::Suspended(open) if open.node_id.as_str() == "g"));
    assert_eq!(scene.state.open_interrupts().count(), 2);
    scene.order(r#"resolve g {"action":"accept"}"#);
    assert_eq!(shown(&scene)["currentNodeId"], json!("h"));
    scene.order(r#"resolve h {"action":"accept"}"#);
    assert_eq!(shown(&scene)["status"], json!("running"));
    assert_eq!(shown(&scene).get("currentNodeId"), None);
    assert_eq!(scene.state.phase(), Phase::Active);
}

/// `error` is there only with `failed`, and is the terminal event's without `retryable`.
// R-EVT-94, R-EVT-95, R-SNAP-04
#[test]
fn a_failed_run_shows_its_error() {
    let mut scene = Scene::new("a noop; b echo in.x=a.x; a>b");
    scene.order("start");
    let snapshot = shown(&scene);
    assert_eq!(
        snapshot["error"],
        json!({
            "code": "validation_error", "message": "the input port x has no value", "details": {"field": "x"},
        })
    );
    assert_eq!(snapshot["completedAt"], snapshot["startedAt"]);
    assert_eq!(
        snapshot["nodeStates"]["b"],
        json!({"status": "failed", "attempts": 1, "errorCode": "validation_error"})
    );
    assert_eq!(scene.state.phase(), Phase::Terminal(RunStatus::Failed));
}

/// A cancelled run has no error and no current node, even when it waited.
// R-EVT-93, R-EVT-94, R-EVT-98
#[test]
fn a_cancelled_run_waits_for_nobody() {
    let mut scene = Scene::new("g gate");
    scene.order("start");
    scene.order("cancel");
    let snapshot = shown(&scene);
    assert_eq!(snapshot["status"], json!("cancelled"));
    assert_eq!(snapshot["nodeStates"], json!({"g": {"status": "cancelled", "attempts": 1}}));
    for absent in ["error", "currentNodeId", "compensationStatus"] {
        assert_eq!(snapshot.get(absent), None, "{absent}");
    }
    assert_eq!(scene.state.open_interrupts().count(), 0);
}

/// A run moves while an attempt is in flight or a node is ready, and not while it only waits.
#[test]
fn waiting_is_not_moving() {
    for (line, moving) in [("a call", true), ("a sleep", false), ("a gate", false), ("a noop", false)] {
        let mut scene = Scene::new(line);
        scene.order("start");
        assert_eq!(scene.state.is_moving(), moving, "{line}");
    }
    let mut scene = Scene::new("a call; b call");
    scene.order("start");
    let in_flight: Vec<_> =
        scene.state.attempts_in_flight().map(|(node, attempt)| (node.to_string(), attempt)).collect();
    assert_eq!(in_flight, [("a".to_owned(), 0), ("b".to_owned(), 0)]);
}
