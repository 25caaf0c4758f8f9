//! What compiles, and what never changes execution.

use serde_json::{Value, json};
use weft_model::{Digest, JsonObject, NodeId};

use crate::run::Refusal;
use crate::testing::{Types, compile, definition};
use crate::workflow::{VariableType, Workflow};

fn compiled(definition: &Value) -> Workflow {
    Workflow::compile(definition.to_string().as_bytes(), &Types::new()).unwrap()
}

/// Notes, positions, groups, roles and formats are left alone.
// R-EVT-120
#[test]
fn what_never_changes_execution_is_admitted() {
    let mut flow = definition("var v string; a noop; b noop; a>b");
    let group = json!({"id": "g", "name": "G", "nodeIds": ["a", "zz"], "position": {"x": 1, "y": 2},
                       "size": {"width": 3.5, "height": 4}});
    flow["groups"] = json!([group]);
    flow["description"] = "d".into();
    flow["type"] = "t".into();
    flow["tenantId"] = "acme".into();
    flow["scopeId"] = "s".into();
    flow["slug"] = "a_slug-1".into();
    flow["createdAt"] = "2026-12-01T00:00:00Z".into();
    flow["channels"] = json!({});
    flow["acceptsInheritedArtifacts"] = json!([{}]);
    flow["defaults"] = json!({"promptRefs": {"system": "prompt:x"}});
    flow["variables"][0]["format"] = "e-mail of sorts".into();
    flow["nodes"][0]["notes"] = "n".into();
    flow["nodes"][0]["groupId"] = "nowhere".into();
    flow["nodes"][0]["outputRole"] = "primary".into();
    flow["nodes"][0]["settings"] = json!({"another-host": {"x": 1}});
    flow["nodes"][0]["artifactType"] = "report".into();
    flow["nodes"][0]["outputSensitivity"] = json!({"x": false});
    flow["edges"][0]["label"] = "l".into();
    flow["triggers"] = json!([{"id": "t", "type": "manual"}, {"id": "u", "type": "schedule", "enabled": false}]);
    flow["metadata"] = json!({"customProperties": {"weft.expose": {"a2a": true}}, "complianceClass": "pii",
                              "complianceConfig": {"maskingMode": "hash"}, "tags": ["t"]});
    flow["settings"] = json!({"logLevel": "debug", "maxLoopbackIterations": 3});
    let workflow = compiled(&flow);
    assert_eq!(workflow.node_count(), 2);
    assert!(workflow.is_active());
}

// R-EVT-125
#[test]
fn only_an_active_definition_is_meant_to_be_run() {
    for (member, value, active) in [
        ("status", json!("active"), true),
        ("status", json!("draft"), false),
        ("status", json!("inactive"), false),
        ("status", json!("archived"), false),
        ("isActive", json!(false), false),
        ("isActive", json!(true), true),
    ] {
        let mut flow = definition("a noop");
        flow[member] = value.clone();
        assert_eq!(compiled(&flow).is_active(), active, "{member} {value}");
    }
}

#[test]
fn the_digest_is_of_the_bytes() {
    let raw = definition("a noop").to_string();
    let workflow = Workflow::compile(raw.as_bytes(), &Types::new()).unwrap();
    assert_eq!(workflow.digest(), Digest::of(raw.as_bytes()));
    assert_eq!(workflow.raw(), raw.as_bytes());
}

#[test]
fn nodes_are_found_by_id() {
    let workflow = compile("a noop; b call; a>b").unwrap();
    let b = workflow.find(&NodeId::parse("b").unwrap()).unwrap();
    assert_eq!((workflow.node_id(b).as_str(), workflow.type_id(b).as_str()), ("b", "test.call"));
    assert!(workflow.find(&NodeId::parse("c").unwrap()).is_none());
    assert_eq!(workflow.families(), ["httpClient"]);
    let ids: Vec<_> = workflow.node_ids().map(NodeId::as_str).collect();
    assert_eq!(ids, ["a", "b"]);
}

#[test]
fn the_timeout_of_0_is_none() {
    assert_eq!(compile("a noop; set timeout=0").unwrap().timeout_ms(), None);
    assert_eq!(compile("a noop; set timeout=5").unwrap().timeout_ms(), Some(5));
}

#[test]
fn variables_say_what_a_run_has_to_be_given() {
    let workflow = compile("var a string required; var b number required default=1; var c array; n noop").unwrap();
    let variables: Vec<_> = workflow.variables().collect();
    assert_eq!(
        variables,
        [("a", VariableType::String, true), ("b", VariableType::Number, false), ("c", VariableType::Array, false)]
    );
}

// R-EVT-121, R-RUN-19
#[test]
fn inputs_are_held_against_their_declarations() {
    let samples = [json!("t"), json!(1.5), json!(true), json!({}), json!([]), Value::Null];
    for (at, kind) in ["string", "number", "boolean", "object", "array"].iter().enumerate() {
        let workflow = compile(&format!("var v {kind}; n noop")).unwrap();
        assert_eq!(workflow.check_inputs(&JsonObject::new()), Ok(()));
        for (sample_at, sample) in samples.iter().enumerate() {
            let inputs = JsonObject::from_iter([("v".to_owned(), sample.clone())]);
            let refused =
                matches!(workflow.check_inputs(&inputs), Err(Refusal::InvalidInput { pointer, .. }) if pointer == "/v");
            assert_eq!(refused, at != sample_at, "{kind} {sample}");
        }
    }
}
