use std::collections::HashSet;

use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    EncodedEvent, Event, EventBody, EventType, EventTypeError, Mode, ModeSet, StreamSelection, Tier, encodings,
};
use crate::ids::{EventId, NodeId, RunId, TypeId};
use crate::time::Timestamp;

fn run_id() -> RunId {
    RunId::parse("acme/0123456789abcdef").expect("a run id")
}

fn started(sequence: u64) -> Event {
    Event {
        id: EventId::mint(Timestamp::EPOCH, [7; 16]),
        node_id: Some(NodeId::parse("n").expect("a node id")),
        timestamp: Timestamp::from_micros(1_764_557_100_000_001),
        sequence,
        schema_version: 1,
        engine_version: Some(1),
        causation_id: None,
        body: EventBody::NodeStarted(super::NodeStarted {
            node_id: NodeId::parse("n").expect("a node id"),
            type_id: TypeId::parse("core.noop").expect("a type id"),
            attempt: Some(0),
        }),
    }
}

fn document(event: &Event) -> Value {
    serde_json::from_slice(&event.encode(&run_id()).bytes).expect("an encoding is JSON")
}

// R-EVT-01, R-EVT-04, R-EVT-05, R-EVT-06
#[test]
fn an_event_is_written_as_the_closed_envelope() {
    let expected = json!({
        "type": "node.started",
        "sequence": 3,
        "eventId": started(3).id,
        "runId": "acme/0123456789abcdef",
        "nodeId": "n",
        "timestamp": "2025-12-01T02:45:00.000001Z",
        "schemaVersion": 1,
        "engineVersion": 1,
        "payload": {"nodeId": "n", "typeId": "core.noop", "attempt": 0},
    });
    assert_eq!(document(&started(3)), expected);
}

// R-EVT-01
#[test]
fn unknown_missing_and_null_members_are_refused() {
    let whole = document(&started(0));
    assert!(Event::decode(whole.to_string().as_bytes()).is_ok());
    for member in ["type", "sequence", "eventId", "runId", "timestamp", "schemaVersion", "payload"] {
        let mut broken = whole.clone();
        broken.as_object_mut().expect("an object").remove(member);
        assert!(Event::decode(broken.to_string().as_bytes()).is_err(), "without {member}");
    }
    for (member, value) in [
        ("workspaceId", json!("w")),
        ("nodeId", Value::Null),
        ("sequence", json!(-1)),
        ("schemaVersion", json!(0)),
        ("eventId", json!("short")),
        ("runId", json!("0123456789abcdef")),
        ("type", json!("run.startd")),
        ("payload", json!({"nodeId": "n"})),
    ] {
        let mut broken = whole.clone();
        broken[member] = value;
        assert!(Event::decode(broken.to_string().as_bytes()).is_err(), "{member}");
    }
    let twice = whole.to_string().replacen("{\"", "{\"sequence\":0,\"", 1);
    assert!(Event::decode(twice.as_bytes()).is_err());
}

// R-EVT-08, R-EVT-09
#[test]
fn stored_bytes_keep_their_text_and_their_type() {
    let encoded = started(9).encode(&run_id());
    let stored = EncodedEvent::from_bytes(9, encoded.bytes.clone()).expect("our own bytes");
    assert_eq!((stored.bytes, stored.event_type), (encoded.bytes, EventType::NodeStarted));
    let foreign = br#" {"payload": {}, "type": "run.resum\u0065d"}"#;
    let stored = EncodedEvent::from_bytes(0, Bytes::from_static(foreign)).expect("other bytes");
    assert_eq!(stored.event_type, EventType::RunResumed);
    let mut newer = document(&started(0));
    newer["payload"]["addedLater"] = json!(true);
    assert!(Event::decode(newer.to_string().as_bytes()).is_ok());
}

// R-EVT-19
#[test]
fn a_payload_without_a_variant_is_carried_byte_for_byte() {
    let text = r#"{"level":"info",  "message":"\u0041","fields":{"big":12345678901234567890123}}"#;
    let raw = serde_json::value::RawValue::from_string(text.to_owned()).expect("JSON");
    let body = EventBody::from_raw(EventType::LogAppended, &raw).expect("carried");
    let event = Event { body, ..started(0) };
    let bytes = event.encode(&run_id()).bytes;
    let (run, read) = Event::decode(&bytes).expect("our own bytes");
    assert_eq!(run, run_id());
    assert_eq!(read.encode(&run_id()).bytes, bytes);
    assert!(matches!(read.body, EventBody::Other { payload, .. } if payload.get() == text));
}

#[test]
fn a_type_with_a_variant_is_never_carried_untyped() {
    let body = EventBody::of(EventType::RunResumed, &json!({})).expect("an empty object");
    assert!(matches!(body, EventBody::RunResumed(_)));
    assert!(EventBody::of(EventType::RunStarted, &json!({})).is_err());
}

#[test]
fn encodings_are_counted() {
    let before = encodings();
    let _ = started(0).encode(&run_id());
    assert!(encodings() > before);
}

