//! Rules of cost and of neighbourhood.

use futures_util::future::join_all;

use super::Backend;
use super::fixture::{NOW, append, create, events_of, receipt, run_id, scope};
use crate::log::RunChange;
use crate::timers::TimerWrite;

/// Conflicts, however many, never touch the commits that stand beside them in a group.
pub async fn conflicts_never_fail_their_neighbours(backend: &dyn Backend) {
    let store = backend.open().await;
    let run = store.commit(create(&run_id("acme", 0), 1)).await.expect("created").run;
    let offers = (1..=60).map(|number| {
        let commit = match number % 4 {
            0 => create(&run_id("acme", 0), 3),
            1 => append(run, 40, "too far"),
            _ => create(&run_id("acme", number), 2),
        };
        store.commit(commit)
    });
    let answers = join_all(offers).await;
    for (number, answer) in (1..).zip(answers) {
        let good = !matches!(number % 4, 0 | 1);
        assert_eq!(answer.is_ok(), good, "{number}");
        if let Ok(committed) = answer {
            assert_eq!(events_of(&*store, committed.run).await.len(), 2);
        }
    }
    assert_eq!(events_of(&*store, run).await.len(), 1);
}

/// A commit that creates a run with four events costs at most twelve row writes, its receipt and
/// a timer included.
pub async fn a_whole_run_costs_at_most_twelve_row_writes(backend: &dyn Backend) {
    let store = backend.open().await;
    // The first run of a tenant also writes the tenant.
    let before = store.counters();
    let mut commit = create(&run_id("acme", 1), 4);
    commit.receipt = Some(receipt(scope(1), "{}"));
    commit.timers = vec![TimerWrite::Set { id: "deadline".to_owned(), due: NOW }];
    store.commit(commit).await.expect("created");
    let after = store.counters();
    assert!(after.row_writes - before.row_writes <= 12, "{after:?}");
    let plain = store.commit(create(&run_id("acme", 2), 4)).await.expect("created").run;
    let last = store.counters();
    assert_eq!(last.row_writes - after.row_writes, 5, "one row for the run and one for each event");
    assert_eq!((last.commits - after.commits, last.groups - after.groups), (1, 1));
    store.commit(append(plain, 3, "next")).await.expect("appended");
    assert_eq!(store.counters().row_writes - last.row_writes, 2);
}

/// A refused commit writes no row and is not counted.
pub async fn a_refused_commit_costs_no_row(backend: &dyn Backend) {
    let store = backend.open().await;
    let id = run_id("acme", 1);
    let run = store.commit(create(&id, 1)).await.expect("created").run;
    let before = store.counters();
    store.commit(create(&id, 1)).await.expect_err("taken");
    store.commit(append(run, 3, "elsewhere")).await.expect_err("the log ends elsewhere");
    let after = store.counters();
    assert_eq!((after.row_writes, after.commits, after.groups), (before.row_writes, before.commits, before.groups));
}

/// Dropping the future of a commit does not take the commit back.
pub async fn a_forgotten_commit_is_written(backend: &dyn Backend) {
    let store = backend.open().await;
    let id = run_id("acme", 1);
    drop(store.commit(create(&id, 1)));
    // The second commit stands behind the first, so its answer says that the first is done.
    store.commit(create(&run_id("acme", 2), 1)).await.expect("created");
    let record = store.find_run(&id).await.expect("readable").expect("written");
    let change = RunChange::Append { run: record.key, expect_last: 0, index: super::fixture::moving(false) };
    store.commit(super::fixture::bare(change, Vec::new())).await.expect("appended");
}
