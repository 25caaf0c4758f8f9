//! The workflows that the clients run: one for each way in which a run can wait, fail or fork.

use serde_json::{Value, json};

/// The workflows by name.
pub(crate) const NAMES: [&str; 9] = [
    "sim-quick",
    "sim-delay",
    "sim-read",
    "sim-write",
    "sim-approval",
    "sim-deadline",
    "sim-mixed",
    "sim-fork",
    "sim-fails",
];

/// A chain that is too long for one commit. Its log is too, so it is run now and then only.
pub(crate) const LONG: &str = "sim-long";
/// Nodes of the long chain: two events each, and one commit takes 256.
const LONG_NODES: usize = 140;

/// The node at which the workflow asks for approval, if it does.
pub(crate) fn gate_of(workflow: &str) -> Option<&'static str> {
    matches!(workflow, "sim-approval" | "sim-deadline" | "sim-mixed" | "sim-fork").then_some("gate")
}

/// Whether a run of the workflow ends although nobody answers it.
pub(crate) fn ends_by_itself(workflow: &str) -> bool {
    workflow == "sim-deadline" || gate_of(workflow).is_none()
}

/// The definitions, as a loader would read them.
pub(crate) fn definitions() -> Vec<Value> {
    NAMES.into_iter().chain([LONG]).map(definition).collect()
}

fn definition(name: &str) -> Value {
    if name == LONG {
        return long();
    }
    let (nodes, edges): (Vec<Value>, &[(&str, &str)]) = match name {
        "sim-quick" => (vec![noop("a"), noop("b"), noop("c")], &[("a", "b"), ("b", "c")]),
        "sim-delay" => (vec![noop("a"), delay("wait", 900), noop("c")], &[("a", "wait"), ("wait", "c")]),
        "sim-read" => (vec![noop("a"), read("fetch"), noop("c")], &[("a", "fetch"), ("fetch", "c")]),
        "sim-write" => (vec![noop("a"), write("post"), noop("c")], &[("a", "post"), ("post", "c")]),
        "sim-approval" => (vec![noop("a"), gate(None), noop("c")], &[("a", "gate"), ("gate", "c")]),
        "sim-deadline" => (vec![gate(Some(3_000)), noop("c")], &[("gate", "c")]),
        "sim-mixed" => (
            vec![delay("wait", 150), read("fetch"), gate(None), write("post"), noop("end")],
            &[("wait", "fetch"), ("fetch", "gate"), ("gate", "post"), ("post", "end")],
        ),
        "sim-fork" => (
            vec![noop("a"), delay("wait", 400), read("fetch"), read("other"), gate(None), noop("end")],
            &[
                ("a", "wait"),
                ("a", "fetch"),
                ("a", "other"),
                ("a", "gate"),
                ("wait", "end"),
                ("fetch", "end"),
                ("other", "end"),
                ("gate", "end"),
            ],
        ),
        _ => (vec![noop("a"), node("b", "core.fail", json!({}), json!({}))], &[("a", "b")]),
    };
    document(name, nodes, edges.iter().map(|(from, to)| edge(from, to)).collect())
}

fn long() -> Value {
    let ids: Vec<String> = (0..LONG_NODES).map(|at| format!("n{at}")).collect();
    let edges = ids.windows(2).map(|pair| edge(&pair[0], &pair[1])).collect();
    document(LONG, ids.iter().map(|id| noop(id)).collect(), edges)
}

fn document(name: &str, nodes: Vec<Value>, edges: Vec<Value>) -> Value {
    json!({
        "id": name, "name": name, "version": "1.0.0", "nodes": nodes, "edges": edges,
        "triggers": [], "variables": [], "metadata": {}, "settings": {},
    })
}

fn edge(from: &str, to: &str) -> Value {
    json!({"id": format!("{from}-{to}"), "sourceNodeId": from, "targetNodeId": to})
}

fn node(id: &str, type_id: &str, config: Value, settings: Value) -> Value {
    json!({"id": id, "typeId": type_id, "name": id, "position": {"x": 0, "y": 0},
           "config": config, "inputs": {}, "settings": settings})
}

fn noop(id: &str) -> Value {
    node(id, "core.noop", json!({}), json!({}))
}

fn delay(id: &str, ms: u64) -> Value {
    node(id, "core.delay", json!({"delayMs": ms}), json!({}))
}

fn gate(timeout_ms: Option<u64>) -> Value {
    let mut config = json!({"title": "Go on?"});
    if let Some(ms) = timeout_ms {
        config["timeoutMs"] = json!(ms);
    }
    node("gate", "core.approvalGate", config, json!({}))
}

/// May be repeated after a crash. Its timeout ends it even when the peer never answers.
fn read(id: &str) -> Value {
    let retry = json!({"maxAttempts": 3, "initialMs": 100, "jitter": true});
    let config = json!({"url": "https://peer.example.org/thing", "method": "GET"});
    node(id, "core.openwop.http.fetch", config, json!({"timeoutMs": 1_500, "retry": retry}))
}

/// Must not be repeated after a crash. It has no timer: when its process is gone, nothing but
/// recovery looks at its run again.
fn write(id: &str) -> Value {
    let config = json!({"url": "https://peer.example.org/thing", "method": "POST"});
    node(id, "core.openwop.http.fetch", config, json!({}))
}
