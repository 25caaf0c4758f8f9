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

#[cfg(test)]
mod tests {
    use weft_model::ErrorCode;

    use super::*;

    // R-ID-03, R-ID-04, R-ID-05: the projected form, and the bound one that %2F leaves behind.
    #[test]
    fn a_run_id_is_read_in_both_forms() {
        let bound = "acme/0123456789abcdef";
        for segment in [bound, "acme~2F0123456789abcdef", "acme~2f0123456789abcdef"] {
            assert_eq!(run_id(segment).expect(segment).as_str(), bound);
        }
    }

    // R-ID-06, R-ID-08, R-ID-13: bare, malformed and out of the grammar are one refusal.
    #[test]
    fn other_segments_are_malformed() {
        for segment in
            ["", "0123456789abcdef", "acme~2", "acme~ZZ0123456789abcdef", "acme/short", "a b/0123456789abcdef"]
        {
            let error = run_id(segment).expect_err(segment);
            assert_eq!((error.code(), error.status()), (ErrorCode::ValidationError, 400), "{segment}");
        }
        node_id("a/b").expect_err("a slash");
        workflow_id("").expect_err("nothing");
        node_id("a:b~c.d-e_f").expect("the author grammar");
    }
}