proptest! {
    // R-EVT-02, R-EVT-07
    #[test]
    fn encoding_is_undone_by_decoding(
        sequence in any::<u64>(),
        micros in 0i64..253_402_300_799_999_999,
        random in any::<[u8; 16]>(),
        attempt in any::<Option<u32>>(),
        caused in any::<bool>(),
        schema_version in 1u32..,
        engine_version in any::<Option<u32>>(),
    ) {
        let mut event = started(sequence);
        event.timestamp = Timestamp::from_micros(micros);
        event.id = EventId::mint(event.timestamp, random);
        event.causation_id = caused.then(|| event.id.clone());
        event.schema_version = schema_version;
        event.engine_version = engine_version;
        if let EventBody::NodeStarted(payload) = &mut event.body {
            payload.attempt = attempt;
        }
        let encoded = event.encode(&run_id());
        prop_assert_eq!(encoded.sequence, sequence);
        let (run, read) = Event::decode(&encoded.bytes).expect("our own bytes");
        prop_assert_eq!(run, run_id());
        prop_assert_eq!(format!("{read:?}"), format!("{event:?}"));
    }

    // R-EVT-08, R-EVT-91: a float that came back changed would fold to another state after a
    // restart than before it.
    #[test]
    fn every_value_of_an_output_comes_back_exactly(value in crate::json::tests::any_json()) {
        let mut event = started(0);
        let node_id = NodeId::parse("n").expect("a node id");
        let outputs = [("out".to_owned(), value)].into_iter().collect();
        event.body = EventBody::NodeCompleted(super::NodeCompleted {
            node_id,
            outputs: Some(outputs),
            duration_ms: None,
        });
        let encoded = event.encode(&run_id());
        let (_, read) = Event::decode(&encoded.bytes).expect("our own bytes");
        prop_assert_eq!(read.encode(&run_id()).bytes, encoded.bytes);
        prop_assert_eq!(format!("{read:?}"), format!("{event:?}"));
    }

    // R-EVT-09, R-EVT-107
    #[test]
    fn decoding_any_bytes_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..128)) {
        let _ = Event::decode(&bytes);
        let _ = EncodedEvent::from_bytes(0, Bytes::from(bytes));
    }
}

// R-EVT-16
#[test]
fn the_registry_is_a_bijection() {
    assert_eq!(EventType::REGISTERED.len(), 118);
    let mut v1 = HashSet::new();
    for event_type in EventType::REGISTERED {
        let row = event_type.row();
        assert_eq!(EventType::parse(row.name).as_ref(), Ok(event_type));
        assert_eq!(event_type.as_str(), row.name);
        assert!(!row.payload_key.is_empty());
        assert!(v1.insert(row.v1_name.unwrap_or(row.name)), "{}", row.name);
    }
    let renamed = EventType::REGISTERED.iter().filter(|kind| kind.row().v1_name.is_some()).count();
    assert_eq!(renamed, 36);
}

// R-EVT-11, R-EVT-12, R-EVT-13, R-EVT-14, R-EVT-18
#[test]
fn a_type_is_registered_or_of_a_registered_organisation() {
    for text in ["example.thing", "example.domain.thing-1", "openwop-app.x"] {
        assert!(EventType::parse(text).is_ok(), "{text}");
    }
    use EventTypeError::*;
    for (text, error) in [
        ("run.startd", Unregistered),
        ("workflow-chain.x", Unregistered),
        ("foo", Grammar),
        ("Run.started", Grammar),
        ("example.a.b.c", Grammar),
        ("example.", Grammar),
        ("example.a-", Grammar),
        ("example..a", Grammar),
        ("openwop.x", Reserved),
        ("effect-seams.x", Reserved),
        ("events.x", Reserved),
        ("core.x", Reserved),
        ("community.x", Reserved),
        ("vendor.x", Reserved),
        ("private.x", Reserved),
        ("local.x", Reserved),
        ("acme.x", UnknownOrg),
        ("state.snapshot", UnknownOrg),
        ("batch", Grammar),
        ("ai.message.chunk", UnknownOrg),
        ("run.annotated", Unregistered),
    ] {
        assert_eq!(EventType::parse(text), Err(error), "{text}");
    }
}

// R-EVT-15
#[test]
fn a_vendor_event_reaches_debug_only() {
    let row = EventType::parse("example.thing").expect("a vendor type").row();
    assert_eq!(row.modes, ModeSet::DEBUG_ONLY);
    assert!(!row.terminal && !row.values_snapshot);
}

// R-EVT-17
#[test]
fn a_gated_type_names_its_gates() {
    for event_type in EventType::REGISTERED {
        let row = event_type.row();
        assert!(
            row.tier == Tier::Core || !row.gates.is_empty() || row.domain == "lease" || row.domain == "workflow",
            "{}",
            row.name
        );
    }
}

// R-EVT-33
#[test]
fn three_types_end_a_run() {
    let terminal: Vec<_> = EventType::REGISTERED.iter().filter(|kind| kind.is_terminal()).collect();
    assert_eq!(terminal, [&EventType::RunCancelled, &EventType::RunCompleted, &EventType::RunFailed]);
}

// R-EVT-49
#[test]
fn verdict_aliases_stay_in_debug_and_the_others_reach_updates() {
    for text in ["approval.granted", "approval.rejected", "approval.overridden"] {
        assert_eq!(EventType::parse(text).expect(text).row().modes, ModeSet::DEBUG_ONLY);
    }
    for text in [
        "approval.requested",
        "approval.received",
        "clarification.requested",
        "clarification.resolved",
        "interrupt.requested",
        "interrupt.resolved",
    ] {
        assert!(EventType::parse(text).expect(text).row().modes.contains(Mode::Updates), "{text}");
    }
}

// R-EVT-89
#[test]
fn a_stream_mode_is_values_alone_or_a_list_of_the_others() {
    assert_eq!(StreamSelection::parse("values"), Some(StreamSelection::Values));
    let both = ModeSet::EMPTY.with(Mode::Updates).with(Mode::Messages);
    assert_eq!(StreamSelection::parse("messages,updates"), Some(StreamSelection::Events(both)));
    for text in ["", "values,updates", "updates,", "Updates", "updates, debug"] {
        assert_eq!(StreamSelection::parse(text), None, "{text}");
    }
}
