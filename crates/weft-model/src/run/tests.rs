use serde_json::json;

use super::{RunSnapshot, RunStatus, SnapshotError};
use crate::error_code::ErrorCode;
use crate::event::Failure;
use crate::ids::{RunId, WorkflowId};

// R-EVT-94
#[test]
fn a_snapshot_error_is_the_failure_without_retryable() {
    let mut failure = Failure::new(ErrorCode::RunTimeout, "too slow");
    failure.retryable = Some(false);
    let error = serde_json::to_value(SnapshotError::from(&failure)).expect("an object");
    assert_eq!(error, json!({"code": "run_timeout", "message": "too slow"}));
}

// R-EVT-22
#[test]
fn a_failure_never_has_an_empty_message() {
    assert_eq!(Failure::new(ErrorCode::RunTimeout, "").message, "run_timeout");
}

// R-EVT-101, R-EVT-104
#[test]
fn the_smallest_snapshot_has_five_members() {
    let owner = serde_json::from_value(json!({"tenant": "acme", "subject": {"issuer": "urn:x",
        "subjectId": "s", "tenant": "acme", "lane": "api-key", "kind": "user"}}))
    .expect("an owner");
    let snapshot = RunSnapshot::new(
        RunId::parse("acme/0123456789abcdef").expect("a run id"),
        WorkflowId::parse("w").expect("a workflow id"),
        RunStatus::Pending,
        owner,
    );
    let members = serde_json::to_value(snapshot).expect("an object");
    assert_eq!(members.as_object().expect("an object").len(), 5);
    assert_eq!(members["eventLogSchemaVersion"], 3);
}

// R-EVT-92
#[test]
fn a_status_is_at_most_one_of_waiting_and_terminal() {
    for status in RunStatus::ALL {
        assert!(!(status.is_waiting() && status.is_terminal()));
    }
    assert_eq!(RunStatus::ALL.iter().filter(|status| status.is_waiting()).count(), 3);
    assert_eq!(RunStatus::ALL.iter().filter(|status| status.is_terminal()).count(), 3);
}
