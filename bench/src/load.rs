//! Bounded load: a number of keep-alive clients, a number of seconds.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use futures_util::future::try_join_all;
use serde::Serialize;

use crate::http::{Connection, request};
use crate::server::Server;
use crate::{cpu, report};

/// What one spell of load showed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Spell {
    /// Finished pieces of work a second.
    pub rate: f64,
    /// Median latency, milliseconds.
    pub p50_ms: f64,
    /// 99th percentile, milliseconds.
    pub p99_ms: f64,
    /// The longest, milliseconds.
    pub max_ms: f64,
    /// CPU seconds of the server per second of load.
    pub server_cpu: f64,
    /// CPU seconds of this client per second of load.
    pub client_cpu: f64,
}

/// One kind of work a client repeats.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// POST a run of this workflow, then poll its events until it is terminal.
    Run {
        /// The workflow.
        workflow: &'static str,
    },
    /// GET these paths in turn.
    Get {
        /// The paths, already projected.
        paths: std::sync::Arc<Vec<String>>,
    },
}

/// Loads a server for `length` with `clients` connections.
pub(crate) async fn spell(server: &Server, work: &Work, clients: usize, length: Duration) -> anyhow::Result<Spell> {
    // A short unmeasured spell first: connections, caches and the page cache are warm.
    drive(server, work, clients, length / 8).await?;
    let (server_before, client_before) = (cpu::seconds(server.pid())?, cpu::seconds(std::process::id())?);
    let begun = Instant::now();
    let mut latencies = drive(server, work, clients, length).await?;
    let elapsed = begun.elapsed().as_secs_f64();
    latencies.sort_unstable();
    let at = |share: f64| report::percentile_ms(&latencies, share);
    Ok(Spell {
        rate: latencies.len() as f64 / elapsed,
        p50_ms: at(0.50),
        p99_ms: at(0.99),
        max_ms: at(1.0),
        server_cpu: (cpu::seconds(server.pid())? - server_before) / elapsed,
        client_cpu: (cpu::seconds(std::process::id())? - client_before) / elapsed,
    })
}

async fn drive(server: &Server, work: &Work, clients: usize, length: Duration) -> anyhow::Result<Vec<Duration>> {
    let deadline = Instant::now() + length;
    let all = (0..clients).map(|client| client_loop(server, work, client, deadline));
    Ok(try_join_all(all).await?.concat())
}

async fn client_loop(server: &Server, work: &Work, client: usize, deadline: Instant) -> anyhow::Result<Vec<Duration>> {
    let mut connection = Connection::open(&server.address).await?;
    let mut latencies = Vec::new();
    match work {
        Work::Run { workflow } => {
            let create = create_request(server, workflow);
            while Instant::now() < deadline {
                let begun = Instant::now();
                run_once(&mut connection, server, &create).await?;
                latencies.push(begun.elapsed());
            }
        }
        Work::Get { paths } => {
            let requests: Vec<_> = paths.iter().map(|path| request("GET", path, Some(&server.key), None)).collect();
            let mut next = client * 97;
            while Instant::now() < deadline {
                let begun = Instant::now();
                let answer = connection.exchange(&requests[next % requests.len()]).await?;
                if answer.status != 200 {
                    bail!("a read was answered {}", answer.status);
                }
                latencies.push(begun.elapsed());
                next += 1;
            }
        }
    }
    Ok(latencies)
}

/// The bytes of a create.
pub(crate) fn create_request(server: &Server, workflow: &str) -> Vec<u8> {
    request("POST", "/runs", Some(&server.key), Some(&format!(r#"{{"workflowId":"{workflow}"}}"#)))
}

/// Creates a run and returns its projected id.
pub(crate) async fn create(connection: &mut Connection, create: &[u8]) -> anyhow::Result<String> {
    let answer = connection.exchange(create).await?;
    if answer.status != 201 {
        bail!("a create was answered {}: {}", answer.status, String::from_utf8_lossy(answer.body));
    }
    let body = std::str::from_utf8(answer.body)?;
    let from = body.find(r#""runId":""#).context("a create answer without runId")? + 9;
    let id = body[from..].split('"').next().context("an open string")?;
    Ok(id.replace('/', "~2F"))
}

async fn run_once(connection: &mut Connection, server: &Server, create_bytes: &[u8]) -> anyhow::Result<()> {
    let id = create(connection, create_bytes).await?;
    let mut path = format!("/runs/{id}/events/poll");
    loop {
        let answer = connection.exchange(&request("GET", &path, Some(&server.key), None)).await?;
        if answer.status != 200 {
            bail!("a poll was answered {}", answer.status);
        }
        // The closed answer ends with the flag, so the last bytes decide.
        if answer.body.ends_with(br#""isTerminal":true}"#) {
            return Ok(());
        }
        let body: serde_json::Value = serde_json::from_slice(answer.body)?;
        if body["isTerminal"] == true {
            return Ok(());
        }
        path = format!("/runs/{id}/events/poll?afterSequence={}", body["lastSequence"]);
    }
}
