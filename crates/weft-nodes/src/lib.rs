//! The node types a weft host knows, behind the ports that `weft-core` declares.
//!
//! **Owns** what each type does with its config and inputs; `docs/nodes.md`
//! describes every one of them for authors.
//!
//! **Must not** open a socket by itself (that is `weft-egress`), keep state
//! between two calls, or decide about a run: a node reports, the core decides.
//!
//! **Start reading** in [`catalog`], then any one type's file; they all have
//! the same shape.

mod approval_gate;
pub mod catalog;
mod config;
mod delay;
mod end;
mod fail;
mod http_fetch;
mod identity;
mod noop;
mod start;

pub use catalog::{Catalog, CatalogOptions, MAX_RESPONSE_BYTES_DEFAULT};
pub use http_fetch::{METHODS, REQUEST_TIMEOUT_MS_MAX};
