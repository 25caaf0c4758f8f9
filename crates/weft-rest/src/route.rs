//! From a method and a path to what is meant: one match over segments.
//!
//! Segments are split before they are decoded, so an id may carry its slash as `%2F` (R-ID-04).
//! Operations of the table that this host does not serve are no different from unknown paths
//! (R-ERR-09), and so is a known path with another method (DECISIONS 7).

use http::Method;
use weft_model::OperationId;

/// The names under which answers are counted, in the order of [`Route::index`].
pub(crate) const OPERATION_NAMES: [&str; 11] = [
    "none",
    "probe",
    "getCapabilities",
    "getWorkflow",
    "createRun",
    "getRun",
    "listRuns",
    "streamRunEvents",
    "pollRunEvents",
    "cancelRun",
    "resolveInterruptByRun",
];

/// What a request means. Segments are still encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route<'p> {
    /// Nothing that this host serves.
    Unknown,
    /// A path of the first major's space, which this host does not have.
    FirstMajor,
    /// `GET /healthz`
    Health,
    /// `GET /readyz`
    Ready,
    /// `GET /metrics`
    Metrics,
    /// `GET /.well-known/openwop`
    GetCapabilities,
    /// `GET /workflows/{workflowId}`
    GetWorkflow { workflow: &'p str },
    /// `POST /runs`
    CreateRun,
    /// `GET /runs/{runId}`
    GetRun { run: &'p str },
    /// `GET /runs`
    ListRuns,
    /// `GET /runs/{runId}/events`
    StreamRunEvents { run: &'p str },
    /// `GET /runs/{runId}/events/poll`
    PollRunEvents { run: &'p str },
    /// `POST /runs/{runId}/cancel`
    CancelRun { run: &'p str },
    /// `POST /runs/{runId}/interrupts/{nodeId}`
    ResolveInterruptByRun { run: &'p str, node: &'p str },
}

/// Verbs that the table puts behind the last segment of a run's path. None is served.
const RUN_VERBS: [&str; 4] = ["diff", "fork", "pause", "resume"];
/// Segments of the longest served path, and one to see that a path is longer.
const SEGMENTS_MAX: usize = 5;

impl<'p> Route<'p> {
    /// Reads a request line.
    pub(crate) fn of(method: &Method, path: &'p str) -> Route<'p> {
        let mut segments = [""; SEGMENTS_MAX];
        let mut count = 0;
        for segment in path.strip_prefix('/').unwrap_or(path).split('/') {
            // No parameter is empty, so a path with an empty segment names nothing.
            let Some(seat) = segments.get_mut(count).filter(|_| !segment.is_empty()) else { return beyond(path) };
            *seat = segment;
            count += 1;
        }
        if *method == Method::GET {
            read(&segments[..count])
        } else if *method == Method::POST {
            write(&segments[..count])
        } else {
            other(&segments[..count])
        }
    }

    /// The operation, if this is one of the protocol's.
    pub(crate) fn operation(&self) -> Option<OperationId> {
        Some(match self {
            Route::Unknown | Route::FirstMajor | Route::Health | Route::Ready | Route::Metrics => return None,
            Route::GetCapabilities => OperationId::GetCapabilities,
            Route::GetWorkflow { .. } => OperationId::GetWorkflow,
            Route::CreateRun => OperationId::CreateRun,
            Route::GetRun { .. } => OperationId::GetRun,
            Route::ListRuns => OperationId::ListRuns,
            Route::StreamRunEvents { .. } => OperationId::StreamRunEvents,
            Route::PollRunEvents { .. } => OperationId::PollRunEvents,
            Route::CancelRun { .. } => OperationId::CancelRun,
            Route::ResolveInterruptByRun { .. } => OperationId::ResolveInterruptByRun,
        })
    }

    /// The place in [`OPERATION_NAMES`].
    pub(crate) fn index(&self) -> usize {
        match self {
            Route::Unknown | Route::FirstMajor => 0,
            Route::Health | Route::Ready | Route::Metrics => 1,
            Route::GetCapabilities => 2,
            Route::GetWorkflow { .. } => 3,
            Route::CreateRun => 4,
            Route::GetRun { .. } => 5,
            Route::ListRuns => 6,
            Route::StreamRunEvents { .. } => 7,
            Route::PollRunEvents { .. } => 8,
            Route::CancelRun { .. } => 9,
            Route::ResolveInterruptByRun { .. } => 10,
        }
    }

    /// Whether this is one of the host's own pages, which are no protocol responses.
    pub(crate) fn is_probe(&self) -> bool {
        matches!(self, Route::Health | Route::Ready | Route::Metrics)
    }
}

fn read<'p>(segments: &[&'p str]) -> Route<'p> {
    match *segments {
        ["runs", run, "events", "poll"] => Route::PollRunEvents { run },
        ["runs", run, "events"] => Route::StreamRunEvents { run },
        ["runs", run] if !has_verb(run) => Route::GetRun { run },
        ["runs"] => Route::ListRuns,
        [".well-known", "openwop"] => Route::GetCapabilities,
        ["workflows", workflow] => Route::GetWorkflow { workflow },
        ["healthz"] => Route::Health,
        ["readyz"] => Route::Ready,
        ["metrics"] => Route::Metrics,
        _ => other(segments),
    }
}

fn write<'p>(segments: &[&'p str]) -> Route<'p> {
    match *segments {
        ["runs"] => Route::CreateRun,
        ["runs", run, "cancel"] => Route::CancelRun { run },
        ["runs", run, "interrupts", node] => Route::ResolveInterruptByRun { run, node },
        _ => other(segments),
    }
}

