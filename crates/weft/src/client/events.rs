//! A run's event stream as the command line reads it.

use futures_util::StreamExt;
use hyper::body::Incoming;
use serde_json::Value;
use sse_stream::SseStream;

use super::ClientError;

/// The documents of a stream, in the order the host sends them; ends when the host closes the stream.
pub(crate) struct EventStream {
    frames: SseStream<Incoming>,
    url: String,
}

impl EventStream {
    pub(super) fn new(body: Incoming, url: String) -> Self {
        Self { frames: SseStream::new(body), url }
    }

    /// The next frame's document, or `None` after the host closed the stream.
    ///
    /// # Errors
    /// The connection broke, or a frame holds no JSON.
    pub(crate) async fn next(&mut self) -> Result<Option<Value>, ClientError> {
        while let Some(frame) = self.frames.next().await {
            let frame =
                frame.map_err(|error| ClientError::Unreachable { url: self.url.clone(), cause: error.to_string() })?;
            // A comment that keeps the connection alive carries no data.
            let Some(data) = frame.data else { continue };
            return serde_json::from_str(&data)
                .map(Some)
                .map_err(|error| ClientError::Unreadable { url: self.url.clone(), reason: error.to_string() });
        }
        Ok(None)
    }
}
