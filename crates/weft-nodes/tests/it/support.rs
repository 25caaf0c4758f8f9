//! Calls, a catalog that may reach loopback, and a scripted HTTP peer.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use weft_core::{EffectNode, NodeCall, NodeCatalog, NodeError, NodeKind, PureNode, PureOutcome};
use weft_egress::{EgressClient, EgressOptions, EgressPolicy, SystemResolver, TrustRoots};
use weft_model::{JsonObject, NodeId, RunId, TypeId};
use weft_nodes::{Catalog, CatalogOptions};

pub(crate) const FETCH: &str = "core.openwop.http.fetch";
pub(crate) const RESPONSE_BYTES_MAX: usize = 1024;

/// A catalog whose HTTP node may reach these networks.
pub(crate) fn catalog(allow: &[&str]) -> Catalog {
    let allow = allow.iter().map(|net| net.parse().expect("cidr")).collect();
    let client = EgressClient::new(EgressOptions {
        policy: EgressPolicy::with_allowed(allow),
        resolver: Arc::new(SystemResolver::new()),
        trust: TrustRoots::bundled(),
    });
    Catalog::standard(client, CatalogOptions { max_response_bytes: RESPONSE_BYTES_MAX })
}

pub(crate) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => members,
        other => panic!("{other} is no object"),
    }
}

pub(crate) fn call(config: Value, inputs: Value) -> NodeCall {
    NodeCall {
        run_id: RunId::parse("acme/run-0123456789abcdef").expect("a run id"),
        node_id: NodeId::parse("node").expect("a node id"),
        attempt: 0,
        config: Arc::new(object(config)),
        inputs: object(inputs),
        deadline: None,
        invocation_key: "key-of-the-invocation".to_owned(),
    }
}

fn with_type<T>(catalog: &Catalog, id: &str, f: impl FnOnce(&NodeKind) -> T) -> T {
    let id = TypeId::parse(id).expect("a type id");
    f(&catalog.node_type(&id).expect("a known type").kind)
}

pub(crate) fn pure(id: &str) -> Arc<dyn PureNode> {
    with_type(&catalog(&[]), id, |kind| match kind {
        NodeKind::Pure(node) => Arc::clone(node),
        NodeKind::Effect { .. } => panic!("{id} is an effect"),
    })
}

pub(crate) fn effect(catalog: &Catalog, id: &str) -> Arc<dyn EffectNode> {
    with_type(catalog, id, |kind| match kind {
        NodeKind::Effect { node, .. } => Arc::clone(node),
        NodeKind::Pure(_) => panic!("{id} is pure"),
    })
}

/// Whether the type's crash rule lets a call with this config be made again.
pub(crate) fn is_repeatable(id: &str, config: &Value) -> bool {
    with_type(&catalog(&[]), id, |kind| match kind {
        NodeKind::Effect { repeat, .. } => repeat.admits(&object(config.clone())),
        NodeKind::Pure(_) => panic!("{id} is pure"),
    })
}

/// Evaluates a pure node whose config has to be acceptable.
pub(crate) fn evaluate(id: &str, config: Value, inputs: Value) -> PureOutcome {
    let node = pure(id);
    node.check(&object(config.clone())).expect("an acceptable config");
    node.evaluate(&call(config, inputs))
}

pub(crate) fn refusal(id: &str, config: Value) -> Option<String> {
    pure(id).check(&object(config)).err()
}

/// Fetches through a catalog that may reach loopback.
pub(crate) async fn fetch(config: Value, inputs: Value) -> Result<JsonObject, NodeError> {
    fetch_with(&["127.0.0.0/8"], config, inputs).await
}

pub(crate) async fn fetch_with(allow: &[&str], config: Value, inputs: Value) -> Result<JsonObject, NodeError> {
    let node = effect(&catalog(allow), FETCH);
    node.check(&object(config.clone())).expect("an acceptable config");
    node.execute(call(config, inputs)).await
}

/// A peer that plays its answers in order and repeats the last one. An empty
/// answer closes the connection; `SILENT` never answers.
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

pub(crate) const SILENT: &str = "silent";

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Peer {
    pub(crate) async fn start(answers: &[&str]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("bind");
        let address = listener.local_addr().expect("bound");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let answers: VecDeque<String> = answers.iter().map(|a| (*a).to_owned()).collect();
        let answers = Arc::new(Mutex::new(answers));
        let requests = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(serve(stream, Arc::clone(&answers), Arc::clone(&requests)));
            }
        });
        Self { address, seen, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Heads and bodies of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.lock().clone()
    }
}

async fn serve(mut stream: TcpStream, answers: Arc<Mutex<VecDeque<String>>>, seen: Arc<Mutex<Vec<String>>>) {
    while let Some(request) = read_request(&mut stream).await {
        seen.lock().push(request);
        let answer = {
            let mut answers = answers.lock();
            if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }
        };
        match answer.as_deref() {
            None | Some("") => return,
            Some(SILENT) => std::future::pending().await,
            Some(answer) if stream.write_all(answer.as_bytes()).await.is_err() => return,
            Some(_) => {}
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(request).ok()?.to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    let mut body = vec![0; length.and_then(|text| text.parse().ok()).unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    Some(head + &String::from_utf8_lossy(&body))
}

/// A response with this status, headers and body.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

pub(crate) const JSON: &str = "content-type: application/json\r\n";
