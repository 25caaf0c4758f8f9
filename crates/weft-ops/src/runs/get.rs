//! `getRun`: the snapshot of a run (openwop-rest §10).

use bytes::Bytes;
use weft_auth::Caller;
use weft_model::{OperationId, RunId};

use crate::authorize::authorize_run;
use crate::engine_error::engine_error;
use crate::error::OpResult;
use crate::host::Host;

/// The form of the snapshot's bytes. It is part of the ETag, so that a build that writes other
/// bytes for the same log raises it.
const SNAPSHOT_FORM: u32 = 1;

/// A snapshot with its validator.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The snapshot as JSON.
    pub body: Bytes,
    /// Its strong ETag, with the quotes: from the latest persisted sequence (R-SNAP-07).
    pub etag: String,
}

/// Reads the snapshot of a run.
pub async fn get(host: &Host, caller: &Caller, run_id: &RunId) -> OpResult<Snapshot> {
    authorize_run(caller, OperationId::GetRun, run_id)?;
    let record = host.find_run(run_id).await?;
    let snapshot = host.engine.snapshot(&record).await.map_err(engine_error)?;
    let etag = format!("\"{SNAPSHOT_FORM}-{}\"", snapshot.last_sequence);
    Ok(Snapshot { body: snapshot.bytes, etag })
}
