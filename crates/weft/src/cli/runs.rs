//! `weft runs`: list, read, follow and cancel.

use anyhow::anyhow;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use weft_model::ids::RunId;

use super::{Failure, Remote, show};

/// Longest value of a variable that `runs get` prints; `--json` prints all of it.
const VALUE_MAX: usize = 70;

#[derive(Args, Debug)]
pub(super) struct Runs {
    #[command(subcommand)]
    command: RunsCommand,
}

#[derive(Debug, Subcommand)]
enum RunsCommand {
    /// List runs, newest first.
    List {
        /// At most this many runs.
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        /// Continue behind an earlier page (its `nextCursor`).
        #[arg(long)]
        cursor: Option<String>,
        #[command(flatten)]
        read: Read,
    },
    /// Read one run.
    Get {
        /// The run's id.
        run: String,
        #[command(flatten)]
        read: Read,
    },
    /// Read a run's event log.
    Events {
        /// The run's id.
        run: String,
        /// Keep reading until the run ends.
        #[arg(long)]
        follow: bool,
        #[command(flatten)]
        read: Read,
    },
    /// Cancel a run.
    Cancel {
        /// The run's id.
        run: String,
        /// Why; recorded on the run.
        #[arg(long)]
        reason: Option<String>,
        #[command(flatten)]
        read: Read,
    },
}

#[derive(Args, Debug)]
struct Read {
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    remote: Remote,
}

/// The path of a run, or of something below it. An id that does not parse goes out
/// percent-encoded as it is, so that the host's own refusal explains it.
pub(super) fn path(run: &str, below: &str) -> String {
    let segment = match RunId::parse(run) {
        Ok(id) => id.projected(),
        Err(_) => run.bytes().map(percent).collect(),
    };
    format!("/runs/{segment}{below}")
}

fn percent(byte: u8) -> String {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    }
}

pub(super) async fn runs(runs: Runs) -> Result<(), Failure> {
    match runs.command {
        RunsCommand::List { limit, cursor, read } => list(limit, cursor, read).await,
        RunsCommand::Get { run, read } => get(&run, read).await,
        RunsCommand::Events { run, follow, read } => events(&run, follow, read).await,
        RunsCommand::Cancel { run, reason, read } => cancel(&run, reason, read).await,
    }
}

async fn list(limit: u32, cursor: Option<String>, read: Read) -> Result<(), Failure> {
    let mut query = format!("/runs?limit={limit}");
    if let Some(cursor) = cursor {
        query.push_str("&cursor=");
        query.extend(cursor.bytes().map(percent));
    }
    let page = read.remote.client()?.get(&query).await?;
    if read.json {
        show::line(&page)?;
        return Ok(());
    }
    let mut table = show::table(["RUN", "WORKFLOW", "STATUS", "STARTED"]);
    for run in page.get("runs").and_then(Value::as_array).into_iter().flatten() {
        let [id, workflow, status, started] =
            ["runId", "workflowId", "status", "startedAt"].map(|member| show::text(run, member));
        table.add_row([id, workflow, status, &show::minute(started)]);
    }
    show::line(show::lines(&table))?;
    if let Some(next) = page.get("nextCursor").and_then(Value::as_str) {
        eprintln!("more: weft runs list --limit {limit} --cursor {next}");
    }
    Ok(())
}

/// A node's state in words: where it stands, why it failed, what it waits for.
fn node_line(state: &Value) -> String {
    let mut line = show::text(state, "status").to_owned();
    for (words, member) in [(": ", "errorCode"), (", waits for ", "waitingFor")] {
        if let Some(value) = state.get(member).and_then(Value::as_str) {
            line.push_str(words);
            line.push_str(value);
        }
    }
    line
}

async fn get(run: &str, read: Read) -> Result<(), Failure> {
    let snapshot = read.remote.client()?.get(&path(run, "")).await?;
    if read.json {
        show::line(&snapshot)?;
        return Ok(());
    }
    for (label, member) in [
        ("run", "runId"),
        ("workflow", "workflowId"),
        ("status", "status"),
        ("waits at", "currentNodeId"),
        ("started", "startedAt"),
        ("ended", "completedAt"),
    ] {
        if let Some(value) = snapshot.get(member).and_then(Value::as_str) {
            show::line(format!("{label:<10} {value}"))?;
        }
    }
    if let Some(error) = snapshot.get("error") {
        show::line(format!("{:<10} {}: {}", "error", show::text(error, "code"), show::text(error, "message")))?;
    }
    for (label, member) in [("nodes", "nodeStates"), ("variables", "variables")] {
        let members = snapshot.get(member).and_then(Value::as_object).filter(|members| !members.is_empty());
        for (index, (name, value)) in members.into_iter().flatten().enumerate() {
            let label = if index == 0 { label } else { "" };
            let value = if member == "nodeStates" { node_line(value) } else { value.to_string() };
            show::line(format!("{label:<10} {name:<16} {}", show::cut(&value, VALUE_MAX)))?;
        }
    }
    Ok(())
}

async fn events(run: &str, follow: bool, read: Read) -> Result<(), Failure> {
    let client = read.remote.client()?;
    if follow {
        let mut stream = client.events(&path(run, "/events?streamMode=debug"), None).await?;
        while let Some(event) = stream.next().await? {
            match read.json {
                true => show::line(&event)?,
                false => show::line(show::event_line(&event))?,
            }
        }
        return Ok(());
    }
    let mut table = show::table(["SEQ", "TIME", "TYPE", "NODE", ""]);
    let mut after: Option<u64> = None;
    loop {
        let mut query = path(run, "/events/poll?timeout=1");
        if let Some(after) = after {
            query.push_str(&format!("&afterSequence={after}"));
        }
        let page = client.get(&query).await?;
        let events = page.get("events").and_then(Value::as_array).cloned().unwrap_or_default();
        for event in &events {
            match read.json {
                true => show::line(event)?,
                false => drop(table.add_row(show::event_row(event))),
            }
        }
        let read_to = events.last().and_then(|event| event.get("sequence")).and_then(Value::as_u64);
        let last = page.get("lastSequence").and_then(Value::as_u64);
        after = read_to.or(after);
        if read_to.is_none() || after >= last {
            break;
        }
    }
    if !read.json {
        show::line(show::lines(&table))?;
    }
    Ok(())
}

async fn cancel(run: &str, reason: Option<String>, read: Read) -> Result<(), Failure> {
    let body = reason.map_or_else(|| json!({}), |reason| json!({ "reason": reason }));
    let answer = read.remote.client()?.post(&path(run, "/cancel"), &body).await?;
    match (read.json, answer.get("status").and_then(Value::as_str)) {
        (true, _) => show::line(&answer)?,
        (false, Some(status)) => show::line(status)?,
        (false, None) => return Err(Failure::Refused(anyhow!("the host's answer names no status: {answer}"))),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_projected_and_garbage_is_escaped() {
        let id = "acme/abcdefghijklmnopqrstuvwxyz0123456789";
        assert_eq!(path(id, "/cancel"), "/runs/acme~2Fabcdefghijklmnopqrstuvwxyz0123456789/cancel");
        assert_eq!(path("../x y", ""), "/runs/..%2Fx%20y");
    }
}
