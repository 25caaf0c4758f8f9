//! A table of spoilt definitions: each is one good definition with one change.

use serde_json::{Value, json};
use weft_model::ErrorCode;

use crate::testing::{Types, definition};
use crate::workflow::{Fault, Workflow};

const GOOD: &str = "var v number default=1; a noop; b echo in.x=var:v in.y=a.out?; a>b";

fn compile(definition: &Value) -> Result<Workflow, Vec<Fault>> {
    Workflow::compile(definition.to_string().as_bytes(), &Types::new())
}

/// Sets the member at a JSON pointer, or removes it.
fn spoil(pointer: &str, value: Option<Value>) -> Value {
    let mut definition = definition(GOOD);
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    match (definition.pointer_mut(parent).unwrap(), value) {
        (Value::Object(members), Some(value)) => drop(members.insert(member.to_owned(), value)),
        (Value::Object(members), None) => drop(members.remove(member)),
        (Value::Array(items), Some(value)) => items.push(value),
        (other, value) => panic!("cannot change {other} to {value:?}"),
    }
    definition
}

/// Checks that one change gives a fault at `path` whose reason holds `reason`.
fn refused(pointer: &str, value: Option<Value>, path: &str, reason: &str) {
    let faults = compile(&spoil(pointer, value.clone())).expect_err(pointer);
    let found = faults.iter().any(|fault| fault.path == path && fault.reason.contains(reason));
    assert!(found, "{pointer} = {value:?}: {faults:?}");
}

// R-EVT-115: a list of values in the order of the members is not the object it stands for.
#[test]
fn lists_are_not_taken_for_objects() {
    for document in [json!([]), json!(["flow", "Flow", "1"]), json!("flow"), json!(7), json!(null)] {
        let faults = compile(&document).expect_err("refused");
        assert_eq!((faults[0].path.as_str(), faults[0].reason.as_str()), ("", "is not a JSON object"), "{document}");
    }
    refused("/nodes", Some(json!(["n", "core.noop", "N"])), "/nodes/2", "is not a JSON object");
    refused("/edges", Some(json!(["e", "a", "b"])), "/edges/1", "is not a JSON object");
}

#[test]
fn the_good_definition_compiles() {
    let workflow = compile(&definition(GOOD)).unwrap();
    assert_eq!((workflow.id().as_str(), workflow.name(), workflow.version()), ("flow", "Flow", "1"));
}

// R-EVT-115
#[test]
fn missing_members_are_refused() {
    for member in ["id", "name", "version", "nodes", "edges", "triggers", "variables", "metadata", "settings"] {
        refused(&format!("/{member}"), None, "", &format!("missing field `{member}`"));
    }
    for member in ["id", "typeId", "name", "position", "config", "inputs"] {
        refused(&format!("/nodes/0/{member}"), None, "/nodes/0", &format!("missing field `{member}`"));
    }
    for member in ["id", "sourceNodeId", "targetNodeId"] {
        refused(&format!("/edges/0/{member}"), None, "/edges/0", &format!("missing field `{member}`"));
    }
    for member in ["name", "type"] {
        refused(&format!("/variables/0/{member}"), None, "/variables/0", &format!("missing field `{member}`"));
    }
    refused("/triggers/-", Some(json!({"id": "t"})), "/triggers/0", "missing field `type`");
}

// R-EVT-115
#[test]
fn unknown_members_are_refused() {
    for (at, path) in [
        ("/extra", ""),
        ("/metadata/extra", ""),
        ("/settings/extra", ""),
        ("/nodes/0/extra", "/nodes/0"),
        ("/nodes/0/position/z", "/nodes/0"),
        ("/nodes/1/inputs/x/extra", "/nodes/1"),
        ("/edges/0/extra", "/edges/0"),
        ("/variables/0/extra", "/variables/0"),
    ] {
        refused(at, Some(json!(1)), path, "unknown field");
    }
}

