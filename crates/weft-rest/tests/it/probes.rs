//! `/healthz`, `/readyz`, `/metrics`.

use std::sync::Arc;

use weft_rest::{Probes, Readiness};

use crate::ask::Ask;
use crate::world::{Settings, World};

/// Pages of the host are no protocol responses: no version, and no key is needed.
#[tokio::test(start_paused = true)]
async fn probes_answer_without_a_key() {
    let world = World::new().await;
    assert_eq!(
        world.ask_plainly(Ask::get("/healthz")).await.text(),
        "200\ncache-control: no-store\ncontent-type: application/json\n\n{\"status\":\"ok\"}"
    );
    assert_eq!(
        world.ask_plainly(Ask::get("/readyz")).await.text(),
        "200\ncache-control: no-store\ncontent-type: application/json\n\n{\"details\":[{\"name\":\"store\",\"text\":\"ok\"}],\"ready\":true}"
    );
    assert_eq!(
        world.ask_plainly(Ask::get("/metrics")).await.text(),
        "200\ncache-control: no-store\n\
         content-type: application/openmetrics-text; version=1.0.0; charset=utf-8\n\n# EOF\n"
    );
}

#[tokio::test(start_paused = true)]
async fn a_host_that_shuts_down_is_not_ready() {
    let world = World::new().await;
    world.closing.cancel();
    let ready = world.ask_plainly(Ask::get("/readyz")).await;
    assert_eq!(ready.status, 503);
    assert_eq!(ready.json()["details"][1], serde_json::json!({"name": "shutdown", "text": "draining"}));
    assert_eq!(world.ask_plainly(Ask::get("/healthz")).await.status, 200);
}

struct Broken;

impl Probes for Broken {
    fn readiness(&self) -> Readiness {
        Readiness { ready: false, details: vec![("store", "stopped: the disk refused a flush".to_owned())] }
    }

    fn metrics(&self) -> String {
        panic!("the secret is hunter2")
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_that_is_not_well_says_why() {
    let world = World::with(Settings { probes: Arc::new(Broken), ..Settings::standard() }).await;
    let ready = world.ask_plainly(Ask::get("/readyz")).await;
    assert_eq!(
        ready.text(),
        "503\ncache-control: no-store\ncontent-type: application/json\n\n\
         {\"details\":[{\"name\":\"store\",\"text\":\"stopped: the disk refused a flush\"}],\"ready\":false}"
    );
}

/// Witnesses R-ERR-15: a panic is an answer without its text, and the door goes on.
#[tokio::test(start_paused = true)]
async fn a_panic_is_an_internal_error() {
    let world = World::with(Settings { probes: Arc::new(Broken), ..Settings::standard() }).await;
    for _ in 0..2 {
        let answer = world.ask_plainly(Ask::get("/metrics")).await;
        assert_eq!((answer.status, answer.code().as_str()), (500, "internal_error"));
        assert!(!answer.text().contains("hunter2"));
    }
    assert_eq!(world.get("/runs").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn answers_are_counted() {
    let world = World::new().await;
    world.run("conformance-noop").await;
    world.get("/workflows/nowhere").await;
    let count = |operation: &str, class: &str| {
        let mut rows = world.door.stats().requests();
        rows.find(|row| (row.operation, row.class) == (operation, class)).expect("a series").answers
    };
    assert_eq!((count("createRun", "2xx"), count("getWorkflow", "4xx"), count("getRun", "2xx")), (1, 1, 0));
}
