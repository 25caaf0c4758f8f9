//! The only crate of weft that opens an outbound socket.
//!
//! **Owns** the egress policy (which URLs and addresses may be reached), name
//! resolution, dialling, outbound TLS and the HTTP client built on them.
//!
//! **Must not** follow a redirect, read proxy variables, read files or the
//! environment, or offer any way to connect that does not pass the policy: the
//! guard is the connector itself, not a check beside it.
//!
//! **Start reading** in `policy.rs` (what is allowed), then `address.rs` (the
//! table behind it), then `connect.rs` (where the rule meets the socket).

mod address;
mod body;
mod client;
mod connect;
mod error;
mod policy;
mod pool;
mod request;
mod resolve;
mod trust;
mod url_text;

pub use client::{EgressClient, EgressOptions};
pub use error::{EgressError, EgressErrorKind, Refusal, Sent};
pub use policy::{EgressPolicy, Reach, Scheme, Target, TargetHost};
pub use request::{Request, Response, is_header_settable};
pub use resolve::{ResolveError, Resolver, Resolving, SystemResolver};
pub use trust::{TrustRoots, TrustRootsError};
