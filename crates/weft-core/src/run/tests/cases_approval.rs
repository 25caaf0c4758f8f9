//! Approval gates: requests, answers, rejections, timeouts.

use super::{Case, check_all};

const RESOLVED: &[&str] = &["refused: the interrupt is already resolved"];

pub(super) const CASES: &[Case] = &[
    Case {
        rule: "request, suspension and alias in one commit (E1 to E3, R-INT-01, R-INT-03, R-EVT-41, R-EVT-46)",
        flow: "g gate",
        given: &[],
        when: "start",
        then: &["run.started", "node.started g#0", "interrupt.requested g", "node.suspended g", "approval.requested g"],
    },
    Case {
        rule: "accept completes the gate with the answer (R-EVT-43, R-EVT-47, R-EVT-148, R-APR-04)",
        flow: "g gate",
        given: &["start"],
        when: r#"resolve g {"action":"accept","decidedAt":"2026-12-01T03:00:00Z"} by bob"#,
        then: &[
            "interrupt.resolved g accept granted by bob",
            "approval.received g",
            "approval.granted g",
            "node.resumed g",
            r#"node.completed g {"action":"accept","decidedAt":"2026-12-01T03:00:00Z"}"#,
            r#"run.completed {"action":"accept","decidedAt":"2026-12-01T03:00:00Z"}"#,
        ],
    },
    Case {
        rule: "an answer without a time gets that of its arrival (R-APR-04)",
        flow: "g gate",
        given: &["start", "after 250"],
        when: r#"resolve g {"action":"accept"}"#,
        then: &[
            "interrupt.resolved g accept granted by bob",
            "approval.received g",
            "approval.granted g",
            "node.resumed g",
            r#"node.completed g {"action":"accept","decidedAt":"2027-01-15T08:00:00.250000Z"}"#,
            r#"run.completed {"action":"accept","decidedAt":"2027-01-15T08:00:00.250000Z"}"#,
        ],
    },
    Case {
        rule: "reject fails gate and run (R-APR-08, R-APR-09, R-APR-10)",
        flow: "g gate; a noop; g>a",
        given: &["start"],
        when: r#"resolve g {"action":"reject"}"#,
        then: &[
            "interrupt.resolved g reject rejected by bob",
            "approval.received g",
            "approval.rejected g",
            "node.resumed g",
            "node.failed g approval_rejected after 1",
            "run.failed approval_rejected at g",
        ],
    },
    Case {
        rule: "a rejection is not retried (R-APR-09)",
        flow: "g gate; set maxRetries=5",
        given: &["start"],
        when: r#"resolve g {"action":"reject"}"#,
        then: &[
            "interrupt.resolved g reject rejected by bob",
            "approval.received g",
            "approval.rejected g",
            "node.resumed g",
            "node.failed g approval_rejected after 1",
            "run.failed approval_rejected at g",
        ],
    },
    Case {
        rule: "a rejection goes on over all_complete (R-APR-10)",
        flow: "g gate; a noop; g>a all_complete",
        given: &["start"],
        when: r#"resolve g {"action":"reject"}"#,
        then: &[
            "interrupt.resolved g reject rejected by bob",
            "approval.received g",
            "approval.rejected g",
            "node.resumed g",
            "node.failed g approval_rejected after 1",
            "node.started a#0",
            "node.completed a",
            "run.completed",
        ],
    },
    Case {
        rule: "a rejection goes on over any_failed (R-APR-10)",
        flow: "g gate; a noop; b noop; g>a any_failed; g>b",
        given: &["start"],
        when: r#"resolve g {"action":"reject"}"#,
        then: &[
            "interrupt.resolved g reject rejected by bob",
            "approval.received g",
            "approval.rejected g",
            "node.resumed g",
            "node.failed g approval_rejected after 1",
            "node.started a#0",
            "node.completed a",
            "node.skipped b trigger-rule",
            "run.completed",
        ],
    },
    Case {
        rule: "refine needs its feedback (R-APR-03, R-INT-06, R-EVT-157)",
        flow: r#"g gate {"actions":["refine"]}"#,
        given: &["start"],
        when: r#"resolve g {"action":"refine"}"#,
        then: &["refused: /refineFeedback: refine needs refineFeedback"],
    },
    Case {
        rule: "refine ends the wait, neither granted nor rejected (R-APR-03, R-EVT-48)",
        flow: r#"g gate {"actions":["refine"]}; a noop; g>a"#,
        given: &["start"],
        when: r#"resolve g {"action":"refine","refineFeedback":{"scope":"whole"},"decidedAt":"2026-12-01T03:00:00Z"}"#,
        then: &[
            "interrupt.resolved g refine by bob",
            "approval.received g",
            "node.resumed g",
            r#"node.completed g {"action":"refine","decidedAt":"2026-12-01T03:00:00Z","refineFeedback":{"scope":"whole"}}"#,
            "node.started a#0",
            "node.completed a",
            "run.completed",
        ],
    },
    Case {
        rule: "edit-accept needs the edited artifact (R-APR-03, R-EVT-157)",
        flow: r#"g gate {"actions":["edit-accept"]}"#,
        given: &["start"],
        when: r#"resolve g {"action":"edit-accept"}"#,
        then: &["refused: /editedArtifactData: edit-accept needs editedArtifactData"],
    },
    Case {
        rule: "edit-accept grants with the edited artifact (R-APR-03, R-EVT-48)",
        flow: r#"g gate {"actions":["edit-accept"]}"#,
        given: &["start"],
        when: r#"resolve g {"action":"edit-accept","editedArtifactData":null,"decidedAt":"2026-12-01T03:00:00Z"}"#,
        then: &[
            "interrupt.resolved g editaccept granted by bob",
            "approval.received g",
            "approval.granted g",
            "node.resumed g",
            r#"node.completed g {"action":"edit-accept","decidedAt":"2026-12-01T03:00:00Z","editedArtifactData":null}"#,
            r#"run.completed {"action":"edit-accept","decidedAt":"2026-12-01T03:00:00Z","editedArtifactData":null}"#,
        ],
    },
    Case {
        rule: "ask does not end the wait (R-APR-02)",
        flow: r#"g gate {"actions":["ask","accept"]}"#,
        given: &["start"],
        when: r#"resolve g {"action":"ask","feedback":"why?"}"#,
        then: &["log.appended g"],
    },
    Case {
        rule: "after a question the gate can be answered (R-APR-02)",
        flow: r#"g gate {"actions":["ask","reject"]}"#,
        given: &["start", r#"resolve g {"action":"ask"}"#],
        when: r#"resolve g {"action":"reject"}"#,
        then: &[
            "interrupt.resolved g reject rejected by bob",
            "approval.received g",
            "approval.rejected g",
            "node.resumed g",
            "node.failed g approval_rejected after 1",
            "run.failed approval_rejected at g",
        ],
    },
    Case {
        rule: "an action that the gate does not offer is refused (R-APR-01)",
        flow: "g gate",
        given: &["start"],
        when: r#"resolve g {"action":"ask"}"#,
        then: &["refused: /action: the action is not among the ones this approval offers"],
    },
    Case {
        rule: "who is not among the approvers is refused (R-APR-13, R-APR-17)",
        flow: r#"g gate {"approversList":["dora"]}"#,
        given: &["start"],
        when: r#"resolve g {"action":"accept"} by bob"#,
        then: &["refused: the subject is not among the approvers"],
    },
    Case {
        rule: "who is not among the approvers does not learn what would be an answer (R-APR-13)",
        flow: r#"g gate {"approversList":["dora"]}"#,
        given: &["start"],
        when: r#"resolve g {"action":"nonsense"} by bob"#,
        then: &["refused: the subject is not among the approvers"],
    },
    Case {
        rule: "an approver answers (R-APR-13)",
        flow: r#"g gate {"approversList":["bob","dora"]}"#,
        given: &["start"],
        when: r#"resolve g {"action":"reject"} by dora"#,
        then: &[
            "interrupt.resolved g reject rejected by dora",
            "approval.received g",
            "approval.rejected g",
            "node.resumed g",
            "node.failed g approval_rejected after 1",
            "run.failed approval_rejected at g",
        ],
    },
    Case {
        rule: "an empty list of approvers restricts nobody (R-APR-13)",
        flow: r#"g gate {"approversList":[],"actions":["ask"]}"#,
        given: &["start"],
        when: r#"resolve g {"action":"ask"} by zoe"#,
        then: &["log.appended g"],
    },
    Case {
        rule: "a second answer comes too late (R-INT-11, R-INT-12)",
        flow: "g gate; h gate",
        given: &["start", r#"resolve g {"action":"accept"}"#],
        when: r#"resolve g {"action":"accept"}"#,
        then: RESOLVED,
    },
    Case {
        rule: "an answer after the run comes too late (R-INT-11, R-CAN-04)",
        flow: "g gate",
        given: &["start", "cancel"],
        when: r#"resolve g {"action":"accept"}"#,
        then: RESOLVED,
    },
    Case {
        rule: "a node that waits for nothing has no interrupt (R-INT-10)",
        flow: "a sleep",
        given: &["start"],
        when: r#"resolve a {"action":"accept"}"#,
        then: &["refused: the node has no pending interrupt"],
    },
    Case {
        rule: "an unknown node has no interrupt (R-INT-10)",
        flow: "g gate",
        given: &["start"],
        when: r#"resolve q {"action":"accept"}"#,
        then: &["refused: the node has no pending interrupt"],
    },
    Case {
        rule: "a gate with a timeout sets a timer (R-APR-11)",
        flow: r#"g gate {"timeoutMs":600}"#,
        given: &[],
        when: "start",
        then: &[
            "run.started",
            "node.started g#0",
            "interrupt.requested g",
            "node.suspended g",
            "approval.requested g",
            "@ set interrupt/g/0 +600",
        ],
    },
    Case {
        rule: "a timeout of 0 is no timer (R-APR-11)",
        flow: r#"g gate {"timeoutMs":0}"#,
        given: &[],
        when: "start",
        then: &["run.started", "node.started g#0", "interrupt.requested g", "node.suspended g", "approval.requested g"],
    },
    Case {
        rule: "nobody answers: rejected by the timer, whatever onTimeout says (R-APR-11, R-EVT-47)",
        flow: r#"g gate {"timeoutMs":600,"onTimeout":"approve"}"#,
        given: &["start", "after 600"],
        when: "fire interrupt/g/0",
        then: &[
            "interrupt.resolved g timeout rejected because timeout",
            "approval.received g",
            "approval.rejected g",
            "node.resumed g",
            "node.failed g approval_rejected after 1",
            "run.failed approval_rejected at g",
            "@ clear interrupt/g/0",
        ],
    },
    Case {
        rule: "an answer clears the timer, and the timer comes too late",
        flow: r#"g gate {"timeoutMs":600}; h gate"#,
        given: &["start", r#"resolve g {"action":"accept"}"#],
        when: "fire interrupt/g/0",
        then: &["refused: the attempt or timer is no longer current"],
    },
    Case {
        rule: "several approvers are not offered yet, wherever the number comes from (R-APR-05)",
        flow: r#"g gate {"requiredApprovals":2}"#,
        given: &[],
        when: "start",
        then: &[
            "run.started",
            "node.started g#0",
            "node.failed g node_config_invalid after 1",
            "run.failed node_config_invalid at g",
        ],
    },
    Case {
        rule: "a gate without actions is no gate (R-APR-01)",
        flow: r#"g gate {"actions":[]}"#,
        given: &[],
        when: "start",
        then: &[
            "run.started",
            "node.started g#0",
            "node.failed g node_config_invalid after 1",
            "run.failed node_config_invalid at g",
        ],
    },
    Case {
        rule: "a wait survives its process and needs no event of its own (R-INT-17)",
        flow: "g gate",
        given: &["start"],
        when: "recover",
        then: &[],
    },
];

// R-APR-01, R-APR-02, R-APR-03, R-APR-04, R-APR-05, R-APR-08, R-APR-09, R-APR-10, R-APR-11, R-APR-13, R-APR-17,
// R-INT-01, R-INT-03, R-INT-06, R-INT-10, R-INT-11, R-INT-12, R-INT-17, R-CAN-04, R-EVT-41, R-EVT-43, R-EVT-46,
// R-EVT-47, R-EVT-48, R-EVT-148, R-EVT-157
#[test]
fn approvals() {
    check_all(CASES);
}

/// A resume value that is no answer leaves the run as it was.
// R-APR-01, R-APR-03, R-APR-12, R-INT-06
#[test]
fn a_value_that_does_not_fit_is_refused() {
    let all = r#"g gate {"actions":["accept","reject","refine","edit-accept","ask"]}"#;
    for value in [
        "null",
        "true",
        "[]",
        "{}",
        r#""accept""#,
        r#"{"action":"timeout"}"#,
        r#"{"action":"Accept"}"#,
        r#"{"action":"accept","extra":1}"#,
        r#"{"action":"accept","decidedAt":"yesterday"}"#,
        r#"{"action":"accept","decidedBy":7}"#,
        r#"{"action":"refine","refineFeedback":{}}"#,
        r#"{"action":"refine","refineFeedback":{"scope":"half"}}"#,
        r#"{"action":"refine","refineFeedback":{"scope":"whole","more":1}}"#,
        r#"{"action":["accept"]}"#,
    ] {
        let mut scene = super::Scene::new(all);
        scene.order("start");
        let lines = scene.order(&format!("resolve g {value}"));
        assert!(lines[0].starts_with("refused: "), "{value}: {lines:?}");
        assert_eq!(scene.state.status(), weft_model::RunStatus::WaitingApproval, "{value}");
    }
}
