//! Rules of receipts and definitions.

use bytes::Bytes;
use futures_util::future::join_all;
use weft_model::{Digest, Timestamp};

use super::Backend;
use super::fixture::{NOW, append, create, events_of, receipt, run_id, scope};
use crate::error::{Conflict, StoreError};
use crate::receipts::Receipt;

/// A receipt written with a run's change is read back exactly, also after another start.
pub async fn a_receipt_survives_with_its_change(backend: &dyn Backend) {
    let store = backend.open().await;
    let mut commit = create(&run_id("acme", 1), 1);
    commit.receipt = Some(receipt(scope(1), "{\"runId\":1}"));
    store.commit(commit).await.expect("created");
    drop(store);
    let store = backend.open().await;
    let found = store.find_receipt(&scope(1)).await.expect("readable");
    assert_eq!(found, Some(receipt(scope(1), "{\"runId\":1}")));
    assert_eq!(store.find_receipt(&scope(2)).await.expect("readable"), None);
}

/// Of any number of copies of a request one is written; the others leave nothing behind.
pub async fn one_of_concurrent_copies_is_written(backend: &dyn Backend) {
    let store = backend.open().await;
    let copies = (0..16).map(|number| {
        let mut copy = create(&run_id("acme", number), 2);
        copy.receipt = Some(receipt(scope(7), &number.to_string()));
        store.commit(copy)
    });
    let answers = join_all(copies).await;
    let winners: Vec<usize> = (0..answers.len()).filter(|at| answers[*at].is_ok()).collect();
    assert_eq!(winners.len(), 1);
    for number in 0..16 {
        let found = store.find_run(&run_id("acme", number)).await.expect("readable");
        assert_eq!(found.is_some(), number == winners[0] as u64);
    }
    let kept = store.find_receipt(&scope(7)).await.expect("readable").expect("there");
    assert_eq!(kept.response.body, winners[0].to_string());
}

/// A change whose receipt is there already is refused whole.
pub async fn a_second_receipt_refuses_its_change(backend: &dyn Backend) {
    let store = backend.open().await;
    let run = store.commit(create(&run_id("acme", 1), 1)).await.expect("created").run;
    store.put_receipt(receipt(scope(1), "first")).await.expect("kept");
    let refused = store.put_receipt(receipt(scope(1), "second")).await.expect_err("refused");
    assert!(matches!(refused, StoreError::Conflict(Conflict::ReceiptExists)), "{refused}");
    let mut again = append(run, 0, "again");
    again.receipt = Some(receipt(scope(1), "third"));
    let refused = store.commit(again).await.expect_err("refused");
    assert!(matches!(refused, StoreError::Conflict(Conflict::ReceiptExists)), "{refused}");
    assert_eq!(events_of(&*store, run).await.len(), 1);
    let kept = store.find_receipt(&scope(1)).await.expect("readable").expect("there");
    assert_eq!(kept.response.body, "first");
}

/// A change that is refused for another reason leaves no receipt, so its key is still free.
pub async fn a_refused_change_leaves_no_receipt(backend: &dyn Backend) {
    let store = backend.open().await;
    let id = run_id("acme", 1);
    let run = store.commit(create(&id, 1)).await.expect("created").run;
    let mut taken = create(&id, 1);
    taken.receipt = Some(receipt(scope(1), "taken"));
    store.commit(taken).await.expect_err("the id is taken");
    let mut moved = append(run, 5, "moved");
    moved.receipt = Some(receipt(scope(1), "moved"));
    store.commit(moved).await.expect_err("the log ends elsewhere");
    assert_eq!(store.find_receipt(&scope(1)).await.expect("readable"), None);
}

/// Exactly the receipts past their retention are deleted, and their scopes are free again.
pub async fn receipts_are_purged_by_age(backend: &dyn Backend) {
    let store = backend.open().await;
    let aged = |number: u64| Receipt { created_at: NOW.plus_ms(number), ..receipt(scope(number), "old") };
    // More than one slice of a purge.
    let all = join_all((0..1200).map(|number| store.put_receipt(aged(number)))).await;
    assert!(all.iter().all(Result::is_ok));
    assert_eq!(store.purge_receipts(NOW.plus_ms(1100)).await.expect("purged"), 1100);
    assert_eq!(store.find_receipt(&scope(1099)).await.expect("readable"), None);
    assert!(store.find_receipt(&scope(1100)).await.expect("readable").is_some());
    assert_eq!(store.purge_receipts(Timestamp::EPOCH).await.expect("purged"), 0);
    store.put_receipt(receipt(scope(0), "new")).await.expect("the scope is free");
}

/// A definition is found by its digest after another start, and the first bytes stay.
pub async fn definitions_outlive_a_restart(backend: &dyn Backend) {
    let store = backend.open().await;
    let digest = Digest::of(b"definition");
    assert_eq!(store.get_definition(&digest).await.expect("readable"), None);
    store.put_definition(digest, Bytes::from_static(b"{}")).await.expect("kept");
    store.put_definition(digest, Bytes::from_static(b"[]")).await.expect("kept");
    drop(store);
    let store = backend.open().await;
    assert_eq!(store.get_definition(&digest).await.expect("readable"), Some(Bytes::from_static(b"{}")));
}
