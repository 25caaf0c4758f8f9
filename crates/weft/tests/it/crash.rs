//! The kill loop (R1 and R13 of the fault table): a mixed load, `kill -9` at random moments, and
//! the checker over everything that was acknowledged.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use weft_testkit::checker::{Create, History, Observed, ObservedRun, Resolve, StreamedRun, check};

use super::api::{Api, Broken, segment};
use super::host::{Host, key};

/// Kills in one pass of the test; the release figure is two thousand.
const KILLS: u32 = 25;
/// Clients at work at once.
const CLIENTS: u64 = 8;
/// Copies of one create sent at once under one key.
const COPIES: usize = 64;
/// Pieces of work a client does before it idles until the kill.
const TURNS_MAX: u64 = 60;
/// The longest a host lives before it is killed.
const LIFE_MAX_MS: u64 = 1_500;
/// After the last restart every run is at rest within this time (I4).
const REST_WITHIN: Duration = Duration::from_secs(30);

/// The clients' memory, shared by all of them.
#[derive(Clone, Default)]
struct Memory {
    history: Arc<Mutex<History>>,
    /// Creates that were sent and not answered: retried under their key on the next host.
    unanswered: Arc<Mutex<Vec<usize>>>,
    /// Subscribers whose stream broke: they reconnect behind what they have.
    streams: Arc<Mutex<BTreeMap<String, Vec<Value>>>>,
}

/// A small deterministic generator: a failing pass is repeated with its printed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn seed() -> u64 {
    let from_clock =
        || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |d| d.as_nanos() as u64);
    std::env::var("WEFT_CRASH_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(from_clock)
}

