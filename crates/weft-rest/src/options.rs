//! What the door is told by the binary.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::cors::CorsPolicy;

/// The state of the host as its probes tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// Whether requests can be served: the store is reachable and recovery is done.
    pub ready: bool,
    /// A name and one line for each thing worth knowing; a name may come more than once. Nothing
    /// about tenants.
    pub details: Vec<(&'static str, String)>,
}

/// What `/readyz` and `/metrics` show. The binary fills it: only it knows all the parts.
pub trait Probes: Send + Sync + 'static {
    /// Whether the host is ready.
    fn readiness(&self) -> Readiness;
    /// The metrics as OpenMetrics text.
    fn metrics(&self) -> String;
}

/// The options of the door.
#[derive(Clone)]
pub struct RestOptions {
    /// The web origins that may call.
    pub cors: CorsPolicy,
    /// How long a request's body may take to arrive.
    pub body_read_within: Duration,
    /// KiB that large answers may keep in memory together until their peers have taken them.
    pub kept_answers_kib: usize,
    /// What the probes show.
    pub probes: Arc<dyn Probes>,
    /// Cancelled when the host begins to shut down: streams then end and waiting polls answer.
    pub closing: CancellationToken,
}

impl RestOptions {
    /// How long a body may take unless the operator says otherwise: 4 MiB at 140 KiB a second.
    pub const BODY_READ_WITHIN: Duration = Duration::from_secs(30);

    /// KiB of large answers unless the operator says otherwise: 256 MiB, which is some thirty of
    /// the largest snapshots there are.
    pub const KEPT_ANSWERS_KIB: usize = 256 * 1024;

    /// The usual options around the parts that have no usual value.
    pub fn new(probes: Arc<dyn Probes>, closing: CancellationToken) -> RestOptions {
        RestOptions {
            cors: CorsPolicy::none(),
            body_read_within: Self::BODY_READ_WITHIN,
            kept_answers_kib: Self::KEPT_ANSWERS_KIB,
            probes,
            closing,
        }
    }
}
