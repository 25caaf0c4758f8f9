//! `createRun` and `cancelRun`.

use serde_json::json;

use crate::ask::Ask;
use crate::world::{World, accept};

const KEY: &str = "key-0123456789-0123456789";

/// Witnesses R-RUN-01, R-RUN-07, R-RUN-08, R-IDEM-12, R-HDR-01: the whole answer, and both forms of
/// the id resolve where it was minted.
#[tokio::test(start_paused = true)]
async fn a_run_is_created() {
    let world = World::new().await;
    let created = world.post("/runs", json!({"workflowId": "conformance-approval"})).await;
    let run: weft_model::RunId = created.json()["runId"].as_str().expect("an id").parse().expect("a run id");
    assert_eq!(
        created.text_about(&run),
        "201\ncache-control: no-store\ncontent-type: application/json\nopenwop-version: 2.46\n\n\
         {\"runId\":\"RUN\",\"status\":\"waiting-approval\",\"eventsUrl\":\"/runs/RUN~/events\",\
         \"statusUrl\":\"/runs/RUN~\"}"
    );
    let encoded = run.as_str().replace('/', "%2F");
    for segment in [run.projected(), encoded.clone(), encoded.to_lowercase(), run.projected().replace("~2F", "~2f")] {
        for path in [format!("/runs/{segment}"), format!("/runs/{segment}/events/poll?timeout=1")] {
            assert_eq!(world.get(&path).await.status, 200, "{path}");
        }
    }
}

/// Witnesses R-IDEM-04, R-IDEM-15, R-IDEM-16: the replay is the answer again, and says so.
#[tokio::test(start_paused = true)]
async fn a_repeated_create_is_replayed() {
    let world = World::new().await;
    let ask = || Ask::post("/runs").json(&json!({"workflowId": "conformance-noop"})).header("idempotency-key", KEY);
    let first = world.ask(ask()).await;
    assert_eq!(first.status, 201);
    let second = world.ask(ask()).await;
    let expected = first.text().replace("openwop-version", "openwop-idempotent-replay: true\nopenwop-version");
    assert_eq!(second.text(), expected);
    assert_eq!(world.get("/runs").await.json()["runs"].as_array().map(Vec::len), Some(1));
}

/// Witnesses R-IDEM-02, R-IDEM-08: garbage keys, doubled keys, and a key of another request.
#[tokio::test(start_paused = true)]
async fn keys_are_judged() {
    let world = World::new().await;
    let ask = |workflow: &str| Ask::post("/runs").json(&json!({ "workflowId": workflow }));
    for bad in ["idem-1", "", "has a space in it 0123456789", "ünïcödé-ünïcödé-ünïcödé"] {
        let refused = world.ask(ask("conformance-noop").header("idempotency-key", bad)).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "idempotency_key_invalid"), "{bad}");
    }
    let doubled = ask("conformance-noop").header("idempotency-key", KEY).header("idempotency-key", KEY);
    assert_eq!(world.ask(doubled).await.code(), "idempotency_key_invalid");
    assert_eq!(world.get("/runs").await.json()["runs"], json!([]), "nothing was executed");
    world.ask(ask("conformance-noop").header("idempotency-key", KEY)).await;
    let mismatch = world.ask(ask("conformance-identity").header("idempotency-key", KEY)).await;
    assert_eq!((mismatch.status, mismatch.code().as_str()), (409, "idempotency_key_mismatch"));
    assert!(!mismatch.headers.contains_key("openwop-idempotent-replay"));
}

/// Witnesses R-IDEM-05: a final refusal is replayed with its status, and says that it is a replay.
#[tokio::test(start_paused = true)]
async fn a_final_refusal_is_replayed() {
    let world = World::new().await;
    let ask = || Ask::post("/runs").json(&json!({"workflowId": "nowhere"})).header("idempotency-key", KEY);
    let first = world.ask(ask()).await;
    assert_eq!(first.status, 404);
    let second = world.ask(ask()).await;
    assert_eq!((second.status, second.body.clone()), (404, first.body));
    assert_eq!(second.header("openwop-idempotent-replay"), "true");
}

/// Witnesses R-RUN-10: the header needs a test credential.
#[tokio::test(start_paused = true)]
async fn forcing_an_engine_version_is_refused() {
    let world = World::new().await;
    let ask = Ask::post("/runs").json(&json!({"workflowId": "conformance-noop"}));
    let refused = world.ask(ask.header("openwop-force-engine-version", "2")).await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "force_engine_version_forbidden"));
    assert!(!refused.headers.contains_key("www-authenticate"));
}

/// Witnesses R-CAN-01, R-CAN-02, R-CAN-08, R-INT-11: the whole answers, without a body and with
/// one, and a second cancel.
#[tokio::test(start_paused = true)]
async fn a_run_is_cancelled() {
    let world = World::new().await;
    for ask in [Ask::post, |path: &str| Ask::post(path).json(&json!({"reason": "enough"}))] {
        let run = world.waiting_run().await;
        let path = format!("/runs/{}/cancel", run.projected());
        let cancelled = world.ask(ask(&path)).await;
        assert_eq!(
            cancelled.text_about(&run),
            "200\ncache-control: no-store\ncontent-type: application/json\nopenwop-version: 2.46\n\n\
             {\"runId\":\"RUN\",\"status\":\"cancelled\"}"
        );
        let again = world.ask(ask(&path)).await;
        assert_eq!((again.status, again.code().as_str()), (409, "run_terminal"));
        let path = format!("/runs/{}/interrupts/gate", run.projected());
        assert_eq!(world.post(&path, accept()).await.code(), "interrupt_already_resolved");
    }
}

/// A cancel body that is not an object, or that is no JSON, is refused although it is optional.
#[tokio::test(start_paused = true)]
async fn a_bad_cancel_body_is_refused() {
    let world = World::new().await;
    let run = world.waiting_run().await;
    let path = format!("/runs/{}/cancel", run.projected());
    for body in ["[]", "{\"reason\":7}", "{", "nope"] {
        let refused = world.ask(Ask::post(&path).bytes("application/json", body)).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "validation_error"), "{body}");
    }
    assert_eq!(world.get(&format!("/runs/{}", run.projected())).await.json()["status"], "waiting-approval");
}
