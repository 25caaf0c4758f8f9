//! `listRuns`.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use weft_model::ErrorCode;
use weft_ops::limits::OpsLimits;
use weft_ops::runs::{self, ListRuns};
use weft_store::MemoryStore;

use crate::world::{World, code, create_request, run_id_of};

async fn page(world: &World, limit: Option<&str>, cursor: Option<&str>) -> Value {
    let list = runs::list(&world.host, &world.acme, ListRuns { limit, cursor }).await.expect("a page");
    serde_json::from_slice(&list).expect("JSON")
}

fn ids(page: &Value) -> Vec<String> {
    let runs = page["runs"].as_array().expect("a list");
    runs.iter().map(|run| run["runId"].as_str().expect("an id").to_owned()).collect()
}

/// Witnesses R-LIST-02: newest first, own tenant only, bound ids.
#[tokio::test(start_paused = true)]
async fn a_list_is_newest_first_and_of_one_tenant() {
    let world = World::new().await;
    let mut created = Vec::new();
    for _ in 0..3 {
        created.push(world.run("noop").await.to_string());
    }
    let globex = world.caller("globex", weft_auth::caller_facing_scopes()).await;
    runs::create(&world.host, &globex, create_request(json!({"workflowId": "noop"}), None)).await.expect("created");
    created.reverse();
    let listed = page(&world, None, None).await;
    assert_eq!(ids(&listed), created);
    assert_eq!(listed["runs"][0]["status"], "completed");
}

/// Witnesses R-LIST-06: the walk yields each run once although runs are created meanwhile, and
/// the last page has no cursor.
#[tokio::test(start_paused = true)]
async fn a_walk_yields_each_run_once_under_inserts() {
    let world = World::new().await;
    let mut expected = BTreeSet::new();
    for _ in 0..25 {
        expected.insert(world.run("noop").await.to_string());
    }
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = page(&world, Some("10"), cursor.as_deref()).await;
        seen.extend(ids(&page));
        world.run("noop").await;
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(seen.len(), 25);
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), expected);
}

/// Witnesses R-LIST-06 where snapshots are large: a page ends after the run that fills it, and the
/// walk still yields each run once.
#[tokio::test(start_paused = true)]
async fn a_page_is_bounded_in_bytes_and_the_walk_goes_on() {
    let limits = OpsLimits { list_bytes_max: 4 * 1024, ..OpsLimits::standard() };
    let world = World::over(MemoryStore::new(), limits).await;
    let mut created = Vec::new();
    for _ in 0..5 {
        let body = json!({ "workflowId": "noop", "metadata": { "note": "n".repeat(3 * 1024) } });
        let answer = world.create(body, None).await.expect("created");
        created.push(run_id_of(&answer).to_string());
    }
    created.reverse();
    let mut pages = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = page(&world, None, cursor.as_deref()).await;
        pages.push(ids(&page));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
    assert_eq!(pages.concat(), created);
}

/// Witnesses R-LIST-03: the limit is clamped above and refused below.
#[tokio::test(start_paused = true)]
async fn the_limit_is_clamped_or_refused() {
    let world = World::new().await;
    for _ in 0..101 {
        world.run("noop").await;
    }
    for (limit, expected) in [("1", 1), ("100", 100), ("1000", 100), ("99999999999999999999999", 100)] {
        assert_eq!(ids(&page(&world, Some(limit), None).await).len(), expected, "{limit}");
    }
    for limit in ["0", "-1", "1.5", "ten", ""] {
        let request = ListRuns { limit: Some(limit), cursor: None };
        assert_eq!(code(runs::list(&world.host, &world.acme, request).await), ErrorCode::ValidationError, "{limit}");
    }
}

/// Witnesses R-LIST-04: a cursor that is tampered with, too long, made up or another tenant's.
#[tokio::test(start_paused = true)]
async fn only_a_cursor_of_this_tenant_is_accepted() {
    let world = World::new().await;
    for _ in 0..3 {
        world.run("noop").await;
    }
    let cursor = page(&world, Some("1"), None).await["nextCursor"].as_str().expect("a cursor").to_owned();
    let list = async |cursor: &str| {
        let request = ListRuns { limit: None, cursor: Some(cursor) };
        runs::list(&world.host, &world.acme, request).await
    };
    list(&cursor).await.expect("its own");
    for at in 0..cursor.len() {
        let mut tampered = cursor.clone().into_bytes();
        tampered[at] = if tampered[at] == b'A' { b'B' } else { b'A' };
        let tampered = String::from_utf8(tampered).expect("ASCII");
        assert_eq!(code(list(&tampered).await), ErrorCode::ValidationError, "{tampered}");
    }
    for made_up in ["", "x", "AA", "not a cursor", &"A".repeat(2049), &cursor[1..], &format!("{cursor}A")] {
        assert_eq!(code(list(made_up).await), ErrorCode::ValidationError, "{made_up}");
    }
    let globex = world.caller("globex", weft_auth::caller_facing_scopes()).await;
    let foreign = ListRuns { limit: None, cursor: Some(&cursor) };
    assert_eq!(code(runs::list(&world.host, &globex, foreign).await), ErrorCode::ValidationError);
}
