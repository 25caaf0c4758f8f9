//! The only crate of weft that opens an outbound socket.
//!
//! **Owns** the egress policy (which URLs and addresses may be reached), name
//! resolution, dialling, outbound TLS and the HTTP client built on them.
//!
//! **Must not** follow a redirect, read proxy variables, read files or the
//! environment, or offer any way to connect that does not pass the policy: the
//! guard is the connector itself, not a check beside it.
//!
//! **Start reading** in [`policy`] (what is allowed), then [`address`] (the
//! table behind it), then [`connect`] (where the rule meets the socket).

pub mod address;
mod body;
pub mod client;
pub mod connect;
pub mod error;
pub mod policy;
mod pool;
pub mod request;
pub mod resolve;
pub mod trust;
mod url_text;

pub use client::{EgressClient, EgressOptions};
pub use error::{EgressError, EgressErrorKind, Refusal, Sent};
pub use policy::{EgressPolicy, Reach, Scheme, Target, TargetHost};
pub use request::{Request, Response};
pub use resolve::{ResolveError, Resolver, SystemResolver};
pub use trust::{TrustRoots, TrustRootsError};
