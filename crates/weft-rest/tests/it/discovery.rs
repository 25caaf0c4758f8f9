//! `getCapabilities` and `getWorkflow`.

use serde_json::Value;

use crate::ask::Ask;
use crate::schemas::Schemas;
use crate::world::World;

/// Witnesses R-DISC-01, R-DISC-02, R-DISC-04, R-DISC-08, R-VER-05, R-VER-09.
#[tokio::test(start_paused = true)]
async fn the_document_is_public_and_validated() {
    let world = World::new().await;
    let answer = world.ask_plainly(Ask::get("/.well-known/openwop")).await;
    assert_eq!(answer.status, 200);
    let names: Vec<&str> = answer.headers.keys().map(|name| name.as_str()).collect();
    assert_eq!(answer.headers.len(), names.len());
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "public, max-age=300");
    assert_eq!(answer.header("openwop-version"), "2.46");
    assert!(!answer.headers.contains_key("capabilities-etag"));
    let etag = answer.header("etag");
    assert!(etag.starts_with('"') && etag.ends_with('"') && etag.len() > 10, "{etag}");
    let document = answer.json();
    assert_eq!(document["preferredVersion"], "2.46");
    for gone in ["profiles", "supportedTransports"] {
        assert!(document.get(gone).is_none(), "{gone}");
    }
    if let Some(schemas) = Schemas::load() {
        schemas.check_root(&document);
    }
}

/// Witnesses R-DISC-02, R-VER-01: an equal validator is answered without a body, with the version.
#[tokio::test(start_paused = true)]
async fn an_equal_validator_is_answered_without_a_body() {
    let world = World::new().await;
    let etag = world.get("/.well-known/openwop").await.header("etag").to_owned();
    let answer = world.ask_plainly(Ask::get("/.well-known/openwop").header("if-none-match", &etag)).await;
    let vary = if answer.headers.contains_key("vary") { "vary: accept-encoding\n" } else { "" };
    assert_eq!(
        answer.text(),
        format!("304\ncache-control: public, max-age=300\netag: {etag}\nopenwop-version: 2.46\n{vary}\n")
    );
    let other = world.ask_plainly(Ask::get("/.well-known/openwop").header("if-none-match", "\"other\"")).await;
    assert_eq!(other.status, 200);
}

/// Witnesses R-WF-01: the definition as it was loaded, for a caller with the scope.
#[tokio::test(start_paused = true)]
async fn a_workflow_is_shown_as_it_was_loaded() {
    let world = World::new().await;
    let answer = world.get("/workflows/conformance-noop").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("openwop-version"), "2.46");
    let loaded: Value = serde_json::from_str(include_str!("../../../../fixtures/conformance-noop.json")).expect("JSON");
    assert_eq!(answer.json(), loaded);
    if let Some(schemas) = Schemas::load() {
        schemas.check("workflow-definition.schema.json", &answer.json());
    }
}

/// Witnesses R-WF-02.
#[tokio::test(start_paused = true)]
async fn an_unknown_workflow_is_not_found() {
    let world = World::new().await;
    assert_eq!(
        world.get("/workflows/nowhere").await.text(),
        "404\ncache-control: no-store\ncontent-type: application/json\nopenwop-version: 2.46\n\n\
         {\"error\":\"not_found\",\"message\":\"There is no such workflow.\"}"
    );
}
