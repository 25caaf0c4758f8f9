//! Links that answers carry: relative, with the projected id as one segment (R-ID-02, R-RUN-07).

use weft_model::RunId;

/// `eventsUrl` of a run.
pub(crate) fn events_url(run: &RunId) -> String {
    format!("/runs/{}/events", run.projected())
}

/// `statusUrl` of a run.
pub(crate) fn status_url(run: &RunId) -> String {
    format!("/runs/{}", run.projected())
}
