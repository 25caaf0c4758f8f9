//! Live calls: redirects, deadlines, size limits, framing, reuse.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use weft_egress::{EgressError, EgressErrorKind, EgressPolicy, Sent};

use crate::servers::{Answer, Peer, Scripted, client, get, loopback, ok};

/// Witnesses R-EGR-01, R-EGR-08: the same URL with and without the listing.
#[tokio::test]
async fn loopback_needs_the_allow_list() {
    let peer = Peer::start(Answer::Bytes(ok("hello"))).await;
    let refused = client(&[], Scripted::new(&[])).send(get(peer.url("/"))).await;
    let error = refused.expect_err("loopback is refused by default");
    assert_eq!((error.kind(), error.sent()), (EgressErrorKind::Denied, Sent::No));
    assert_eq!(peer.connections(), 0);

    let response = loopback().send(get(peer.url("/"))).await.expect("listed");
    assert_eq!((response.status, &response.body[..]), (StatusCode::OK, &b"hello"[..]));
}

/// Witnesses R-EGR-05: a redirect is an answer, never an instruction.
#[tokio::test]
async fn no_redirect_is_followed() {
    let inside = Peer::start(Answer::Bytes(ok("secret"))).await;
    for status in [301, 302, 303, 307, 308] {
        let head = format!("HTTP/1.1 {status} Moved\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n", inside.url("/"));
        let peer = Peer::start(Answer::Bytes(head.into_bytes())).await;
        let response = loopback().send(get(peer.url("/"))).await.expect("a response");
        assert_eq!(response.status.as_u16(), status);
        assert_eq!(response.headers["location"], inside.url("/"));
    }
    assert_eq!(inside.connections(), 0);
}

// A silent peer ends at the caller's deadline.
#[tokio::test]
async fn a_silent_peer_ends_at_the_deadline() {
    let peer = Peer::start(Answer::Silent).await;
    let mut request = get(peer.url("/"));
    request.timeout = Duration::from_millis(150);
    let started = Instant::now();
    let error = loopback().send(request).await.expect_err("silent");
    assert!(matches!(error, EgressError::Timeout { .. }), "{error:?}");
    assert_eq!((error.kind(), error.sent()), (EgressErrorKind::Transient, Sent::Maybe));
    assert!(started.elapsed() < Duration::from_secs(2), "deadline plus a second");
}

// R10: a drip-feed and an endless body cannot outlive the deadline or the limit.
#[tokio::test]
async fn an_endless_body_is_cut_at_the_limit() {
    let peer = Peer::start(Answer::Endless).await;
    let error = loopback().send(get(peer.url("/"))).await.expect_err("endless");
    assert!(matches!(error, EgressError::BodyTooLarge { limit: 65_536 }), "{error:?}");
    assert_eq!(error.kind(), EgressErrorKind::Corrupt);
}

#[tokio::test]
async fn a_declared_length_above_the_limit_is_refused_unread() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n".to_vec();
    let peer = Peer::start(Answer::Bytes(head)).await;
    let error = loopback().send(get(peer.url("/"))).await.expect_err("too long");
    assert!(matches!(error, EgressError::BodyTooLarge { .. }), "{error:?}");
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_accepted() {
    let peer = Peer::start(Answer::Bytes(ok(&"x".repeat(1000)))).await;
    let mut request = get(peer.url("/"));
    request.max_response_bytes = 1000;
    assert_eq!(loopback().send(request.clone()).await.expect("fits").body.len(), 1000);
    request.max_response_bytes = 999;
    assert!(loopback().send(request).await.is_err());
}

// R10: a 10 MB header is not collected.
#[tokio::test]
async fn an_endless_head_is_cut_at_the_limit() {
    let peer = Peer::start(Answer::EndlessHead).await;
    let error = loopback().send(get(peer.url("/"))).await.expect_err("endless head");
    assert!(matches!(error, EgressError::HeadTooLarge), "{error:?}");
}

#[tokio::test]
async fn a_body_shorter_than_declared_is_an_error() {
    let short = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc".to_vec();
    let peer = Peer::start(Answer::Close(short)).await;
    let error = loopback().send(get(peer.url("/"))).await.expect_err("cut short");
    assert!(matches!(error, EgressError::Broken { .. }), "{error:?}");
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_malformed() {
    let peer = Peer::start(Answer::Close(b"SSH-2.0-server\r\n".to_vec())).await;
    let error = loopback().send(get(peer.url("/"))).await.expect_err("not http");
    assert!(matches!(error, EgressError::Malformed { .. }), "{error:?}");
}

#[tokio::test]
async fn a_closed_port_is_a_dial_error_and_nothing_was_sent() {
    let peer = Peer::start(Answer::Silent).await;
    let url = peer.url("/");
    drop(peer);
    // The listener closes when its aborted task is dropped, which the runtime
    // does before this task runs again after yielding.
    tokio::task::yield_now().await;
    let error = loopback().send(get(url)).await.expect_err("closed");
    assert!(matches!(error, EgressError::Dial { .. }), "{error:?}");
    assert_eq!(error.sent(), Sent::No);
}

#[tokio::test]
async fn headers_that_frame_the_message_are_refused() {
    let peer = Peer::start(Answer::Bytes(ok(""))).await;
    for name in ["host", "content-length", "transfer-encoding", "connection", "upgrade"] {
        let mut request = get(peer.url("/"));
        let name = HeaderName::from_static(name);
        request.headers.insert(name.clone(), HeaderValue::from_static("1"));
        let error = loopback().send(request).await.expect_err("a framing header");
        assert!(matches!(error, EgressError::Request { .. }), "{name}: {error:?}");
    }
    for method in [Method::CONNECT, Method::TRACE] {
        let mut request = get(peer.url("/"));
        request.method = method;
        assert!(loopback().send(request).await.is_err());
    }
    assert_eq!(peer.connections(), 0);
}

#[tokio::test]
async fn a_body_and_headers_arrive_as_given() {
    let peer = Peer::start(Answer::Close(ok("{}"))).await;
    let mut request = get(peer.url("/a?b=c#fragment"));
    request.method = Method::POST;
    request.body = Bytes::from_static(b"{\"n\":1}");
    request.headers.insert("x-one", HeaderValue::from_static("1"));
    loopback().send(request).await.expect("sent");
    let head = peer.heads.lock()[0].to_ascii_lowercase();
    assert!(head.starts_with("post /a?b=c http/1.1\r\n"), "{head}");
    assert!(head.contains("content-length: 7\r\n") && head.contains("x-one: 1\r\n"), "{head}");
    assert!(head.contains("user-agent: weft/"), "{head}");
    assert!(head.contains(&format!("host: {}\r\n", peer.address)), "{head}");
}

// A connection is reused by one client and never shared with another policy.
#[tokio::test]
async fn connections_are_reused_within_one_policy_only() {
    let peer = Peer::start(Answer::Bytes(ok("x"))).await;
    let first = loopback();
    for _ in 0..3 {
        first.send(get(peer.url("/"))).await.expect("answer");
    }
    assert_eq!(peer.connections(), 1);
    loopback().send(get(peer.url("/"))).await.expect("answer");
    assert_eq!(peer.connections(), 2);
}

#[test]
fn a_policy_lists_its_relaxations() {
    assert!(EgressPolicy::public_only().allowed().is_empty());
    assert_eq!(loopback_policy().allowed().len(), 1);
}

fn loopback_policy() -> EgressPolicy {
    EgressPolicy::with_allowed(vec!["127.0.0.0/8".parse().expect("cidr")])
}
