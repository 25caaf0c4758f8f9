//! Values for the rules: small, valid and told apart by a number.

use bytes::Bytes;
use weft_model::{Digest, EncodedEvent, RunId, RunStatus, TenantId, Timestamp, WorkflowId};

use crate::log::{Commit, PageLimit, RunChange};
use crate::receipts::{Receipt, ReceiptScope, StoredResponse};
use crate::runs::{NewRun, RunIndex, RunKey};
use crate::store::Store;

/// The moment at which everything happens unless a rule says otherwise.
pub const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// A page that no rule fills.
pub const WHOLE: PageLimit = PageLimit { events: 10_000, bytes: 64 * 1024 * 1024 };

/// The run `number` of `tenant`.
pub fn run_id(tenant: &str, number: u64) -> RunId {
    let mut random = [0; 16];
    random[8..].copy_from_slice(&number.to_be_bytes());
    let tenant = TenantId::parse(tenant).expect("the fixture names a tenant");
    RunId::mint(&tenant, NOW, random)
}

/// An event at `sequence`; `mark` tells events at one position apart.
pub fn event(sequence: u64, mark: &str) -> EncodedEvent {
    let text = format!(r#"{{"type":"log.appended","sequence":{sequence},"payload":{{"message":"{mark}"}}}}"#);
    EncodedEvent::from_bytes(sequence, Bytes::from(text)).expect("the fixture writes a registered type")
}

/// The index row of a running run.
pub fn moving(moving: bool) -> RunIndex {
    let status = if moving { RunStatus::Running } else { RunStatus::Completed };
    RunIndex { status, moving, updated_at: NOW }
}

/// A new run.
pub fn new_run(run_id: &RunId) -> NewRun {
    NewRun {
        run_id: run_id.clone(),
        tenant: run_id.tenant_id(),
        workflow_id: WorkflowId::parse("contract").expect("the fixture names a workflow"),
        definition: Digest::of(b"contract"),
        created_at: NOW,
        index: moving(true),
    }
}

/// A commit that creates a run with `events` events.
pub fn create(run_id: &RunId, events: u64) -> Commit {
    bare(RunChange::Create(new_run(run_id)), (0..events).map(|sequence| event(sequence, "born")).collect())
}

/// A commit that appends one event after `expect_last`.
pub fn append(run: RunKey, expect_last: u64, mark: &str) -> Commit {
    bare(RunChange::Append { run, expect_last, index: moving(true) }, vec![event(expect_last + 1, mark)])
}

/// A commit with nothing but a change and its events.
pub fn bare(run: RunChange, events: Vec<EncodedEvent>) -> Commit {
    Commit { run, events, timers: Vec::new(), receipt: None, outbox: Vec::new(), snapshot: None }
}

/// The scope `number`.
pub fn scope(number: u64) -> ReceiptScope {
    ReceiptScope(*Digest::of(&number.to_be_bytes()).as_bytes())
}

/// A receipt in a scope; `body` tells answers apart.
pub fn receipt(scope: ReceiptScope, body: &str) -> Receipt {
    Receipt {
        scope,
        request: Digest::of(b"request"),
        response: StoredResponse {
            status: 201,
            headers: vec![("location".to_owned(), "/v2/runs/1".to_owned()), ("x".to_owned(), "\"ü".to_owned())],
            body: Bytes::copy_from_slice(body.as_bytes()),
        },
        created_at: NOW,
    }
}

/// The texts of a run's whole log.
pub async fn events_of(store: &dyn Store, run: RunKey) -> Vec<String> {
    let page = store.read_events(run, None, WHOLE).await.expect("a readable log");
    page.iter().map(|event| String::from_utf8_lossy(&event.bytes).into_owned()).collect()
}
