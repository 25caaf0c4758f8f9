//! The fold alone: total, idempotent, and deaf outside a run's life.

use proptest::prelude::*;
use serde_json::json;
use weft_model::event::{NodeCompleted, NodeStarted, RunPaused, RunResumed};
use weft_model::{Event, EventBody, EventId, EventType, NodeId, RunStatus, TypeId};

use super::Scene;

fn event(scene: &Scene, sequence: u64, body: EventBody) -> Event {
    Event {
        id: EventId::mint(scene.now, [7; 16]),
        node_id: None,
        timestamp: scene.now,
        sequence,
        schema_version: 1,
        engine_version: None,
        causation_id: None,
        body,
    }
}

fn other(event_type: EventType, payload: serde_json::Value) -> EventBody {
    EventBody::Other { event_type, payload: serde_json::value::to_raw_value(&payload).unwrap() }
}

fn next(scene: &Scene) -> u64 {
    scene.state.last_sequence().map_or(0, |last| last + 1)
}

/// An event of a type this build does not act on moves `last_sequence` and nothing else.
// R-EVT-09
#[test]
fn unknown_events_only_move_the_sequence() {
    let mut scene = Scene::new("a call; b gate");
    scene.order("start");
    let vendor = EventType::parse("example.thing.happened").unwrap();
    for event_type in [vendor, EventType::ProviderUsage, EventType::OutputChunk] {
        let before = scene.state.clone();
        let sequence = next(&scene);
        let event = event(&scene, sequence, other(event_type, json!({"any": [1, 2]})));
        scene.state.apply(&event);
        assert_eq!(scene.state.last_sequence(), Some(sequence));
        let mut moved = before;
        moved.last_sequence = Some(sequence);
        assert_eq!(scene.state, moved);
    }
}

/// An event that was folded already changes nothing, so joining feed and log may repeat.
#[test]
fn a_repeated_event_changes_nothing() {
    let mut scene = Scene::new("a noop; b gate; a>b");
    scene.order("start");
    let before = scene.state.clone();
    for event in scene.log.clone() {
        scene.state.apply(&event);
    }
    assert_eq!(scene.state, before);
}

/// Events before the start and after the end are not folded.
// R-TERM-02
#[test]
fn a_run_is_deaf_before_its_start_and_after_its_end() {
    let node_id = NodeId::parse("a").unwrap();
    let started =
        NodeStarted { node_id: node_id.clone(), type_id: TypeId::parse("test.noop").unwrap(), attempt: Some(0) };
    let mut scene = Scene::new("a noop");
    let early = event(&scene, 0, EventBody::NodeStarted(started.clone()));
    scene.state.apply(&early);
    assert_eq!(scene.state.status(), RunStatus::Pending);

    let mut scene = Scene::new("a noop");
    scene.order("start");
    let before = scene.state.snapshot();
    for body in [
        EventBody::NodeStarted(started),
        EventBody::NodeCompleted(NodeCompleted {
            node_id,
            outputs: Some(serde_json::from_str(r#"{"x":1}"#).unwrap()),
            duration_ms: None,
        }),
        EventBody::RunResumed(RunResumed {}),
    ] {
        let late = event(&scene, next(&scene), body);
        scene.state.apply(&late);
    }
    assert_eq!(scene.state.snapshot(), before);
}

/// Pause and resume change the status and nothing else.
// R-EVT-92, R-EVT-102
#[test]
fn pause_and_resume_only_change_the_status() {
    let mut scene = Scene::new("a sleep; b gate");
    scene.order("start");
    let before = scene.state.snapshot().unwrap();
    let paused = event(&scene, next(&scene), EventBody::RunPaused(RunPaused::default()));
    scene.state.apply(&paused);
    let mut snapshot = scene.state.snapshot().unwrap();
    assert_eq!(snapshot.status, RunStatus::Paused);
    assert!(!scene.state.is_moving());
    snapshot.status = before.status;
    assert_eq!(snapshot, before);
    let resumed = event(&scene, next(&scene), EventBody::RunResumed(RunResumed {}));
    scene.state.apply(&resumed);
    assert_eq!(scene.state.snapshot().unwrap(), before);
}

/// `variable.changed` sets a variable.
#[test]
fn a_changed_variable_is_folded() {
    let mut scene = Scene::new("var v number default=1; a sleep; b echo in.v=var:v; a>b");
    scene.order("start");
    let changed = other(EventType::VariableChanged, json!({"name": "v", "previous": 1, "next": 2, "nodeId": "a"}));
    let changed = event(&scene, next(&scene), changed);
    scene.state.apply(&changed);
    assert_eq!(scene.state.snapshot().unwrap().variables.unwrap()["v"], json!(2));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Events of a run folded in any order and number never panic and never count below zero.
    // R-EVT-09
    #[test]
    fn the_fold_is_total(picks in proptest::collection::vec(0usize..64, 0..40)) {
        let mut scene = Scene::new("a call; b gate; c flaky retry={\"maxAttempts\":3}; d sleep; a>d; e fail; f noop; e>f any_failed");
        scene.order("start");
        scene.order("fail a#0 retryable");
        scene.order(r#"resolve b {"action":"accept"}"#);
        scene.order("recover");
        scene.order("cancel");
        let mut state = scene.fresh();
        for (sequence, pick) in picks.into_iter().enumerate() {
            let mut event = scene.log[pick % scene.log.len()].clone();
            event.sequence = sequence as u64;
            state.apply(&event);
            let _ = (state.status(), state.snapshot(), state.is_moving());
        }
    }
}
