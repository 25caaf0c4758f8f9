//! What only a socket shows: refused uploads, slow clients, streams as they come, shutdown.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::Request;
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use weft_rest::{Drained, ServeLimits, bind, serve};

use crate::world::{Settings, World};

struct Served {
    world: World,
    address: SocketAddr,
    done: JoinHandle<Drained>,
}

async fn start(settings: Settings) -> Served {
    start_within(settings, ServeLimits::STANDARD).await
}

async fn start_within(settings: Settings, limits: ServeLimits) -> Served {
    let world = World::with(settings).await;
    let listener = bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a port");
    let address = listener.local_addr().expect("bound");
    let closing: CancellationToken = world.closing.clone();
    let done = tokio::spawn(serve(listener, world.door.clone(), limits, closing));
    Served { world, address, done }
}

impl Served {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("connected")
    }

    /// The head of a request with the world's key.
    fn head(&self, line: &str, more: &str) -> Vec<u8> {
        format!("{line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n{more}\r\n", self.world.key)
            .into_bytes()
    }

    async fn stop(self) -> Drained {
        self.world.closing.cancel();
        self.done.await.expect("joined")
    }
}

async fn read_until(stream: &mut TcpStream, heard: &mut Vec<u8>, mark: &str) {
    while !String::from_utf8_lossy(heard).contains(mark) {
        let count = stream.read_buf(heard).await.expect("readable");
        assert_ne!(count, 0, "closed after {}", String::from_utf8_lossy(heard));
    }
}

/// Witnesses R-HDR-06: the sender of a huge body gets to read its refusal, declared or chunked,
/// although it never stops sending.
#[tokio::test]
async fn a_refused_upload_reads_its_refusal() {
    let served = start(Settings::standard()).await;
    let declared = served.head("POST /runs", "content-type: application/json\r\ncontent-length: 1000000000\r\n");
    let chunked = served.head("POST /runs", "content-type: application/json\r\ntransfer-encoding: chunked\r\n");
    for (head, framed) in [(declared, false), (chunked, true)] {
        let (mut reading, mut writing) = served.connect().await.into_split();
        let sender = tokio::spawn(async move {
            let piece = [b' '; 65_536];
            writing.write_all(&head).await.expect("sent");
            for _ in 0..160 {
                let sent = if framed {
                    writing.write_all(&[b"10000\r\n", &piece[..], b"\r\n"].concat()).await
                } else {
                    writing.write_all(&piece).await
                };
                if sent.is_err() {
                    break;
                }
            }
            writing
        });
        let mut heard = Vec::new();
        reading.read_to_end(&mut heard).await.expect("an orderly end and no reset");
        let heard = String::from_utf8_lossy(&heard).into_owned();
        assert!(heard.starts_with("HTTP/1.1 413"), "{heard}");
        assert!(heard.contains("payload_too_large") && heard.contains("openwop-version: 2.46"), "{heard}");
        sender.await.expect("joined");
    }
    served.stop().await;
}

/// A client that sends half a body is answered when its time is up; others are served meanwhile.
#[tokio::test]
async fn a_slow_sender_holds_nobody_up() {
    let settings = Settings { body_read_within: Duration::from_millis(100), ..Settings::standard() };
    let served = start(settings).await;
    let mut slow = served.connect().await;
    let head = served.head("POST /runs", "content-type: application/json\r\ncontent-length: 50\r\n");
    slow.write_all(&[&head[..], b"{\"work"].concat()).await.expect("sent");
    let mut other = served.connect().await;
    let mut heard = Vec::new();
    for _ in 0..3 {
        other.write_all(&served.head("GET /runs", "")).await.expect("sent");
        read_until(&mut other, &mut heard, "{\"runs\":[]}").await;
        heard.clear();
    }
    read_until(&mut slow, &mut heard, "did not arrive in time").await;
    assert!(String::from_utf8_lossy(&heard).starts_with("HTTP/1.1 400"));
    drop(slow);
    served.stop().await;
}

/// Requests that were sent together are answered in their order.
#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let served = start(Settings::standard()).await;
    let mut stream = served.connect().await;
    let requests = [served.head("GET /healthz", ""), served.head("GET /runs", ""), served.head("GET /nothing", "")];
    stream.write_all(&requests.concat()).await.expect("sent");
    let mut heard = Vec::new();
    read_until(&mut stream, &mut heard, "There is nothing at this path").await;
    let heard = String::from_utf8_lossy(&heard).into_owned();
    let place = |mark: &str| heard.find(mark).unwrap_or_else(|| panic!("{mark} in {heard}"));
    assert!(place("\"ok\"") < place("{\"runs\":[]}") && place("{\"runs\":[]}") < place("not_found"));
    served.stop().await;
}

