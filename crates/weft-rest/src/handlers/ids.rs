//! Path segments to ids. They are read before the credential: a malformed id is nobody's.

use std::borrow::Cow;

use weft_model::{NodeId, RunId, WorkflowId};
use weft_ops::{OpError, OpResult, ids};

use crate::percent::{self, Plus};

/// A run id in the projected or the percent-encoded form (R-ID-03, R-ID-04).
pub(crate) fn run(segment: &str) -> OpResult<RunId> {
    ids::run_id(&decoded("runId", segment)?)
}

/// A node id.
pub(crate) fn node(segment: &str) -> OpResult<NodeId> {
    ids::node_id(&decoded("nodeId", segment)?)
}

/// A workflow id.
pub(crate) fn workflow(segment: &str) -> OpResult<WorkflowId> {
    ids::workflow_id(&decoded("workflowId", segment)?)
}

fn decoded<'s>(field: &'static str, segment: &'s str) -> OpResult<Cow<'s, str>> {
    percent::decode(segment, Plus::Literal)
        .map_err(|_| OpError::invalid_field(field, format!("The {field} in the path is not percent-encoded UTF-8.")))
}