/// R-DUR-01, R-DUR-02, R-RUN-01, R-IDEM-10, R-IDEM-15, R-INT-12, R-INT-17, R-SSE-19: nothing acknowledged is lost.
#[test]
fn nothing_acknowledged_is_lost_across_kills() {
    let seed = seed();
    eprintln!("WEFT_CRASH_SEED={seed}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("data");
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(kill_loop(&data, seed));
}

async fn kill_loop(data: &Path, seed: u64) {
    let peer = slow_peer().await;
    let memory = Memory::default();
    let mut dice = Dice(seed);
    let mut credential = None;
    for round in 0..KILLS {
        let host = Host::start(data, &["--allow-egress", "127.0.0.0/8"]);
        let credential = credential.get_or_insert_with(|| key(data, "acme")).clone();
        let mut clients = tokio::task::JoinSet::new();
        for client in 0..CLIENTS {
            let api = Api::new(&host.url, &credential);
            let dice = Dice(seed ^ (u64::from(round) << 32) ^ client);
            clients.spawn(work(api, memory.clone(), dice, peer.clone(), format!("{round}-{client}")));
        }
        clients.spawn(retry_unanswered(Api::new(&host.url, &credential), memory.clone()));
        clients.spawn(resume_streams(Api::new(&host.url, &credential), memory.clone()));
        // The one place where a test waits for time itself: the moment of the kill is random.
        tokio::time::sleep(Duration::from_millis(dice.roll(LIFE_MAX_MS))).await;
        host.kill();
        while clients.join_next().await.is_some() {}
    }
    let host = Host::start(data, &["--allow-egress", "127.0.0.0/8"]);
    let api = Api::new(&host.url, &credential.expect("a key was made"));
    retry_unanswered(api.clone(), memory.clone()).await;
    let observed = observe(&api).await;
    finish_streams(&api, &memory, &observed).await;

    let history = memory.history.lock().clone();
    let runs = observed.runs().count();
    let resolved = history.resolves.len();
    assert!(runs > KILLS as usize && resolved > 0, "the load was real: {runs} runs, {resolved} approvals");
    let violations = check(&history, &observed);
    for violation in &violations {
        let log = observed.run(&violation.run).map(|run| json!({ "snapshot": run.snapshot, "log": run.log }));
        eprintln!("{violation:?}\n{}", log.unwrap_or_default());
    }
    assert!(violations.is_empty(), "WEFT_CRASH_SEED={seed}: {violations:#?}");
    eprintln!("{KILLS} kills, {runs} runs, {resolved} approvals, {} streams: clean", history.streams.len());
    assert_eq!(host.stop(), Some(0));
}

/// One client: it picks kinds of work until its host dies.
async fn work(api: Api, memory: Memory, mut dice: Dice, peer: String, name: String) {
    for turn in 0..TURNS_MAX {
        let marker = format!("{name}-{turn}");
        let outcome = match dice.roll(6) {
            0 => create(&api, &memory, &marker, "conformance-noop", json!({})).await.map(drop),
            1 => create(&api, &memory, &marker, "conformance-delay", json!({})).await.map(drop),
            2 => {
                let inputs = json!({"employee": "Ada", "amount": 120, "policyUrl": peer});
                create(&api, &memory, &marker, "expense-approval", inputs).await.map(drop)
            }
            3 => approve(&api, &memory, &marker).await,
            4 => cancel(&api, &memory, &marker).await,
            _ => copies(&api, &memory, &marker).await,
        };
        if outcome.is_err() {
            return;
        }
    }
}

fn remember(memory: &Memory, marker: &str, workflow: &str, inputs: Value) -> usize {
    let mut history = memory.history.lock();
    history.creates.push(Create {
        tenant: "acme".to_owned(),
        workflow: workflow.to_owned(),
        inputs,
        key: Some(format!("kill-loop-{marker:_>16}")),
        marker: marker.to_owned(),
        answers: Vec::new(),
    });
    history.creates.len() - 1
}

/// Sends one logical create and remembers the answer.
async fn send_create(api: &Api, memory: &Memory, at: usize) -> Result<String, Broken> {
    let create = memory.history.lock().creates[at].clone();
    let body = json!({"workflowId": create.workflow, "inputs": create.inputs, "tags": [create.marker]});
    loop {
        let (status, answer) = api.call("POST", "/runs", create.key.as_deref(), Some(&body)).await?;
        match status {
            201 => {
                let run = answer["runId"].as_str().expect("a run id").to_owned();
                memory.history.lock().creates[at].answers.push(run.clone());
                return Ok(run);
            }
            // Another copy under this key is at work: ask again until its outcome is known.
            409 if answer["error"] == "idempotency_in_flight" => tokio::task::yield_now().await,
            429 | 503 => tokio::task::yield_now().await,
            _ => panic!("a create was answered {status}: {answer}"),
        }
    }
}

async fn create(api: &Api, memory: &Memory, marker: &str, workflow: &str, inputs: Value) -> Result<String, Broken> {
    let at = remember(memory, marker, workflow, inputs);
    match send_create(api, memory, at).await {
        Ok(run) => Ok(run),
        Err(broken) => {
            memory.unanswered.lock().push(at);
            Err(broken)
        }
    }
}

/// Creates an approval run, watches it with a subscriber and accepts it from two sides at once.
async fn approve(api: &Api, memory: &Memory, marker: &str) -> Result<(), Broken> {
    let run = create(api, memory, marker, "conformance-approval", json!({})).await?;
    memory.streams.lock().insert(run.clone(), Vec::new());
    let (_, snapshot) = api.get(&format!("/runs/{}", segment(&run))).await?;
    let Some(node) = snapshot["currentNodeId"].as_str() else { return Ok(()) };
    let (first, second) = tokio::join!(
        resolve(api, memory, &run, node, "2026-01-01T00:00:01Z"),
        resolve(api, memory, &run, node, "2026-01-01T00:00:02Z"),
    );
    first.and(second)
}

async fn resolve(api: &Api, memory: &Memory, run: &str, node: &str, decided_at: &str) -> Result<(), Broken> {
    let value = json!({"action": "accept", "decidedAt": decided_at});
    let path = format!("/runs/{}/interrupts/{node}", segment(run));
    let (status, answer) = api.call("POST", &path, None, Some(&json!({"resumeValue": value}))).await?;
    match status {
        200 => {
            let resolve = Resolve { run: run.to_owned(), node: node.to_owned(), value, key: None };
            memory.history.lock().resolves.push(resolve);
        }
        409 | 503 => {}
        _ => panic!("a resolve was answered {status}: {answer}"),
    }
    Ok(())
}

async fn cancel(api: &Api, memory: &Memory, marker: &str) -> Result<(), Broken> {
    let run = create(api, memory, marker, "conformance-cancellable", json!({})).await?;
    let (status, answer) = api.call("POST", &format!("/runs/{}/cancel", segment(&run)), None, Some(&json!({}))).await?;
    assert!(matches!(status, 200 | 409 | 503), "a cancel was answered {status}: {answer}");
    Ok(())
}

/// Many copies of one create at once: one run (I5).
async fn copies(api: &Api, memory: &Memory, marker: &str) -> Result<(), Broken> {
    let at = remember(memory, marker, "conformance-idempotent", json!({"nonce": marker}));
    let sends = (0..COPIES).map(|_| send_create(api, memory, at));
    let broken = futures_util::future::join_all(sends).await.into_iter().any(|answer| answer.is_err());
    if broken {
        memory.unanswered.lock().push(at);
        return Err(Broken);
    }
    Ok(())
}

async fn retry_unanswered(api: Api, memory: Memory) {
    let waiting = std::mem::take(&mut *memory.unanswered.lock());
    for at in waiting {
        if send_create(&api, &memory, at).await.is_err() {
            memory.unanswered.lock().push(at);
        }
    }
}

/// Every subscriber reconnects behind the last event it has and reads on until the host dies.
async fn resume_streams(api: Api, memory: Memory) {
    let runs: Vec<String> = memory.streams.lock().keys().cloned().collect();
    let readers = runs.into_iter().rev().take(32).map(|run| read_stream(api.clone(), memory.clone(), run));
    futures_util::future::join_all(readers).await;
}

/// Reads one stream on; true when the host ended it after the terminal event.
async fn read_stream(api: Api, memory: Memory, run: String) -> bool {
    let after = memory.streams.lock().get(&run).and_then(|events| events.last().and_then(|e| e["sequence"].as_u64()));
    let Ok(mut stream) = api.stream(&run, after).await else { return false };
    loop {
        match stream.next().await {
            Ok(Some(event)) => memory.streams.lock().entry(run.clone()).or_default().push(event),
            Ok(None) => return true,
            Err(Broken) => return false,
        }
    }
}

async fn finish_streams(api: &Api, memory: &Memory, observed: &Observed) {
    let runs: Vec<String> = memory.streams.lock().keys().cloned().collect();
    for run in runs {
        let at_end = observed.run(&run).is_some_and(|run| matches!(run.status(), "completed" | "failed" | "cancelled"));
        let ended = at_end && read_stream(api.clone(), memory.clone(), run.clone()).await;
        let events = memory.streams.lock().get(&run).cloned().unwrap_or_default();
        memory.history.lock().streams.push(StreamedRun { run, events, ended });
    }
}

/// Reads every run back through the public interface, once all of them are at rest.
async fn observe(api: &Api) -> Observed {
    let deadline = Instant::now() + REST_WITHIN;
    let mut ids = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let query = cursor.take().map_or_else(String::new, |cursor| format!("&cursor={cursor}"));
        let (status, page) = api.get(&format!("/runs?limit=100{query}")).await.expect("the host answers");
        assert_eq!(status, 200, "{page}");
        for run in page["runs"].as_array().expect("runs") {
            cancel_sleeper(api, run).await;
        }
        ids.extend(
            page["runs"].as_array().expect("runs").iter().map(|run| run["runId"].as_str().expect("id").to_owned()),
        );
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    let mut runs = Vec::with_capacity(ids.len());
    for id in ids {
        runs.push(observe_one(api, &id, deadline).await);
    }
    Observed::new(runs)
}

/// A run in a long delay is at rest only once it is cancelled; the kill may have come before.
async fn cancel_sleeper(api: &Api, run: &Value) {
    if run["workflowId"] == "conformance-cancellable" && run["status"] == "running" {
        let path = format!("/runs/{}/cancel", segment(run["runId"].as_str().expect("an id")));
        let (status, answer) = api.call("POST", &path, None, Some(&json!({}))).await.expect("the host answers");
        assert!(matches!(status, 200 | 409), "a cancel was answered {status}: {answer}");
    }
}

async fn observe_one(api: &Api, id: &str, deadline: Instant) -> ObservedRun {
    let mut log: Vec<Value> = Vec::new();
    loop {
        let after = log.last().map_or_else(String::new, |event| format!("&afterSequence={}", event["sequence"]));
        let path = format!("/runs/{}/events/poll?timeout=1{after}", segment(id));
        let (status, page) = api.get(&path).await.expect("the host answers");
        assert_eq!(status, 200, "{page}");
        log.extend(page["events"].as_array().expect("events").iter().cloned());
        let complete = page["lastSequence"].as_u64() == log.last().and_then(|event| event["sequence"].as_u64());
        let moving = matches!(page["status"].as_str(), Some("pending" | "running" | "cancelling"));
        // A run that never rests is handed to the checker, which says so.
        if complete && (!moving || Instant::now() > deadline) {
            break;
        }
    }
    let (_, snapshot) = api.get(&format!("/runs/{}", segment(id))).await.expect("the host answers");
    ObservedRun { snapshot, log }
}

/// An HTTP peer for the look-up node that answers after a short while.
async fn slow_peer() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = socket.read(&mut request).await;
                tokio::time::sleep(Duration::from_millis(20)).await;
                let body = r#"{"limit":500}"#;
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
                let _ =
                    socket.write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes()).await;
            });
        }
    });
    format!("http://{address}/policy")
}