/// Witnesses R-SSE-11: frames arrive while the run goes on, the body ends with it, and the
/// connection is good for the next request.
#[tokio::test]
async fn a_stream_arrives_as_it_happens() {
    let served = start(Settings::standard()).await;
    let run = served.world.waiting_run().await;
    let mut stream = served.connect().await;
    let path = format!("GET /runs/{}/events", run.projected());
    stream.write_all(&served.head(&path, "accept-encoding: gzip\r\n")).await.expect("sent");
    let mut heard = Vec::new();
    read_until(&mut stream, &mut heard, "event: interrupt.requested").await;
    assert!(!String::from_utf8_lossy(&heard).contains("run.completed"));
    assert_eq!(served.world.accept(&run).await.status, 200);
    read_until(&mut stream, &mut heard, "event: run.completed").await;
    read_until(&mut stream, &mut heard, "\r\n0\r\n\r\n").await;
    assert!(String::from_utf8_lossy(&heard).contains("transfer-encoding: chunked"));
    stream.write_all(&served.head("GET /healthz", "")).await.expect("sent");
    read_until(&mut stream, &mut heard, "\"ok\"").await;
    served.stop().await;
}

/// A client that goes away takes its stream with it.
#[tokio::test]
async fn a_client_that_leaves_closes_its_stream() {
    let served = start(Settings::standard()).await;
    let run = served.world.waiting_run().await;
    let mut stream = served.connect().await;
    stream.write_all(&served.head(&format!("GET /runs/{}/events", run.projected()), "")).await.expect("sent");
    read_until(&mut stream, &mut Vec::new(), "event: interrupt.requested").await;
    assert_eq!(served.world.door.stats().streams_open(), 1);
    drop(stream);
    while served.world.door.stats().streams_open() > 0 {
        tokio::task::yield_now().await;
    }
    served.stop().await;
}

/// A shutdown ends open streams in an orderly way and cuts nobody.
#[tokio::test]
async fn a_shutdown_ends_streams() {
    let served = start(Settings::standard()).await;
    let run = served.world.waiting_run().await;
    let mut stream = served.connect().await;
    stream.write_all(&served.head(&format!("GET /runs/{}/events", run.projected()), "")).await.expect("sent");
    let mut heard = Vec::new();
    read_until(&mut stream, &mut heard, "event: interrupt.requested").await;
    assert_eq!(served.stop().await, Drained { cut: 0 });
    stream.read_to_end(&mut heard).await.expect("an orderly end");
    assert!(heard.ends_with(b"\r\n0\r\n\r\n"), "{}", String::from_utf8_lossy(&heard));
}

/// Heads that are no HTTP are refused by the connection; the listener goes on.
#[tokio::test]
async fn garbage_on_the_wire_ends_only_its_connection() {
    let served = start(Settings::standard()).await;
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 and so on\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ] {
        let mut stream = served.connect().await;
        stream.write_all(garbage).await.expect("sent");
        let mut heard = Vec::new();
        stream.read_to_end(&mut heard).await.expect("an end");
        assert!(!String::from_utf8_lossy(&heard).contains("200 OK"));
    }
    let mut stream = served.connect().await;
    stream.write_all(&served.head("GET /healthz", "")).await.expect("sent");
    read_until(&mut stream, &mut Vec::new(), "\"ok\"").await;
    served.stop().await;
}

/// Many clients that say nothing, or half of something, hold nobody up.
#[tokio::test]
async fn idle_and_half_open_clients_hold_nobody_up() {
    let served = start(Settings::standard()).await;
    let mut idle = Vec::new();
    for at in 0..200 {
        let mut stream = served.connect().await;
        if at % 2 == 0 {
            stream.write_all(b"POST /runs HTTP/1.1\r\nhost: lo").await.expect("sent");
        }
        idle.push(stream);
    }
    let mut stream = served.connect().await;
    for _ in 0..20 {
        stream.write_all(&served.head("GET /runs", "")).await.expect("sent");
        read_until(&mut stream, &mut Vec::new(), "{\"runs\":[]}").await;
    }
    drop(idle);
    served.stop().await;
}

