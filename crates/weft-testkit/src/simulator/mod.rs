//! A whole host in one thread under a seed (reliability invariants, R2, R7, R13, R16).
//!
//! The engine and the operations are the ones that are shipped. The clock stands still until every
//! task waits, ids come from a seeded generator, the disk is a memory store that fails as told, the
//! HTTP peer is made up, and the process dies and starts again over what is durable. Clients work
//! through the operations, remember what they were told, and insist on what they were not told. At
//! the end nothing fails any more, every run comes to rest, and the checker judges.
//!
//! The seed is everything: the same seed gives the same [`Outcome::digest`]. Start reading in
//! `driver.rs`; `faults.rs` lists what can go wrong.

mod clients;
mod driver;
mod effects;
mod faults;
mod life;
mod observe;
mod rng;
mod store;
mod trace;
mod verdict;
mod workflows;
mod world;

pub use driver::{Outcome, simulate};
pub use faults::{Counts, Fault};
