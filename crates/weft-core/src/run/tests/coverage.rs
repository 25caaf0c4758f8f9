//! No transition is left uncrossed by the tables.

use std::collections::BTreeSet;

use super::{Scene, TABLES};
use crate::run::MAX_CHAIN_EVENTS;
use crate::run::crossing::{self, Crossing};

/// Runs every table on this thread and holds what was crossed against the list of transitions: a
/// transition that nothing crosses is either dead or untested.
#[test]
fn every_transition_is_crossed() {
    crossing::take();
    for case in TABLES.iter().flat_map(|table| table.iter()) {
        case.check();
    }
    long_chain();
    let crossed = crossing::take();
    let all: BTreeSet<Crossing> = Crossing::ALL.iter().copied().collect();
    let missed: Vec<_> = all.difference(&crossed).collect();
    assert!(missed.is_empty(), "no test crosses {missed:?}");
}

/// A chain longer than the bound is cut and taken up again.
fn long_chain() -> Scene {
    let nodes = MAX_CHAIN_EVENTS;
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
        assert!(scene.log.len() <= decisions * (MAX_CHAIN_EVENTS + 4), "a decision is about as long as its bound");
        scene.order("advance");
        decisions += 1;
    }
    assert_eq!(scene.log.len(), 2 * MAX_CHAIN_EVENTS + 2);
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
