//! Stream modes: which events a subscriber sees, and under which name (openwop-events §4).

use serde_json::json;
use weft_model::ErrorCode;
use weft_model::event::{EventType, Mode, ModeSet, StreamSelection};

use crate::error::{OpError, OpResult};

/// How an admitted event is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The event, named by its type.
    Event,
    /// The event, named by the mode that admitted it: more than one mode was asked for.
    Admitted(Mode),
    /// The payload of a text chunk (R-SSE-08).
    Chunk,
    /// A snapshot folded up to the event (R-SSE-07).
    Snapshot,
}

/// Reads `streamMode`; absent means `updates` (R-SSE-03). Anything outside the pattern is refused
/// with the modes served (R-SSE-04).
pub(crate) fn parse(text: Option<&str>) -> OpResult<StreamSelection> {
    match text {
        None => Ok(StreamSelection::Events(ModeSet::EMPTY.with(Mode::Updates))),
        Some(text) => StreamSelection::parse(text).ok_or_else(|| {
            OpError::new(ErrorCode::UnsupportedStreamMode, "The stream mode is not one that this host serves.")
                .with_detail("supported", json!(StreamSelection::WORDS))
        }),
    }
}

/// Whether and how an event of this type is shown. An event that several modes admit is shown
/// once (R-EVT-84). A vendor's type is on the log for `debug` alone (R-SSE-09).
pub(crate) fn show(selection: StreamSelection, event_type: &EventType) -> Option<Shown> {
    let row = event_type.row();
    match selection {
        StreamSelection::Values => row.values_snapshot.then_some(Shown::Snapshot),
        StreamSelection::Events(wanted) => {
            let admitting = [Mode::Updates, Mode::Messages, Mode::Debug]
                .into_iter()
                .find(|mode| wanted.contains(*mode) && row.modes.contains(*mode))?;
            Some(match admitting {
                mode if wanted != ModeSet::EMPTY.with(mode) => Shown::Admitted(mode),
                Mode::Messages => Shown::Chunk,
                Mode::Updates | Mode::Debug => Shown::Event,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(mode: &str, event_type: &str) -> Option<Shown> {
        show(parse(Some(mode)).expect("a mode"), &EventType::parse(event_type).expect("a type"))
    }

    // R-SSE-04, R-EVT-89: what is outside the pattern is refused, with the single modes served.
    #[test]
    fn modes_outside_the_pattern_are_refused() {
        for text in ["", "foo", "values,updates", "updates,values", "updates,", "Updates", "updates, debug"] {
            let error = parse(Some(text)).expect_err(text);
            assert_eq!(error.code(), ErrorCode::UnsupportedStreamMode, "{text}");
            let supported = error.details().expect("details")["supported"].as_array().expect("a list");
            assert_eq!(supported.len(), 4);
        }
    }

    // R-SSE-03, R-SSE-06: updates is the default, and shows transitions and not node starts.
    #[test]
    fn updates_are_transitions() {
        assert_eq!(parse(None).expect("default"), parse(Some("updates")).expect("updates"));
        for event_type in ["run.started", "node.completed", "node.suspended", "interrupt.requested", "run.completed"] {
            assert_eq!(shown("updates", event_type), Some(Shown::Event), "{event_type}");
        }
        for event_type in ["node.started", "node.retried", "workflow.restored", "cap.breached", "output.chunk"] {
            assert_eq!(shown("updates", event_type), None, "{event_type}");
        }
    }

    // R-SSE-07, R-SSE-08, R-SSE-09.
    #[test]
    fn values_messages_and_debug_show_their_own() {
        assert_eq!(shown("values", "node.completed"), Some(Shown::Snapshot));
        assert_eq!(shown("values", "node.started"), None);
        assert_eq!(shown("messages", "output.chunk"), Some(Shown::Chunk));
        assert_eq!(shown("messages", "node.completed"), None);
        assert_eq!(shown("debug", "node.started"), Some(Shown::Event));
        assert_eq!(shown("debug", "output.chunk"), Some(Shown::Event));
    }

    // R-SSE-10, R-EVT-84: a union names the admitting mode and shows each event once.
    #[test]
    fn a_union_names_the_admitting_mode() {
        assert_eq!(shown("debug,updates", "node.completed"), Some(Shown::Admitted(Mode::Updates)));
        assert_eq!(shown("debug,updates", "node.started"), Some(Shown::Admitted(Mode::Debug)));
        assert_eq!(shown("updates,messages", "output.chunk"), Some(Shown::Admitted(Mode::Messages)));
        assert_eq!(shown("updates,updates", "node.completed"), Some(Shown::Event));
    }
}
