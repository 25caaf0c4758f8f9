//! `core.approvalGate`.

use serde_json::{Value, json};
use weft_core::{InterruptRequest, PureOutcome};

use crate::support::{evaluate, refusal};

const GATE: &str = "core.approvalGate";

fn asked(config: Value, inputs: Value) -> InterruptRequest {
    match evaluate(GATE, config, inputs) {
        PureOutcome::Suspend(request) => request,
        PureOutcome::Fail(error) => panic!("failed: {}", error.message),
        _ => panic!("not suspended"),
    }
}

fn data(config: Value, inputs: Value) -> Value {
    serde_json::to_value(asked(config, inputs).data).expect("serializable")
}

/// Witnesses R-EVT-46 and R-APR-01: the defaults make a complete approval.
#[test]
fn an_empty_config_asks_for_accept_or_reject() {
    let expected = json!({
        "artifactId": "node", "artifactType": "approval", "title": "Approval",
        "actions": ["accept", "reject"],
    });
    assert_eq!(data(json!({}), json!({})), expected);
    assert_eq!(asked(json!({}), json!({})).timeout_ms, None);
}

#[test]
fn the_config_is_carried_as_it_is() {
    let config = json!({
        "title": "T", "description": "D", "actions": ["accept", "refine", "ask"],
        "artifactId": "a-1", "artifactType": "expense", "artifactData": [1],
        "requiredApprovals": 2, "rejectionPolicy": "majority", "approversList": ["ann"],
        "overrideBypassesQuorum": false, "approverGroupRefs": ["g"], "approverRoleRefs": ["r"],
        "audience": {"subjects": ["bob"]}, "onTimeout": "escalate",
    });
    let mut with_timeout = config.clone();
    with_timeout["timeoutMs"] = json!(1500);
    with_timeout["profile"] = json!("approval-gate");
    assert_eq!(data(with_timeout.clone(), json!({})), config);
    assert_eq!(asked(with_timeout, json!({})).timeout_ms, Some(1500));
}

/// Witnesses R-APR-11: the word that promises a grant is not shown.
#[test]
fn a_timeout_is_never_announced_as_a_grant() {
    assert_eq!(data(json!({"onTimeout": "approve"}), json!({}))["onTimeout"], "reject");
}

#[test]
fn ports_fill_the_artifact() {
    let inputs = json!({"title": "Now", "amount": 12, "policy": {"limit": 50}});
    let asked = data(json!({"title": "Later"}), inputs);
    assert_eq!(asked["title"], "Now");
    assert_eq!(asked["artifactData"], json!({"amount": 12, "policy": {"limit": 50}}));
    let whole = data(json!({}), json!({"artifactData": null}));
    assert_eq!(whole["artifactData"], Value::Null);
    assert!(whole.as_object().expect("an object").contains_key("artifactData"));
}

#[test]
fn ports_that_contradict_each_other_fail_the_node() {
    for inputs in [json!({"artifactData": 1, "amount": 2}), json!({"title": 5})] {
        match evaluate(GATE, json!({}), inputs) {
            PureOutcome::Fail(error) => assert_eq!(error.code.as_str(), "validation_error"),
            _ => panic!("not failed"),
        }
    }
}

/// Witnesses R-APR-01: an action list is non-empty, known and without repeats.
#[test]
fn a_config_that_would_weaken_the_gate_is_refused() {
    for config in [
        json!({"aproversList": ["ann"]}),
        json!({"actions": []}),
        json!({"actions": ["accept", "accept"]}),
        json!({"actions": ["timeout"]}),
        json!({"requiredApprovals": 0}),
        json!({"rejectionPolicy": "none"}),
        json!({"timeoutMs": -1}),
        json!({"title": ""}),
        json!({"onTimeout": "grant"}),
    ] {
        assert!(refusal(GATE, config.clone()).is_some(), "{config}");
    }
}
