//! The REST door: decodes an HTTP request, calls one operation of `weft-ops`, encodes its answer.
//!
//! Owns: paths, headers, content types and encodings, the error envelope's HTTP side, SSE framing,
//! CORS, the probes, and the loop that accepts connections.
//!
//! Must not: decide who may do what, know a rule about runs, or see the store or the engine. What
//! two doors share is in `weft-ops`, so that it cannot differ.
//!
//! The door is one `tower` service without a router under it: the paths of the protocol carry
//! verbs after a colon and ids with an encoded slash, every refusal has the protocol's envelope,
//! and a match over segments says that in one file without a layer for each concern.
//!
//! Start reading at [`RestDoor`], then `route.rs`, then a file of `handlers`.

mod body;
mod cors;
mod door;
mod errors;
mod etag;
mod gzip;
mod handlers;
mod headers;
mod options;
mod percent;
mod query;
mod request_body;
mod respond;
mod route;
mod serve;
mod sse;
mod stats;
mod version;

pub use body::{BodyError, RestBody};
pub use cors::{CorsPolicy, OriginError};
pub use door::{RestDoor, router};
pub use options::{Probes, Readiness, RestOptions};
pub use respond::{NoRoom, UnreadBody};
pub use serve::{Drained, Listener, ServeLimits, bind, serve};
pub use stats::{RequestCount, RestStats};
