//! Path segments to ids. A door reads them before anything else, since a malformed id is refused
//! before the credential is looked at (DECISIONS 7).

use weft_model::{IdError, NodeId, RunId, WorkflowId};

use crate::error::{OpError, OpResult};

/// A run id from one percent-decoded path segment, bound or projected (R-ID-03, R-ID-04).
pub fn run_id(segment: &str) -> OpResult<RunId> {
    RunId::from_path_segment(segment).map_err(malformed)
}

/// A node id from one percent-decoded path segment.
pub fn node_id(segment: &str) -> OpResult<NodeId> {
    NodeId::parse(segment).map_err(malformed)
}

/// A workflow id from one percent-decoded path segment.
pub fn workflow_id(segment: &str) -> OpResult<WorkflowId> {
    WorkflowId::parse(segment).map_err(malformed)
}

fn malformed(error: IdError) -> OpError {
    OpError::invalid_field(error.kind, format!("The {} in the path {}.", error.kind, error.reason))
}
