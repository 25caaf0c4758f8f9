//! How runs and events look on a terminal: one table and one line, written once.

use std::fmt::Display;
use std::io::Write;

use comfy_table::{Table, presets};
use serde_json::Value;

use super::Failure;

/// Longest telling part of an event, so that a log fits a terminal of 100 columns.
const GIST_MAX: usize = 44;

/// Writes a line of data to stdout.
///
/// # Errors
/// [`Failure::ReaderGone`] when the reader closed its end (`weft runs list | head`), else what
/// the operating system says; `println!` would panic on both.
pub(super) fn line(data: impl Display) -> Result<(), Failure> {
    match writeln!(std::io::stdout().lock(), "{data}") {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Err(Failure::ReaderGone),
        Err(error) => Err(Failure::Refused(anyhow::Error::new(error).context("cannot write to stdout"))),
    }
}

/// A plain table with the given header. Its cells are never wrapped: an id that is broken over
/// two lines cannot be copied.
pub(super) fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table
}

/// A table as lines without the blanks that would only fill its last column.
pub(super) fn lines(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// The text, cut between characters when it is longer than `max`.
pub(super) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A string member of a document, or `-` where it is absent.
pub(super) fn text<'v>(document: &'v Value, member: &str) -> &'v str {
    document.get(member).and_then(Value::as_str).unwrap_or("-")
}

/// The wall-clock part of a timestamp: `12:34:56.789`.
pub(super) fn clock(timestamp: &str) -> &str {
    timestamp.get(11..23).unwrap_or(timestamp)
}

/// A timestamp to the minute: `2026-01-02 12:34`.
pub(super) fn minute(timestamp: &str) -> String {
    match (timestamp.get(..10), timestamp.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time}"),
        _ => timestamp.to_owned(),
    }
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
    format!("{sequence:>4}  {time}  {kind:<19}  {node:<12}  {gist}").trim_end().to_owned()
}

/// The part of a payload a reader looks for first: an error, an action, outputs.
fn gist(payload: &Value) -> String {
    const TELLING: [&str; 8] = ["error", "action", "decision", "outputs", "reason", "inputs", "kind", "delayMs"];
    let mut parts = Vec::new();
    for name in TELLING {
        match payload.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::Object(members)) if members.is_empty() => {}
            Some(error @ Value::Object(_)) if name == "error" => {
                parts.push(format!("{}: {}", text(error, "code"), text(error, "message")));
            }
            Some(Value::String(value)) => parts.push(format!("{name}={value}")),
            Some(value) => parts.push(format!("{name}={value}")),
        }
    }
    cut(&parts.join(" "), GIST_MAX)
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
    fn an_event_fits_a_terminal_and_tells_an_error_in_words() {
        let event = json!({
            "sequence": 1234, "timestamp": "2026-01-02T03:04:05.678901Z", "type": "interrupt.requested",
            "nodeId": "confirmation", "payload": {"error": {"code": "egress_denied", "message": "m".repeat(200)}},
        });
        let line = event_line(&event);
        assert!(line.contains("egress_denied: mmm"), "{line}");
        assert!(line.chars().count() <= 100, "{line}");
    }

    #[test]
    fn an_event_without_members_is_still_a_row() {
        assert_eq!(event_row(&json!({})), ["", "-", "-", "-", ""].map(str::to_owned));
    }
}
