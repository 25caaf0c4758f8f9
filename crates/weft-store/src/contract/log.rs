//! Rules of the log.

use futures_util::future::join_all;
use weft_model::RunStatus;

use super::Backend;
use super::fixture::{WHOLE, append, bare, create, event, events_of, moving, new_run, run_id};
use crate::error::{Conflict, StoreError};
use crate::log::{PageLimit, RunChange, StateSnapshot};
use crate::runs::RunKey;

/// The sequences of a run are 0, 1, 2, …, whatever the commits that brought them.
pub async fn sequences_count_from_zero(backend: &dyn Backend) {
    let store = backend.open().await;
    let run = store.commit(create(&run_id("acme", 1), 3)).await.expect("created").run;
    store.commit(append(run, 2, "next")).await.expect("appended");
    let events = store.read_events(run, None, WHOLE).await.expect("a log");
    assert_eq!(events.iter().map(|event| event.sequence).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let record = store.find_run(&run_id("acme", 1)).await.expect("readable").expect("there");
    assert_eq!(record.last_sequence, 3);
}

/// Events that leave a gap, repeat a position or are missing are refused, and nothing is written.
pub async fn gaps_and_repeats_are_refused(backend: &dyn Backend) {
    let store = backend.open().await;
    let id = run_id("acme", 1);
    let born = |events| bare(RunChange::Create(new_run(&id)), events);
    for events in [vec![], vec![event(1, "x")], vec![event(0, "x"), event(2, "x")], vec![event(0, "x"), event(0, "y")]]
    {
        let refused = store.commit(born(events)).await.expect_err("refused");
        assert!(matches!(refused, StoreError::Conflict(Conflict::OutOfOrder { .. })), "{refused}");
    }
    assert!(store.find_run(&id).await.expect("readable").is_none());
    let run = store.commit(create(&id, 2)).await.expect("created").run;
    let change = RunChange::Append { run, expect_last: 1, index: moving(true) };
    for sequence in [0, 1, 3] {
        let refused = store.commit(bare(change.clone(), vec![event(sequence, "x")])).await.expect_err("refused");
        assert!(matches!(refused, StoreError::Conflict(Conflict::OutOfOrder { expected: 2, .. })), "{refused}");
    }
    assert_eq!(events_of(&*store, run).await.len(), 2);
}

/// Of concurrent appends to one position exactly one is written.
pub async fn one_of_concurrent_appends_wins(backend: &dyn Backend) {
    let store = backend.open().await;
    let run = store.commit(create(&run_id("acme", 1), 1)).await.expect("created").run;
    let marks: Vec<String> = (0..16).map(|mark| format!("m{mark}")).collect();
    let answers = join_all(marks.iter().map(|mark| store.commit(append(run, 0, mark)))).await;
    let winners: Vec<usize> = (0..marks.len()).filter(|at| answers[*at].is_ok()).collect();
    assert_eq!(winners.len(), 1);
    for answer in answers.iter().filter_map(|answer| answer.as_ref().err()) {
        let moved = StoreError::Conflict(Conflict::Moved { expected: 0, found: 1 });
        assert_eq!(answer.to_string(), moved.to_string());
    }
    let log = events_of(&*store, run).await;
    assert_eq!(log.len(), 2);
    assert!(log[1].contains(&format!("\"{}\"", marks[winners[0]])));
}

/// What was read once is read again, byte for byte, after more events and after another start.
pub async fn stored_events_never_change(backend: &dyn Backend) {
    let store = backend.open().await;
    let id = run_id("acme", 1);
    let run = store.commit(create(&id, 2)).await.expect("created").run;
    let before = events_of(&*store, run).await;
    store.commit(append(run, 1, "later")).await.expect("appended");
    let refused = store.commit(append(run, 0, "instead")).await.expect_err("the position is taken");
    assert!(matches!(refused, StoreError::Conflict(Conflict::Moved { expected: 0, found: 2 })), "{refused}");
    assert_eq!(events_of(&*store, run).await[..2], before);
    drop(store);
    let store = backend.open().await;
    let record = store.find_run(&id).await.expect("readable").expect("there");
    assert_eq!(record.key, run);
    assert_eq!(events_of(&*store, run).await[..2], before);
}

/// A page ends at its bounds, continues where the last one ended, and holds at least one event.
pub async fn pages_join_without_gap_or_repeat(backend: &dyn Backend) {
    let store = backend.open().await;
    let run = store.commit(create(&run_id("acme", 1), 10)).await.expect("created").run;
    store.commit(create(&run_id("acme", 2), 10)).await.expect("a neighbour");
    let size = event(0, "born").bytes.len();
    for limit in [
        PageLimit { events: 3, bytes: usize::MAX },
        PageLimit { events: 100, bytes: 2 * size },
        PageLimit { events: 1, bytes: 0 },
    ] {
        let (mut after, mut seen) = (None, Vec::new());
        loop {
            let page = store.read_events(run, after, limit).await.expect("a page");
            let Some(last) = page.last() else { break };
            assert!(page.len() <= limit.events);
            assert!(page.len() == 1 || page.iter().map(|event| event.bytes.len()).sum::<usize>() <= limit.bytes);
            after = Some(last.sequence);
            seen.extend(page.iter().map(|event| event.sequence));
        }
        assert_eq!(seen, (0..10).collect::<Vec<_>>());
    }
    let past = store.read_events(run, Some(500), WHOLE).await.expect("a page");
    assert!(past.is_empty());
    assert!(store.read_events(RunKey(999), None, WHOLE).await.expect("a page").is_empty());
}

/// An append without events moves the index row and nothing else.
pub async fn an_append_may_have_no_events(backend: &dyn Backend) {
    let store = backend.open().await;
    let id = run_id("acme", 1);
    let run = store.commit(create(&id, 1)).await.expect("created").run;
    let change = |expect_last| RunChange::Append { run, expect_last, index: moving(false) };
    store.commit(bare(change(0), Vec::new())).await.expect("moved");
    let record = store.find_run(&id).await.expect("readable").expect("there");
    assert_eq!((record.last_sequence, record.status, record.moving), (0, RunStatus::Completed, false));
    assert!(store.commit(bare(change(1), Vec::new())).await.is_err());
    let nobody = RunChange::Append { run: RunKey(999), expect_last: 0, index: moving(true) };
    let refused = store.commit(bare(nobody, Vec::new())).await.expect_err("refused");
    assert!(matches!(refused, StoreError::Conflict(Conflict::NoSuchRun)), "{refused}");
}

/// The last folded state that was offered is the one that is kept.
pub async fn the_last_state_snapshot_is_kept(backend: &dyn Backend) {
    let store = backend.open().await;
    let mut first = create(&run_id("acme", 1), 1);
    first.snapshot = Some(StateSnapshot { sequence: 0, bytes: "one".into() });
    let run = store.commit(first).await.expect("created").run;
    let mut second = append(run, 0, "next");
    second.snapshot = Some(StateSnapshot { sequence: 1, bytes: "two".into() });
    store.commit(second.clone()).await.expect("appended");
    second.snapshot = Some(StateSnapshot { sequence: 9, bytes: "never".into() });
    store.commit(second).await.expect_err("the position is taken");
    let kept = store.load_snapshot(run).await.expect("readable");
    assert_eq!(kept, Some(StateSnapshot { sequence: 1, bytes: "two".into() }));
    assert_eq!(store.load_snapshot(RunKey(999)).await.expect("readable"), None);
}
