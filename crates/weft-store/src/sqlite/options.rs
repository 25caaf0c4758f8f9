//! How a database is opened.

use std::path::PathBuf;

/// The options of [`SqliteStore::open`](super::SqliteStore::open).
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// The database file; its folder must exist.
    pub path: PathBuf,
    /// Reader threads, each with a connection of its own.
    pub readers: usize,
    /// Reads that may wait before further ones are refused.
    pub read_queue: usize,
    /// Bytes of writes that may wait before further ones are refused.
    pub queue_bytes: usize,
    /// The largest single write.
    pub commit_bytes: usize,
    /// Writes in one transaction.
    pub group_max: usize,
    /// Bytes of writes in one transaction; the first write of a group may exceed them.
    pub group_bytes: usize,
    /// Pages in the write-ahead log from which on it is moved into the file.
    pub checkpoint_pages: u32,
    /// Pages that the file may grow to; `None` leaves that to the disk.
    pub pages_max: Option<u32>,
}

const MIB: usize = 1024 * 1024;

impl SqliteOptions {
    /// The standard options for a file.
    ///
    /// Two readers, because reads of moving runs are answered from the engine's caches. Groups of
    /// 256 writes are where a longer transaction stops paying. A log of 8,000 pages (32 MiB)
    /// is read back within a tenth of a second after a crash, and is long enough that a page which
    /// many commits touch is moved once.
    pub fn at(path: impl Into<PathBuf>) -> SqliteOptions {
        SqliteOptions {
            path: path.into(),
            readers: 2,
            read_queue: 4096,
            queue_bytes: 64 * MIB,
            commit_bytes: 32 * MIB,
            group_max: 256,
            group_bytes: 4 * MIB,
            checkpoint_pages: 8000,
            pages_max: None,
        }
    }
}
