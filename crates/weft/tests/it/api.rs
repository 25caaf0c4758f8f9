//! A small JSON client: it says when a connection broke, because that is what the kill loop asks.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// The connection broke or never came to be: nobody knows whether the request acted.
#[derive(Debug)]
pub(crate) struct Broken;

/// A caller of one host under one key.
#[derive(Clone)]
pub(crate) struct Api {
    url: String,
    key: String,
    http: Client<HttpConnector, Full<Bytes>>,
}

/// An open event stream.
pub(crate) struct Stream {
    body: Incoming,
    buffer: Vec<u8>,
}

impl Api {
    pub(crate) fn new(url: &str, key: &str) -> Self {
        let http = Client::builder(TokioExecutor::new()).build_http();
        Self { url: url.to_owned(), key: key.to_owned(), http }
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<http::Response<Incoming>, Broken> {
        let mut request = http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("authorization", format!("Bearer {}", self.key))
            .header("openwop-version", "2.0");
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let bytes = body.map_or_else(Bytes::new, |value| Bytes::from(value.to_string()));
        let request = request.body(Full::new(bytes)).expect("a well-formed request");
        self.http.request(request).await.map_err(|_| Broken)
    }

    /// One exchange: the status and the JSON body (null when there is none).
    pub(crate) async fn call(
        &self,
        method: &str,
        path: &str,
        idempotency_key: Option<&str>,
        body: Option<&Value>,
    ) -> Result<(u16, Value), Broken> {
        let headers: Vec<_> = idempotency_key.map(|key| ("idempotency-key", key)).into_iter().collect();
        let response = self.send(method, path, &headers, body).await?;
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.map_err(|_| Broken)?.to_bytes();
        Ok((status, serde_json::from_slice(&bytes).unwrap_or(Value::Null)))
    }

    pub(crate) async fn get(&self, path: &str) -> Result<(u16, Value), Broken> {
        self.call("GET", path, None, None).await
    }

    /// A page of plain text.
    pub(crate) async fn text(&self, path: &str) -> String {
        let response = self.send("GET", path, &[], None).await.expect("the host answers");
        let bytes = response.into_body().collect().await.expect("a whole page").to_bytes();
        String::from_utf8(bytes.to_vec()).expect("utf-8")
    }

    /// The whole stream of a run, starting behind `after`.
    pub(crate) async fn stream(&self, run: &str, after: Option<u64>) -> Result<Stream, Broken> {
        let after = after.map(|after| after.to_string());
        let headers: Vec<_> = after.as_deref().map(|after| ("last-event-id", after)).into_iter().collect();
        let path = format!("/runs/{}/events?streamMode=debug", segment(run));
        let response = self.send("GET", &path, &headers, None).await?;
        assert_eq!(response.status(), 200);
        Ok(Stream { body: response.into_body(), buffer: Vec::new() })
    }
}

impl Stream {
    /// The next event, `None` when the host closed the stream, [`Broken`] when it vanished.
    pub(crate) async fn next(&mut self) -> Result<Option<Value>, Broken> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
                let frame: Vec<u8> = self.buffer.drain(..end + 2).collect();
                let frame = String::from_utf8(frame).expect("frames are utf-8");
                if let Some(data) = frame.lines().find_map(|line| line.strip_prefix("data: ")) {
                    return Ok(Some(serde_json::from_str(data).expect("data is JSON")));
                }
                continue;
            }
            match self.body.frame().await {
                Some(Ok(frame)) => self.buffer.extend(frame.into_data().unwrap_or_default()),
                Some(Err(_)) => return Err(Broken),
                None => return Ok(None),
            }
        }
    }
}

/// A run id as one path segment.
pub(crate) fn segment(run: &str) -> String {
    run.replace('/', "~2F")
}
