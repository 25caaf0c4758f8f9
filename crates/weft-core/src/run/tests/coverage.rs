//! No transition is left uncrossed by the tables.

use std::collections::BTreeSet;

use super::{Scene, TABLES};
use crate::run::crossing::{self, Crossing};
use crate::run::{CALL_BYTES_MAX, CHAIN_BYTES_MAX, CHAIN_EVENTS_MAX};

/// Runs every table on this thread and holds what was crossed against the list of transitions: a
/// transition that nothing crosses is either dead or untested.
#[test]
fn every_transition_is_crossed() {
    crossing::take();
    for case in TABLES.iter().flat_map(|table| table.iter()) {
        case.check();
    }
    long_chain();
    wide_call();
    let crossed = crossing::take();
    let all: BTreeSet<Crossing> = Crossing::ALL.iter().copied().collect();
    let missed: Vec<_> = all.difference(&crossed).collect();
    assert!(missed.is_empty(), "no test crosses {missed:?}");
}

/// A chain longer than the bound is cut and taken up again.
fn long_chain() -> Scene {
    let nodes = CHAIN_EVENTS_MAX;
    let mut flow: String = (0..nodes).map(|at| format!("n{at} noop;")).collect();
    flow.extend((1..nodes).map(|at| format!("n{}>n{at};", at - 1)));
    let mut scene = Scene::new(&flow);
    let lines = scene.order("start");
    assert_eq!(lines.last().map(String::as_str), Some("more"));
    assert!(scene.state.is_moving(), "a run that was cut still moves");
    scene
}

#[test]
fn a_cut_chain_goes_on_with_advance() {
    let mut scene = long_chain();
    let mut decisions = 1;
    while !scene.state.is_terminal() {
        assert!(scene.log.len() <= decisions * (CHAIN_EVENTS_MAX + 4), "a decision is about as long as its bound");
        scene.order("advance");
        decisions += 1;
    }
    assert_eq!(scene.log.len(), 2 * CHAIN_EVENTS_MAX + 2);
    assert_eq!(decisions, 2);
}

/// A crash between two decisions of a chain is taken up by recovery.
// R-EVT-32, R-DUR-02
#[test]
fn a_cut_chain_goes_on_with_recovery() {
    let mut scene = long_chain();
    let lines = scene.order("recover");
    assert_eq!(lines[0], "workflow.restored");
    while !scene.state.is_terminal() {
        scene.order("advance");
    }
    assert_eq!(scene.terminal_events(), 1);
}

/// One node whose ports all bring the same large value.
fn wide_call() -> Scene {
    let bytes = 1 << 20;
    let ports: String = (0..=CALL_BYTES_MAX / bytes).map(|at| format!(" in.p{at}=var:v")).collect();
    let mut scene = Scene::new(&format!("var v string; a echo{ports}"));
    scene.order(&format!(r#"start {{"v":"{}"}}"#, "v".repeat(bytes)));
    scene
}

/// Copies of one value are counted before they are made.
#[test]
fn a_call_is_bounded_in_bytes() {
    let scene = wide_call();
    let snapshot = serde_json::to_value(scene.state.snapshot()).unwrap();
    assert_eq!(snapshot["status"], "failed");
    assert_eq!(snapshot["error"]["code"], "payload_too_large");
}

/// A chain that passes a large value on is cut by its bytes and goes on.
#[test]
fn a_chain_is_cut_by_its_bytes() {
    let nodes: usize = 6;
    let mut flow = "var v string; n0 echo in.v=var:v;".to_owned();
    flow.extend((1..nodes).map(|at| format!("n{at} echo in.v=n{}.v; n{}>n{at};", at - 1, at - 1)));
    let mut scene = Scene::new(&flow);
    let mut lines = scene.order(&format!(r#"start {{"v":"{}"}}"#, "v".repeat(CHAIN_BYTES_MAX / 2)));
    let mut decisions = 1;
    while !scene.state.is_terminal() {
        assert_eq!(lines.last().map(String::as_str), Some("more"));
        lines = scene.order("advance");
        decisions += 1;
    }
    assert_eq!(decisions, nodes.div_ceil(2));
    assert_eq!(serde_json::to_value(scene.state.snapshot()).unwrap()["status"], "completed");
}
