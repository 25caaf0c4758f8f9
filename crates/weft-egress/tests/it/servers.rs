//! Small peers on loopback and a resolver that says what a test wants.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method};
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use weft_egress::{EgressClient, EgressOptions, EgressPolicy, Request, ResolveError, Resolver, Resolving, TrustRoots};

/// A peer that counts connections and requests; stops when dropped.
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) connections: Arc<AtomicUsize>,
    pub(crate) heads: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a peer does after it has read a request head.
#[derive(Clone)]
pub(crate) enum Answer {
    /// Sends these bytes and keeps the connection.
    Bytes(Vec<u8>),
    /// Sends these bytes and closes.
    Close(Vec<u8>),
    /// Sends a head and then body bytes until the client goes.
    Endless,
    /// Sends header bytes until the client goes.
    EndlessHead,
    /// Reads the request and stays silent.
    Silent,
}

impl Peer {
    pub(crate) async fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("bind");
        let address = listener.local_addr().expect("bound");
        let connections = Arc::new(AtomicUsize::new(0));
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (count, seen) = (Arc::clone(&connections), Arc::clone(&heads));
        let task = tokio::spawn(async move {
            let mut open = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                open.spawn(serve(stream, answer.clone(), Arc::clone(&seen)));
            }
        });
        Self { address, connections, heads, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(mut stream: TcpStream, answer: Answer, heads: Arc<Mutex<Vec<String>>>) {
    while let Some(head) = read_head(&mut stream).await {
        heads.lock().push(head);
        let outcome = match &answer {
            Answer::Bytes(bytes) => stream.write_all(bytes).await,
            Answer::Close(bytes) => {
                stream.write_all(bytes).await.ok();
                return;
            }
            Answer::Endless => {
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok();
                repeat(&mut stream, &[b'x'; 4096]).await
            }
            Answer::EndlessHead => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nx: ").await.ok();
                repeat(&mut stream, &[b'x'; 4096]).await
            }
            Answer::Silent => std::future::pending().await,
        };
        if outcome.is_err() {
            return;
        }
    }
}

async fn repeat(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    loop {
        stream.write_all(bytes).await?;
    }
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

/// A response with a body and its length.
pub(crate) fn ok(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Answers from a list, one entry per look-up; the last one repeats.
pub(crate) struct Scripted {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    pub(crate) asked: AtomicUsize,
}

impl Scripted {
    pub(crate) fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |list: &&[&str]| list.iter().map(|a| a.parse().expect("address")).collect();
        Arc::new(Self { answers: Mutex::new(answers.iter().map(parse).collect()), asked: AtomicUsize::new(0) })
    }
}

impl Resolver for Scripted {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        let answer = answer.unwrap_or_default();
        Box::pin(async move { if answer.is_empty() { Err(ResolveError::NoAnswer) } else { Ok(answer) } })
    }
}

/// A client for these networks and this resolver.
pub(crate) fn client(allow: &[&str], resolver: Arc<dyn Resolver>) -> EgressClient {
    client_trusting(allow, resolver, TrustRoots::bundled())
}

pub(crate) fn client_trusting(allow: &[&str], resolver: Arc<dyn Resolver>, trust: TrustRoots) -> EgressClient {
    let allow = allow.iter().map(|net| net.parse().expect("cidr")).collect();
    let policy = EgressPolicy::with_allowed(allow);
    EgressClient::new(EgressOptions { policy, resolver, trust })
}

/// A client that may reach loopback and resolves nothing.
pub(crate) fn loopback() -> EgressClient {
    client(&["127.0.0.0/8"], Scripted::new(&[]))
}

/// A GET with roomy limits.
pub(crate) fn get(url: impl Into<String>) -> Request {
    Request {
        method: Method::GET,
        url: url.into(),
        headers: HeaderMap::new(),
        body: Bytes::new(),
        timeout: Duration::from_secs(20),
        max_response_bytes: 64 * 1024,
    }
}
