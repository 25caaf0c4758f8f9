use serde_json::{Value, json};

use super::{
    ApprovalAction, ApprovalData, ApprovalResume, InterruptData, InterruptKind, InterruptPayload,
    credential_resume_schema,
};
use crate::run::RunStatus;

/// One minimal and one full data object of every kind.
pub(crate) fn samples() -> Vec<(InterruptKind, Value)> {
    use InterruptKind::*;
    vec![
        (Approval, json!({"artifactId": "a", "artifactType": "t", "title": "T", "actions": ["accept"]})),
        (
            Approval,
            json!({"artifactId": "a", "artifactType": "t", "title": "T",
            "onTimeout": "escalate", "description": "d", "artifactData": null,
            "actions": ["accept", "reject", "refine", "edit-accept", "ask"], "requiredApprovals": 3,
            "approversList": ["u"], "rejectionPolicy": "majority", "overrideBypassesQuorum": true,
            "approverGroupRefs": ["g"], "approverRoleRefs": ["r"],
            "audience": {"subjects": ["s"], "groups": [], "roles": ["r"]}}),
        ),
        (Clarification, json!({"questions": [{"id": "q", "question": "?"}]})),
        (
            Clarification,
            json!({"questions": [{"id": "q", "question": "?", "schema": {"type": "string"}}],
            "contextType": "c"}),
        ),
        (ExternalEvent, json!({"eventType": "e", "correlation": {}})),
        (Custom, json!({"customKind": "c"})),
        (Custom, json!({"customKind": "c", "payload": [1, null]})),
        (ConversationStart, json!({"conversationId": "c"})),
        (ConversationStart, json!({"conversationId": "c", "title": "t", "initialPrompt": "p"})),
        (ConversationExchange, json!({"conversationId": "c", "prompt": "p"})),
        (
            ConversationExchange,
            json!({"conversationId": "c", "prompt": "p", "outcomeSchema": {},
            "turnIndex": 0}),
        ),
        (ConversationClose, json!({"conversationId": "c", "reason": "r"})),
        (LowConfidence, json!({"agentId": "a", "threshold": 0.7, "observed": 0.25, "decision": {}})),
        (
            Credential,
            json!({"provider": "p", "scopes": ["s"], "reason": "insufficient_scope",
            "connectUrl": "https://host/connect"}),
        ),
    ]
}

fn wire(kind: InterruptKind, data: Value) -> Value {
    let mut wire = json!({"kind": kind, "key": "k", "data": data, "timeoutMs": 0});
    if kind == InterruptKind::Credential {
        wire["resumeSchema"] = Value::Object(credential_resume_schema());
    }
    wire
}

fn read(value: Value) -> Result<InterruptPayload, serde_json::Error> {
    serde_json::from_value(value)
}

// R-INT-01, R-EVT-46
#[test]
fn a_payload_of_every_kind_reads_back_verbatim() {
    for (kind, data) in samples() {
        let value = wire(kind, data);
        let payload = read(value.clone()).expect("a sample");
        assert_eq!(payload.kind(), kind);
        assert_eq!(serde_json::to_value(&payload).expect("an object"), value);
    }
}

// R-EVT-46
#[test]
fn payload_and_data_are_closed() {
    for (kind, data) in samples() {
        let mut payload = wire(kind, data.clone());
        payload["nodeId"] = json!("n");
        assert!(read(payload).is_err(), "{kind} payload");
        let mut extra = data;
        extra["token"] = json!("t");
        assert!(read(wire(kind, extra)).is_err(), "{kind} data");
    }
}

// R-EVT-46
#[test]
fn data_is_bound_to_its_kind() {
    for (kind, data) in samples() {
        for other in InterruptKind::ALL {
            // A start, an exchange and a close share members; the smallest start is a close too.
            let family = |kind: &InterruptKind| kind.as_str().starts_with("conversation.");
            if *other != kind && !(family(other) && family(&kind)) {
                assert!(InterruptData::read(*other, data.clone()).is_err(), "{kind} as {other}");
            }
        }
    }
}

