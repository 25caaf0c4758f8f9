//! `weft demo`: a throw-away host and one approval workflow, end to end, with nothing to set up.

use std::path::Path;

use anyhow::{Context, bail};
use axum::routing::get;
use serde_json::{Value, json};

use super::{Failure, runs, show};
use crate::client::Client;
use crate::config::{HostConfig, LogFormat};
use crate::wire_up;

/// Where the demonstration's policy is published.
const POLICY_PATH: &str = "/policy";

pub(super) async fn demo() -> Result<(), Failure> {
    let folder = tempfile::Builder::new().prefix("weft-demo-").tempdir().context("no temporary folder")?;
    let policy = serve_policy().await.context("cannot serve the demonstration's policy")?;
    let running = Box::pin(wire_up::start(&settings(folder.path()), "demo")).await?;
    let key = running.first_key.as_ref().map(|key| key.expose().to_owned());
    let client = Client::new(&running.url, key, None)?;
    say(1, &format!("a host listens on {} with the sample workflows", running.url))?;
    let outcome = Box::pin(walk(&client, &policy)).await;
    // The host is stopped whatever the walk came to, so that nothing is left behind.
    Box::pin(running.stop()).await?;
    outcome?;
    say(7, "the host drained and stopped; its folder is gone")?;
    Ok(())
}

fn say(step: u32, words: &str) -> Result<(), Failure> {
    show::line(format!("{step}. {words}"))
}

fn settings(folder: &Path) -> HostConfig {
    HostConfig {
        data: folder.to_path_buf(),
        listen: "127.0.0.1:0".parse().expect("a well-formed address"),
        public_url: None,
        workflows: Vec::new(),
        samples: true,
        fixtures: false,
        allow_egress: vec!["127.0.0.0/8".to_owned()],
        egress_ca: None,
        tls: None,
        log: LogFormat::Text,
        cors_origins: Vec::new(),
    }
}

/// The peer that the look-up node asks: a small server on a free port of this machine.
async fn serve_policy() -> anyhow::Result<String> {
    let router =
        axum::Router::new().route(POLICY_PATH, get(async || axum::Json(json!({ "limit": 500, "currency": "EUR" }))));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    // Ends with the process; the demonstration is the process.
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(format!("http://{address}{POLICY_PATH}"))
}

async fn walk(client: &Client, policy: &str) -> Result<(), Failure> {
    let inputs = json!({ "employee": "Ada", "amount": 120, "purpose": "a keyboard", "policyUrl": policy });
    let created = client.post("/runs", &json!({ "workflowId": "expense-approval", "inputs": inputs })).await?;
    let id = show::text(&created, "runId").to_owned();
    say(2, &format!("POST /runs created {id}"))?;

    let mut stream = client.events(&runs::path(&id, "/events?streamMode=debug"), None).await?;
    let mut waiting = None;
    while waiting.is_none() {
        let Some(event) = stream.next().await? else { break };
        show::line(format!("   {}", show::event_line(&event)))?;
        if show::text(&event, "type") == "node.suspended" {
            waiting = Some(show::text(&event, "nodeId").to_owned());
        }
    }
    let node = waiting.context("the run ended before it asked for an approval")?;
    say(3, &format!("the policy was looked up over HTTP; the run waits for an approval at node {node}"))?;

    let decision = json!({ "action": "accept", "feedback": "within the limit", "decidedAt": now() });
    let path = runs::path(&id, &format!("/interrupts/{node}"));
    client.post(&path, &json!({ "resumeValue": decision })).await?;
    say(4, "POST /runs/{runId}/interrupts/{nodeId} approved it")?;

    // The stream that was opened before the approval shows what followed, and closes at the end.
    while let Some(event) = stream.next().await? {
        show::line(format!("   {}", show::event_line(&event)))?;
    }
    let snapshot = client.get(&runs::path(&id, "")).await?;
    if show::text(&snapshot, "status") != "completed" {
        return Err(anyhow::anyhow!("the run is {} instead of completed", show::text(&snapshot, "status")).into());
    }
    let decision = show::text(&snapshot["variables"], "decision");
    say(5, &format!("GET /runs/{{runId}} says completed; the variable `decision` is {decision}"))?;
    say(6, "the whole log:")?;
    show::line(show::lines(&log_table(client, &id).await?))?;
    Ok(())
}

fn now() -> String {
    weft_engine::Clock::now(&crate::system::SystemClock).to_string()
}

async fn log_table(client: &Client, id: &str) -> anyhow::Result<comfy_table::Table> {
    let page = client.get(&runs::path(id, "/events/poll?timeout=1")).await?;
    let Some(events) = page.get("events").and_then(Value::as_array) else { bail!("the poll answered no events") };
    let mut table = show::table(["SEQ", "TIME", "TYPE", "NODE", ""]);
    for event in events {
        table.add_row(show::event_row(event));
    }
    Ok(table)
}
