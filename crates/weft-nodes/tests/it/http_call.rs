//! `core.openwop.http.fetch`: live calls to a peer on loopback.

use serde_json::{Value, json};
use weft_core::NodeError;

use crate::support::{JSON, Peer, SILENT, answer, fetch, fetch_with};

fn reason(error: &NodeError) -> (&str, &str, bool) {
    let details = error.details.as_ref().expect("details");
    (error.code.as_str(), details["reason"].as_str().expect("a reason"), error.retryable)
}

/// `retry` without a pause, so that a test does not wait for one.
fn retry(attempts: u32) -> Value {
    json!({"maxAttempts": attempts, "initialDelayMs": 0})
}

#[tokio::test]
async fn a_json_answer_becomes_outputs() {
    let head = format!("{JSON}Set-Cookie: secret=1\r\nX-A: 1\r\nX-A: 2\r\n");
    let peer = Peer::start(&[&answer(200, &head, r#"{"limit": 50}"#)]).await;
    let outputs = fetch(json!({"url": peer.url("/policy")}), json!({})).await.expect("outputs");
    assert_eq!(outputs["status"], 200);
    assert_eq!(outputs["body"], json!({"limit": 50}));
    assert_eq!(outputs["headers"]["x-a"], "1, 2");
    assert!(outputs["headers"].get("set-cookie").is_none());
    assert_eq!(outputs["attempts"], 1);
    assert!(outputs["durationMs"].is_u64());
    assert!(!outputs.contains_key("idempotencyKey") && !outputs.contains_key("networkError"));
}

#[tokio::test]
async fn a_body_is_json_only_when_the_peer_says_so_and_it_is() {
    for (head, body, expected) in [
        (JSON, "[1]", json!([1])),
        ("content-type: application/problem+json; charset=utf-8\r\n", "{}", json!({})),
        ("content-type: text/plain\r\n", "{}", json!("{}")),
        (JSON, "{broken", json!("{broken")),
        (JSON, r#"{"a":1,"a":2}"#, json!(r#"{"a":1,"a":2}"#)),
        (JSON, "42", json!("42")),
        (JSON, "", Value::Null),
    ] {
        let peer = Peer::start(&[&answer(200, head, body)]).await;
        let outputs = fetch(json!({"url": peer.url("/")}), json!({})).await.expect("outputs");
        assert_eq!(outputs["body"], expected, "{head}{body}");
    }
}

#[tokio::test]
async fn every_status_completes_and_no_redirect_is_followed() {
    for status in [204, 302, 404, 429] {
        let head = "location: http://169.254.169.254/\r\n";
        let peer = Peer::start(&[&answer(status, head, "")]).await;
        let outputs = fetch(json!({"url": peer.url("/")}), json!({})).await.expect("outputs");
        assert_eq!((&outputs["status"], &outputs["attempts"]), (&json!(status), &json!(1)));
        assert_eq!(peer.requests().len(), 1);
    }
}

#[tokio::test]
async fn variables_fill_the_url() {
    let peer = Peer::start(&[&answer(200, "", "ok")]).await;
    let config = json!({"url": "{{base}}/{{who}}?n={{n}}"});
    let inputs = json!({"variables": {"who": "a/b", "n": 1}, "variables.base": peer.url("/x")});
    fetch(config, inputs).await.expect("outputs");
    assert!(peer.requests()[0].starts_with("get /x/a%2fb?n=1 http/1.1"), "{:?}", peer.requests());
}

#[tokio::test]
async fn inputs_that_cannot_be_used_fail_the_node() {
    let url = "https://example.com/{{a}}";
    for (inputs, code) in [
        (json!({}), "validation_error"),
        (json!({"variables": []}), "validation_error"),
        (json!({"variables.a-b": 1}), "validation_error"),
        (json!({"variables": {"a": 1}, "headers": {}}), "validation_error"),
    ] {
        let error = fetch(json!({"url": url}), inputs.clone()).await.expect_err("refused");
        assert_eq!((error.code.as_str(), error.retryable), (code, false), "{inputs}");
    }
    let error = fetch(json!({"url": "https://h.example.com/", "method": "POST"}), json!({"body": 1}))
        .await
        .expect_err("a number is no body");
    assert_eq!(error.code.as_str(), "validation_error");
}

/// Witnesses R-EFF-04: the invocation's key, the same on every attempt.
#[tokio::test]
async fn a_body_goes_out_with_its_type_and_the_invocation_key() {
    let peer = Peer::start(&[&answer(503, "", ""), &answer(201, "", "")]).await;
    let config = json!({"url": peer.url("/"), "method": "POST", "retry": retry(3)});
    let outputs = fetch(config, json!({"body": {"n": 1}})).await.expect("outputs");
    assert_eq!((&outputs["status"], &outputs["attempts"]), (&json!(201), &json!(2)));
    assert_eq!(outputs["idempotencyKey"], "key-of-the-invocation");
    let requests = peer.requests();
    assert_eq!(requests[0], requests[1]);
    assert!(requests[0].contains("content-type: application/json\r\n"));
    assert!(requests[0].contains("idempotency-key: key-of-the-invocation\r\n"));
    assert!(requests[0].ends_with("\r\n\r\n{\"n\":1}"));
}

#[tokio::test]
async fn an_authors_headers_win() {
    let peer = Peer::start(&[&answer(200, "", "")]).await;
    let config = json!({
        "url": peer.url("/"), "method": "PUT",
        "headers": {"Content-Type": "text/csv", "Idempotency-Key": "mine", "Authorization": "b x"},
    });
    let outputs = fetch(config, json!({"body": "a,b"})).await.expect("outputs");
    assert_eq!(outputs["idempotencyKey"], "mine");
    let request = &peer.requests()[0];
    for line in ["content-type: text/csv\r\n", "idempotency-key: mine\r\n", "authorization: b x"] {
        assert!(request.contains(line), "{request}");
    }
    let config = json!({"url": peer.url("/"), "method": "POST", "idempotency": {"mode": "disabled"}});
    let outputs = fetch(config, json!({})).await.expect("outputs");
    assert!(!outputs.contains_key("idempotencyKey"));
    assert!(!peer.requests()[1].contains("idempotency-key"));
}

#[tokio::test]
async fn a_read_ignores_a_body() {
    let peer = Peer::start(&[&answer(200, "", "")]).await;
    fetch(json!({"url": peer.url("/")}), json!({"body": {"n": 1}})).await.expect("outputs");
    assert!(!peer.requests()[0].contains("content-length"));
}

#[tokio::test]
async fn the_last_server_error_is_the_answer() {
    let peer = Peer::start(&[&answer(500, "", "")]).await;
    let config = json!({"url": peer.url("/"), "retry": retry(3)});
    let outputs = fetch(config, json!({})).await.expect("outputs");
    assert_eq!((&outputs["status"], &outputs["attempts"]), (&json!(500), &json!(3)));
    assert_eq!(peer.requests().len(), 3);
}

// DECISIONS 36: an effect is never repeated silently.
#[tokio::test]
async fn an_effect_is_not_repeated_unless_asked_for() {
    let peer = Peer::start(&[&answer(500, "", "")]).await;
    let outputs = fetch(json!({"url": peer.url("/"), "method": "POST"}), json!({})).await;
    assert_eq!(outputs.expect("outputs")["status"], 500);
    assert_eq!(peer.requests().len(), 1);

    let peer = Peer::start(&[""]).await;
    let error = fetch(json!({"url": peer.url("/"), "method": "POST"}), json!({})).await.expect_err("cut off");
    assert_eq!(reason(&error), ("upstream_unavailable", "connection-broken", false));
    assert_eq!(peer.requests().len(), 1);
}

#[tokio::test]
async fn a_broken_connection_is_repeated_for_a_read() {
    let peer = Peer::start(&["", &answer(200, "", "ok")]).await;
    let config = json!({"url": peer.url("/"), "retry": retry(2)});
    let outputs = fetch(config, json!({})).await.expect("outputs");
    assert_eq!((&outputs["body"], &outputs["attempts"]), (&json!("ok"), &json!(2)));
}

// A silent peer ends at the node's own limit.
#[tokio::test]
async fn a_silent_peer_ends_at_the_limit() {
    let peer = Peer::start(&[SILENT]).await;
    let started = std::time::Instant::now();
    let error = fetch(json!({"url": peer.url("/"), "timeoutMs": 100}), json!({})).await.expect_err("silent");
    assert_eq!(reason(&error), ("upstream_unavailable", "timeout", true));
    assert!(started.elapsed().as_millis() < 1100, "the limit plus a second");
    assert_eq!(peer.requests().len(), 1);
}

#[tokio::test]
async fn a_response_above_the_hosts_limit_fails_the_node() {
    let peer = Peer::start(&[&answer(200, "", &"x".repeat(1025))]).await;
    let error = fetch(json!({"url": peer.url("/")}), json!({})).await.expect_err("too large");
    assert_eq!(reason(&error), ("upstream_unavailable", "response-too-large", false));
    assert_eq!(peer.requests().len(), 1);
}

/// Witnesses R-EGR-01, R-EGR-08: refused without the listing, and silent about
/// what is behind the refusal.
#[tokio::test]
async fn a_private_address_is_denied() {
    let peer = Peer::start(&[&answer(200, "", "")]).await;
    for url in [peer.url("/"), "https://10.1.2.3/".to_owned(), "ftp://example.com/".to_owned()] {
        let error = fetch_with(&[], json!({"url": url}), json!({})).await.expect_err("denied");
        assert_eq!(reason(&error), ("egress_denied", "ssrf-blocked", false), "{url}");
        assert!(!error.message.contains("10.1.2.3") && !error.message.contains("127.0.0.1"));
    }
    assert!(peer.requests().is_empty());
}

#[tokio::test]
async fn a_closed_port_is_unreachable_and_retryable_for_any_method() {
    let peer = Peer::start(&[]).await;
    let url = peer.url("/");
    drop(peer);
    // The aborted task drops its listener before this task runs again.
    tokio::task::yield_now().await;
    let config = json!({"url": url, "method": "POST", "retry": retry(2)});
    let error = fetch(config, json!({})).await.expect_err("closed");
    assert_eq!(reason(&error), ("upstream_unavailable", "unreachable", true));
    assert_eq!(error.details.expect("details")["attempts"], 2);
}
