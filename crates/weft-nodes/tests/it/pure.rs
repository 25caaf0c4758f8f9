//! `core.start`, `core.end`, `core.noop`, `core.identity`, `core.delay`, `core.fail`.

use serde_json::{Value, json};
use weft_core::{NodeError, PureOutcome};

use crate::support::{evaluate, object, refusal};

fn completed(outcome: PureOutcome) -> Value {
    match outcome {
        PureOutcome::Complete(outputs) => Value::Object(outputs),
        other => panic!("not completed: {}", kind(&other)),
    }
}

fn kind(outcome: &PureOutcome) -> &'static str {
    match outcome {
        PureOutcome::Complete(_) => "complete",
        PureOutcome::Fail(_) => "fail",
        PureOutcome::Suspend(_) => "suspend",
        PureOutcome::Sleep { .. } => "sleep",
    }
}

fn failed(outcome: PureOutcome) -> NodeError {
    match outcome {
        PureOutcome::Fail(error) => error,
        other => panic!("not failed: {}", kind(&other)),
    }
}

fn slept(config: Value, inputs: Value) -> u64 {
    match evaluate("core.delay", config, inputs) {
        PureOutcome::Sleep { ms } => ms,
        other => panic!("not asleep: {}", kind(&other)),
    }
}

#[test]
fn markers_hand_their_inputs_on() {
    for id in ["core.start", "core.end"] {
        let inputs = json!({"a": 1, "b": null});
        assert_eq!(completed(evaluate(id, json!({"any": true}), inputs.clone())), inputs, "{id}");
    }
}

/// Witnesses R-EVT-150 as far as the node goes.
#[test]
fn noop_completes_whatever_its_config() {
    let config = json!({"nondeterministic": true, "phase4Probe": "x"});
    assert_eq!(completed(evaluate("core.noop", config, json!({"a": 1}))), json!({}));
}

/// Witnesses R-EVT-135.
#[test]
fn identity_copies_its_payload() {
    for payload in [json!({"a": [1, {"b": null}]}), json!(null), json!("text"), json!(1.5)] {
        let inputs = json!({"payload": payload, "other": 1});
        let outputs = completed(evaluate("core.identity", json!({}), inputs));
        assert_eq!(outputs, json!({"payload": payload}));
    }
    assert_eq!(completed(evaluate("core.identity", json!({}), json!({}))), json!({}));
}

/// Witnesses R-EVT-136: at least the stated time, in every spelling.
#[test]
fn delay_reads_every_spelling_and_rounds_up() {
    assert_eq!(slept(json!({}), json!({})), 100);
    assert_eq!(slept(json!({"delayMs": 5}), json!({})), 5);
    assert_eq!(slept(json!({"ms": 6}), json!({})), 6);
    assert_eq!(slept(json!({"durationMs": 7.2}), json!({})), 8);
    assert_eq!(slept(json!({"delaySeconds": 1.5}), json!({})), 1500);
    assert_eq!(slept(json!({"delayMs": 5}), json!({"delayMs": 9})), 9);
    assert_eq!(slept(json!({"delayMs": 0}), json!({})), 0);
}

#[test]
fn delay_refuses_what_is_no_time() {
    for value in [json!(-1), json!("5"), json!(null), json!(1e300), json!([])] {
        if !value.is_null() {
            assert!(refusal("core.delay", json!({"delayMs": value})).is_some(), "{value}");
        }
        let error = failed(evaluate("core.delay", json!({}), json!({"delayMs": value})));
        assert_eq!((error.code.as_str(), error.retryable), ("validation_error", false));
        assert_eq!(error.details, Some(object(json!({"field": "delayMs"}))));
    }
    assert!(refusal("core.delay", json!({"delay": 5})).is_some());
}

/// Witnesses R-EVT-22: the code is registered or a registered vendor's.
#[test]
fn fail_uses_a_code_that_the_wire_admits() {
    let error = failed(evaluate("core.fail", json!({}), json!({})));
    assert_eq!(error.code.as_str(), "example.conformance_test_failure");
    assert_eq!(error.message, "Intentional conformance failure");
    assert!(!error.retryable);

    for (word, code) in
        [("run_timeout", "run_timeout"), ("example.broken", "example.broken"), ("out_of_paper", "example.out_of_paper")]
    {
        let config = json!({"code": word, "message": "why"});
        let error = failed(evaluate("core.fail", config, json!({})));
        assert_eq!((error.code.as_str(), error.message.as_str()), (code, "why"));
    }
    let error = failed(evaluate("core.fail", json!({}), json!({"message": "said at run time"})));
    assert_eq!(error.message, "said at run time");
    assert!(refusal("core.fail", json!({"code": "Not A Code"})).is_some());
    assert!(refusal("core.fail", json!({"code": "weft.own"})).is_some());
    assert!(refusal("core.fail", json!({"reason": "x"})).is_some());
}
