//! `getRun` and `listRuns`.

use serde_json::json;

use crate::ask::Ask;
use crate::schemas::Schemas;
use crate::world::{World, unknown_run};

/// Witnesses R-SNAP-01, R-SNAP-02, R-SNAP-03, R-SNAP-05, R-SNAP-07: every status that this host
/// reaches, each a valid snapshot with a validator.
#[tokio::test(start_paused = true)]
async fn snapshots_are_whole() {
    let world = World::new().await;
    let schemas = Schemas::load();
    for (workflow, status) in [
        ("conformance-noop", "completed"),
        ("conformance-multi-node", "completed"),
        ("conformance-approval", "waiting-approval"),
        ("conformance-cancellable", "running"),
        ("conformance-failure", "failed"),
    ] {
        let run = world.run(workflow).await;
        let answer = world.get(&format!("/runs/{}", run.projected())).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert!(answer.header("etag").starts_with('"'), "{}", answer.text());
        let snapshot = answer.json();
        assert_eq!(snapshot["runId"], run.as_str());
        assert_eq!(snapshot["workflowId"], workflow);
        assert_eq!(snapshot["status"], status, "{workflow}");
        assert_eq!(snapshot["eventLogSchemaVersion"], 3);
        assert_eq!(snapshot["owner"]["tenant"], "acme");
        assert!(snapshot.get("compensationStatus").is_none());
        assert_eq!(snapshot.get("currentNodeId").is_some(), status == "waiting-approval");
        if let Some(schemas) = &schemas {
            schemas.check("run-snapshot.schema.json", &snapshot);
        }
    }
}

/// Witnesses R-SNAP-07, R-SNAP-08: the validator holds until something happens.
#[tokio::test(start_paused = true)]
async fn an_unchanged_run_is_not_sent_again() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    let path = format!("/runs/{}", run.projected());
    let etag = world.get(&path).await.header("etag").to_owned();
    let unchanged = world.ask(Ask::get(&path).header("if-none-match", &etag)).await;
    assert_eq!(
        unchanged.text(),
        format!("304\ncache-control: no-store\netag: {etag}\nopenwop-version: 2.46\nvary: accept-encoding\n\n")
    );
    world.accept(&run).await;
    let changed = world.ask(Ask::get(&path).header("if-none-match", &etag)).await;
    assert_eq!((changed.status, changed.json()["status"].as_str()), (200, Some("completed")));
    assert_ne!(changed.header("etag"), etag);
}

/// Witnesses R-SNAP-10.
#[tokio::test(start_paused = true)]
async fn an_unknown_run_is_not_found() {
    let world = World::new().await;
    let answer = world.get(&format!("/runs/{}", unknown_run("acme").projected())).await;
    assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"));
    assert!(!answer.headers.contains_key("www-authenticate"));
}

/// Witnesses R-LIST-02, R-LIST-03, R-LIST-06: newest first, page by page, each run once.
#[tokio::test(start_paused = true)]
async fn the_list_is_walked() {
    let world = World::new().await;
    let mut expected = Vec::new();
    for _ in 0..5 {
        expected.insert(0, world.run("conformance-noop").await.to_string());
    }
    let whole = world.get("/runs").await;
    assert_eq!(whole.status, 200);
    assert_eq!(whole.header("cache-control"), "no-store");
    assert!(whole.json().get("nextCursor").is_none());
    let mut walked = Vec::new();
    let mut path = "/runs?limit=2".to_owned();
    loop {
        let page = world.get(&path).await.json();
        let runs = page["runs"].as_array().expect("a list");
        assert!(runs.len() <= 2);
        walked.extend(runs.iter().map(|run| run["runId"].as_str().expect("an id").to_owned()));
        match page["nextCursor"].as_str() {
            Some(cursor) => path = format!("/runs?limit=2&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(walked, expected);
    if let Some(schemas) = Schemas::load() {
        for run in whole.json()["runs"].as_array().expect("a list") {
            schemas.check("run-snapshot.schema.json", run);
        }
    }
}

/// Witnesses R-LIST-03, R-LIST-04, R-LIST-05: garbage is refused, other parameters are not seen.
#[tokio::test(start_paused = true)]
async fn list_parameters_are_judged() {
    let world = World::new().await;
    let long = format!("cursor={}", "a".repeat(2049));
    for query in [
        "limit=0",
        "limit=-1",
        "limit=x",
        "limit=",
        "limit=1&limit=2",
        "cursor=",
        "cursor=abc",
        "cursor=%FF",
        "cursor=%",
        &long,
    ] {
        let refused = world.get(&format!("/runs?{query}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "validation_error"), "{query}");
    }
    for query in ["limit=99999999999999999999999", "workflowId=x&workflowId=y", "status=nonsense", "%zz=1", "&&="] {
        let answer = world.get(&format!("/runs?{query}")).await;
        assert_eq!(answer.json(), json!({"runs": []}), "{query}");
    }
}
