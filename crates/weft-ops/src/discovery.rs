//! The discovery document: the closed v2 root with exactly what is true of this host
//! (openwop-capabilities, DECISIONS 1 to 3).
//!
//! Built once and kept as bytes with a strong ETag over them, so that equal meaning is equal
//! bytes and a change of meaning changes the ETag (R-CAP-10).

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use weft_auth::{ANONYMOUS_ISSUER, API_KEY_ISSUER};
use weft_model::capability::{Family, Record, Since, Until};
use weft_model::run::{ENGINE_VERSION, EVENT_LOG_SCHEMA_VERSION};
use weft_model::{Digest, JsonObject, WorkflowId};

use crate::limits::PAGE_SIZE_MAX;

/// The protocol versions served: major 2 only (DECISIONS 1).
pub const PROTOCOL_VERSIONS: [&str; 2] = ["2.0", "2.46"];
/// The preferred one, which every answer names.
pub const PREFERRED_VERSION: &str = "2.46";

/// The first of this host's versions: it serves every advertised family under each of them.
const SINCE: Since = Since { major: 2, minor: 0 };
/// Records end with the next major, which this binary does not serve (DECISIONS 3).
const UNTIL: Until = Until::Version(Since { major: 3, minor: 0 });

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
}

/// The families in the document; routes and node types are gated by the same list.
pub(crate) fn families_of(settings: &DiscoverySettings) -> Vec<&'static str> {
    families(settings).into_iter().map(|(key, _)| key).collect()
}

fn root(settings: &DiscoverySettings) -> JsonObject {
    let mut root = JsonObject::new();
    root.insert("protocolVersion".to_owned(), json!(PREFERRED_VERSION));
    root.insert("protocolVersions".to_owned(), json!(PROTOCOL_VERSIONS));
    root.insert("preferredVersion".to_owned(), json!(PREFERRED_VERSION));
    root.insert("implementation".to_owned(), json!({ "name": "weft", "version": settings.implementation_version }));
    root.insert("engineVersion".to_owned(), json!(ENGINE_VERSION));
    root.insert("eventLogSchemaVersion".to_owned(), json!(EVENT_LOG_SCHEMA_VERSION));
    if !settings.fixtures.is_empty() {
        let mut fixtures: Vec<&str> = settings.fixtures.iter().map(WorkflowId::as_str).collect();
        fixtures.sort_unstable();
        fixtures.dedup();
        root.insert("fixtures".to_owned(), json!(fixtures));
    }
    for (key, record) in families(settings) {
        root.insert(key.to_owned(), json!(record));
    }
    root
}

/// Every family that this host offers with its record. This list and what is served agree: a
/// family enters it with the code that keeps its promises, and the registry holds the record to
/// the family's declaration.
fn families(settings: &DiscoverySettings) -> Vec<(&'static str, Record)> {
    let mut families = vec![
        offer("auth", |record| record.with("lanes", lanes(settings))),
        offer("eventLog", |record| record),
        offer("runList", |record| record.with("maxPageSize", PAGE_SIZE_MAX)),
    ];
    if let Some(http) = &settings.http_client {
        families.push(offer("httpClient", |record| {
            record
                .with("ssrfGuard", true)
                .with("maxResponseBodyBytes", http.max_response_body_bytes)
                .with("requestTimeoutMs", http.request_timeout_ms)
                .with("methods", http.methods.clone())
        }));
    }
    families
}

fn offer(key: &'static str, fill: impl FnOnce(Record) -> Record) -> (&'static str, Record) {
    let family = Family::find(key).expect("the registry lists the families that this host offers");
    let record = fill(Record::of(family, SINCE, UNTIL));
    debug_assert_eq!(record.check(family), Ok(()), "{key}");
    (key, record)
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
