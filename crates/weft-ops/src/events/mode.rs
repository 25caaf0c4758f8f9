//! Stream modes: which events a subscriber sees, and under which name (openwop-events §4).

use serde_json::json;
use weft_model::ErrorCode;
use weft_model::event::TypeRow;

use crate::error::{OpError, OpResult};

/// The single modes that this host serves, as `details.supported` says them.
const SERVED: [&str; 4] = ["values", "updates", "messages", "debug"];

/// One mode of a log stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogMode {
    Updates,
    Messages,
    Debug,
}

impl LogMode {
    fn parse(text: &str) -> Option<LogMode> {
        match text {
            "updates" => Some(LogMode::Updates),
            "messages" => Some(LogMode::Messages),
            "debug" => Some(LogMode::Debug),
            _ => None,
        }
    }

    fn admits(self, row: &TypeRow) -> bool {
        match self {
            LogMode::Updates => row.modes.updates(),
            LogMode::Messages => row.modes.messages(),
            LogMode::Debug => true,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            LogMode::Updates => "updates",
            LogMode::Messages => "messages",
            LogMode::Debug => "debug",
        }
    }
}

/// What a subscriber asked to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamMode {
    /// A snapshot after each transition, and nothing else (R-SSE-07).
    Values,
    /// Events, by one mode or the union of several in log order (R-SSE-10).
    Log(Vec<LogMode>),
}

/// How an admitted event is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The event, named by its type.
    Event,
    /// The event, named by the mode that admitted it: more than one mode was asked for.
    Admitted(&'static str),
    /// The payload of a text chunk (R-SSE-08).
    Chunk,
    /// A snapshot folded up to the event.
    Snapshot,
}

impl StreamMode {
    /// Reads `streamMode`; absent means `updates` (R-SSE-03). Anything outside the pattern is
    /// refused with the modes served (R-SSE-04).
    pub(crate) fn parse(text: Option<&str>) -> OpResult<StreamMode> {
        match text {
            None => Ok(StreamMode::Log(vec![LogMode::Updates])),
            Some("values") => Ok(StreamMode::Values),
            Some(text) => {
                let mut modes = Vec::new();
                for part in text.split(',') {
                    let mode = LogMode::parse(part).ok_or_else(unsupported)?;
                    if !modes.contains(&mode) {
                        modes.push(mode);
                    }
                }
                Ok(StreamMode::Log(modes))
            }
        }
    }

    /// Whether and how an event of this type is shown. An event that several modes admit is shown
    /// once, by the first of them (R-EVT-84).
    pub(crate) fn show(&self, row: &TypeRow) -> Option<Shown> {
        match self {
            StreamMode::Values => row.values_snapshot.then_some(Shown::Snapshot),
            StreamMode::Log(modes) => {
                let admitting = modes.iter().find(|mode| mode.admits(row))?;
                Some(match (modes.len(), admitting) {
                    (1, LogMode::Messages) => Shown::Chunk,
                    (1, _) => Shown::Event,
                    (_, mode) => Shown::Admitted(mode.as_str()),
                })
            }
        }
    }
}

fn unsupported() -> OpError {
    OpError::new(ErrorCode::UnsupportedStreamMode, "The stream mode is not one that this host serves.")
        .with_detail("supported", json!(SERVED))
}
