//! The vocabulary of weft: the words of OpenWOP v2 as Rust types, without any IO.
//!
//! It owns: identifiers and their path projection, time, the caller's identity, the registries
//! (error codes, event types, operations, capability families), the typed events with their one
//! encoding, interrupts, the run snapshot, digests and the strict JSON reader.
//!
//! It must not: read a clock, draw randomness, open a file or a socket, or know how runs are
//! decided, stored or served. Time and randomness come in as values.
//!
//! Start reading in [`event`], then [`ids`] and [`interrupt`].

pub mod capability;
pub mod digest;
pub mod error_code;
pub mod event;
pub mod ids;
pub mod interrupt;
pub mod json;
pub mod operation;
pub mod org;
pub mod projection;
pub mod run;
mod sorted;
pub mod subject;
pub mod time;

pub use digest::Digest;
pub use error_code::{ErrorClass, ErrorCode, FailureCode};
pub use event::{EncodedEvent, Event, EventBody, EventType};
pub use ids::{
    EventId, IdError, IdempotencyKey, InterruptId, KeyId, NodeId, RunId, SubjectId, TenantId, TypeId, WorkflowId,
    WorkspaceId,
};
pub use interrupt::{ApprovalAction, ApprovalResume, InterruptData, InterruptKind, InterruptPayload};
pub use json::JsonObject;
pub use operation::{Operation, OperationId};
pub use run::{RunSnapshot, RunStatus};
pub use subject::{Lane, Owner, Scope, ScopeSet, Subject, SubjectKind};
pub use time::Timestamp;
