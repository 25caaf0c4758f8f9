//! The SQLite backend: one file, one writer, group commit (DECISIONS 28, 29).
//!
//! `writer.rs` makes a group of writes durable in one transaction and is driven by the thread in
//! `committer.rs`, which takes groups from the byte-bounded `queue.rs`. `readers.rs` is a pool of
//! threads with connections of their own, so that a read never waits for the writer.
//! `checkpointer.rs` moves the write-ahead log into the file beside both. `fate.rs` says what an
//! error of the database means for all of them.

mod apply;
mod checkpointer;
mod checksum;
mod committer;
mod fate;
mod migrate;
mod open;
mod options;
mod port;
mod queries;
mod queue;
mod readers;
mod rows;
mod statements;
mod store;
#[cfg(test)]
mod tests;
mod vitals;
mod write;
mod writer;

pub use migrate::MigrationError;
pub use open::OpenError;
pub use options::SqliteOptions;
pub use store::SqliteStore;
