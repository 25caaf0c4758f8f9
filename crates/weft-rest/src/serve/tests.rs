use std::convert::Infallible;
use std::future::poll_fn;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower::service_fn;

use super::io::{Linger, WatchedIo};
use super::{Drained, Listener, ServeLimits, bind, serve};
use crate::respond::NoRoom;

const PATIENCE: Duration = Duration::from_secs(30);
const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

fn watched(buffer: usize) -> (WatchedIo<DuplexStream>, DuplexStream, Linger) {
    let (near, far) = tokio::io::duplex(buffer);
    let linger = Linger::default();
    (WatchedIo::new(near, ServeLimits::STANDARD, linger.clone()), far, linger)
}

// A peer that connects and says nothing, or half a preface, is cut.
#[tokio::test(start_paused = true)]
async fn a_silent_peer_is_cut() {
    for said in [&b""[..], b"PRI * HTTP"] {
        let (mut io, mut far, _linger) = watched(64);
        far.write_all(said).await.expect("room");
        let started = tokio::time::Instant::now();
        let mut read = Vec::new();
        let error = io.read_to_end(&mut read).await.expect_err("silence");
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
        assert_eq!((read.as_slice(), started.elapsed().as_secs()), (said, 30));
    }
}

// Once a request is there its own deadline runs, and this one no longer does.
#[tokio::test(start_paused = true)]
async fn a_peer_that_spoke_may_be_silent() {
    let (mut io, mut far, _linger) = watched(64);
    far.write_all(REQUEST).await.expect("room");
    let mut read = vec![0; REQUEST.len()];
    io.read_exact(&mut read).await.expect("a request");
    let waited = tokio::time::timeout(10 * PATIENCE, io.read_u8()).await;
    assert!(waited.is_err(), "nobody but the test gave up");
}

#[tokio::test(start_paused = true)]
async fn a_stalled_reader_is_cut() {
    let (mut io, _far, _linger) = watched(64);
    let started = tokio::time::Instant::now();
    let error = io.write_all(&[7; 100]).await.expect_err("nobody reads");
    assert_eq!((error.kind(), started.elapsed().as_secs()), (std::io::ErrorKind::TimedOut, 30));
}

// R-SSE-18: slow is not stalled; as long as something moves the peer keeps its connection.
#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_not_cut() {
    let (mut io, mut far, _linger) = watched(64);
    let reader = tokio::spawn(async move {
        let mut total = 0;
        while let Ok(count @ 1..) = far.read(&mut [0; 16]).await {
            total += count;
            tokio::time::advance(PATIENCE - Duration::from_secs(5)).await;
        }
        total
    });
    io.write_all(&[7; 1000]).await.expect("slow, not stalled");
    io.shutdown().await.expect("closed");
    drop(io);
    assert_eq!(reader.await.expect("joined"), 1000);
}

#[tokio::test(start_paused = true)]
async fn a_refused_sender_is_heard_out_for_a_while() {
    let (mut io, mut far, linger) = watched(64);
    linger.ask();
    let sender = tokio::spawn(async move {
        far.write_all(&[1; 10_000]).await.expect("heard out");
        far.shutdown().await.expect("closed");
        let mut answer = Vec::new();
        far.read_to_end(&mut answer).await.expect("the answer");
        answer
    });
    io.write_all(b"413").await.expect("room");
    io.shutdown().await.expect("lingered");
    assert_eq!(sender.await.expect("joined"), b"413");

    let (mut io, _silent, linger) = watched(64);
    linger.ask();
    let started = tokio::time::Instant::now();
    io.shutdown().await.expect("lingered");
    assert_eq!(started.elapsed(), ServeLimits::STANDARD.linger_for, "and not for ever");
}

#[tokio::test(start_paused = true)]
async fn a_usual_close_does_not_linger() {
    let (mut io, _far, _linger) = watched(64);
    let started = tokio::time::Instant::now();
    poll_fn(|context| Pin::new(&mut io).poll_shutdown(context)).await.expect("closed");
    assert_eq!(started.elapsed(), Duration::ZERO);
}

