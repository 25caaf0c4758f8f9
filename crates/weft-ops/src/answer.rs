//! The answer of a mutating operation, in the form in which it is also kept for replay.

use bytes::Bytes;
use weft_engine::Outcome;
use weft_model::RunStatus;
use weft_store::StoredResponse;

use crate::error::OpError;

/// What a mutating operation answers. A replayed answer can be a refusal: a 4xx that is final is
/// replayed like a success (R-IDEM-05).
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status number.
    pub status: u16,
    /// Headers of the answer beyond the ones that every answer carries.
    pub headers: Vec<(String, String)>,
    /// The JSON body.
    pub body: Bytes,
    /// Whether this is a stored answer; the door then says `OpenWOP-Idempotent-Replay: true`
    /// (R-IDEM-04), and never otherwise (R-IDEM-12).
    pub replayed: bool,
}

impl Answer {
    /// A fresh answer.
    pub(crate) fn new(status: u16, body: Bytes) -> Answer {
        Answer { status, headers: Vec::new(), body, replayed: false }
    }

    /// A fresh answer whose body is made of texts that need no escaping: ids, status words, links.
    pub(crate) fn of_parts(status: u16, parts: &[&str]) -> Answer {
        Answer::new(status, Bytes::from(parts.concat()))
    }

    /// The answer to an order: what was stored with it, byte for byte, or else what `render` makes
    /// of its outcome.
    pub(crate) fn of_outcome(outcome: Outcome, render: impl FnOnce(RunStatus) -> Answer) -> Answer {
        match outcome.response {
            Some(StoredResponse { status, headers, body }) => Answer { status, headers, body, replayed: false },
            None => render(outcome.status),
        }
    }

    /// The refusal as an answer, to be kept for replay.
    pub(crate) fn of_error(error: &OpError) -> Answer {
        Answer::new(error.status(), error.envelope())
    }

    /// The stored answer of an earlier request.
    pub(crate) fn from_receipt(stored: StoredResponse) -> Answer {
        Answer { status: stored.status, headers: stored.headers, body: stored.body, replayed: true }
    }

    /// The same answer, said to be a replay.
    pub(crate) fn replay(mut self) -> Answer {
        self.replayed = true;
        self
    }

    /// The form that the store keeps.
    pub(crate) fn stored(&self) -> StoredResponse {
        StoredResponse { status: self.status, headers: self.headers.clone(), body: self.body.clone() }
    }
}
