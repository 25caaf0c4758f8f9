//! The bare axum handler: the same requests, bytes of the same length, nothing behind them.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use bytes::Bytes;
use serde_json::Value;

/// A discovery document and a snapshot of about the size of weft's.
const DISCOVERY_BYTES: usize = 1_600;
const SNAPSHOT_BYTES: usize = 700;

/// Serves until the process is ended.
pub(crate) async fn serve() -> anyhow::Result<()> {
    let events: Vec<String> = (0..4).map(super::event).collect();
    let poll = format!(
        r#"{{"runId":"bench/000000000000000000000000000000000000","events":[{}],"lastSequence":3,"status":"completed","isTerminal":true}}"#,
        events.join(",")
    );
    let fixed = |body: Bytes| move || async move { ([(CONTENT_TYPE, "application/json")], body).into_response() };
    let router = Router::new()
        .route("/runs", post(create))
        .route("/runs/{id}/events/poll", get(fixed(Bytes::from(poll))))
        .route("/runs/{id}", get(fixed(filler(SNAPSHOT_BYTES))))
        .route("/.well-known/openwop", get(fixed(filler(DISCOVERY_BYTES))));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!(r#"{{"event":"listening","url":"http://{}"}}"#, listener.local_addr()?);
    axum::serve(axum::serve::ListenerExt::tap_io(listener, |stream| drop(stream.set_nodelay(true))), router).await?;
    Ok(())
}

/// Reads its JSON body, as a host must, and answers the fixed bytes.
async fn create(axum::Json(_body): axum::Json<Value>) -> impl IntoResponse {
    (axum::http::StatusCode::CREATED, [(CONTENT_TYPE, "application/json")], super::CREATED)
}

fn filler(length: usize) -> Bytes {
    Bytes::from(format!(r#"{{"filler":"{}"}}"#, "x".repeat(length)))
}
