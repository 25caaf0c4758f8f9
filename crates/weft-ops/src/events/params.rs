//! The query parameters and the resume header of the event operations.

use std::time::Duration;

use crate::error::{OpError, OpResult};
use crate::limits::{BUFFER_MAX_MS, POLL_WAIT_DEFAULT_SECONDS, POLL_WAIT_MAX_SECONDS};
use crate::natural::natural;

/// `afterSequence`: exclusive, absent means from the start (R-POLL-02). A number that no sequence
/// reaches is past the end like any other (R-POLL-04).
pub(crate) fn after_sequence(text: Option<&str>) -> OpResult<Option<u64>> {
    let Some(text) = text else { return Ok(None) };
    natural(text).map(Some).ok_or_else(|| not_natural("afterSequence"))
}

/// `timeout` in seconds (R-POLL-05).
pub(crate) fn poll_wait(text: Option<&str>) -> OpResult<Duration> {
    let seconds = match text {
        None => POLL_WAIT_DEFAULT_SECONDS,
        Some(text) => integer("timeout", text)?,
    };
    if !(1..=POLL_WAIT_MAX_SECONDS).contains(&seconds) {
        return Err(OpError::invalid_field(
            "timeout",
            format!("timeout must be from 1 to {POLL_WAIT_MAX_SECONDS} seconds."),
        ));
    }
    Ok(Duration::from_secs(seconds))
}

/// `bufferMs`: nothing and 0 mean no batches (R-SSE-17).
pub(crate) fn buffer(text: Option<&str>) -> OpResult<Option<Duration>> {
    let milliseconds = text.map(|text| integer("bufferMs", text)).transpose()?.unwrap_or(0);
    if milliseconds > BUFFER_MAX_MS {
        return Err(OpError::invalid_field("bufferMs", format!("bufferMs must be from 0 to {BUFFER_MAX_MS}.")));
    }
    Ok((milliseconds > 0).then(|| Duration::from_millis(milliseconds)))
}

/// `Last-Event-ID`: any well-formed non-negative integer (R-SSE-14). One beyond the largest
/// sequence there can be is past the end like any other.
pub(crate) fn last_event_id(text: Option<&str>) -> OpResult<Option<u64>> {
    let Some(text) = text else { return Ok(None) };
    let refused = || OpError::invalid_field("Last-Event-ID", "Last-Event-ID must be a sequence number.");
    natural(text).map(Some).ok_or_else(refused)
}

/// `resumable`: only `true` has a meaning; this host then behaves as without it and keeps the
/// stream open, which the flag allows (R-SSE-21).
pub(crate) fn resumable(text: Option<&str>) -> OpResult<()> {
    match text {
        None | Some("true" | "false") => Ok(()),
        Some(_) => Err(OpError::invalid_field("resumable", "resumable must be true.")),
    }
}

fn integer(name: &'static str, text: &str) -> OpResult<u64> {
    natural(text).ok_or_else(|| not_natural(name))
}

fn not_natural(name: &'static str) -> OpError {
    OpError::invalid_field(name, format!("{name} must be a non-negative integer."))
}

#[cfg(test)]
mod tests {
    use super::*;

    // R-POLL-02: negative and non-integer cursors are refused.
    #[test]
    fn after_sequence_is_a_natural_number() {
        assert_eq!(after_sequence(None).expect("absent"), None);
        assert_eq!(after_sequence(Some("0")).expect("zero"), Some(0));
        // R-POLL-04: past the end, however far.
        assert_eq!(after_sequence(Some("99999999999999999999")).expect("digits"), Some(u64::MAX));
        for text in ["", "-1", "1.5", "x", " 1", "+1"] {
            after_sequence(Some(text)).expect_err(text);
        }
    }

    // R-POLL-05: 1 to 60 seconds, 30 by default.
    #[test]
    fn the_poll_wait_has_a_range_and_a_default() {
        assert_eq!(poll_wait(None).expect("default"), Duration::from_secs(30));
        assert_eq!(poll_wait(Some("60")).expect("the most"), Duration::from_secs(60));
        for text in ["0", "61", "-1", "1s", "99999999999999999999"] {
            poll_wait(Some(text)).expect_err(text);
        }
    }

    // R-SSE-17: 0 to 5000 milliseconds.
    #[test]
    fn the_buffer_has_a_range() {
        assert_eq!(buffer(None).expect("absent"), None);
        assert_eq!(buffer(Some("0")).expect("off"), None);
        assert_eq!(buffer(Some("5000")).expect("the most"), Some(Duration::from_secs(5)));
        for text in ["5001", "-1", "a"] {
            buffer(Some(text)).expect_err(text);
        }
    }

    // R-SSE-14: any non-negative integer resumes, other values are refused.
    #[test]
    fn last_event_id_is_any_natural_number() {
        assert_eq!(last_event_id(Some("007")).expect("digits"), Some(7));
        assert_eq!(last_event_id(Some("99999999999999999999999")).expect("digits"), Some(u64::MAX));
        for text in ["", "-1", "abc", "1.0", "1 "] {
            last_event_id(Some(text)).expect_err(text);
        }
    }
}