/// Witnesses R-HDR-06, R-VER-01: over HTTP/2 a refused upload costs its stream and not the
/// connection.
#[tokio::test]
async fn http2_refuses_an_upload_and_goes_on() {
    let served = start(Settings::standard()).await;
    let stream = served.connect().await;
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
    let connection = tokio::spawn(connection);
    let endless = stream::repeat_with(|| Ok::<_, Infallible>(Frame::data(Bytes::from_static(&[b' '; 16_384]))));
    for (body, status) in
        [(StreamBody::new(endless).boxed(), 413), (Full::from("{\"workflowId\":\"conformance-noop\"}").boxed(), 201)]
    {
        let request = Request::post(format!("http://{}/runs", served.address))
            .header("authorization", format!("Bearer {}", served.world.key))
            .header("content-type", "application/json")
            .body(body)
            .expect("a request");
        let response = sender.send_request(request).await.expect("answered");
        assert_eq!(
            (response.status().as_u16(), &response.headers()["openwop-version"]),
            (status, &"2.46".parse().expect("a value"))
        );
        let body = response.into_body().collect().await.expect("a whole body").to_bytes();
        assert!(serde_json::from_slice::<serde_json::Value>(&body).expect("JSON").is_object());
    }
    drop(sender);
    served.stop().await;
    // The client may see the refused stream's reset before the orderly end.
    let _ = connection.await.expect("joined");
}

/// R-RUN-20, R-ERR-07: a connection beyond the limit gets the envelope and the time to come back,
/// and is closed; the probes are answered even there.
#[tokio::test]
async fn a_connection_without_room_is_refused_in_the_envelope() {
    let limits = ServeLimits { connections_max: 1, ..ServeLimits::STANDARD };
    let served = start_within(Settings::standard(), limits).await;
    let mut inside = served.connect().await;
    inside.write_all(&served.head("GET /runs", "")).await.expect("sent");
    let mut heard = Vec::new();
    read_until(&mut inside, &mut heard, "\"runs\":[]").await;
    for (line, status) in [("GET /runs", "503"), ("GET /healthz", "200")] {
        let mut beyond = served.connect().await;
        beyond.write_all(&served.head(line, "")).await.expect("sent");
        let mut heard = Vec::new();
        beyond.read_to_end(&mut heard).await.expect("an orderly end");
        let heard = String::from_utf8(heard).expect("text");
        assert!(heard.starts_with(&format!("HTTP/1.1 {status}")), "{heard}");
        if status == "503" {
            assert!(heard.contains("retry-after: ") && heard.contains("openwop-version: "), "{heard}");
            assert!(heard.contains(r#""error":"service_unavailable""#), "{heard}");
        }
    }
    assert_eq!(served.stop().await, Drained { cut: 0 });
}

/// R-RUN-20: large answers that nobody takes are bounded together; a further one is refused with
/// the time to come back, and is given once the others are gone.
#[tokio::test]
async fn large_answers_that_nobody_reads_are_bounded() {
    let world = World::with(Settings { kept_answers_kib: 512, ..Settings::standard() }).await;
    let body = json!({"workflowId": "conformance-identity", "inputs": {"payload": {"text": "p".repeat(150_000)}}});
    let created = world.post("/runs", body).await.json();
    let path = created["statusUrl"].as_str().expect("a link").to_owned();
    let request = || {
        let request = Request::get(&path).header("authorization", format!("Bearer {}", world.key));
        request.body(Full::<Bytes>::default()).expect("a request")
    };
    let held = world.door.clone().oneshot(request()).await.expect("answered");
    assert_eq!(held.status(), 200);
    let refused = world.door.clone().oneshot(request()).await.expect("answered");
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    // The bytes outlive the body that brought them, and so does their share.
    let taken = held.into_body().collect().await.expect("a body").to_bytes();
    assert_eq!(world.door.clone().oneshot(request()).await.expect("answered").status(), 503);
    drop(taken);
    assert_eq!(world.door.clone().oneshot(request()).await.expect("answered").status(), 200);
}

/// Witnesses R-ERR-01, R-ERR-03, R-VER-01: a head that cannot be read is refused in the envelope
/// too, although the service never sees it.
#[tokio::test]
async fn a_head_that_cannot_be_read_is_refused_in_the_envelope() {
    let served = start(Settings::standard()).await;
    let large = format!("GET /runs HTTP/1.1\r\nhost: localhost\r\nx-large: {}\r\n\r\n", "x".repeat(200 * 1024));
    let many = format!("GET /runs HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(500));
    for head in [large.as_str(), many.as_str(), "GET /runs\0 HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n"] {
        let mut stream = served.connect().await;
        // The refusal may come before all of a large head is sent.
        let _ = stream.write_all(head.as_bytes()).await;
        let mut heard = Vec::new();
        let _ = stream.read_to_end(&mut heard).await;
        let answer = String::from_utf8(heard).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(head.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{head}");
        assert!(head.contains("openwop-version: 2.46"), "{head}");
        let body: serde_json::Value = serde_json::from_str(body).expect("the envelope");
        assert_eq!(body["error"], "validation_error");
    }
    served.stop().await;
}
