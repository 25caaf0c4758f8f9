//! Type and payload as one value, so that they cannot disagree.

use serde::Serialize;
use serde_json::value::RawValue;

use super::EventType;
use super::payload::{
    CapBreached, InterruptResolved, NodeCancelled, NodeCompleted, NodeFailed, NodeResumed, NodeRetried, NodeSkipped,
    NodeStarted, NodeSuspendFailed, NodeSuspended, RunCancelled, RunCompleted, RunFailed, RunPaused,
    RunRestoredFromSnapshot, RunResumeStarted, RunResumed, RunStarted, WorkflowRestored,
};
use crate::interrupt::InterruptPayload;

macro_rules! bodies {
    ($($variant:ident($payload:ty) ;)+) => {
        /// What happened. Types that weft's engine emits are typed; every other one is carried
        /// byte for byte in [`EventBody::Other`].
        #[derive(Debug, Clone)]
        pub enum EventBody {
            $(#[doc = concat!("The event type of the same name with its payload.")]
              $variant($payload),)+
            /// Any other type of the registry, or a vendor's.
            Other {
                /// The type; never one that has a variant of its own here.
                event_type: EventType,
                /// The payload's JSON text as it was written.
                payload: Box<RawValue>,
            },
        }

        impl EventBody {
            /// The event's type.
            pub fn event_type(&self) -> EventType {
                match self {
                    $(Self::$variant(_) => EventType::$variant,)+
                    Self::Other { event_type, .. } => event_type.clone(),
                }
            }

            /// The wire name of the type, without a clone.
            pub fn type_name(&self) -> &str {
                match self {
                    $(Self::$variant(_) => EventType::$variant.row().name,)+
                    Self::Other { event_type, .. } => event_type.as_str(),
                }
            }

            pub(super) fn write_payload(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
                match self {
                    $(Self::$variant(payload) => serde_json::to_writer(out, payload),)+
                    Self::Other { payload, .. } => {
                        out.extend_from_slice(payload.get().as_bytes());
                        Ok(())
                    }
                }
            }

            /// Joins a type and a payload's text: typed where weft knows the payload, else carried.
            pub fn from_raw(event_type: EventType, payload: &RawValue) -> serde_json::Result<Self> {
                Ok(match event_type {
                    $(EventType::$variant => Self::$variant(serde_json::from_str(payload.get())?),)+
                    other => Self::Other { event_type: other, payload: payload.to_owned() },
                })
            }
        }
    };
}

bodies! {
    RunStarted(Box<RunStarted>);
    RunCompleted(RunCompleted);
    RunFailed(RunFailed);
    RunCancelled(RunCancelled);
    RunResumeStarted(RunResumeStarted);
    RunPaused(RunPaused);
    RunResumed(RunResumed);
    RunRestoredFromSnapshot(RunRestoredFromSnapshot);
    WorkflowRestored(WorkflowRestored);
    CapBreached(CapBreached);
    NodeStarted(NodeStarted);
    NodeCompleted(NodeCompleted);
    NodeFailed(NodeFailed);
    NodeSuspended(NodeSuspended);
    NodeSuspendFailed(NodeSuspendFailed);
    NodeResumed(NodeResumed);
    NodeRetried(NodeRetried);
    NodeSkipped(NodeSkipped);
    NodeCancelled(NodeCancelled);
    InterruptRequested(Box<InterruptPayload>);
    InterruptResolved(Box<InterruptResolved>);
    ApprovalRequested(Box<InterruptPayload>);
    ApprovalReceived(Box<InterruptResolved>);
    ApprovalGranted(Box<InterruptResolved>);
    ApprovalRejected(Box<InterruptResolved>);
    ApprovalOverridden(Box<InterruptResolved>);
    ClarificationRequested(Box<InterruptPayload>);
    ClarificationResolved(Box<InterruptResolved>);
}

impl EventBody {
    /// Joins a type and a payload that serialises, for types without a variant of their own.
    pub fn of(event_type: EventType, payload: &impl Serialize) -> serde_json::Result<Self> {
        let text = serde_json::value::to_raw_value(payload)?;
        Self::from_raw(event_type, &text)
    }
}
