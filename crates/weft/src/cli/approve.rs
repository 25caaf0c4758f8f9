//! `weft approve`: decides the open approval of a run.

use anyhow::{Context, anyhow};
use clap::Args;
use serde_json::{Value, json};

use super::{Failure, Remote, runs, show};
use crate::client::Client;

#[derive(Args, Debug)]
pub(super) struct Approve {
    /// The run's id.
    run: String,
    /// The waiting node [default: the one the run waits at].
    node: Option<String>,
    /// What to decide; the gate lists the actions it takes.
    #[arg(long, value_parser = ["accept", "reject", "refine", "edit-accept", "ask"])]
    action: String,
    /// Words for the record; with `refine` they say what to change.
    #[arg(long, value_name = "TEXT")]
    feedback: Option<String>,
    /// With `edit-accept`: the edited artifact as JSON.
    #[arg(long, value_name = "JSON", required_if_eq("action", "edit-accept"))]
    edited: Option<String>,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    remote: Remote,
}

pub(super) async fn approve(approve: Approve) -> Result<(), Failure> {
    let client = approve.remote.client()?;
    let node = match &approve.node {
        Some(node) => node.clone(),
        None => waiting_node(&client, &approve.run).await?,
    };
    let body = json!({ "resumeValue": resume_value(&approve)? });
    let segment = weft_model::projection::project(&node);
    let answer = client.post(&runs::path(&approve.run, &format!("/interrupts/{segment}")), &body).await?;
    match approve.json {
        true => show::line(&answer)?,
        false => show::line(show::text(&answer, "status"))?,
    }
    Ok(())
}

async fn waiting_node(client: &Client, run: &str) -> Result<String, Failure> {
    let snapshot = client.get(&runs::path(run, "")).await?;
    match snapshot.get("currentNodeId").and_then(Value::as_str) {
        Some(node) => Ok(node.to_owned()),
        None => Err(Failure::Refused(anyhow!(
            "the run is {} and waits for nobody; see `weft runs get {run}`",
            show::text(&snapshot, "status")
        ))),
    }
}

/// The resume value of an approval (openwop-rest.md §18, R-APR-01 to R-APR-04).
fn resume_value(approve: &Approve) -> Result<Value, Failure> {
    let mut value = json!({
        "action": approve.action,
        "decidedAt": weft_engine::Clock::now(&crate::system::SystemClock).to_string(),
    });
    match (approve.action.as_str(), &approve.feedback) {
        ("refine", text) => {
            value["refineFeedback"] = json!({ "scope": "whole", "text": text.as_deref().unwrap_or("") })
        }
        (_, Some(text)) => value["feedback"] = json!(text),
        (_, None) => {}
    }
    if let Some(edited) = &approve.edited {
        value["editedArtifactData"] =
            serde_json::from_str(edited).context("--edited is not JSON").map_err(Failure::Usage)?;
    }
    Ok(value)
}
