//! Names of timers.

use crate::run::{NodeTimer, TimerId};
use weft_model::NodeId;

/// The text of a timer is stored, so it is stable and read back exactly.
#[test]
fn names_are_stable_and_read_back() {
    let node = |kind, node: &str, attempt| TimerId::Node { kind, node: NodeId::parse(node).unwrap(), attempt };
    for (timer, text) in [
        (TimerId::RunDeadline, "run"),
        (node(NodeTimer::Sleep, "a", 0), "sleep/a/0"),
        (node(NodeTimer::Retry, "a.b~c:d", 7), "retry/a.b~c:d/7"),
        (node(NodeTimer::Timeout, "run", 1), "timeout/run/1"),
        (node(NodeTimer::Interrupt, "x", u32::MAX), "interrupt/x/4294967295"),
    ] {
        assert_eq!(timer.to_string(), text);
        assert_eq!(text.parse::<TimerId>(), Ok(timer));
    }
}

#[test]
fn other_texts_name_no_timer() {
    for text in
        ["", "Run", "run/", "sleep", "sleep/a", "sleep/a/", "sleep/a/-1", "sleep/a/+1", "sleep/a/01", "sleep/a/0/0"]
    {
        assert!(text.parse::<TimerId>().is_err(), "{text}");
    }
    for text in ["nap/a/0", "sleep//0", "sleep/a b/0", "sleep/a/4294967296"] {
        assert!(text.parse::<TimerId>().is_err(), "{text}");
    }
}
