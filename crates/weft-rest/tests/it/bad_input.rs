//! Bodies that are malformed, oversized, of the wrong type, slow or broken off.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use http::Request;
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use serde_json::json;
use tower::ServiceExt;
use weft_rest::UnreadBody;

use crate::ask::{Answered, Ask};
use crate::world::{Settings, World};

const CREATE: &str = "{\"workflowId\":\"conformance-noop\"}";

async fn send(world: &World, media_type: &str, body: impl Into<Bytes>) -> Answered {
    world.ask(Ask::post("/runs").bytes(media_type, body)).await
}

/// Witnesses R-HDR-08: each fault is answered with its place.
#[tokio::test(start_paused = true)]
async fn malformed_json_is_refused_with_its_place() {
    let world = World::new().await;
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for (body, line, column) in [
        (&b"{"[..], 1, 2),
        (b"{\"workflowId\":\"a\",\"workflowId\":\"b\"}", 1, 19),
        (b"{\"inputs\":{\"x\":1,\n\"x\":2}}", 2, 1),
        (b"{\"workflowId\": }", 1, 16),
        (b"{}{}", 1, 3),
        (b"{'workflowId':1}", 1, 2),
        (b"{\"inputs\":{\"x\":1e999}}", 1, 16),
        (b"{\"inputs\":{\"x\":99999999999999999999}}", 1, 16),
        (b"NaN", 1, 1),
        (deep.as_bytes(), 1, 65),
    ] {
        let refused = send(&world, "application/json", body.to_vec()).await;
        let shown = String::from_utf8_lossy(body).into_owned();
        assert_eq!((refused.status, refused.code().as_str()), (400, "validation_error"), "{shown}");
        let details = refused.json()["details"].clone();
        assert_eq!(details, json!({"line": line, "column": column}), "{shown}");
    }
    assert_eq!(world.get("/runs").await.json()["runs"], json!([]));
}

/// Bytes that are no UTF-8, and other encodings of text.
#[tokio::test(start_paused = true)]
async fn other_encodings_are_refused() {
    let world = World::new().await;
    let utf16: Vec<u8> = CREATE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for body in [&b"{\"workflowId\":\"\xFF\"}"[..], b"\xEF\xBB\xBF{}", b"\x1F\x8B\x08\x00", &utf16] {
        let refused = send(&world, "application/json", body.to_vec()).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "validation_error"), "{body:?}");
    }
}

/// Witnesses R-HDR-05: types and codings that are not taken, and the spellings that are.
#[tokio::test(start_paused = true)]
async fn other_media_types_are_refused() {
    let world = World::new().await;
    for media_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-16",
        "application/jsonx",
        "application/vnd.x+json",
        "json",
        "",
    ] {
        let refused = send(&world, media_type, CREATE).await;
        assert_eq!(
            refused.text(),
            "415\ncache-control: no-store\ncontent-type: application/json\nopenwop-version: 2.46\n\n\
             {\"error\":\"unsupported_media_type\",\"message\":\"The body must be application/json in UTF-8.\"}",
            "{media_type}"
        );
    }
    for coding in ["gzip", "br", "identity, gzip", "nonsense"] {
        let ask = Ask::post("/runs").bytes("application/json", CREATE).header("content-encoding", coding);
        let refused = world.ask(ask).await;
        assert_eq!((refused.status, refused.code().as_str()), (415, "unsupported_media_type"), "{coding}");
    }
    for media_type in ["application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\"; x=1"]
    {
        assert_eq!(send(&world, media_type, CREATE).await.status, 201, "{media_type}");
    }
    let plain = Ask::post("/runs").bytes("application/json", CREATE).header("content-encoding", "identity");
    assert_eq!(world.ask(plain).await.status, 201);
}

