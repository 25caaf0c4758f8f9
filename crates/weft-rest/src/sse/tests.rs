use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, stream};
use tokio_util::sync::CancellationToken;
use weft_model::ErrorCode;
use weft_ops::events::Frame;
use weft_ops::{OpError, OpResult};

use super::body::EventBody;
use super::frame;
use crate::body::BodyError;
use crate::stats::{OpenStream, RestStats};

const KEEP_ALIVE: Duration = Duration::from_secs(15);

fn frame_of(id: u64, data: &'static str) -> Frame {
    Frame { id, event: Cow::Borrowed("node.completed"), data: Bytes::from_static(data.as_bytes()) }
}

fn text_of(frame: &Frame) -> String {
    let mut out = BytesMut::new();
    frame::write(&mut out, frame);
    String::from_utf8(out.to_vec()).expect("UTF-8")
}

fn body_of(frames: impl Stream<Item = OpResult<Frame>> + Send + 'static) -> (EventBody, CancellationToken) {
    let closing = CancellationToken::new();
    let open = OpenStream::new(Arc::new(RestStats::new()));
    (EventBody::new(Box::pin(frames), KEEP_ALIVE, closing.clone(), open), closing)
}

async fn next(body: &mut EventBody) -> Option<Result<Bytes, BodyError>> {
    std::future::poll_fn(|context| body.poll_chunk(context)).await
}

async fn next_text(body: &mut EventBody) -> String {
    let chunk = next(body).await.expect("not over").expect("not failed");
    String::from_utf8(chunk.to_vec()).expect("UTF-8")
}

/// A stream that never has anything.
fn silent() -> Pin<Box<dyn Stream<Item = OpResult<Frame>> + Send>> {
    Box::pin(stream::pending())
}

// R-SSE-02: id, event, data, in this order, closed by an empty line.
#[test]
fn a_frame_has_its_three_fields() {
    assert_eq!(text_of(&frame_of(7, "{\"a\":1}")), "id: 7\nevent: node.completed\ndata: {\"a\":1}\n\n");
    assert_eq!(text_of(&frame_of(u64::MAX, "")), format!("id: {}\nevent: node.completed\ndata: \n\n", u64::MAX));
}

#[test]
fn a_line_break_in_the_data_cannot_forge_a_field() {
    assert_eq!(
        text_of(&frame_of(1, "a\nid: 9\r\n\nb")),
        "id: 1\nevent: node.completed\ndata: a\ndata: id: 9\ndata: \ndata: \ndata: b\n\n"
    );
}

#[tokio::test]
async fn frames_that_are_ready_leave_in_one_chunk() {
    let (mut body, _closing) = body_of(stream::iter([Ok(frame_of(0, "0")), Ok(frame_of(1, "1"))]).chain(silent()));
    let chunk = next_text(&mut body).await;
    assert_eq!(chunk, text_of(&frame_of(0, "0")) + &text_of(&frame_of(1, "1")));
}

#[tokio::test]
async fn a_long_log_leaves_in_bounded_chunks() {
    let data: &'static str = "x".repeat(1000).leak();
    let (mut body, _closing) = body_of(stream::iter((0..200).map(move |id| Ok(frame_of(id, data)))));
    let mut whole = String::new();
    while let Some(chunk) = next(&mut body).await {
        let chunk = chunk.expect("not failed");
        assert!(chunk.len() < 34 * 1024, "{}", chunk.len());
        whole.push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
    }
    let expected: String = (0..200).map(|id| text_of(&frame_of(id, data))).collect();
    assert_eq!(whole, expected);
}

// R-SSE-11: the body ends when the stream of frames does.
#[tokio::test]
async fn the_body_ends_with_its_frames() {
    let (mut body, _closing) = body_of(stream::iter([Ok(frame_of(3, "{}"))]));
    assert_eq!(next_text(&mut body).await, text_of(&frame_of(3, "{}")));
    assert!(next(&mut body).await.is_none());
    assert!(next(&mut body).await.is_none());
}

// R-SSE-01: silence is broken by a comment well within 30 seconds, again and again.
#[tokio::test(start_paused = true)]
async fn silence_is_broken_by_comments() {
    let started = tokio::time::Instant::now();
    let (mut body, _closing) = body_of(silent());
    for round in 1..=3u32 {
        assert_eq!(next_text(&mut body).await, ": keep-alive\n\n");
        assert_eq!(started.elapsed().as_secs(), u64::from(round) * KEEP_ALIVE.as_secs());
    }
}

#[tokio::test]
async fn shutdown_ends_the_stream_cleanly() {
    let (mut body, closing) = body_of(stream::iter([Ok(frame_of(0, "0"))]).chain(silent()));
    assert_eq!(next_text(&mut body).await, text_of(&frame_of(0, "0")));
    closing.cancel();
    assert!(next(&mut body).await.is_none());
}

#[tokio::test]
async fn a_failure_breaks_the_body_off_after_what_was_read() {
    let failure = OpError::new(ErrorCode::InternalError, "no");
    let (mut body, _closing) = body_of(stream::iter([Ok(frame_of(0, "0")), Err(failure)]));
    assert_eq!(next_text(&mut body).await, text_of(&frame_of(0, "0")));
    assert!(matches!(next(&mut body).await, Some(Err(BodyError::Stream))));
    assert!(next(&mut body).await.is_none());
}

#[tokio::test]
async fn a_panic_in_the_stream_is_a_failure_of_this_stream() {
    let panicking = stream::poll_fn(|_| -> Poll<Option<OpResult<Frame>>> { panic!("broken") });
    let (mut body, _closing) = body_of(panicking);
    assert!(matches!(next(&mut body).await, Some(Err(BodyError::Stream))));
}
