//! The discovery document, also against the closed root schema where that is at hand.

use std::path::Path;

use serde_json::{Value, json};
use weft_ops::discovery::{Discovery, DiscoverySettings, HttpClientFacets, PREFERRED_VERSION, PROTOCOL_VERSIONS};

fn settings() -> DiscoverySettings {
    DiscoverySettings {
        implementation_version: "0.1.0".to_owned(),
        anonymous_lane: false,
        http_client: Some(HttpClientFacets {
            max_response_body_bytes: 1 << 20,
            request_timeout_ms: 30_000,
            methods: vec!["GET".to_owned(), "POST".to_owned()],
        }),
        fixtures: Vec::new(),
    }
}

fn document(settings: &DiscoverySettings) -> Value {
    serde_json::from_slice(&Discovery::render(settings).body).expect("JSON")
}

/// Witnesses R-VER-09, R-CAP-24, R-CAP-27, R-CAP-28.
#[test]
fn versions_are_metadata_and_the_preferred_one_is_listed() {
    let root = document(&settings());
    assert_eq!(root["protocolVersions"], json!(PROTOCOL_VERSIONS));
    assert_eq!(root["preferredVersion"], json!(PREFERRED_VERSION));
    assert_eq!(root["protocolVersion"], root["preferredVersion"]);
    assert!(PROTOCOL_VERSIONS.contains(&PREFERRED_VERSION));
    assert_eq!(root["eventLogSchemaVersion"], json!(3));
    assert!(root["engineVersion"].is_u64());
    for key in ["protocolVersion", "engineVersion", "eventLogSchemaVersion"] {
        assert!(root[key].get("status").is_none());
    }
}

/// Witnesses R-CAP-12, R-CAP-13, R-CAP-14, R-CAP-15, R-CAP-16, R-CAP-17, R-CAP-19, R-CAP-20, R-CAP-22,
/// R-CAP-23.
#[test]
fn every_record_is_complete_and_modest() {
    let root = document(&settings());
    for (key, witness) in [
        ("auth", "seam-gated"),
        ("eventLog", "claims-check"),
        ("runList", "witnessable-gated"),
        ("httpClient", "witnessable-gated"),
    ] {
        let record = &root[key];
        assert_eq!(record["status"], "experimental", "{key}");
        assert_eq!(record["witness"], witness, "{key}");
        assert!(PROTOCOL_VERSIONS.contains(&record["since"].as_str().expect("a version")), "{key}");
        // Beyond every version that is served, so it has not passed.
        assert_eq!(record["until"], "3.0", "{key}");
        assert!(record.get("supported").is_none(), "{key}");
    }
}

/// Witnesses R-CAP-06, R-CAP-25, R-CAP-26, R-CAP-38, R-CAP-43, R-DISC-04.
#[test]
fn the_root_holds_nothing_else() {
    let root = document(&settings());
    let mut keys: Vec<&str> = root.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expected = [
        "auth",
        "engineVersion",
        "eventLog",
        "eventLogSchemaVersion",
        "httpClient",
        "implementation",
        "preferredVersion",
        "protocolVersion",
        "protocolVersions",
        "runList",
    ];
    assert_eq!(keys, expected);
}

/// Witnesses R-CAP-21: what is not offered is not there, in both directions.
#[test]
fn a_family_is_there_exactly_when_it_is_configured() {
    let with = settings();
    let without = DiscoverySettings { http_client: None, ..settings() };
    assert!(document(&with).get("httpClient").is_some());
    assert!(document(&without).get("httpClient").is_none());
}

/// Witnesses R-AUTH-07, R-AUTH-15, R-CAP-53.
#[test]
fn each_lane_names_its_issuer_and_its_revocation() {
    let open = DiscoverySettings { anonymous_lane: true, ..settings() };
    let lanes = document(&open)["auth"]["lanes"].clone();
    assert_eq!(lanes[0]["lane"], "api-key");
    assert_eq!(lanes[0]["revocation"], "next-request");
    assert_eq!(lanes[0]["issuers"], json!(["urn:weft:api-key"]));
    assert_eq!(lanes[1]["lane"], "anonymous");
    assert!(lanes[1].get("revocation").is_none());
    assert_eq!(document(&settings())["auth"]["lanes"].as_array().map(Vec::len), Some(1));
}

/// Witnesses R-CAP-08, R-CAP-10, R-DISC-03: every setting that a client can notice changes the
/// bytes and the ETag, and nothing else does.
#[test]
fn the_etag_follows_the_meaning() {
    let base = Discovery::render(&settings());
    assert_eq!(Discovery::render(&settings()).etag, base.etag);
    assert!(base.etag.starts_with('"') && base.etag.ends_with('"'));
    let http = |change: fn(&mut HttpClientFacets)| {
        let mut settings = settings();
        change(settings.http_client.as_mut().expect("configured"));
        settings
    };
    let changed = [
        DiscoverySettings { implementation_version: "0.2.0".to_owned(), ..settings() },
        DiscoverySettings { anonymous_lane: true, ..settings() },
        DiscoverySettings { http_client: None, ..settings() },
        DiscoverySettings { fixtures: vec!["conformance-noop".parse().expect("an id")], ..settings() },
        http(|http| http.max_response_body_bytes += 1),
        http(|http| http.request_timeout_ms += 1),
        http(|http| http.methods.truncate(1)),
    ];
    for settings in changed {
        let other = Discovery::render(&settings);
        assert_ne!(other.etag, base.etag, "{settings:?}");
        assert_ne!(other.body, base.body, "{settings:?}");
    }
}

/// Witnesses R-CAP-24, R-CAP-29: the document against the closed v2 root, when the specification's data is beside the
/// repository.
#[test]
fn the_document_validates_against_the_closed_root() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec/data/facets/effective/_root.schema.json");
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let schema: Value = serde_json::from_str(&text).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let full = DiscoverySettings {
        anonymous_lane: true,
        fixtures: vec!["conformance-noop".parse().expect("an id")],
        ..settings()
    };
    for settings in [settings(), full, DiscoverySettings { http_client: None, ..settings() }] {
        let document = document(&settings);
        let faults: Vec<String> = validator.iter_errors(&document).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{faults:?}");
    }
}