/// An operation that needs a body says so.
#[tokio::test(start_paused = true)]
async fn a_missing_body_is_refused() {
    let world = World::new().await;
    for ask in [
        Ask::post("/runs"),
        Ask::post("/runs").bytes("application/json", ""),
        Ask::post("/runs").bytes("text/plain", ""),
    ] {
        let refused = world.ask(ask).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "validation_error"));
    }
}

/// A body that arrives as the stream says, without a declared length.
async fn stream_body(
    world: &World,
    body: impl Stream<Item = Result<Bytes, io::Error>> + Send + Unpin + 'static,
) -> Answered {
    let request = Request::post("/runs")
        .header("authorization", format!("Bearer {}", world.key))
        .header("content-type", "application/json")
        .body(StreamBody::new(body.map(|data| data.map(Frame::data))))
        .expect("a request");
    let Ok(response) = world.door.clone().oneshot(request).await;
    let (head, body) = response.into_parts();
    let unread = head.extensions.get::<UnreadBody>().is_some();
    assert!(unread || head.status == 201, "a body that was not read to its end is marked");
    let body = body.collect().await.expect("a whole body").to_bytes();
    Answered { status: head.status.as_u16(), headers: head.headers, body }
}

/// Witnesses R-HDR-06: the limit holds for declared and for undeclared lengths, before parsing.
#[tokio::test(start_paused = true)]
async fn a_large_body_is_refused_before_it_is_parsed() {
    let mut settings = Settings::standard();
    settings.limits.body_bytes_max = 100;
    let world = World::with(settings).await;
    let expected = "413\ncache-control: no-store\ncontent-type: application/json\nopenwop-version: 2.46\n\n\
                    {\"error\":\"payload_too_large\",\"message\":\"The body is larger than 100 bytes.\"}";
    assert_eq!(send(&world, "application/json", "{".repeat(101)).await.text(), expected);
    let endless = stream::repeat_with(|| Ok(Bytes::from_static(b"[[[[[[[[[[")));
    assert_eq!(stream_body(&world, endless).await.text(), expected);
    let at_once = stream::iter([Ok(Bytes::from("[".repeat(101)))]);
    assert_eq!(stream_body(&world, at_once).await.text(), expected);
    let padded = format!("{CREATE}{}", " ".repeat(100 - CREATE.len()));
    assert_eq!(send(&world, "application/json", padded).await.status, 201);
}

/// The limit of a host that says nothing is 4 MiB (DECISIONS 44).
#[tokio::test(start_paused = true)]
async fn the_usual_limit_is_four_mebibytes() {
    let world = World::new().await;
    let body = |bytes: usize| format!("{CREATE}{}", " ".repeat(bytes - CREATE.len()));
    assert_eq!(send(&world, "application/json", body(4 * 1024 * 1024)).await.status, 201);
    assert_eq!(send(&world, "application/json", body(4 * 1024 * 1024 + 1)).await.status, 413);
}

/// A body in pieces is put together.
#[tokio::test(start_paused = true)]
async fn a_body_in_pieces_is_read() {
    let world = World::new().await;
    let pieces: Vec<_> = CREATE.bytes().map(|byte| Ok(Bytes::copy_from_slice(&[byte]))).collect();
    assert_eq!(stream_body(&world, stream::iter(pieces)).await.status, 201);
}

/// A client that sends half a body and then nothing gets its answer when the time is up.
#[tokio::test(start_paused = true)]
async fn a_slow_body_is_refused_in_time() {
    let world = World::new().await;
    let started = tokio::time::Instant::now();
    let half = stream::iter([Ok(Bytes::from_static(b"{\"workflowId\":"))]).chain(stream::pending());
    let refused = stream_body(&world, half).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "validation_error"));
    assert_eq!(started.elapsed(), Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn a_broken_body_is_refused() {
    let world = World::new().await;
    let broken = stream::iter([Ok(Bytes::from_static(b"{")), Err(io::Error::other("reset"))]).chain(stream::pending());
    let refused = stream_body(&world, broken).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "validation_error"));
    assert!(!refused.text().contains("reset"));
}
