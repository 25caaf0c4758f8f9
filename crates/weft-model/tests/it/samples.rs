//! Events of every type weft's engine emits: as small as possible and with every member.

use serde_json::{Value, json};
use weft_model::interrupt::credential_resume_schema;

fn subject() -> Value {
    json!({"issuer": "urn:weft:api-key", "subjectId": "key-1", "tenant": "acme", "lane": "api-key",
        "kind": "user"})
}

fn failure() -> Value {
    json!({"code": "internal_error", "message": "it broke", "details": {"reason": "interrupted"},
        "retryable": false})
}

/// Type and payload.
pub(crate) fn payloads() -> Vec<(&'static str, Value)> {
    let mut all = runs();
    all.extend(nodes());
    all.extend(interrupts());
    all
}

fn runs() -> Vec<(&'static str, Value)> {
    vec![
        ("run.started", json!({"workflowId": "w"})),
        (
            "run.started",
            json!({"workflowId": "w", "inputs": {"a": 1}, "transport": "rest",
            "engineVersion": 1, "owner": {"tenant": "acme", "workspace": "main", "subject": subject()},
            "tags": ["t"], "metadata": {"k": null}}),
        ),
        ("run.completed", json!({"outputs": {}})),
        ("run.completed", json!({"outputs": {"a": [1, 2.5]}, "durationMs": 12})),
        ("run.failed", json!({"error": {"code": "run_timeout", "message": "too slow"}})),
        ("run.failed", json!({"error": failure(), "failedNodeId": "n", "durationMs": 12})),
        ("run.cancelled", json!({})),
        (
            "run.cancelled",
            json!({"reason": "parent-cancelled", "cancelledBy": "key-1",
            "durationMs": 12, "parentRunId": "acme/0123456789abcdef"}),
        ),
        ("run.resume-started", json!({"fromStatus": "paused"})),
        (
            "run.paused",
            json!({"reason": "r", "drainPolicy": "drain-current-node",
            "interruptedNodeId": "n", "interruptedAttempt": 1}),
        ),
        ("run.resumed", json!({})),
        ("run.restored-from-snapshot", json!({"snapshotSeq": 9, "engineVersion": 1})),
        ("workflow.restored", json!({"fromSnapshotSeq": 9, "engineVersion": 1})),
        ("cap.breached", json!({"kind": "node-executions", "limit": 3, "observed": 4})),
        ("cap.breached", json!({"kind": "budget-cost", "limit": 0.5, "observed": 0.75, "nodeId": "n"})),
    ]
}

fn nodes() -> Vec<(&'static str, Value)> {
    vec![
        ("node.started", json!({"nodeId": "n", "typeId": "core.noop"})),
        ("node.started", json!({"nodeId": "n", "typeId": "core.noop", "attempt": 0})),
        ("node.completed", json!({"nodeId": "n"})),
        ("node.completed", json!({"nodeId": "n", "outputs": {"out": null}, "durationMs": 0})),
        ("node.failed", json!({"nodeId": "n", "error": failure(), "attempts": 1})),
        ("node.suspended", json!({"nodeId": "n", "interruptId": "acme/0123456789abcdef"})),
        (
            "node.suspended",
            json!({"nodeId": "n", "interruptId": "acme/0123456789abcdef",
            "kind": "approval", "reason": "low-confidence", "key": "k"}),
        ),
        ("node.suspend-failed", json!({"nodeId": "n", "error": failure()})),
        (
            "node.resumed",
            json!({"nodeId": "n", "interruptId": "acme/0123456789abcdef",
            "resumeValue": null}),
        ),
        ("node.retried", json!({"nodeId": "n", "attempt": 1, "delayMs": 0, "lastError": failure()})),
        ("node.skipped", json!({"nodeId": "n", "reason": "condition"})),
        ("node.cancelled", json!({"nodeId": "n", "reason": "run-cancelled"})),
    ]
}

fn interrupts() -> Vec<(&'static str, Value)> {
    let approval = json!({"kind": "approval", "key": "k", "timeoutMs": 1000, "resumeSchema": {},
        "data": {"artifactId": "a", "artifactType": "t", "title": "T", "actions": ["accept", "ask"]}});
    let credential = json!({"kind": "credential", "key": "k",
        "resumeSchema": credential_resume_schema(), "data": {"provider": "p", "scopes": ["s"],
        "reason": "missing", "connectUrl": "https://host.example/connect"}});
    let resolved = json!({"nodeId": "n", "interruptId": "acme/0123456789abcdef", "kind": "approval",
        "reason": "timeout", "resumeValue": {"action": "refine"}, "resolvedBy": subject(),
        "decision": "rejected", "action": "refine", "editedArtifactData": null,
        "refineFeedback": {"scope": "items", "sectionPath": "/a", "itemIds": ["1"], "tags": ["t"],
        "text": "x"}});
    let mut all = vec![
        ("interrupt.requested", credential),
        ("interrupt.resolved", json!({"nodeId": "n", "interruptId": "acme/0123456789abcdef"})),
    ];
    for (kind, data) in other_kinds() {
        all.push(("interrupt.requested", json!({"kind": kind, "key": "k", "data": data})));
    }
    for name in ["interrupt.requested", "approval.requested", "clarification.requested"] {
        all.push((name, approval.clone()));
    }
    for name in [
        "interrupt.resolved",
        "approval.received",
        "approval.granted",
        "approval.rejected",
        "approval.overridden",
        "clarification.resolved",
    ] {
        all.push((name, resolved.clone()));
    }
    all
}

fn other_kinds() -> Vec<(&'static str, Value)> {
    vec![
        (
            "clarification",
            json!({"questions": [{"id": "q", "question": "?", "schema": {}}],
            "contextType": "c"}),
        ),
        ("external-event", json!({"eventType": "e", "correlation": {"id": 1}})),
        ("custom", json!({"customKind": "c", "payload": null})),
        ("conversation.start", json!({"conversationId": "c", "title": "t", "initialPrompt": "p"})),
        (
            "conversation.exchange",
            json!({"conversationId": "c", "prompt": "p", "outcomeSchema": {},
            "turnIndex": 0}),
        ),
        ("conversation.close", json!({"conversationId": "c", "reason": "r"})),
        ("low-confidence", json!({"agentId": "a", "threshold": 0.7, "observed": 0.1, "decision": 1})),
    ]
}