/// A served listener whose service says the HTTP version, or never answers on `/hang`.
struct Served {
    address: SocketAddr,
    shutdown: CancellationToken,
    hanging: Arc<Notify>,
    done: JoinHandle<Drained>,
}

fn start(limits: ServeLimits) -> Served {
    let listener = bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a port");
    start_on(Listener::from, listener, limits)
}

fn start_on(wrap: impl FnOnce(TcpListener) -> Listener, listener: TcpListener, limits: ServeLimits) -> Served {
    let address = listener.local_addr().expect("bound");
    let shutdown = CancellationToken::new();
    let hanging = Arc::new(Notify::new());
    let hangs = Arc::clone(&hanging);
    let service = service_fn(move |request: Request<Incoming>| {
        let hangs = Arc::clone(&hangs);
        async move {
            if request.uri().path() == "/hang" {
                hangs.notify_one();
                std::future::pending::<()>().await;
            }
            let room = if request.extensions().get::<NoRoom>().is_some() { "no room" } else { "" };
            let said = format!("{room}{:?}", request.version());
            Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(said))))
        }
    });
    let done = tokio::spawn(serve(wrap(listener), service, limits, shutdown.clone()));
    Served { address, shutdown, hanging, done }
}

async fn ask(stream: &mut TcpStream) -> String {
    stream.write_all(REQUEST).await.expect("sent");
    hear(stream).await
}

async fn hear(stream: &mut TcpStream) -> String {
    let mut heard = Vec::new();
    while !heard.ends_with(b"HTTP/1.1") || heard.len() < 20 {
        let count = stream.read_buf(&mut heard).await.expect("an answer");
        assert_ne!(count, 0, "closed after {:?}", String::from_utf8_lossy(&heard));
    }
    String::from_utf8(heard).expect("text")
}

#[tokio::test]
async fn http1_is_kept_alive_and_drained() {
    let served = start(ServeLimits::STANDARD);
    let mut stream = TcpStream::connect(served.address).await.expect("connected");
    for _ in 0..3 {
        assert!(ask(&mut stream).await.starts_with("HTTP/1.1 200 OK"));
    }
    served.shutdown.cancel();
    assert_eq!(served.done.await.expect("joined"), Drained { cut: 0 });
    assert_eq!(stream.read(&mut [0; 1]).await.expect("an orderly end"), 0);
    TcpStream::connect(served.address).await.expect_err("the listener is gone");
}

#[tokio::test]
async fn http2_is_served_by_prior_knowledge() {
    let served = start(ServeLimits::STANDARD);
    let stream = TcpStream::connect(served.address).await.expect("connected");
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
    let connection = tokio::spawn(connection);
    let request = Request::get(format!("http://{}/", served.address)).body(Empty::<Bytes>::new()).expect("a request");
    let response = sender.send_request(request).await.expect("answered");
    assert_eq!(response.version(), Version::HTTP_2);
    let body = response.into_body().collect().await.expect("a body").to_bytes();
    assert_eq!(body, "HTTP/2.0");
    served.shutdown.cancel();
    assert_eq!(served.done.await.expect("joined"), Drained { cut: 0 });
    connection.await.expect("joined").expect("an orderly end");
}

/// A certificate for `localhost`, and the two ends that go with it.
fn tls_ends() -> (tokio_rustls::TlsAcceptor, tokio_rustls::TlsConnector) {
    let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(issued.signing_key.serialize_der().into());
    let mut server = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![issued.cert.der().clone()], key)
        .expect("a pair");
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let mut roots = rustls::RootCertStore::empty();
    roots.add(issued.cert.der().clone()).expect("a root");
    let client = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    (Arc::new(server).into(), Arc::new(client).into())
}