// R-EVT-115
#[test]
fn malformed_values_are_refused() {
    for (at, value, path, reason) in [
        ("/id", json!("Flow"), "/id", "lower-case"),
        ("/id", json!("1flow"), "/id", "begin with a letter"),
        ("/id", json!(""), "", "invalid workflowId"),
        ("/name", json!(""), "/name", "1 to 256"),
        ("/name", json!("x".repeat(257)), "/name", "1 to 256"),
        ("/version", json!(""), "/version", "empty"),
        ("/version", json!(1), "", "expected a string"),
        ("/slug", json!("Upper"), "/slug", "lower-case"),
        ("/slug", json!("-x"), "/slug", "lower-case"),
        ("/status", json!("gone"), "", "unknown variant"),
        ("/settings/timeout", json!(-1), "", "invalid value"),
        ("/settings/timeout", json!(1.5), "", "invalid type"),
        ("/settings/maxRetries", json!("3"), "", "invalid type"),
        ("/settings/logLevel", json!("loud"), "", "unknown variant"),
        ("/settings/maxLoopbackIterations", json!(0), "", "nonzero"),
        ("/metadata/tags", json!([""]), "/metadata/tags", "1 to 256"),
        ("/metadata/tags", json!(vec!["t"; 101]), "/metadata/tags", "100 tags"),
        ("/metadata/complianceClass", json!("secret"), "", "unknown variant"),
        ("/metadata/complianceConfig", json!({"maskingMode": "blur"}), "", "unknown variant"),
        ("/nodes", json!([]), "/nodes", "no node"),
        ("/nodes/0/id", json!("a b"), "/nodes/0", "invalid nodeId"),
        ("/nodes/0/id", json!("x".repeat(129)), "/nodes/0", "too long"),
        ("/nodes/0/typeId", json!("noop"), "/nodes/0", "two segments"),
        ("/nodes/0/name", json!(""), "/nodes/0/name", "empty"),
        ("/nodes/0/outputRole", json!("main"), "/nodes/0", "unknown variant"),
        ("/nodes/0/config", json!([]), "/nodes/0", "expected a map"),
        ("/nodes/1/inputs/x/type", json!("magic"), "/nodes/1", "unknown variant"),
        ("/nodes/1/inputs/y/outputKey", json!(""), "/nodes/1/inputs/y/outputKey", "empty"),
        ("/edges/0/triggerRule", json!("some"), "/edges/0", "unknown variant"),
        ("/edges/0/id", json!(""), "/edges/0/id", "empty"),
        ("/variables/0/type", json!("date"), "/variables/0", "unknown variant"),
        ("/variables/0/name", json!(""), "/variables/0/name", "empty"),
        ("/variables/0/defaultValue", json!("1"), "/variables/0/defaultValue", "not of type number"),
        ("/groups", json!([{"id": "g"}]), "", "missing field"),
    ] {
        refused(at, Some(value), path, reason);
    }
}

// R-EVT-115, R-EVT-116
#[test]
fn names_of_nothing_are_refused() {
    for (at, value, path, reason) in [
        ("/edges/0/sourceNodeId", json!("zz"), "/edges/0/sourceNodeId", "no node \"zz\""),
        ("/edges/0/targetNodeId", json!("zz"), "/edges/0/targetNodeId", "no node \"zz\""),
        ("/nodes/1/inputs/y/nodeId", json!("zz"), "/nodes/1/inputs/y/nodeId", "no node \"zz\""),
        ("/nodes/1/inputs/x/variableName", json!("zz"), "/nodes/1/inputs/x/variableName", "no variable \"zz\""),
        ("/triggers/-", json!({"id": "t", "type": "manual", "nodeId": "zz"}), "/triggers/0/nodeId", "no node \"zz\""),
        ("/nodes/0/id", json!("b"), "/nodes/1/id", "used twice"),
        ("/variables/-", json!({"name": "v", "type": "string"}), "/variables/1/name", "declared twice"),
        ("/nodes/0/typeId", json!("test.unknown"), "/nodes/0/typeId", "no node type \"test.unknown\""),
    ] {
        refused(at, Some(value), path, reason);
    }
}

