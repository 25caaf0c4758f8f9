//! One function for each operation of OpenWOP v2, behind every door alike.
//!
//! Owns: authorization, idempotency, the checks of what a request may say, the workflow registry,
//! the discovery document, the run list's cursor, and the shape of streams and polls. A rule that
//! two doors share is here, so it cannot differ between them.
//!
//! Must not: name an HTTP type, fold events other than through the core, open a socket, or read
//! configuration. A status is a number that comes from an error code or stands next to the body
//! that it belongs to.
//!
//! Start reading at [`Host`], then [`runs::create`].

mod answer;
mod authorize;
pub mod discovery;
mod engine_error;
mod error;
pub mod events;
mod host;
mod idempotency;
pub mod ids;
pub mod interrupts;
pub mod limits;
mod links;
mod maintenance;
mod natural;
pub mod runs;
mod store_error;
pub mod workflows;

pub use answer::Answer;
pub use authorize::{authorize, authorize_run};
pub use error::{OpError, OpResult, RETRY_IN_FLIGHT_SECONDS, RETRY_OVERLOADED_SECONDS};
pub use host::{Host, HostParts};
pub use idempotency::RECEIPT_RETENTION_MS;
pub use limits::OpsLimits;
pub use maintenance::maintain;
pub use weft_auth::{Authenticator, Caller};
