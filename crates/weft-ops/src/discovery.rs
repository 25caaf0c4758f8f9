//! The discovery document: the closed v2 root with exactly what is true of this host
//! (openwop-capabilities, DECISIONS 1 to 3).
//!
//! Built once and kept as bytes with a strong ETag over them, so that equal meaning is equal
//! bytes and a change of meaning changes the ETag (R-CAP-10).

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value, json};
use weft_auth::{ANONYMOUS_ISSUER, API_KEY_ISSUER};
use weft_model::run::{ENGINE_VERSION, EVENT_LOG_SCHEMA_VERSION};
use weft_model::{Digest, WorkflowId};

use crate::limits::PAGE_SIZE_MAX;

/// The protocol versions served: major 2 only (DECISIONS 1).
pub const PROTOCOL_VERSIONS: [&str; 2] = ["2.0", "2.46"];
/// The preferred one, which every answer names.
pub const PREFERRED_VERSION: &str = "2.46";

/// The first of this host's versions: it serves every advertised family under each of them.
const SINCE: &str = "2.0";
/// Records end with the next major, which this binary does not serve (DECISIONS 3).
const UNTIL: &str = "3.0";

/// What the host is configured to offer, as far as a client can notice it.
#[derive(Clone, Debug)]
pub struct DiscoverySettings {
    /// The version of this build, self-reported.
    pub implementation_version: String,
    /// Whether requests without a credential are served as the anonymous subject of a tenant.
    pub anonymous_lane: bool,
    /// The limits of outbound HTTP, when the guarded client is wired; without it the family is
    /// not advertised.
    pub http_client: Option<HttpClientFacets>,
    /// The conformance fixtures that are loaded; none unless the operator asked for them.
    pub fixtures: Vec<WorkflowId>,
}

/// The facets of `httpClient`. The guard itself is not a setting: the family is only advertised
/// with it.
#[derive(Clone, Debug)]
pub struct HttpClientFacets {
    /// The ceiling of a response body.
    pub max_response_body_bytes: u64,
    /// The wall clock of one request at most.
    pub request_timeout_ms: u64,
    /// The methods accepted.
    pub methods: Vec<String>,
}

/// The rendered document.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// The document as JSON.
    pub body: Bytes,
    /// Its strong ETag, with the quotes.
    pub etag: Arc<str>,
}

impl Discovery {
    /// Renders the document of a host with these settings.
    pub fn render(settings: &DiscoverySettings) -> Discovery {
        let body = Bytes::from(Value::Object(root(settings)).to_string());
        let etag = format!("\"{}\"", &Digest::of(&body).to_hex()[..32]);
        Discovery { body, etag: etag.into() }
    }

    /// Whether a family is advertised. Route gating and the document read the same list.
    pub fn advertises(settings: &DiscoverySettings, family: &str) -> bool {
        families(settings).iter().any(|(key, _)| *key == family)
    }
}

fn root(settings: &DiscoverySettings) -> Map<String, Value> {
    let mut root = Map::new();
    root.insert("protocolVersion".to_owned(), json!(PREFERRED_VERSION));
    root.insert("protocolVersions".to_owned(), json!(PROTOCOL_VERSIONS));
    root.insert("preferredVersion".to_owned(), json!(PREFERRED_VERSION));
    root.insert(
        "implementation".to_owned(),
        json!({ "name": "weft", "version": settings.implementation_version }),
    );
    root.insert("engineVersion".to_owned(), json!(ENGINE_VERSION));
    root.insert("eventLogSchemaVersion".to_owned(), json!(EVENT_LOG_SCHEMA_VERSION));
    if !settings.fixtures.is_empty() {
        let mut fixtures: Vec<&str> = settings.fixtures.iter().map(WorkflowId::as_str).collect();
        fixtures.sort_unstable();
        fixtures.dedup();
        root.insert("fixtures".to_owned(), json!(fixtures));
    }
    for (key, record) in families(settings) {
        root.insert(key.to_owned(), Value::Object(record));
    }
    root
}

/// Every family that this host offers with its record. This list and what is served agree: a
/// family enters it with the code that keeps its promises.
fn families(settings: &DiscoverySettings) -> Vec<(&'static str, Map<String, Value>)> {
    let mut families = vec![
        ("auth", record("seam-gated", json!({ "lanes": lanes(settings) }))),
        ("eventLog", record("claims-check", json!({}))),
        ("runList", record("witnessable-gated", json!({ "maxPageSize": PAGE_SIZE_MAX }))),
    ];
    if let Some(http) = &settings.http_client {
        let facets = json!({
            "ssrfGuard": true,
            "maxResponseBodyBytes": http.max_response_body_bytes,
            "requestTimeoutMs": http.request_timeout_ms,
            "methods": http.methods,
        });
        families.push(("httpClient", record("witnessable-gated", facets)));
    }
    families
}

/// One capability record. All are experimental: no declaration row of these families allows more
/// (R-CAP-23).
fn record(witness: &str, facets: Value) -> Map<String, Value> {
    let mut record = Map::new();
    record.insert("status".to_owned(), json!("experimental"));
    record.insert("since".to_owned(), json!(SINCE));
    record.insert("until".to_owned(), json!(UNTIL));
    record.insert("witness".to_owned(), json!(witness));
    if let Value::Object(facets) = facets {
        record.extend(facets);
    }
    record
}

fn lanes(settings: &DiscoverySettings) -> Value {
    let mut lanes = vec![json!({
        "lane": "api-key",
        "issuers": [API_KEY_ISSUER],
        "revocation": "next-request",
        "minimumAssurance": "bearer",
    })];
    if settings.anonymous_lane {
        lanes.push(json!({
            "lane": "anonymous",
            "issuers": [ANONYMOUS_ISSUER],
            "minimumAssurance": "bearer",
        }));
    }
    Value::Array(lanes)
}
