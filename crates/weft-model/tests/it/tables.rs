//! The registries, row by row.

use std::collections::BTreeSet;

use serde_json::Value;
use weft_model::capability::{FAMILIES, METADATA_KEYS, Seat};
use weft_model::event::{Mode, Tier};
use weft_model::operation::{Access, OPERATIONS};
use weft_model::{ErrorCode, EventType, OperationId, Scope, org};

use crate::spec::{Schemas, data, text};

fn rows<'a>(data: &'a Value, member: &str) -> &'a [Value] {
    data[member].as_array().expect("a list of rows")
}

// R-ERR-02, R-ERR-03, R-ERR-12
#[test]
fn error_codes() {
    let Some(data) = data("errors.json") else { return };
    assert_eq!(rows(&data, "codes").len(), ErrorCode::ALL.len());
    for row in rows(&data, "codes") {
        let code: ErrorCode = text(row, "code").parse().expect("a registered code");
        assert_eq!(Some(u64::from(code.http_status())), row["httpStatus"].as_u64(), "{code}");
        assert_eq!(Some(code.retriable()), row["retriable"].as_bool(), "{code}");
    }
}

// R-EVT-16, R-EVT-84, R-EVT-85, R-EVT-87
#[test]
fn event_types() {
    let Some(data) = data("event-types.json") else { return };
    assert_eq!(rows(&data, "types").len(), EventType::REGISTERED.len());
    for row in rows(&data, "types") {
        let name = text(row, "type");
        let known = EventType::parse(name).expect("a registered type").row();
        assert_eq!(known.payload_key, text(row, "payload"), "{name}");
        assert_eq!(known.domain, text(row, "domain"), "{name}");
        assert_eq!(known.family, text(row, "family"), "{name}");
        assert_eq!(known.tier == Tier::Core, text(row, "tier") == "core", "{name}");
        assert_eq!(Some(known.values_snapshot), row["valuesSnapshot"].as_bool(), "{name}");
        assert_eq!(known.terminal, row["terminal"] == true, "{name}");
        assert_eq!(known.v1_name, row["v1Name"].as_str(), "{name}");
        for mode in [Mode::Updates, Mode::Messages, Mode::Debug] {
            let listed = rows(row, "streamModes").iter().any(|word| word == mode.as_str());
            assert_eq!(known.modes.contains(mode), listed, "{name} {}", mode.as_str());
        }
        let gate = row["gate"].as_str().unwrap_or_default();
        assert_eq!(known.gates.is_empty(), gate.is_empty(), "{name}");
        assert!(known.gates.iter().all(|part| gate.contains(part)), "{name}");
    }
}

// R-EVT-16, R-EVT-19
#[test]
fn payload_keys_are_those_of_the_payload_schema() {
    let Some(schemas) = Schemas::load() else { return };
    for event_type in EventType::REGISTERED {
        let row = event_type.row();
        assert_eq!(schemas.payload_key(row.name).as_deref(), Some(row.payload_key), "{}", row.name);
    }
}

// R-AUTH-12, R-ERR-09
#[test]
fn operations() {
    let Some(data) = data("operations.json") else { return };
    let scopes: Vec<_> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    assert_eq!(rows(&data, "scopes").iter().filter_map(Value::as_str).collect::<Vec<_>>(), scopes);
    assert_eq!(rows(&data, "operations").len(), OPERATIONS.len());
    for row in rows(&data, "operations") {
        let name = text(row, "operationId");
        let known = OperationId::parse(name).expect("a known operation").row();
        assert_eq!(known.method.as_str(), text(row, "method"), "{name}");
        assert_eq!(known.path, text(row, "path"), "{name}");
        assert_eq!(Some(known.authenticated()), row["authenticated"].as_bool(), "{name}");
        assert_eq!(Some(known.mutating), row["mutating"].as_bool(), "{name}");
        assert_eq!(Some(u64::from(known.success)), row["success"]["status"].as_u64(), "{name}");
        assert_eq!(known.access == Access::Unstated, row["scope"].is_null(), "{name}");
        let listed: Vec<_> = row["scope"].as_array().into_iter().flatten().collect();
        let held: Vec<_> = known.scopes().iter().map(|scope| scope.as_str()).collect();
        assert_eq!(listed, held, "{name}");
        // The sheet says "optional operation" where no family gates it.
        let gate = row["gate"].as_str().filter(|gate| *gate != "optional operation");
        assert_eq!(known.gate.is_some(), gate.is_some(), "{name}");
        assert!(gate.unwrap_or_default().starts_with(known.gate.unwrap_or_default()), "{name}");
    }
}

// R-CAP-19, R-CAP-21, R-CAP-23, R-CAP-25, R-CAP-34
#[test]
fn capability_families() {
    let Some(data) = data("families.json") else { return };
    let all = rows(&data, "core").iter().chain(rows(&data, "ext"));
    assert_eq!(all.clone().count(), FAMILIES.len());
    for (row, known) in all.zip(FAMILIES) {
        let key = text(row, "key");
        assert_eq!(known.key, key);
        match known.seat {
            Seat::Root => assert!(row["extensionName"].is_null(), "{key}"),
            Seat::Extension(name) => assert_eq!(text(row, "extensionName"), name, "{key}"),
        }
        let ceiling = row["maxAdvertisedStatus"].as_str().unwrap_or(text(row, "technical"));
        assert_eq!(serde_json::to_value(known.ceiling).expect("a word"), ceiling, "{key}");
        assert_eq!(serde_json::to_value(known.witness).expect("a word"), row["witness"], "{key}");
        let facets = row["facets"].as_array().into_iter().flatten();
        let (required, optional): (Vec<_>, Vec<_>) = facets.partition(|facet| facet["required"] == true);
        let names = |facets: Vec<&Value>| -> BTreeSet<String> {
            facets.into_iter().map(|facet| text(facet, "name").to_owned()).collect()
        };
        let held = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(names(required), held(known.required), "{key}");
        assert_eq!(names(optional), held(known.optional), "{key}");
    }
}

// R-CAP-25, R-CAP-31, R-CAP-33
#[test]
fn root_members_and_organisations() {
    let Some(data) = data("families.json") else { return };
    let listed: Vec<_> = rows(&data, "metadata")
        .iter()
        .map(|row| text(row, "key"))
        // Declared only as deleted: its presence is an error.
        .filter(|key| *key != "supportedTransports")
        .collect();
    assert_eq!(listed, METADATA_KEYS);
    assert_eq!(rows(&data, "reservedOrgs"), org::RESERVED);
    let registered = data["registeredOrgs"].as_object().expect("organisations by name");
    assert_eq!(registered.keys().collect::<BTreeSet<_>>().len(), org::REGISTERED.len());
    assert!(registered.keys().all(|name| org::is_registered(name)));
}