#[tokio::test]
async fn tls_is_spoken_and_a_failed_handshake_harms_nobody() {
    let (acceptor, connector) = tls_ends();
    let listener = bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a port");
    let served = start_on(|tcp| Listener::with_tls(tcp, acceptor), listener, ServeLimits::STANDARD);
    let mut plain = TcpStream::connect(served.address).await.expect("connected");
    plain.write_all(REQUEST).await.expect("sent");
    let mut heard = Vec::new();
    plain.read_to_end(&mut heard).await.expect("an end");
    assert!(!String::from_utf8_lossy(&heard).contains("200"));
    let stream = TcpStream::connect(served.address).await.expect("connected");
    let name = "localhost".try_into().expect("a name");
    let mut secure = connector.connect(name, stream).await.expect("a handshake");
    secure.write_all(REQUEST).await.expect("sent");
    let mut heard = Vec::new();
    while !heard.ends_with(b"HTTP/1.1") || heard.len() < 20 {
        assert_ne!(secure.read_buf(&mut heard).await.expect("an answer"), 0);
    }
    served.shutdown.cancel();
    assert_eq!(served.done.await.expect("joined"), Drained { cut: 0 });
    assert_eq!(secure.read(&mut [0; 1]).await.expect("an orderly end of TLS, too"), 0);
}

#[tokio::test]
async fn a_request_that_outstays_the_drain_is_cut() {
    let served = start(ServeLimits { drain_within: Duration::from_millis(20), ..ServeLimits::STANDARD });
    let mut stream = TcpStream::connect(served.address).await.expect("connected");
    stream.write_all(b"GET /hang HTTP/1.1\r\nhost: localhost\r\n\r\n").await.expect("sent");
    served.hanging.notified().await;
    served.shutdown.cancel();
    assert_eq!(served.done.await.expect("joined"), Drained { cut: 1 });
}

// R-RUN-20: a full listener answers; it neither grows nor lets its callers wait in the dark.
#[tokio::test]
async fn connections_above_the_limit_are_told_and_closed() {
    let served = start(ServeLimits { connections_max: 1, ..ServeLimits::STANDARD });
    let mut first = TcpStream::connect(served.address).await.expect("connected");
    ask(&mut first).await;
    let mut second = TcpStream::connect(served.address).await.expect("connected");
    second.write_all(REQUEST).await.expect("sent");
    let mut heard = Vec::new();
    second.read_to_end(&mut heard).await.expect("an orderly end");
    assert!(String::from_utf8_lossy(&heard).contains("no room"));
    assert!(!ask(&mut first).await.contains("no room"), "the one inside is still served");
    drop(first);
    // The place is free once the host has seen the end of the first connection.
    loop {
        let mut third = TcpStream::connect(served.address).await.expect("connected");
        if !ask(&mut third).await.contains("no room") {
            break;
        }
    }
    served.shutdown.cancel();
    served.done.await.expect("joined");
}

#[tokio::test]
async fn a_silent_connection_above_the_limit_makes_way() {
    let limits = ServeLimits {
        connections_max: 1,
        turned_away_max: 1,
        turned_away_within: Duration::from_millis(20),
        ..ServeLimits::STANDARD
    };
    let served = start(limits);
    let mut first = TcpStream::connect(served.address).await.expect("connected");
    ask(&mut first).await;
    let _silent = TcpStream::connect(served.address).await.expect("connected");
    let mut third = TcpStream::connect(served.address).await.expect("in the backlog");
    assert!(ask(&mut third).await.contains("no room"));
    served.shutdown.cancel();
    served.done.await.expect("joined");
}

#[tokio::test]
async fn a_slow_head_is_cut() {
    let served = start(ServeLimits { head_read_within: Duration::from_millis(20), ..ServeLimits::STANDARD });
    let mut stream = TcpStream::connect(served.address).await.expect("connected");
    stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ").await.expect("sent");
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).await.expect("an orderly end");
    assert!(!String::from_utf8_lossy(&heard).contains("200 OK"));
    served.shutdown.cancel();
    served.done.await.expect("joined");
}
