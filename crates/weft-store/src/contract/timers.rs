//! Rules of timers and of the outbox.

use weft_model::Timestamp;

use super::Backend;
use super::fixture::{NOW, append, create, run_id};
use crate::outbox::{OutboxMessage, Settlement, SettlementKind};
use crate::timers::TimerWrite;

fn set(id: &str, due: Timestamp) -> TimerWrite {
    TimerWrite::Set { id: id.to_owned(), due }
}

fn clear(id: &str) -> TimerWrite {
    TimerWrite::Clear { id: id.to_owned() }
}

/// A timer keeps its due time over a restart, and what is due comes first due first.
pub async fn timers_keep_their_due_time_over_restarts(backend: &dyn Backend) {
    let store = backend.open().await;
    let (early, late) = (run_id("acme", 1), run_id("acme", 2));
    let mut first = create(&early, 1);
    first.timers = vec![set("deadline", NOW.plus_ms(50)), set("node/a/sleep", NOW.plus_ms(20))];
    store.commit(first).await.expect("created");
    let mut second = create(&late, 1);
    second.timers = vec![set("deadline", NOW.plus_ms(10))];
    store.commit(second).await.expect("created");
    drop(store);
    let store = backend.open().await;
    assert_eq!(store.next_timer().await.expect("readable"), Some(NOW.plus_ms(10)));
    let due = store.due_timers(NOW.plus_ms(20), 10).await.expect("a list");
    let due: Vec<_> = due.iter().map(|timer| (&timer.run_id, timer.id.as_str(), timer.due)).collect();
    assert_eq!(due, [(&late, "deadline", NOW.plus_ms(10)), (&early, "node/a/sleep", NOW.plus_ms(20))]);
    assert_eq!(store.due_timers(NOW.plus_ms(99), 1).await.expect("a list").len(), 1);
    assert!(store.due_timers(NOW, 10).await.expect("a list").is_empty());
}

/// Timers are moved and cleared with the commit, in its order; clearing an absent one is nothing.
pub async fn timers_are_moved_and_cleared(backend: &dyn Backend) {
    let store = backend.open().await;
    let mut commit = create(&run_id("acme", 1), 1);
    commit.timers = vec![set("a", NOW), set("a", NOW.plus_ms(5)), set("b", NOW), clear("b"), clear("nothing")];
    let run = store.commit(commit).await.expect("created").run;
    let due = store.due_timers(NOW.plus_ms(99), 10).await.expect("a list");
    assert_eq!(due.iter().map(|timer| (timer.id.as_str(), timer.due)).collect::<Vec<_>>(), [("a", NOW.plus_ms(5))]);
    let mut refused = append(run, 7, "elsewhere");
    refused.timers = vec![clear("a")];
    store.commit(refused).await.expect_err("the log ends elsewhere");
    assert_eq!(store.next_timer().await.expect("readable"), Some(NOW.plus_ms(5)));
    let mut gone = append(run, 0, "fired");
    gone.timers = vec![clear("a")];
    store.commit(gone).await.expect("appended");
    assert_eq!(store.next_timer().await.expect("readable"), None);
}

/// A message is there with the commit that promises it, until it is settled.
pub async fn the_outbox_keeps_messages_until_settled(backend: &dyn Backend) {
    let store = backend.open().await;
    let message =
        |topic: &str, ms| OutboxMessage { topic: topic.to_owned(), due: NOW.plus_ms(ms), payload: "text".into() };
    let mut commit = create(&run_id("acme", 1), 1);
    commit.outbox = vec![message("b", 2), message("a", 1)];
    let run = store.commit(commit).await.expect("created").run;
    let mut refused = append(run, 9, "elsewhere");
    refused.outbox = vec![message("never", 0)];
    store.commit(refused).await.expect_err("the log ends elsewhere");
    drop(store);
    let store = backend.open().await;
    let due = store.due_outbox(NOW.plus_ms(9), 10).await.expect("a list");
    assert_eq!(due.iter().map(|row| (row.topic.as_str(), row.attempts)).collect::<Vec<_>>(), [("a", 0), ("b", 0)]);
    assert_eq!((due[0].run, due[0].payload.as_ref()), (run, b"text".as_slice()));
    let retry = SettlementKind::Retry { due: NOW.plus_ms(100) };
    let settle = vec![
        Settlement { id: due[0].id, kind: retry },
        Settlement { id: due[1].id, kind: SettlementKind::Done },
        Settlement { id: due[1].id, kind: retry },
    ];
    store.settle_outbox(settle).await.expect("settled");
    assert!(store.due_outbox(NOW.plus_ms(99), 10).await.expect("a list").is_empty());
    let due = store.due_outbox(NOW.plus_ms(100), 10).await.expect("a list");
    assert_eq!(due.iter().map(|row| (row.topic.as_str(), row.attempts)).collect::<Vec<_>>(), [("a", 1)]);
}
