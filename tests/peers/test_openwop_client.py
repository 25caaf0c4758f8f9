"""The published OpenWOP client (Python) against the built binary."""

import json
import urllib.request

import pytest
from openwop_client import CancelRunRequest, CreateRunRequest, ResolveInterruptRequest, WopError
from openwop_client.wire_id import project_id

import schemas

APPROVE = {"action": "accept", "decidedAt": "2026-01-01T00:00:00Z"}


def finished(client, run_id):
    """The whole log of a run, read until its terminal event."""
    events, after = [], None
    while True:
        page = client.runs_poll_events(run_id, after_sequence=after, timeout_seconds=5)
        events += page.events
        if page.isTerminal and page.lastSequence == (events[-1].sequence if events else -1):
            return events
        after = events[-1].sequence if events else None


def raw(host, key, path):
    request = urllib.request.Request(
        host.url + path, headers={"Authorization": f"Bearer {key}", "OpenWOP-Version": "2.0"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def test_discovery_is_a_closed_v2_root(client):
    """R-VER-09, R-DISC-01."""
    found = client.discovery_capabilities()
    assert found.preferredVersion == "2.46"
    assert found.preferredVersion in found.protocolVersions
    assert set(found.families) == {"auth", "eventLog", "runList", "httpClient"}


def test_a_run_is_created_polled_and_read(client):
    """R-RUN-01, R-POLL-08, R-EVT-150, R-SNAP-01."""
    created = client.runs_create(CreateRunRequest(workflowId="conformance-noop", tags=["peer"]))
    events = finished(client, created.runId)
    assert [event.sequence for event in events] == list(range(len(events)))
    assert [event.type for event in events][0] == "run.started"
    assert events[-1].type == "run.completed"
    snapshot = client.runs_get(created.runId)
    assert (snapshot.status, snapshot.tags) == ("completed", ["peer"])


def test_identity_returns_its_input(client):
    """R-EVT-135."""
    payload = {"deep": [1, 2.5, None, {"text": "ä"}]}
    created = client.runs_create(CreateRunRequest(workflowId="conformance-identity", inputs={"payload": payload}))
    finished(client, created.runId)
    assert client.runs_get(created.runId).variables["payload"] == payload


def test_a_failing_node_fails_the_run_with_the_same_code(client):
    """R-EVT-151, R-EVT-28."""
    created = client.runs_create(CreateRunRequest(workflowId="conformance-failure"))
    events = finished(client, created.runId)
    node = next(event for event in events if event.type == "node.failed")
    assert events[-1].type == "run.failed"
    assert events[-1].payload["error"]["code"] == node.payload["error"]["code"]


def test_nodes_complete_in_their_order(client):
    """R-EVT-152."""
    created = client.runs_create(CreateRunRequest(workflowId="conformance-multi-node"))
    completed = [event.nodeId for event in finished(client, created.runId) if event.type == "node.completed"]
    assert [node.lower()[-1] for node in completed] == ["a", "b", "c"]


def test_a_stream_yields_the_log_and_ends(client):
    """R-SSE-02, R-SSE-11, R-EVT-86."""
    created = client.runs_create(CreateRunRequest(workflowId="conformance-delay", inputs={}))
    streamed = list(client.runs_events(created.runId, stream_mode="debug", reconnect=False))
    assert [event.eventId for event in streamed] == [event.eventId for event in finished(client, created.runId)]


def test_a_stream_resumes_behind_the_last_event(client):
    """R-SSE-12, R-SSE-20."""
    created = client.runs_create(CreateRunRequest(workflowId="conformance-noop"))
    log = finished(client, created.runId)
    tail = list(client.runs_events(created.runId, stream_mode="debug", last_event_id="1", reconnect=False))
    assert [event.sequence for event in tail] == [event.sequence for event in log if event.sequence > 1]


def test_batches_hold_the_same_events(client):
    """R-SSE-17."""
    created = client.runs_create(CreateRunRequest(workflowId="conformance-noop"))
    log = finished(client, created.runId)
    batched = list(client.runs_events(created.runId, stream_mode="debug", buffer_ms=50, reconnect=False))
    assert [event.eventId for event in batched] == [event.eventId for event in log]


def test_an_expense_is_looked_up_approved_and_completed(client, policy_url):
    """R-INT-09, R-INT-11, R-EVT-157: one real HTTP call and one human decision."""
    inputs = {"employee": "Ada", "amount": 120, "policyUrl": policy_url}
    created = client.runs_create(CreateRunRequest(workflowId="expense-approval", inputs=inputs))
    after = None
    while True:
        page = client.runs_poll_events(created.runId, after_sequence=after, timeout_seconds=10)
        if page.status == "waiting-approval":
            break
        assert not page.isTerminal, page
        after = page.lastSequence
    node = client.runs_get(created.runId).currentNodeId
    client.interrupts_resolve_by_run(created.runId, node, ResolveInterruptRequest(resumeValue=APPROVE))
    events = finished(client, created.runId)
    assert events[-1].type == "run.completed", events[-1]
    with pytest.raises(WopError) as refused:
        client.interrupts_resolve_by_run(created.runId, node, ResolveInterruptRequest(resumeValue=APPROVE))
    assert (refused.value.status, refused.value.envelope.error) == (409, "interrupt_already_resolved")


def test_a_rejected_gate_fails_the_run(client):
    """R-APR-09, R-APR-10."""
    created = client.runs_create(CreateRunRequest(workflowId="conformance-approval"))
    node = client.runs_get(created.runId).currentNodeId
    rejection = {"action": "reject", "decidedAt": "2026-01-01T00:00:00Z"}
    client.interrupts_resolve_by_run(created.runId, node, ResolveInterruptRequest(resumeValue=rejection))
    terminal = finished(client, created.runId)[-1]
    assert (terminal.type, terminal.payload["error"]["code"]) == ("run.failed", "approval_rejected")
    assert terminal.payload["failedNodeId"] == node


def test_a_run_is_cancelled_once(client):
    """R-CAN-01, R-CAN-02, R-EVT-153."""
    created = client.runs_create(CreateRunRequest(workflowId="conformance-cancellable"))
    assert client.runs_cancel(created.runId, CancelRunRequest(reason="enough")).status in ("cancelling", "cancelled")
    terminal = finished(client, created.runId)[-1]
    assert (terminal.type, terminal.payload["reason"]) == ("run.cancelled", "enough")
    with pytest.raises(WopError) as refused:
        client.runs_cancel(created.runId)
    assert (refused.value.status, refused.value.envelope.error) == (409, "run_terminal")


def test_one_key_is_one_run(client):
    """R-IDEM-04, R-IDEM-08, R-IDEM-15, R-RUN-08."""
    key = "peer-key-0123456789abcdef"
    body = CreateRunRequest(workflowId="conformance-idempotent", inputs={"nonce": "1"})
    first = client.runs_create(body, idempotency_key=key)
    assert client.runs_create(body, idempotency_key=key).runId == first.runId
    with pytest.raises(WopError) as refused:
        other = CreateRunRequest(workflowId="conformance-idempotent", inputs={"nonce": "2"})
        client.runs_create(other, idempotency_key=key)
    assert (refused.value.status, refused.value.envelope.error) == (409, "idempotency_key_mismatch")
    with pytest.raises(WopError) as refused:
        client.runs_create(body, idempotency_key="too-short")
    assert refused.value.envelope.error == "idempotency_key_invalid"


def test_lists_are_walked_newest_first(host):
    """R-LIST-02, R-LIST-06."""
    client = host.client("walker")
    made = [client.runs_create(CreateRunRequest(workflowId="conformance-noop")).runId for _ in range(5)]
    walked, cursor = [], None
    while True:
        page = client.runs_list(limit=2, cursor=cursor)
        walked += [run.runId for run in page.runs]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert walked == list(reversed(made))


def test_another_tenant_sees_nothing(host, client):
    """R-ID-07, R-SECU-01: the same refusal whether or not the run exists."""
    real = client.runs_create(CreateRunRequest(workflowId="conformance-noop")).runId
    unreal = real[:-4] + "aaaa"
    stranger = host.client("stranger")
    answers = []
    for run in (real, unreal):
        with pytest.raises(WopError) as refused:
            stranger.runs_get(run)
        answers.append((refused.value.status, refused.value.raw_text))
    assert answers[0] == answers[1]
    assert answers[0][0] == 403 and "id_tenant_mismatch" in answers[0][1]


def test_a_workflow_is_read(client):
    """R-WF-01, R-WF-02."""
    assert client.workflows_get("conformance-noop")["id"] == "conformance-noop"
    with pytest.raises(WopError) as refused:
        client.workflows_get("no-such-workflow")
    assert (refused.value.status, refused.value.envelope.error) == (404, "not_found")


@schemas.pytestmark_missing
@pytest.mark.parametrize(
    "workflow", ["conformance-noop", "conformance-failure", "conformance-approval", "conformance-multi-node"]
)
def test_what_is_emitted_is_what_is_published(host, workflow):
    """R-EVT-01, R-EVT-19, R-SNAP-01."""
    key = host.key("schemas")
    client = host.client("schemas")
    run = client.runs_create(CreateRunRequest(workflowId=workflow)).runId
    if workflow == "conformance-approval":
        schemas.check_snapshot(raw(host, key, f"/runs/{project_id(run)}"))
        node = client.runs_get(run).currentNodeId
        client.interrupts_resolve_by_run(run, node, ResolveInterruptRequest(resumeValue=APPROVE))
    finished(client, run)
    schemas.check_snapshot(raw(host, key, f"/runs/{project_id(run)}"))
    page = raw(host, key, f"/runs/{project_id(run)}/events/poll?timeout=1")
    assert page["events"]
    for event in page["events"]:
        schemas.check_event(event)
