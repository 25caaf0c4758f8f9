//! `weft run`: creates a run and, when asked, follows it until it ends or waits.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use serde_json::{Value, json};

use super::{Failure, Remote, runs, show};
use crate::client::Client;

/// An input file larger than this is refused before it is sent: no host takes it.
const INPUT_MAX_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Args, Debug)]
pub(super) struct Run {
    /// The workflow to run.
    workflow: String,
    /// Inputs as a JSON object.
    #[arg(long, value_name = "JSON", conflicts_with = "input_file")]
    input: Option<String>,
    /// File that holds the inputs as a JSON object.
    #[arg(long, value_name = "FILE")]
    input_file: Option<PathBuf>,
    /// Stream the events until the run ends or waits, then print the outputs.
    #[arg(long)]
    follow: bool,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    remote: Remote,
}

pub(super) async fn run(run: Run) -> Result<(), Failure> {
    let client = run.remote.client()?;
    let mut body = json!({ "workflowId": run.workflow });
    if let Some(inputs) = inputs(run.input.as_deref(), run.input_file).map_err(Failure::Usage)? {
        body["inputs"] = inputs;
    }
    let created = client.post("/runs", &body).await?;
    let id = created.get("runId").and_then(Value::as_str).context("the host's answer names no runId")?;
    if !run.follow {
        match run.json {
            true => show::line(&created)?,
            false => show::line(id)?,
        }
        return Ok(());
    }
    eprintln!("run {id}");
    follow_until_rest(&client, id, run.json).await
}

fn inputs(text: Option<&str>, file: Option<PathBuf>) -> anyhow::Result<Option<Value>> {
    let text = match (text, file) {
        (Some(text), _) => text.to_owned(),
        (None, Some(path)) => {
            let size = std::fs::metadata(&path).with_context(|| format!("cannot read {}", path.display()))?.len();
            if size > INPUT_MAX_BYTES {
                bail!("{} has {size} bytes; inputs have at most {INPUT_MAX_BYTES}", path.display());
            }
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?
        }
        (None, None) => return Ok(None),
    };
    let value: Value = serde_json::from_str(&text).context("the inputs are not JSON")?;
    if !value.is_object() {
        bail!("the inputs are not a JSON object; write them like '{{\"amount\": 120}}'");
    }
    Ok(Some(value))
}

/// Streams a run's events until it ends or waits for somebody, then prints its outputs.
async fn follow_until_rest(client: &Client, id: &str, as_json: bool) -> Result<(), Failure> {
    let mut stream = client.events(&runs::path(id, "/events?streamMode=debug"), None).await?;
    let mut last = Value::Null;
    while let Some(event) = stream.next().await? {
        match as_json {
            true => show::line(&event)?,
            false => eprintln!("{}", show::event_line(&event)),
        }
        last = event;
        if show::text(&last, "type") == "node.suspended" {
            break;
        }
    }
    let snapshot = client.get(&runs::path(id, "")).await?;
    match show::text(&snapshot, "status") {
        "completed" => {
            // Answered by somebody else in the meantime: the end is still to come.
            while let Some(event) = stream.next().await? {
                last = event;
            }
            if !as_json {
                show::line(last.pointer("/payload/outputs").unwrap_or(&json!({})))?;
            }
            Ok(())
        }
        status @ ("failed" | "cancelled") => {
            let reason = snapshot.get("error").map_or_else(String::new, |error| {
                format!(": {}: {}", show::text(error, "code"), show::text(error, "message"))
            });
            Err(Failure::Refused(anyhow!("the run is {status}{reason}")))
        }
        status => {
            eprintln!("the run is {status} at node {}; decide with:", show::text(&snapshot, "currentNodeId"));
            eprintln!("  weft approve {id} --action accept");
            Ok(())
        }
    }
}
