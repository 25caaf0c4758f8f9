//! Databases in folders of their own.

use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;
use weft_store::contract::Backend;
use weft_store::sqlite::{SqliteOptions, SqliteStore};
use weft_store::{BoxFuture, MemoryStore, Store};

/// A folder with one database.
pub(crate) struct Disk {
    folder: TempDir,
}

impl Disk {
    pub(crate) fn new() -> Disk {
        Disk { folder: TempDir::new().expect("a temporary folder") }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("weft.db")
    }

    pub(crate) fn options(&self) -> SqliteOptions {
        SqliteOptions::at(self.path())
    }

    pub(crate) fn open(&self) -> SqliteStore {
        SqliteStore::open(self.options()).expect("the database opens")
    }

    /// A connection beside the store, to look and to meddle.
    pub(crate) fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path()).expect("a second connection")
    }
}

impl Backend for Disk {
    fn open(&self) -> BoxFuture<'_, Arc<dyn Store>> {
        let store: Arc<dyn Store> = Arc::new(Disk::open(self));
        Box::pin(std::future::ready(store))
    }
}

/// The memory backend; its state is the handle.
pub(crate) struct Memory(MemoryStore);

impl Memory {
    pub(crate) fn new() -> Memory {
        Memory(MemoryStore::new())
    }
}

impl Backend for Memory {
    fn open(&self) -> BoxFuture<'_, Arc<dyn Store>> {
        let store: Arc<dyn Store> = Arc::new(self.0.clone());
        Box::pin(std::future::ready(store))
    }
}
