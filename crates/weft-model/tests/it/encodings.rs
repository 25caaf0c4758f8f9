//! Encoded events and snapshots against the schemas.

use serde_json::{Value, json};
use weft_model::event::{Event, EventBody};
use weft_model::{EventId, EventType, NodeId, RunId, RunSnapshot, RunStatus, Timestamp};

use crate::samples::payloads;
use crate::spec::Schemas;

fn event(name: &str, payload: &Value) -> Event {
    let event_type = EventType::parse(name).expect("a registered type");
    Event {
        id: EventId::mint(Timestamp::EPOCH, [1; 16]),
        node_id: payload["nodeId"].as_str().map(|id| NodeId::parse(id).expect("a node id")),
        timestamp: Timestamp::EPOCH,
        sequence: 7,
        schema_version: 1,
        engine_version: Some(1),
        causation_id: Some(EventId::mint(Timestamp::EPOCH, [2; 16])),
        body: EventBody::of(event_type, payload).expect("a payload of the type"),
    }
}

fn run_id() -> RunId {
    RunId::parse("acme/0123456789abcdef").expect("a run id")
}

fn faults(validator: &jsonschema::Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| error.to_string()).collect()
}

// R-EVT-08, R-EVT-19
#[test]
fn typed_payloads_keep_every_member() {
    for (name, payload) in payloads() {
        let event = event(name, &payload);
        assert!(!matches!(event.body, EventBody::Other { .. }), "{name} has a variant");
        let bytes = event.encode(&run_id()).bytes;
        let document: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(document["payload"], payload, "{name}");
        let (_, read) = Event::decode(&bytes).expect("our own bytes");
        assert_eq!(read.encode(&run_id()).bytes, bytes, "{name}");
    }
}

// R-EVT-01, R-EVT-19, R-EVT-46, R-EVT-47
#[test]
fn emitted_events_fit_the_schemas() {
    let Some(schemas) = Schemas::load() else { return };
    let envelope = schemas.validator("run-event.schema.json");
    for (name, payload) in payloads() {
        let event = event(name, &payload);
        let document: Value = serde_json::from_slice(&event.encode(&run_id()).bytes).expect("an encoding is JSON");
        assert_eq!(faults(&envelope, &document), [""; 0], "{name}");
        let definition = event.event_type().row().payload_key;
        let reference = format!("run-event-payloads.schema.json#/$defs/{definition}");
        assert_eq!(faults(&schemas.validator(&reference), &document["payload"]), [""; 0], "{name}");
    }
}

// R-EVT-11, R-EVT-14
#[test]
fn a_type_that_we_refuse_is_refused_by_the_schema_too() {
    let Some(schemas) = Schemas::load() else { return };
    let envelope = schemas.validator("run-event.schema.json");
    let event = event("run.resumed", &json!({}));
    let bytes = event.encode(&run_id()).bytes;
    let mut document: Value = serde_json::from_slice(&bytes).expect("JSON");
    for name in ["run.startd", "foo", "Run.started", "openwop.x", "example.a.b.c", "example.a-"] {
        document["type"] = json!(name);
        assert!(!envelope.is_valid(&document), "{name}");
        assert!(EventType::parse(name).is_err(), "{name}");
    }
    document["type"] = json!("example.thing");
    assert!(envelope.is_valid(&document));
}

// R-EVT-101
#[test]
fn snapshots_fit_the_schema() {
    let smallest = json!({"runId": "acme/0123456789abcdef", "workflowId": "w", "status": "running",
        "owner": {"tenant": "acme", "subject": {"issuer": "urn:weft:api-key", "subjectId": "key-1",
            "tenant": "acme", "lane": "api-key", "kind": "user"}}, "eventLogSchemaVersion": 3});
    let mut whole = smallest.clone();
    let more = json!({"engineVersion": 1, "compensationStatus": "none", "currentNodeId": "n",
        "startedAt": "2026-12-01T00:00:00.000000Z", "completedAt": "2026-12-01T00:00:01.000000Z",
        "agent": {"agentId": "a"}, "runOrchestrator": {"agentId": "a"}, "nodeStates": {"n": {}},
        "variables": {}, "channels": {}, "error": {"code": "run_timeout", "message": "m",
        "details": {}}, "tags": ["t"], "metadata": {}, "configurable": {}, "metrics": {"openwopCost":
        {"usd": 0.5, "tokens": {"input": 1, "output": 2}, "model": "m", "provider": "p",
        "duration_ms": 3}}, "parentRunId": "acme/0123456789abcdef", "inputs": {},
        "extensions": {"example.host": {}}});
    for (member, value) in more.as_object().expect("an object") {
        whole[member] = value.clone();
    }
    let schemas = Schemas::load();
    for document in [smallest.clone(), whole] {
        let snapshot: RunSnapshot = serde_json::from_value(document.clone()).expect("a snapshot");
        assert_eq!(serde_json::to_value(&snapshot).expect("an object"), document);
        if let Some(schemas) = &schemas {
            assert_eq!(faults(&schemas.validator("run-snapshot.schema.json"), &document), [""; 0]);
        }
    }
    let mut extra = smallest;
    extra["interrupt"] = json!({});
    assert!(serde_json::from_value::<RunSnapshot>(extra).is_err());
}

// R-EVT-92
#[test]
fn status_words_are_those_of_the_schema() {
    let Some(schemas) = Schemas::load() else { return };
    let validator = schemas.validator("run-snapshot.schema.json#/properties/status");
    for status in RunStatus::ALL {
        assert!(validator.is_valid(&json!(status.as_str())));
        assert_eq!(serde_json::to_value(status).expect("a word"), status.as_str());
        assert_eq!(RunStatus::parse(status.as_str()), Some(status));
    }
    assert!(!validator.is_valid(&json!("compensating")));
}