/// What would be a promise nobody keeps is refused by name.
// R-EVT-117, R-EVT-118
#[test]
fn what_is_not_offered_is_refused() {
    let masked = "not masked yet";
    for (at, value, path, reason) in [
        ("/settings/compensation", json!({"triggers": ["run-cancel"]}), "/settings/compensation", "not offer"),
        ("/channels", json!({"c": {"reducer": "append"}}), "/channels", "not offered yet"),
        ("/edges/0/condition", json!({"type": "truthy", "left": "x"}), "/edges/0/condition", "not offered yet"),
        (
            "/nodes/1/inputs/z",
            json!({"type": "expression", "expression": "1"}),
            "/nodes/1/inputs/z/expression",
            "not offered",
        ),
        ("/nodes/0/agent", json!({"agentId": "x"}), "/nodes/0/agent", "not offered yet"),
        ("/nodes/0/credentialsRef", json!("c"), "/nodes/0/credentialsRef", "not offered yet"),
        ("/nodes/0/outputSensitivity", json!({"x": true}), "/nodes/0/outputSensitivity", masked),
        ("/variables/0/sensitive", json!(true), "/variables/0/sensitive", masked),
        ("/triggers/-", json!({"id": "t", "type": "schedule"}), "/triggers/0/type", "only manual"),
        ("/nodes/0/compensation", json!({"nodeTypeId": "test.zz"}), "/nodes/0/compensation/nodeTypeId", "no node type"),
    ] {
        refused(at, Some(value), path, reason);
    }
}

// R-EVT-116, R-EVT-117
#[test]
fn a_missing_capability_has_its_code_and_name() {
    let faults = compile(&spoil("/settings/compensation", Some(json!({})))).unwrap_err();
    assert_eq!(
        (faults[0].code, faults[0].capability.as_deref()),
        (ErrorCode::CapabilityRequired, Some("compensation"))
    );
    let faults = compile(&spoil("/nodes/0/typeId", Some(json!("test.zz")))).unwrap_err();
    assert_eq!((faults[0].code, faults[0].capability.as_deref()), (ErrorCode::CapabilityNotProvided, Some("test.zz")));
    let faults = compile(&spoil("/nodes/0/config", Some(json!({"refuse": 1})))).unwrap_err();
    assert_eq!((faults[0].code, faults[0].path.as_str()), (ErrorCode::NodeConfigInvalid, "/nodes/0/config"));
}

// R-EVT-118
#[test]
fn an_irreversible_node_has_no_inverse() {
    let mut spoilt = spoil("/nodes/0/compensation", Some(json!({"nodeTypeId": "test.noop"})));
    assert!(compile(&spoilt).is_ok());
    spoilt["nodes"][0]["irreversibleEffect"] = true.into();
    let faults = compile(&spoilt).unwrap_err();
    assert_eq!(faults[0].path, "/nodes/0/compensation");
}

