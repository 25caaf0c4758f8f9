//! What the machine gives at most: HTTP without a store, and a store without HTTP.

pub(crate) mod http;
pub(crate) mod store;

/// The answer to a create, as long as weft's.
pub(crate) const CREATED: &str = r#"{"runId":"bench/000000000000000000000000000000000000","status":"running","eventsUrl":"/runs/bench~2F000000000000000000000000000000000000/events","statusUrl":"/runs/bench~2F000000000000000000000000000000000000"}"#;

/// The bytes of one event of a small run.
pub(crate) fn event(sequence: u64) -> String {
    format!(
        r#"{{"eventId":"000000000000000000000000000000000000","runId":"bench/000000000000000000000000000000000000","nodeId":"only","type":"node.completed","payload":{{"nodeId":"only","outputs":{{}},"durationMs":0}},"timestamp":"2026-01-01T00:00:00.000000Z","sequence":{sequence},"schemaVersion":1,"engineVersion":1}}"#
    )
}
