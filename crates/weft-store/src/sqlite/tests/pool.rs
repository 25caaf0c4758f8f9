//! The bound of the reading queue, and readers that fail.

use std::sync::Arc;

use tempfile::TempDir;

use crate::error::StoreError;
use crate::sqlite::readers::Readers;
use crate::sqlite::{SqliteOptions, open, vitals::Vitals};

#[tokio::test]
async fn a_full_read_queue_answers_instead_of_growing() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("weft.db");
    drop(open::writer(&SqliteOptions::at(&path)).expect("a database"));
    let readers = Arc::new(Readers::new(2, Arc::new(Vitals::new())));
    let first = readers.ask(|_| Ok(1)).expect("there is room");
    let second = readers.ask(|_| Err::<(), _>(StoreError::Lost)).expect("there is room");
    let refused = readers.ask(|_| Ok(())).expect_err("the queue is full");
    assert!(matches!(refused, StoreError::Busy { queue: "read" }), "{refused}");
    let thread = readers.start(open::reader(&path).expect("a reader")).expect("a thread");
    assert_eq!(first.await.expect("answered").expect("a value"), 1);
    assert!(second.await.expect("answered").is_err());
    readers.close();
    thread.join().expect("it ends when the pool is closed");
    assert!(matches!(readers.ask(|_| Ok(())), Err(StoreError::Stopped { .. })));
}

#[tokio::test]
async fn a_panicking_read_does_not_shrink_the_pool() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("weft.db");
    drop(open::writer(&SqliteOptions::at(&path)).expect("a database"));
    let readers = Arc::new(Readers::new(8, Arc::new(Vitals::new())));
    let thread = readers.start(open::reader(&path).expect("a reader")).expect("a thread");
    let lost = readers.ask(|_| -> Result<(), StoreError> { panic!("a reader's own fault") }).expect("there is room");
    assert!(lost.await.is_err());
    assert_eq!(readers.ask(|_| Ok(2)).expect("there is room").await.expect("answered").expect("a value"), 2);
    readers.close();
    thread.join().expect("it ends when the pool is closed");
}

/// The connection of a reader cannot write.
#[test]
fn a_reader_cannot_write() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("weft.db");
    drop(open::writer(&SqliteOptions::at(&path)).expect("a database"));
    let reader = open::reader(&path).expect("a reader");
    assert!(reader.execute("DELETE FROM runs", []).is_err());
}