// R-APR-01, R-INT-16, R-CRED-03, R-CRED-04
#[test]
fn values_out_of_bounds_are_refused() {
    let broken = [
        (InterruptKind::Approval, "actions", json!([])),
        (InterruptKind::Approval, "actions", json!(["accept", "accept"])),
        (InterruptKind::Approval, "actions", json!(["timeout"])),
        (InterruptKind::Approval, "title", json!("")),
        (InterruptKind::Approval, "requiredApprovals", json!(0)),
        (InterruptKind::Clarification, "questions", json!([])),
        (InterruptKind::Custom, "customKind", json!("")),
        (InterruptKind::ConversationStart, "conversationId", json!("c".repeat(257))),
        (InterruptKind::LowConfidence, "threshold", json!(1.5)),
        (InterruptKind::Credential, "connectUrl", json!("http://host/connect")),
        (InterruptKind::Credential, "scopes", json!(["s", "s"])),
    ];
    for (kind, member, value) in broken {
        let (_, mut data) = samples().into_iter().find(|(k, _)| *k == kind).expect("a sample");
        data[member] = value;
        assert!(read(wire(kind, data)).is_err(), "{kind} {member}");
    }
    let (kind, data) = samples().pop().expect("the credential sample");
    let mut payload = wire(kind, data);
    payload["resumeSchema"] = json!({"type": "object"});
    assert!(read(payload).is_err());
}

// R-INT-04
#[test]
fn a_key_has_1_to_256_characters() {
    let with_key = |key: String| {
        let mut payload = wire(InterruptKind::Custom, json!({"customKind": "c"}));
        payload["key"] = json!(key);
        read(payload)
    };
    assert!(with_key(String::new()).is_err());
    assert!(with_key("k".repeat(256)).is_ok());
    assert!(with_key("k".repeat(257)).is_err());
}

// R-INT-14
#[test]
fn any_custom_kind_is_accepted() {
    assert!(read(wire(InterruptKind::Custom, json!({"customKind": "something new"}))).is_ok());
}

// R-EVT-92
#[test]
fn every_kind_waits_with_its_status() {
    for kind in InterruptKind::ALL {
        let expected = match kind {
            InterruptKind::ExternalEvent => RunStatus::WaitingExternal,
            InterruptKind::Approval | InterruptKind::LowConfidence => RunStatus::WaitingApproval,
            _ => RunStatus::WaitingInput,
        };
        assert_eq!(kind.waiting_status(), expected, "{kind}");
    }
}

fn gate() -> ApprovalData {
    let (_, mut data) = samples().remove(0);
    data["actions"] = json!(["accept", "reject", "refine", "edit-accept"]);
    serde_json::from_value(data).expect("a gate")
}

// R-APR-01, R-APR-03, R-APR-04
#[test]
fn an_answer_carries_what_its_action_needs() {
    let at = "2026-12-01T00:00:00Z";
    let good = [
        json!({"action": "accept"}),
        json!({"action": "accept", "decidedAt": at, "decidedBy": "u"}),
        json!({"action": "reject", "decidedAt": at, "feedback": "too dear"}),
        json!({"action": "refine", "decidedAt": at, "refineFeedback": {"scope": "items", "itemIds": ["1"]}}),
        json!({"action": "edit-accept", "decidedAt": at, "editedArtifactData": null}),
    ];
    for value in good {
        assert!(ApprovalResume::read(&value, &gate()).is_ok(), "{value}");
    }
    let bad = [
        json!({"action": "ask"}),
        json!({"action": "refine"}),
        json!({"action": "refine", "refineFeedback": {}}),
        json!({"action": "refine", "refineFeedback": {"scope": "page"}}),
        json!({"action": "edit-accept"}),
        json!({"action": "accept", "decidedAt": "yesterday"}),
        json!({"action": "accept", "override": true}),
        json!({"decidedAt": at}),
        json!("accept"),
    ];
    for value in bad {
        assert!(ApprovalResume::read(&value, &gate()).is_err(), "{value}");
    }
}

// R-ERR-15: the message is for the caller and names no type of this program.
#[test]
fn a_misshapen_answer_is_told_in_words_of_the_wire() {
    let reason = |value: serde_json::Value| ApprovalResume::read(&value, &gate()).expect_err("refused").to_string();
    assert_eq!(reason(json!(null)), "invalid type: null, expected an object with the member `action`");
    let remark = reason(json!({"action": "refine", "refineFeedback": 5}));
    assert_eq!(remark, "invalid type: integer `5`, expected an object with the member `scope`");
}

// R-APR-12
#[test]
fn a_caller_cannot_answer_with_a_timeout() {
    assert!(ApprovalResume::read(&json!({"action": "timeout"}), &gate()).is_err());
}

// R-APR-05, R-APR-06
#[test]
fn absent_quorum_members_have_their_defaults() {
    let gate = gate();
    assert_eq!(gate.required_approvals(), 1);
    assert_eq!(gate.rejection_policy(), super::RejectionPolicy::SingleVeto);
    assert!(gate.actions.contains(&ApprovalAction::EditAccept));
}
