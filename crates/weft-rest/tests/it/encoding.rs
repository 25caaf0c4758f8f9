//! gzip of JSON answers.

use std::io::Read;

use serde_json::{Value, json};

use crate::ask::{Answered, Ask};
use crate::world::World;

fn decoded(answer: &Answered) -> Vec<u8> {
    assert_eq!(answer.header("content-encoding"), "gzip", "{}", answer.text());
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(&answer.body[..]).read_to_end(&mut plain).expect("gzip");
    plain
}

/// A workflow whose definition is well over the length from which answers are compressed.
fn long_workflow() -> Value {
    let mut definition: Value =
        serde_json::from_str(include_str!("../../../../fixtures/conformance-noop.json")).expect("JSON");
    definition["id"] = json!("long");
    definition["description"] = json!("word ".repeat(60_000));
    definition
}

/// Witnesses R-SNAP-09: the decoded bytes are the plain bytes, and caches are told.
#[tokio::test(start_paused = true)]
async fn long_answers_are_compressed_for_those_who_accept() {
    let world = World::new().await;
    world.serve(&[long_workflow()]).await;
    let run = world.run("conformance-multi-node").await.projected();
    for path in ["/workflows/long".to_owned(), format!("/runs/{run}/events/poll"), "/runs".to_owned()] {
        for _ in 0..2 {
            world.run("conformance-noop").await;
        }
        let plain = world.get(&path).await;
        assert!(plain.body.len() > 1024, "{path}");
        assert!(!plain.headers.contains_key("content-encoding"));
        let compressed = world.ask(Ask::get(&path).header("accept-encoding", "br, gzip")).await;
        assert_eq!(decoded(&compressed), plain.body, "{path}");
        assert!(compressed.body.len() < plain.body.len());
        assert_eq!((plain.header("vary"), compressed.header("vary")), ("accept-encoding", "accept-encoding"));
        let declined = world.ask(Ask::get(&path).header("accept-encoding", "gzip;q=0")).await;
        assert_eq!(declined.body, plain.body);
    }
}

/// Witnesses R-SNAP-07, R-SNAP-08, R-SNAP-09: each coding has its own strong validator, and each of
/// them is answered 304.
#[tokio::test(start_paused = true)]
async fn the_compressed_snapshot_has_its_own_validator() {
    let world = World::new().await;
    let body = json!({"workflowId": "conformance-noop", "metadata": {"long": "word ".repeat(1000)}});
    let run = world.post("/runs", body).await.json()["statusUrl"].as_str().expect("a link").to_owned();
    let plain = world.get(&run).await;
    let compressed = world.ask(Ask::get(&run).header("accept-encoding", "gzip")).await;
    assert_eq!(decoded(&compressed), plain.body);
    assert_ne!(plain.header("etag"), compressed.header("etag"));
    for etag in [plain.header("etag"), compressed.header("etag")] {
        assert!(!etag.starts_with("W/"));
        for encoding in ["gzip", "identity"] {
            let ask = Ask::get(&run).header("if-none-match", etag).header("accept-encoding", encoding);
            assert_eq!(world.ask(ask).await.status, 304, "{etag} {encoding}");
        }
    }
}

/// Witnesses R-SSE-01: a stream is never compressed, and neither is what is short.
#[tokio::test(start_paused = true)]
async fn streams_and_short_answers_are_not_compressed() {
    let world = World::new().await;
    let run = world.run("conformance-multi-node").await.projected();
    for path in [format!("/runs/{run}/events?streamMode=debug"), "/workflows/nowhere".to_owned(), "/healthz".to_owned()]
    {
        let answer = world.ask(Ask::get(&path).header("accept-encoding", "gzip")).await;
        assert!(!answer.headers.contains_key("content-encoding"), "{path}");
        assert!(!answer.headers.contains_key("vary"), "{path}");
    }
}
