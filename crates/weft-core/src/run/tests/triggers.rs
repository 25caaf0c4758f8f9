//! Trigger rules against every combination of how two and three sources end.

use weft_model::EventBody;

use super::Scene;

const RULES: [&str; 5] = ["all_success", "any_success", "all_complete", "none_failed", "any_failed"];

/// How a source ends, and the node that ends so.
const ENDS: [(&str, &str); 3] = [("succeeded", "noop"), ("failed", "fail"), ("skipped", "noop disabled")];

/// What a rule says once every source is settled, in the words of the events sheet.
fn runs(rule: &str, ends: &[&str]) -> bool {
    let count = |word: &str| ends.iter().filter(|end| **end == word).count();
    match rule {
        "all_success" => count("succeeded") == ends.len(),
        "any_success" => count("succeeded") > 0,
        "all_complete" => true,
        "none_failed" => count("failed") == 0,
        "any_failed" => count("failed") > 0,
        _ => unreachable!("the list above is complete"),
    }
}

fn outcome_of(scene: &Scene, node: &str) -> &'static str {
    let of_node = scene.log.iter().filter(|event| event.node_id.as_ref().is_some_and(|id| id.as_str() == node));
    for event in of_node {
        match event.body {
            EventBody::NodeStarted(_) => return "runs",
            EventBody::NodeSkipped(_) => return "skipped",
            _ => {}
        }
    }
    "nothing"
}

/// Every source also leads to a node that tolerates failures, so that none ends the run.
fn flow(rule: &str, ends: &[(&str, &str)]) -> String {
    let mut flow = "t noop; sink noop;".to_owned();
    for (at, (_, node)) in ends.iter().enumerate() {
        flow += &format!("s{at} {node}; s{at}>t {rule}; s{at}>sink all_complete;");
    }
    flow
}

fn check(rule: &str, ends: &[(&str, &str)]) {
    let mut scene = Scene::new(&flow(rule, ends));
    scene.order("start");
    let words: Vec<&str> = ends.iter().map(|(word, _)| *word).collect();
    let expected = if runs(rule, &words) { "runs" } else { "skipped" };
    assert_eq!(outcome_of(&scene, "t"), expected, "{rule} over {words:?}");
    assert_eq!(outcome_of(&scene, "sink"), "runs", "{rule} over {words:?}");
    assert_eq!(scene.terminal_events(), 1);
}

// R-EVT-40, R-APR-10
#[test]
fn every_rule_over_every_end_of_its_sources() {
    for rule in RULES {
        for first in ENDS {
            check(rule, &[first]);
            for second in ENDS {
                check(rule, &[first, second]);
                for third in ENDS {
                    check(rule, &[first, second, third]);
                }
            }
        }
    }
}

/// A rejected gate satisfies `all_complete` and `any_failed` and no other rule; without an edge of
/// those two the run fails with the gate.
// R-APR-10
#[test]
fn a_rejected_gate_under_every_rule() {
    for rule in RULES {
        let mut scene = Scene::new(&format!("g gate; t noop; g>t {rule}"));
        scene.order("start");
        scene.order(r#"resolve g {"action":"reject"}"#);
        let routed = matches!(rule, "all_complete" | "any_failed");
        assert_eq!(outcome_of(&scene, "t"), if routed { "runs" } else { "nothing" }, "{rule}");
        let snapshot = scene.state.snapshot().unwrap();
        let code = snapshot.error.map(|error| error.code.to_string());
        assert_eq!(code.as_deref(), if routed { None } else { Some("approval_rejected") }, "{rule}");
    }
}

/// Edges with different rules into one node: each rule is held against its own edges, and all of
/// them have to agree.
#[test]
fn rules_of_one_target_are_all_needed() {
    for (line, expected) in [
        ("a noop; b fail; t noop; a>t; b>t any_failed", "runs"),
        ("a noop; b fail; t noop; a>t; b>t all_complete", "runs"),
        ("a noop disabled; b fail; t noop; u noop; a>t; b>t any_failed; b>u all_complete", "skipped"),
        ("a noop; b noop; t noop; a>t; b>t any_failed", "skipped"),
        ("a noop; b noop disabled; t noop; a>t any_success; b>t none_failed", "runs"),
    ] {
        let mut scene = Scene::new(line);
        scene.order("start");
        assert_eq!(outcome_of(&scene, "t"), expected, "{line}");
    }
}

/// `any_success` and `any_failed` do not wait for the rest, and the rest does not start it again.
#[test]
fn the_first_answer_is_enough_for_any() {
    let mut scene =
        Scene::new("a call; b call; t noop; u noop; a>t any_success; b>t any_success; a>u; b>u all_complete");
    scene.order("start");
    let lines = scene.order("finish a#0");
    assert!(lines.contains(&"node.started t#0".to_owned()), "{lines:?}");
    let lines = scene.order("finish b#0");
    assert_eq!(lines, ["node.completed b", "node.started u#0", "node.completed u", "run.completed"]);
}

/// A skip reaches everything that needed the node, however far.
#[test]
fn skips_cascade() {
    let mut scene = Scene::new("a noop disabled; b noop; c noop; d noop; a>b; b>c; c>d all_complete");
    let lines = scene.order("start");
    assert_eq!(
        lines,
        [
            "run.started",
            "node.skipped a disabled",
            "node.skipped b trigger-rule",
            "node.skipped c trigger-rule",
            "node.started d#0",
            "node.completed d",
            "run.completed",
        ]
    );
}