// R-APR-05
#[test]
fn a_gate_for_several_people_is_refused_when_it_is_loaded() {
    let flow = definition(r#"g core.approvalGate {"requiredApprovals":2}"#);
    let faults = compile(&flow).unwrap_err();
    assert_eq!(faults[0].path, "/nodes/0/config/requiredApprovals");
    assert!(compile(&definition(r#"g core.approvalGate {"requiredApprovals":1}"#)).is_ok());
}

#[test]
fn cycles_are_refused_by_name() {
    for (line, path, names) in [
        ("a noop; a>a", "/edges/0", "a -> a"),
        ("a noop; b noop; a>b; b>a", "/edges/1", "a -> b -> a"),
        ("s noop; a noop; b noop; c noop; s>a; a>b; b>c; c>a; b>s all_complete", "", " -> "),
        ("s noop; a noop; b noop; s>a; a>b; b>a all_complete", "/edges/2", "a -> b -> a"),
    ] {
        let faults = compile(&definition(line)).unwrap_err();
        assert_eq!(faults.len(), 1, "{line}: {faults:?}");
        assert!(path.is_empty() || faults[0].path == path, "{line}: {faults:?}");
        assert!(faults[0].reason.contains("form a cycle") && faults[0].reason.contains(names), "{line}: {faults:?}");
    }
}

/// A connection is no edge: its source has to have run, whichever way the run went.
#[test]
fn a_connection_needs_a_path_of_edges() {
    for line in ["a noop; b echo in.x=a.out", "a noop; b echo in.x=b.out; a>b", "a echo in.x=b.out; b noop; a>b"] {
        let faults = compile(&definition(line)).unwrap_err();
        assert!(faults[0].reason.contains("no path of edges"), "{line}: {faults:?}");
    }
    assert!(compile(&definition("a noop; m noop; b echo in.x=a.out?; a>m; m>b")).is_ok());
}

// R-EVT-115
#[test]
fn text_that_is_no_definition_is_refused() {
    for (text, reason) in [
        ("", "ends too early"),
        ("[]", "not a JSON object"),
        ("{\"id\":\"a\",\"id\":\"b\"}", "given twice"),
        ("{} x", "after the value"),
        ("\u{feff}{}", ""),
    ] {
        let faults = Workflow::compile(text.as_bytes(), &Types::new()).unwrap_err();
        assert_eq!(faults[0].path, "");
        assert!(faults[0].reason.contains(reason), "{text}: {faults:?}");
    }
    let deep = format!("{}1{}", "[".repeat(1_000), "]".repeat(1_000));
    assert!(Workflow::compile(deep.as_bytes(), &Types::new()).is_err());
}

/// All faults are told at once, not one a try.
#[test]
fn every_fault_is_told() {
    let mut spoilt = spoil("/edges/0/sourceNodeId", Some(json!("zz")));
    spoilt["variables"][0]["sensitive"] = true.into();
    spoilt["nodes"][0]["agent"] = json!({});
    assert_eq!(compile(&spoilt).unwrap_err().len(), 3);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Whatever stands anywhere in a definition, it is refused or compiled, and nothing panics.
    #[test]
    fn nothing_in_a_definition_panics(at in 0usize..POINTERS.len(), value in 0usize..12, text in ".{0,12}") {
        let values = [
            json!(null), json!(true), json!(-1), json!(1e300), json!(u64::MAX), json!(""), json!(text), json!([]),
            json!({}), json!([[{}]]), json!({"type": "connection"}), json!({text.clone(): text}),
        ];
        let mut spoilt = definition(GOOD);
        *spoilt.pointer_mut(POINTERS[at]).unwrap() = values[value].clone();
        let _ = compile(&spoilt);
    }
}

const POINTERS: &[&str] = &[
    "",
    "/id",
    "/name",
    "/version",
    "/nodes",
    "/edges",
    "/triggers",
    "/variables",
    "/metadata",
    "/settings",
    "/nodes/0",
    "/nodes/0/id",
    "/nodes/0/typeId",
    "/nodes/0/name",
    "/nodes/0/position",
    "/nodes/0/position/x",
    "/nodes/0/config",
    "/nodes/0/inputs",
    "/nodes/1/inputs/x",
    "/nodes/1/inputs/x/type",
    "/nodes/1/inputs/x/variableName",
    "/nodes/1/inputs/y/nodeId",
    "/nodes/1/inputs/y/outputKey",
    "/nodes/1/inputs/y/optional",
    "/edges/0",
    "/edges/0/id",
    "/edges/0/sourceNodeId",
    "/edges/0/targetNodeId",
    "/variables/0",
    "/variables/0/name",
    "/variables/0/type",
    "/variables/0/defaultValue",
];
