//! The fold behind a `values` stream.

use std::sync::Arc;

use bytes::Bytes;
use weft_core::RunState;
use weft_engine::WorkflowSource;
use weft_model::{EncodedEvent, Event, json};
use weft_store::RunRecord;

use crate::error::{OpError, OpResult};
use crate::host::Host;

/// Folds a run's log, event by event, and shows it as a snapshot at any point.
pub(crate) struct SnapshotFold(RunState);

impl SnapshotFold {
    /// An empty fold of a run.
    pub(crate) async fn new(host: &Arc<Host>, record: &RunRecord) -> OpResult<SnapshotFold> {
        let workflow = host.workflows.fetch(record.definition).await.map_err(OpError::internal)?;
        Ok(SnapshotFold(RunState::new(record.run_id.clone(), workflow)))
    }

    /// Folds one event.
    pub(crate) fn apply(&mut self, event: &EncodedEvent) -> OpResult<()> {
        let (_, event) = Event::decode(&event.bytes).map_err(OpError::internal)?;
        self.0.apply(&event);
        Ok(())
    }

    /// The snapshot as JSON.
    pub(crate) fn render(&self) -> Bytes {
        Bytes::from(json::to_bytes(&self.0.snapshot()))
    }
}
