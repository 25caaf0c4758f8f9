//! How runs and events look on a terminal: one table and one line, written once.

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::Value;

/// A plain table with the given header.
pub(super) fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_header(header);
    table
}

/// A string member of a document, or `-` where it is absent.
pub(super) fn text<'v>(document: &'v Value, member: &str) -> &'v str {
    document.get(member).and_then(Value::as_str).unwrap_or("-")
}

/// The wall-clock part of a timestamp: `12:34:56.789`.
pub(super) fn clock(timestamp: &str) -> &str {
    timestamp.get(11..23).unwrap_or(timestamp)
}

/// One event as the columns of a log table: sequence, time, type, node, what it says.
pub(super) fn event_row(event: &Value) -> [String; 5] {
    let sequence = event.get("sequence").and_then(Value::as_u64).map(|s| s.to_string());
    [
        sequence.unwrap_or_default(),
        clock(text(event, "timestamp")).to_owned(),
        text(event, "type").to_owned(),
        text(event, "nodeId").to_owned(),
        event.get("payload").map(gist).unwrap_or_default(),
    ]
}

/// One event as a line, for a log that grows while it is watched.
pub(super) fn event_line(event: &Value) -> String {
    let [sequence, time, kind, node, gist] = event_row(event);
    format!("{sequence:>4}  {time}  {kind:<20}  {node:<16}  {gist}")
}

/// The part of a payload a reader looks for first: an error, an action, outputs.
fn gist(payload: &Value) -> String {
    const LENGTH_MAX: usize = 72;
    const TELLING: [&str; 9] =
        ["error", "action", "decision", "outputs", "reason", "inputs", "resumeValue", "kind", "delayMs"];
    let mut parts = Vec::new();
    for name in TELLING {
        match payload.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::Object(members)) if members.is_empty() => {}
            Some(Value::String(value)) => parts.push(format!("{name}={value}")),
            Some(value) => parts.push(format!("{name}={value}")),
        }
    }
    let gist = parts.join(" ");
    match gist.char_indices().nth(LENGTH_MAX) {
        Some((cut, _)) => format!("{}…", &gist[..cut]),
        None => gist,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_names_what_matters_and_is_cut_between_characters() {
        let event = json!({
            "sequence": 3, "timestamp": "2026-01-02T03:04:05.678901Z", "type": "node.completed",
            "nodeId": "a", "payload": {"outputs": {"text": "ä".repeat(200)}},
        });
        let [sequence, time, kind, node, gist] = event_row(&event);
        assert_eq!((sequence.as_str(), time.as_str()), ("3", "03:04:05.678"));
        assert_eq!((kind.as_str(), node.as_str()), ("node.completed", "a"));
        assert!(gist.starts_with("outputs={\"text\":\"ä") && gist.ends_with('…'), "{gist}");
    }

    #[test]
    fn an_event_without_members_is_still_a_row() {
        assert_eq!(event_row(&json!({})), ["", "-", "-", "-", ""].map(str::to_owned));
    }
}
