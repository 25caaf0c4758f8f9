//! Rows and the values they stand for. A row that does not parse, or whose checksum is wrong,
//! fails its reader by name; nothing is made up for a missing or odd column (R-DUR-06).

use bytes::Bytes;
use rusqlite::types::FromSql;
use rusqlite::{Connection, Row};
use weft_model::{Digest, EncodedEvent, KeyId, RunId, RunStatus, ScopeSet, SubjectId, Timestamp, WorkflowId};

use super::checksum::{self, Checksum};
use crate::error::StoreError;
use crate::keys::KeyRecord;
use crate::outbox::{OutboxId, OutboxMessage, OutboxRow};
use crate::receipts::{Receipt, ReceiptScope, StoredResponse};
use crate::runs::{NewRun, RunIndex, RunKey, RunRecord};

/// The columns of a run for [`run_record`], from `runs r LEFT JOIN tenants t ON t.id = r.tenant`.
pub(super) const RUN_COLUMNS: &str = "r.key, r.tenant, t.name, r.opaque, r.workflow, r.definition,
    r.created_at, r.born_crc, r.status, r.moving, r.last_seq, r.updated_at, r.crc";

/// The columns of a receipt for [`receipt`].
pub(super) const RECEIPT_COLUMNS: &str = "scope, request, status, headers, body, created_at, crc";

/// The columns of a key for [`key_record`], from `api_keys k LEFT JOIN tenants t ON t.id = k.tenant`.
pub(super) const KEY_COLUMNS: &str = "k.key_id, k.secret, k.tenant, t.name, k.subject, k.scopes, k.created_at,
    k.expires_at, k.revoked_at, k.origin, k.crc";

/// The columns of a message for [`outbox_row`].
pub(super) const OUTBOX_COLUMNS: &str = "id, run, topic, attempts, due, payload, crc";

/// The number of a status. The numbers are stored: they are only ever added to.
pub(super) fn status_number(status: RunStatus) -> i64 {
    match status {
        RunStatus::Pending => 0,
        RunStatus::Running => 1,
        RunStatus::Paused => 2,
        RunStatus::WaitingApproval => 3,
        RunStatus::WaitingInput => 4,
        RunStatus::WaitingExternal => 5,
        RunStatus::Completed => 6,
        RunStatus::Failed => 7,
        RunStatus::Cancelling => 8,
        RunStatus::Cancelled => 9,
    }
}

fn status_of(number: i64) -> Option<RunStatus> {
    RunStatus::ALL.into_iter().find(|status| status_number(*status) == number)
}

/// The checksum of what never changes in a run's row.
pub(super) fn born_checksum(key: i64, tenant: i64, new: &NewRun) -> i64 {
    born(key, tenant, new.run_id.opaque(), new.workflow_id.as_str(), new.definition.as_bytes(), new.created_at)
}

fn born(key: i64, tenant: i64, opaque: &str, workflow: &str, definition: &[u8], created_at: Timestamp) -> i64 {
    let row = Checksum::new().int(key).int(tenant).text(opaque).text(workflow);
    row.bytes(definition).int(created_at.as_micros()).column()
}

/// The checksum of what changes with the log in a run's row.
pub(super) fn head_checksum(key: i64, last: i64, index: &RunIndex) -> i64 {
    let row = Checksum::new().int(key).int(status_number(index.status)).int(i64::from(index.moving));
    row.int(last).int(index.updated_at.as_micros()).column()
}

