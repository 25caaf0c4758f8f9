//! Databases that earlier builds wrote are opened by this one (R20 of the fault table).
//!
//! Each file `tests/databases/NAME.db` stands beside `NAME.json`, which says what its runs looked
//! like when it was written. To add the present build's: run this test with
//! `WEFT_WRITE_DATABASE=NAME` and commit the two files. Files are never changed afterwards.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::api::{Api, segment};
use super::host::{Host, key};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/databases")
}

/// Every run of the tenant with its log, newest first.
async fn everything(api: &Api) -> Value {
    let (_, page) = api.get("/runs?limit=100").await.expect("the host answers");
    let mut runs = Vec::new();
    for snapshot in page["runs"].as_array().expect("runs") {
        let id = segment(snapshot["runId"].as_str().expect("an id"));
        let (_, log) = api.get(&format!("/runs/{id}/events/poll?timeout=1")).await.expect("the host answers");
        runs.push(json!({ "snapshot": snapshot, "events": log["events"] }));
    }
    Value::Array(runs)
}

/// R-DUR-01, R-EVT-10, R-EVT-91: what an earlier build acknowledged reads the same and moves on.
#[tokio::test]
async fn every_earlier_database_is_opened() {
    let mut opened = 0;
    for entry in std::fs::read_dir(folder()).expect("the folder is part of the repository") {
        let file = entry.expect("readable").path();
        if file.extension().is_none_or(|extension| extension != "db") {
            continue;
        }
        let expected = std::fs::read_to_string(file.with_extension("json")).expect("its description");
        let expected: Value = serde_json::from_str(&expected).expect("JSON");
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let data = temporary.path().join("data");
        std::fs::create_dir(&data).expect("made");
        std::fs::copy(&file, data.join("weft.db")).expect("copied");
        let host = Host::start(&data, &[]);
        let api = Api::new(&host.url, &key(&data, "acme"));
        assert_eq!(everything(&api).await, expected, "{}", file.display());
        accept_what_waits(&api, &expected).await;
        assert_eq!(host.stop(), Some(0));
        opened += 1;
    }
    assert!(opened > 0, "no database was found");
}

async fn accept_what_waits(api: &Api, runs: &Value) {
    for run in runs.as_array().expect("runs") {
        let snapshot = &run["snapshot"];
        if snapshot["status"] != "waiting-approval" {
            continue;
        }
        let id = segment(snapshot["runId"].as_str().expect("an id"));
        let path = format!("/runs/{id}/interrupts/{}", snapshot["currentNodeId"].as_str().expect("a node"));
        let accept = json!({"resumeValue": {"action": "accept"}});
        let (status, answer) = api.call("POST", &path, None, Some(&accept)).await.expect("the host answers");
        assert_eq!(status, 200, "{answer}");
        let (_, snapshot) = api.get(&format!("/runs/{id}")).await.expect("the host answers");
        assert_eq!(snapshot["status"], "completed");
    }
}

/// Writes the present build's database when it is asked to, as the module says.
#[tokio::test]
async fn the_present_database_is_written_on_request() {
    let Ok(name) = std::env::var("WEFT_WRITE_DATABASE") else { return };
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let data = temporary.path().join("data");
    let host = Host::start(&data, &[]);
    let api = Api::new(&host.url, &key(&data, "acme"));
    for (workflow, inputs) in [
        ("conformance-noop", json!({})),
        ("conformance-identity", json!({"payload": {"text": "ä", "list": [1, 2.5, null]}})),
        ("conformance-failure", json!({})),
        ("conformance-multi-node", json!({})),
        ("conformance-approval", json!({})),
        ("conformance-cancellable", json!({})),
    ] {
        let body = json!({ "workflowId": workflow, "inputs": inputs, "tags": ["kept"] });
        let key = format!("database-{workflow}");
        let (status, created) = api.call("POST", "/runs", Some(&key), Some(&body)).await.expect("answered");
        assert_eq!(status, 201, "{created}");
        if workflow == "conformance-cancellable" {
            let id = segment(created["runId"].as_str().expect("an id"));
            api.call("POST", &format!("/runs/{id}/cancel"), None, Some(&json!({}))).await.expect("cancelled");
        }
    }
    let description = everything(&api).await;
    assert_eq!(host.stop(), Some(0));
    std::fs::copy(data.join("weft.db"), folder().join(format!("{name}.db"))).expect("written");
    let text = serde_json::to_string_pretty(&description).expect("JSON");
    std::fs::write(folder().join(format!("{name}.json")), text).expect("written");
}
