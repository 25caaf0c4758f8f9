//! One request to the door, and its whole answer.

use std::fmt::Write;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use http_body_util::{BodyExt, Full};
use serde_json::Value;
use tower::ServiceExt;
use weft_model::RunId;
use weft_rest::{RestBody, RestDoor};

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Ask {
    pub(crate) fn new(method: Method, path: &str) -> Ask {
        Ask { method, path: path.to_owned(), headers: HeaderMap::new(), body: Bytes::new() }
    }

    pub(crate) fn get(path: &str) -> Ask {
        Ask::new(Method::GET, path)
    }

    pub(crate) fn post(path: &str) -> Ask {
        Ask::new(Method::POST, path)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Ask {
        let name: HeaderName = name.parse().expect("a header name");
        self.headers.append(name, HeaderValue::from_bytes(value.as_bytes()).expect("a header value"));
        self
    }

    /// Authenticates, unless the request has a credential already.
    pub(crate) fn bearer(self, key: &str) -> Ask {
        if self.headers.contains_key(header::AUTHORIZATION) {
            return self;
        }
        self.header("authorization", &format!("Bearer {key}"))
    }

    pub(crate) fn json(self, body: &Value) -> Ask {
        self.bytes("application/json", body.to_string().into_bytes())
    }

    pub(crate) fn bytes(mut self, media_type: &str, body: impl Into<Bytes>) -> Ask {
        self.body = body.into();
        if media_type.is_empty() { self } else { self.header("content-type", media_type) }
    }

    /// The answer with its body still to come.
    pub(crate) async fn open(self, door: &RestDoor) -> http::Response<RestBody> {
        let mut request = Request::new(Full::new(self.body));
        *request.method_mut() = self.method;
        *request.uri_mut() = self.path.parse().expect("a path");
        *request.headers_mut() = self.headers;
        let Ok(response) = door.clone().oneshot(request).await;
        response
    }

    /// The whole answer.
    pub(crate) async fn of(self, door: &RestDoor) -> Answered {
        let (head, body) = self.open(door).await.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        Answered { status: head.status.as_u16(), headers: head.headers, body }
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|cause| panic!("{cause}: {}", self.text()))
    }

    /// A header's text, empty when it is absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    /// The error code of a refusal.
    pub(crate) fn code(&self) -> String {
        self.json()["error"].as_str().unwrap_or_else(|| panic!("no refusal: {}", self.text())).to_owned()
    }

    /// Status, headers in order of name, an empty line, the body.
    pub(crate) fn text(&self) -> String {
        let mut lines: Vec<String> =
            self.headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().expect("text"))).collect();
        lines.sort_unstable();
        let mut text = format!("{}\n", self.status);
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
        text.push('\n');
        text.push_str(&String::from_utf8_lossy(&self.body));
        text
    }

    /// The same with a run's id replaced by `RUN`, in links by `RUN~`.
    pub(crate) fn text_about(&self, run: &RunId) -> String {
        self.text().replace(run.as_str(), "RUN").replace(&run.projected(), "RUN~")
    }
}