/// A run, checked.
pub(super) fn run_record(row: &Row<'_>) -> Result<RunRecord, StoreError> {
    let key: i64 = row.get(0)?;
    let run_id = run_id(row, 2, 3, key)?;
    let column = Columns { row, run: Some(&run_id), what: "its index row" };
    let definition: [u8; 32] = column.get(5)?;
    let workflow: String = column.get(4)?;
    let created_at = column.time(6)?;
    let found = born(key, column.get(1)?, run_id.opaque(), &workflow, &definition, created_at);
    column.check(7, found)?;
    let index = RunIndex {
        status: status_of(column.get(8)?).ok_or_else(|| column.odd("status"))?,
        moving: column.get(9)?,
        updated_at: column.time(11)?,
    };
    let last: i64 = column.get(10)?;
    column.check(12, head_checksum(key, last, &index))?;
    let workflow_id = WorkflowId::parse(&workflow).map_err(|_| column.odd("workflow"))?;
    let last_sequence = u64::try_from(last).map_err(|_| column.odd("last_seq"))?;
    let RunIndex { status, moving, updated_at } = index;
    let definition = Digest::from_bytes(definition);
    let key = RunKey(key);
    Ok(RunRecord { key, run_id, workflow_id, definition, status, moving, last_sequence, created_at, updated_at })
}

/// The public id in a run's row, from the columns of the tenant's name and the opaque part.
pub(super) fn run_id(row: &Row<'_>, tenant: usize, opaque: usize, key: i64) -> Result<RunId, StoreError> {
    let text = |column: usize| row.get::<_, String>(column).ok();
    let id =
        text(tenant).zip(text(opaque)).and_then(|(tenant, opaque)| RunId::parse(&format!("{tenant}/{opaque}")).ok());
    id.ok_or_else(|| StoreError::Corrupt { run: None, reason: format!("the run with key {key} has no readable id") })
}

/// An event of `run`, checked; `expected` is the sequence that has to stand here.
pub(super) fn event(row: &Row<'_>, run: i64, expected: u64) -> Result<EncodedEvent, String> {
    let odd = |error: rusqlite::Error| format!("event {expected} cannot be read: {error}");
    let seq: i64 = row.get(0).map_err(odd)?;
    let crc: i64 = row.get(1).map_err(odd)?;
    let body: Vec<u8> = row.get(2).map_err(odd)?;
    if u64::try_from(seq) != Ok(expected) {
        return Err(format!("event {seq} stands where event {expected} belongs"));
    }
    if checksum::event(run, seq, &body) != crc {
        return Err(format!("event {expected} does not match its checksum"));
    }
    EncodedEvent::from_bytes(expected, Bytes::from(body)).map_err(|fault| format!("event {expected}: {fault}"))
}

/// The checksum of a receipt; `headers` is the text of its column.
pub(super) fn receipt_checksum(receipt: &Receipt, headers: &str) -> i64 {
    let row = Checksum::new().bytes(&receipt.scope.0).bytes(receipt.request.as_bytes());
    let row = row.int(i64::from(receipt.response.status)).text(headers).bytes(&receipt.response.body);
    row.int(receipt.created_at.as_micros()).column()
}

/// The text of a receipt's headers.
pub(super) fn headers_text(headers: &[(String, String)]) -> String {
    serde_json::to_string(headers).expect("pairs of texts are always JSON")
}

/// A receipt, checked.
pub(super) fn receipt(row: &Row<'_>) -> Result<Receipt, StoreError> {
    let column = Columns { row, run: None, what: "a receipt" };
    let headers: String = column.get(3)?;
    let receipt = Receipt {
        scope: ReceiptScope(column.get(0)?),
        request: Digest::from_bytes(column.get(1)?),
        response: StoredResponse {
            status: column.get(2)?,
            headers: serde_json::from_str(&headers).map_err(|_| column.odd("headers"))?,
            body: Bytes::from(column.get::<Vec<u8>>(4)?),
        },
        created_at: column.time(5)?,
    };
    column.check(6, receipt_checksum(&receipt, &headers))?;
    Ok(receipt)
}

/// The checksum of a key in the tenant with the number `tenant`.
pub(super) fn key_checksum(key: &KeyRecord, tenant: i64) -> i64 {
    let micros = |time: Option<Timestamp>| time.map(Timestamp::as_micros);
    let row = Checksum::new().text(key.key_id.as_str()).bytes(&key.secret_sha256).int(tenant);
    let row = row.text(key.subject.as_str()).text(&key.scopes.to_string()).int(key.created_at.as_micros());
    let row = row.maybe_int(micros(key.expires_at)).maybe_int(micros(key.revoked_at));
    row.maybe_text(key.origin.as_deref()).column()
}

