//! Keeps runs moving: drives the core's decisions into the store and makes their effects.
//!
//! **Owns** the actors (one a moving run, none for a waiting one), the executor of effects, the
//! timer service, recovery, the live feed with its readers, and the caches of what was committed
//! lately.
//!
//! **Must not** decide what a workflow means (that is `weft-core`), know who may ask for what
//! (`weft-ops`), or reach outside other than through its ports. No effect starts and no answer
//! leaves before the commit that holds it (ARCHITECTURE.md, sentence 4; DECISIONS 29).
//!
//! **Start reading** in [`Engine`], then `actor/mod.rs` for the life of a run and `commit.rs` for
//! what happens when the store's answer is lost.

mod actor;
mod commit;
mod draft;
mod engine;
mod error;
mod executor;
mod feed;
pub mod limits;
mod load;
mod newborn;
mod order;
mod page;
mod ports;
mod recent;
mod recovery;
mod registry;
mod sharded;
mod shared;
mod stats;
mod stream;
mod timers;

pub use engine::Engine;
pub use error::EngineError;
pub use feed::{FeedClosed, Watch};
pub use limits::EngineLimits;
pub use order::{NewRunRequest, Outcome, ReceiptDraft, Render, Reply};
pub use page::Page;
pub use ports::{Clock, EnginePorts, Entropy, WorkflowFault, WorkflowSource};
pub use recent::SnapshotBytes;
pub use stats::EngineStats;
pub use stream::EventReader;
pub use weft_store::BoxFuture;
