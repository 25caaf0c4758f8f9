//! Random graphs, driven at random, end; and everything `scene.rs` checks holds on the way.

use proptest::prelude::*;
use weft_model::{EventBody, NodeId};

use super::Scene;
use crate::run::{Effect, TimerChange};

const TYPES: [&str; 12] = [
    "noop",
    "noop",
    "noop disabled",
    "fail",
    "flaky {\"until\":2} retry={\"maxAttempts\":4,\"jitter\":true}",
    "flaky {\"until\":2} retry={\"maxAttempts\":2,\"backoff\":\"fixed\"}",
    "sleep",
    "gate",
    "gate {\"timeoutMs\":50}",
    "call timeout=30",
    "read retry={\"maxAttempts\":2}",
    "emit {\"x\":1}",
];
const RULES: [&str; 5] = ["all_success", "any_success", "all_complete", "none_failed", "any_failed"];

/// A graph: a type for each node, and for each pair a rule or no edge. Edges go upwards only.
#[derive(Debug, Clone)]
struct Graph {
    types: Vec<usize>,
    edges: Vec<(usize, usize, usize)>,
}

impl Graph {
    fn flow(&self) -> String {
        let nodes = self.types.iter().enumerate().map(|(at, kind)| format!("n{at} {};", TYPES[*kind]));
        let edges = self.edges.iter().map(|(source, target, rule)| format!("n{source}>n{target} {};", RULES[*rule]));
        nodes.chain(edges).collect()
    }
}

fn graph() -> impl Strategy<Value = Graph> {
    (1usize..9).prop_flat_map(|count| {
        let types = proptest::collection::vec(0..TYPES.len(), count);
        // Two of seven pairs of nodes are joined, each rule as often as the next.
        let pairs = proptest::collection::vec(0usize..18, count * (count - 1) / 2);
        (types, pairs).prop_map(|(types, pairs)| {
            let mut edges = Vec::new();
            let mut pair = pairs.into_iter();
            for target in 1..types.len() {
                for source in 0..target {
                    let rule = pair.next().unwrap();
                    if rule < RULES.len() {
                        edges.push((source, target, rule));
                    }
                }
            }
            Graph { types, edges }
        })
    })
}

/// What could be ordered now: reports, timers, answers.
#[derive(Default)]
struct Pending(Vec<String>);

impl Pending {
    fn note(&mut self, decision: &crate::run::Decision, scene: &Scene) {
        for effect in &decision.effects {
            match effect {
                Effect::RunNode { call, .. } => {
                    let attempt = format!("{}#{}", call.node_id, call.attempt);
                    self.0.push(format!("finish {attempt} {{\"x\":2}}"));
                }
                Effect::AbortNode { node, attempt } => {
                    let attempt = format!("{node}#{attempt}");
                    self.0.retain(|order| order.split_whitespace().nth(1) != Some(attempt.as_str()));
                }
            }
        }
        for change in &decision.timers {
            match change {
                TimerChange::Set { timer, .. } => self.0.push(format!("fire {timer}")),
                TimerChange::Clear(timer) => self.0.retain(|order| *order != format!("fire {timer}")),
            }
        }
        self.0.retain(|order| !order.starts_with("resolve"));
        let waits = scene.state.open_interrupts().map(|open| open.node_id.to_string());
        self.0.extend(waits.map(|node| format!("resolve {node} {{\"action\":\"accept\"}}")));
        self.0.sort();
        self.0.dedup();
    }
}

/// Steps after which a run is driven straight to its end.
const PATIENCE: usize = 100;

/// Orders picked at random until the run ends. `choices` decides.
fn drive(scene: &mut Scene, choices: &[u32]) -> usize {
    let mut pending = Pending::default();
    let mut choices = choices.iter().copied().cycle();
    let started = scene.command(super::scene::command("start timeout=100000")).unwrap();
    pending.note(&started, scene);
    for step in 1..400 {
        if scene.state.is_terminal() {
            return step;
        }
        scene.order("after 1");
        // After a while only orders that bring the run on: an endless crash is not what is tested.
        let choice = choices.next().unwrap_or(0) | if step > PATIENCE { 15 } else { 0 };
        let order = order(&mut pending, choice);
        match scene.command(super::scene::command(&order)) {
            Ok(decision) => pending.note(&decision, scene),
            Err(_) => pending.0.retain(|known| *known != order),
        }
    }
    panic!("the run did not end: {:?} {:?}", scene.state, pending.0);
}