fn other<'p>(segments: &[&str]) -> Route<'p> {
    if segments.len() > 1 && segments[0] == "v1" { Route::FirstMajor } else { Route::Unknown }
}

fn beyond<'p>(path: &str) -> Route<'p> {
    if path.starts_with("/v1/") { Route::FirstMajor } else { Route::Unknown }
}

/// A run id has no colon but the one of `anon:`, so a known verb behind a colon is a verb.
fn has_verb(segment: &str) -> bool {
    segment.rsplit_once(':').is_some_and(|(_, verb)| RUN_VERBS.contains(&verb))
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_model::operation::OPERATIONS;

    fn of(method: &Method, path: &'static str) -> Route<'static> {
        Route::of(method, path)
    }

    #[test]
    fn served_paths_are_found_with_their_segments() {
        assert_eq!(of(&Method::GET, "/.well-known/openwop"), Route::GetCapabilities);
        assert_eq!(of(&Method::POST, "/runs"), Route::CreateRun);
        assert_eq!(of(&Method::GET, "/runs"), Route::ListRuns);
        assert_eq!(of(&Method::GET, "/runs/acme%2Fx"), Route::GetRun { run: "acme%2Fx" });
        assert_eq!(of(&Method::GET, "/runs/anon:a~2Fx"), Route::GetRun { run: "anon:a~2Fx" });
        assert_eq!(of(&Method::GET, "/runs/a/events/poll"), Route::PollRunEvents { run: "a" });
        assert_eq!(of(&Method::POST, "/runs/a/interrupts/n"), Route::ResolveInterruptByRun { run: "a", node: "n" });
    }

    // R-HDR-09, R-VER-10: other methods and other paths are nothing.
    #[test]
    fn other_paths_and_methods_are_unknown() {
        for path in [
            "",
            "/",
            "//",
            "/runs/",
            "/runs/a/",
            "/runs/a/events/",
            "/runs//events",
            "/v2/runs",
            "/.well-known/wop",
            "/runs/a/b/c/d/e",
            "/RUNS",
        ] {
            assert_eq!(of(&Method::GET, path), Route::Unknown, "{path}");
        }
        for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::HEAD, Method::OPTIONS, Method::TRACE] {
            assert_eq!(of(&method, "/runs"), Route::Unknown, "{method}");
        }
        assert_eq!(of(&Method::POST, "/.well-known/openwop"), Route::Unknown);
        assert_eq!(of(&Method::POST, "/healthz"), Route::Unknown);
        assert_eq!(of(&Method::POST, "/runs/a/interrupts/"), Route::Unknown);
        assert_eq!(of(&Method::GET, "/v1/runs"), Route::FirstMajor);
        assert_eq!(of(&Method::POST, "/v1/runs/a/b/c/d"), Route::FirstMajor);
    }

    // R-ERR-09: each row of the operation table is either served under its own name or unknown.
    #[test]
    fn every_operation_of_the_table_is_served_or_unknown() {
        let mut served = 0;
        for row in OPERATIONS {
            let path = fill(row.path);
            let method: Method = row.method.as_str().parse().expect("a method");
            match Route::of(&method, &path) {
                Route::Unknown => {}
                route => {
                    assert_eq!(route.operation(), Some(row.id), "{path}");
                    assert_eq!(OPERATION_NAMES[route.index()], row.operation_id);
                    served += 1;
                }
            }
        }
        assert_eq!(served, OPERATION_NAMES.len() - 2);
    }

    fn fill(path: &str) -> String {
        path.replace(['{', '}'], "")
    }
}
