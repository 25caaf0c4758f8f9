//! The hook of the memory backend: what a simulator can rely on.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::join_all;
use parking_lot::Mutex;
use weft_store::contract::fixture::{create, receipt, run_id, scope};
use weft_store::memory::MemoryWrite;
use weft_store::{MemoryFate, MemoryFaults, MemoryStore, Store, StoreError, StoreErrorKind};

/// Fates by the number of the write; then everything is applied. Reads of `find_key` fail.
struct Script(Mutex<VecDeque<MemoryFate>>);

impl MemoryFaults for Script {
    fn on_write(&self, write: MemoryWrite<'_>) -> MemoryFate {
        match write {
            MemoryWrite::Commit(commit) => assert!(!commit.events.is_empty()),
            MemoryWrite::Other(method) => assert_eq!(method, "put_receipt"),
        }
        self.0.lock().pop_front().unwrap_or(MemoryFate::Apply)
    }

    fn on_read(&self, method: &'static str) -> Option<StoreError> {
        (method == "find_key").then_some(StoreError::Lost)
    }
}

/// A lost acknowledgement and a hanging one are applied, a failure is not, and the state outlives
/// the handle: a crash is a dropped handle.
#[tokio::test]
async fn each_fate_does_what_it_says() {
    let store = MemoryStore::new();
    let full = MemoryFate::Fail(StoreError::Full);
    let script = [MemoryFate::Apply, MemoryFate::LoseAck, MemoryFate::Hang, full];
    store.set_faults(Some(Arc::new(Script(Mutex::new(script.into())))));
    let disk = store.clone();
    let create = |number| store.commit(create(&run_id("acme", number), 1));
    create(1).await.expect("applied and acknowledged");
    let lost = create(2).await.expect_err("the acknowledgement is lost");
    assert_eq!((lost.kind(), lost.to_string()), (StoreErrorKind::Transient, StoreError::Lost.to_string()));
    assert!(create(3).now_or_never().is_none(), "no answer comes");
    assert_eq!(create(4).await.expect_err("not applied").kind(), StoreErrorKind::Full);
    store.put_receipt(receipt(scope(1), "body")).await.expect("the script has ended");
    let found = join_all((1..=4).map(|number| disk.find_run(&run_id("acme", number)))).await;
    let found: Vec<bool> = found.into_iter().map(|run| run.expect("readable").is_some()).collect();
    assert_eq!(found, [true, true, true, false]);
    let key = "k1".parse().expect("a key id");
    assert!(disk.find_key(&key).await.is_err());
    disk.set_faults(None);
    assert!(disk.find_key(&key).await.expect("readable").is_none());
}