fn order(pending: &mut Pending, choice: u32) -> String {
    let which = (choice >> 8) as usize;
    match choice & 15 {
        0 => {
            // A process that recovers has none of the reports of the one before.
            pending.0.retain(|order| !order.starts_with("finish"));
            "recover".to_owned()
        }
        1 => "advance".to_owned(),
        2 if which.is_multiple_of(31) => "cancel".to_owned(),
        _ if pending.0.is_empty() => "advance".to_owned(),
        kind => {
            let order = pending.0[which % pending.0.len()].clone();
            match (
                kind,
                order.strip_prefix("finish ").and_then(|rest| rest.split_once(' ')),
                order.strip_prefix("resolve "),
            ) {
                (3..6, Some((attempt, _)), _) => format!("fail {attempt} retryable"),
                (6, Some((attempt, _)), _) => format!("fail {attempt}"),
                (3..6, _, Some(rest)) => {
                    format!("resolve {} {{\"action\":\"reject\"}}", rest.split_once(' ').unwrap().0)
                }
                _ => order,
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every graph ends, with one terminal event, and a completed run has settled every node once.
    // R-EVT-02, R-EVT-03, R-EVT-33, R-EVT-38, R-EVT-91, R-TERM-01, R-TERM-02, R-SNAP-06
    #[test]
    fn random_runs_end(graph in graph(), choices in proptest::collection::vec(any::<u32>(), 1..60)) {
        let mut scene = Scene::new(&graph.flow());
        drive(&mut scene, &choices);
        prop_assert_eq!(scene.terminal_events(), 1);
        prop_assert!(scene.state.open.is_empty() && scene.state.ready.is_empty() && scene.state.in_flight == 0);
        for at in 0..graph.types.len() {
            let node = NodeId::parse(&format!("n{at}")).unwrap();
            let settled = scene.log.iter().filter(|event| match &event.body {
                EventBody::NodeCompleted(p) => p.node_id == node,
                EventBody::NodeFailed(p) => p.node_id == node,
                EventBody::NodeSkipped(p) => p.node_id == node,
                EventBody::NodeCancelled(p) => p.node_id == node,
                _ => false,
            }).count();
            let completed = scene.state.status() == weft_model::RunStatus::Completed;
            prop_assert!(settled == 1 || (settled == 0 && !completed), "{} settled {} times", node, settled);
        }
    }

    /// A completed run has no failure that nothing took further.
    // R-APR-10, R-EVT-28
    #[test]
    fn no_failure_is_swallowed(graph in graph(), choices in proptest::collection::vec(any::<u32>(), 1..60)) {
        let mut scene = Scene::new(&graph.flow());
        drive(&mut scene, &choices);
        let Some(snapshot) = scene.state.snapshot() else { unreachable!("the run has started") };
        if snapshot.status == weft_model::RunStatus::Completed {
            let states = snapshot.node_states.unwrap();
            let status = |at: usize| states[&format!("n{at}")]["status"].as_str().unwrap().to_owned();
            for failed in (0..graph.types.len()).filter(|at| status(*at) == "failed") {
                let taken = |(source, target, rule): &(usize, usize, usize)| {
                    *source == failed && matches!(RULES[*rule], "all_complete" | "any_failed") && status(*target) != "skipped"
                };
                prop_assert!(graph.edges.iter().any(taken), "the failure of n{} is lost", failed);
            }
        }
    }

    /// The same orders at the same moments give the same log.
    #[test]
    fn decisions_are_deterministic(graph in graph(), choices in proptest::collection::vec(any::<u32>(), 1..60)) {
        let mut logs = Vec::new();
        for _ in 0..2 {
            let mut scene = Scene::new(&graph.flow());
            drive(&mut scene, &choices);
            let log: Vec<_> = scene.log.iter().map(|event| event.encode(scene.state.run_id()).bytes).collect();
            logs.push(log);
        }
        prop_assert_eq!(&logs[0], &logs[1]);
    }
}

/// Ten thousand nodes cost ten thousand steps: the work of a step does not grow with the graph.
///
/// Counted, not timed: nodes that each step looks at are those of its own edges.
#[test]
fn a_wide_and_long_run_ends_in_as_many_decisions_as_its_length_asks() {
    let count = 4_000;
    let mut flow: String = (0..count).map(|at| format!("n{at} noop;")).collect();
    flow.extend((1..count / 2).map(|at| format!("n{}>n{at};", at - 1)));
    flow.extend((count / 2..count).map(|at| format!("n0>n{at};")));
    let workflow = crate::testing::compile(&flow).unwrap();
    let mut state = crate::run::RunState::new(super::scene::run_id(), workflow);
    let mut random = || [0; 16];
    let now = weft_model::Timestamp::from_millis(0);
    let mut command = super::scene::command("start");
    let mut events = 0;
    let mut decisions = 0;
    loop {
        let mut stamp = crate::run::Stamp { now, random: &mut random };
        let decision = crate::run::decide(&mut state, command, &mut stamp).unwrap();
        events += decision.events.len();
        decisions += 1;
        if !decision.more {
            break;
        }
        command = crate::run::Command::Advance;
    }
    assert_eq!(events, 2 * count + 2);
    assert_eq!(decisions, (2 * count + 2).div_ceil(crate::run::CHAIN_EVENTS_MAX));
    assert!(state.is_terminal());
}
