//! Costs that do not depend on the machine, read from the host's own counters.

use serde_json::{Value, json};

use super::api::{Api, segment};
use super::host::{Host, key};

/// A counter or gauge of the metrics page.
async fn metric(api: &Api, name: &str) -> u64 {
    let page = api.text("/metrics").await;
    let line = page.lines().find(|line| line.split(' ').next() == Some(name));
    let value = line.and_then(|line| line.split(' ').nth(1)).unwrap_or_else(|| panic!("{name} is not on\n{page}"));
    value.parse().expect("a whole number")
}

async fn create(api: &Api, workflow: &str) -> String {
    let body = json!({ "workflowId": workflow });
    let (status, answer) = api.call("POST", "/runs", None, Some(&body)).await.expect("the host answers");
    assert_eq!(status, 201, "{answer}");
    answer["runId"].as_str().expect("an id").to_owned()
}

async fn log(api: &Api, run: &str) -> Vec<Value> {
    let (_, page) = api.get(&format!("/runs/{}/events/poll?timeout=1", segment(run))).await.expect("answered");
    page["events"].as_array().expect("events").clone()
}

fn host() -> (tempfile::TempDir, Host, Api) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("data");
    let host = Host::start(&data, &[]);
    let api = Api::new(&host.url, &key(&data, "acme"));
    (folder, host, api)
}

/// A one-node pure run costs at most 2 commits and 12 row writes (it costs 1 and fewer).
#[tokio::test]
async fn a_one_node_run_is_cheap() {
    let (_folder, _host, api) = host();
    // The first run of a tenant also writes the tenant's row.
    create(&api, "conformance-noop").await;
    let before = [metric(&api, "weft_store_commits_total").await, metric(&api, "weft_store_row_writes_total").await];
    let run = create(&api, "conformance-noop").await;
    assert_eq!(log(&api, &run).await.last().expect("events")["type"], "run.completed");
    let commits = metric(&api, "weft_store_commits_total").await - before[0];
    let rows = metric(&api, "weft_store_row_writes_total").await - before[1];
    assert!(commits <= 2, "{commits} commits");
    assert!(rows <= 12, "{rows} row writes");
    eprintln!("a one-node run costs {commits} commits and {rows} row writes");
}

/// An event is serialised once, whatever the number of subscribers (R-EVT-08, R-SSE-22).
#[tokio::test]
async fn an_event_is_serialised_once_for_all_subscribers() {
    const SUBSCRIBERS: usize = 40;
    let (_folder, _host, api) = host();
    let before = metric(&api, "weft_events_encoded_total").await;
    let run = create(&api, "conformance-approval").await;
    let mut streams = Vec::with_capacity(SUBSCRIBERS);
    for _ in 0..SUBSCRIBERS {
        let mut stream = api.stream(&run, None).await.expect("a stream");
        assert_eq!(stream.next().await.expect("a frame").expect("open")["sequence"], 0);
        streams.push(stream);
    }
    let node = log(&api, &run).await.last().expect("events")["nodeId"].as_str().expect("a node").to_owned();
    let path = format!("/runs/{}/interrupts/{node}", segment(&run));
    let accept = json!({"resumeValue": {"action": "accept"}});
    let (status, answer) = api.call("POST", &path, None, Some(&accept)).await.expect("the host answers");
    assert_eq!(status, 200, "{answer}");
    let events = log(&api, &run).await;
    for mut stream in streams {
        let mut frames = vec![events[0].clone()];
        while let Some(event) = stream.next().await.expect("a whole stream") {
            frames.push(event);
        }
        assert_eq!(frames, events);
    }
    let encoded = metric(&api, "weft_events_encoded_total").await - before;
    assert_eq!(encoded, events.len() as u64, "events and encodings");
}

/// A waiting run holds no task and no folded state (DECISIONS 30).
#[tokio::test]
async fn a_waiting_run_holds_nothing() {
    let (_folder, _host, api) = host();
    for _ in 0..50 {
        create(&api, "conformance-approval").await;
    }
    let sleeping = create(&api, "conformance-cancellable").await;
    assert_eq!(log(&api, &sleeping).await.last().expect("events")["type"], "node.started");
    // An actor leaves its seat just after the answer that it gave; a metrics scrape is a request
    // like any other, so it is simply asked again until the seats are empty.
    while metric(&api, "weft_actors").await > 0 || metric(&api, "weft_folded_states").await > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(metric(&api, "weft_effects").await, 0);
}
