//! The index of runs: what can be asked about a run without reading its log.

use weft_model::{Digest, RunId, RunStatus, TenantId, Timestamp, WorkflowId};

/// A run's key inside the store: an integer that grows with every new run, so that rows of new
/// runs stand at the end of their tables (DECISIONS 8). It never leaves the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunKey(pub i64);

/// A run to be created.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// Its public id.
    pub run_id: RunId,
    /// The tenant of the id.
    pub tenant: TenantId,
    /// Its workflow.
    pub workflow_id: WorkflowId,
    /// The definition that it pins (DECISIONS 34).
    pub definition: Digest,
    /// When it was created.
    pub created_at: Timestamp,
    /// Its first index row.
    pub index: RunIndex,
}

/// The part of a run's index row that changes with its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunIndex {
    /// Its status.
    pub status: RunStatus,
    /// Whether somebody has to carry it on: what recovery looks for (R-DUR-02).
    pub moving: bool,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A run as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// Its key in this store.
    pub key: RunKey,
    /// Its public id.
    pub run_id: RunId,
    /// Its workflow.
    pub workflow_id: WorkflowId,
    /// The definition that it pins.
    pub definition: Digest,
    /// Its status after `last_sequence`.
    pub status: RunStatus,
    /// Whether somebody has to carry it on.
    pub moving: bool,
    /// The sequence of its last event.
    pub last_sequence: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