/// A key, checked, and the number of its tenant.
pub(super) fn key_record(row: &Row<'_>) -> Result<(KeyRecord, i64), StoreError> {
    let column = Columns { row, run: None, what: "an API key" };
    let tenant: i64 = column.get(2)?;
    let key = KeyRecord {
        key_id: KeyId::parse(&column.get::<String>(0)?).map_err(|_| column.odd("key_id"))?,
        secret_sha256: column.get(1)?,
        tenant: column.get::<String>(3)?.parse().map_err(|_| column.odd("tenant"))?,
        subject: SubjectId::parse(&column.get::<String>(4)?).map_err(|_| column.odd("subject"))?,
        scopes: ScopeSet::parse(&column.get::<String>(5)?).map_err(|_| column.odd("scopes"))?,
        created_at: column.time(6)?,
        expires_at: column.get::<Option<i64>>(7)?.map(Timestamp::from_micros),
        revoked_at: column.get::<Option<i64>>(8)?.map(Timestamp::from_micros),
        origin: column.get(9)?,
    };
    column.check(10, key_checksum(&key, tenant))?;
    Ok((key, tenant))
}

/// The checksum of a message: of what attempts do not change.
pub(super) fn outbox_checksum(run: RunKey, topic: &str, payload: &[u8]) -> i64 {
    Checksum::new().int(run.0).text(topic).bytes(payload).column()
}

/// A message for [`outbox_checksum`].
pub(super) fn message_checksum(run: RunKey, message: &OutboxMessage) -> i64 {
    outbox_checksum(run, &message.topic, &message.payload)
}

/// A message, checked.
pub(super) fn outbox_row(row: &Row<'_>) -> Result<OutboxRow, StoreError> {
    let column = Columns { row, run: None, what: "a message of the outbox" };
    let message = OutboxRow {
        id: OutboxId(column.get(0)?),
        run: RunKey(column.get(1)?),
        topic: column.get(2)?,
        attempts: column.get(3)?,
        due: column.time(4)?,
        payload: Bytes::from(column.get::<Vec<u8>>(5)?),
    };
    column.check(6, outbox_checksum(message.run, &message.topic, &message.payload))?;
    Ok(message)
}

/// The columns of one row, with what to call it when one of them is odd.
struct Columns<'a> {
    row: &'a Row<'a>,
    run: Option<&'a RunId>,
    what: &'static str,
}

impl Columns<'_> {
    fn get<T: FromSql>(&self, index: usize) -> Result<T, StoreError> {
        self.row.get(index).map_err(|error| self.corrupt(format!("{} cannot be read: {error}", self.what)))
    }

    fn time(&self, index: usize) -> Result<Timestamp, StoreError> {
        self.get(index).map(Timestamp::from_micros)
    }

    fn check(&self, index: usize, found: i64) -> Result<(), StoreError> {
        match self.row.get::<_, i64>(index) {
            Ok(stored) if stored == found => Ok(()),
            _ => Err(self.corrupt(format!("{} does not match its checksum", self.what))),
        }
    }

    fn odd(&self, column: &'static str) -> StoreError {
        self.corrupt(format!("{} has an odd {column}", self.what))
    }

    fn corrupt(&self, reason: String) -> StoreError {
        StoreError::Corrupt { run: self.run.cloned(), reason }
    }
}

/// The public id of a run, as far as it can be read: for naming a damaged run.
pub(super) fn find_run_id(conn: &Connection, run: RunKey) -> Option<RunId> {
    let mut find = conn
        .prepare_cached("SELECT t.name, r.opaque FROM runs r JOIN tenants t ON t.id = r.tenant WHERE r.key = ?1")
        .ok()?;
    find.query_row([run.0], |row| Ok(run_id(row, 0, 1, run.0).ok())).ok()?
}
