//! The command line's own client of a host: JSON over HTTP and the event stream.

mod events;

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

pub(crate) use events::EventStream;

/// The contract version this client speaks.
const OPENWOP_VERSION: &str = "2.0";
/// An answer larger than this is not read to its end.
const ANSWER_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Longest wait for an answer's head; longer than the longest poll a host allows.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(90);

/// A host reached under one URL with one key.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    base: String,
    authorization: Option<HeaderValue>,
    http: HyperClient<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

/// Why an exchange with the host gave no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// The URL or key cannot be used at all.
    #[error("{reason}")]
    BadUrl {
        /// What is wrong and what to write instead.
        reason: String,
    },
    /// No connection, or it broke before the answer was complete.
    #[error("cannot reach {url}: {cause}; {}", remedy(.cause))]
    Unreachable {
        /// The URL that was asked.
        url: String,
        /// The transport's words.
        cause: String,
    },
    /// The host said no.
    #[error("{code}: {message}{hint}")]
    Refused {
        /// The registered error code.
        code: String,
        /// The host's sentence.
        message: String,
        /// What the caller can do next; may be empty.
        hint: &'static str,
    },
    /// The answer is not what an OpenWOP host sends.
    #[error("{url} does not answer like an OpenWOP host: {reason}")]
    Unreadable {
        /// The URL that was asked.
        url: String,
        /// What is wrong with the answer.
        reason: String,
    },
}

impl Client {
    /// A client of the host at `url`, with the key when there is one.
    ///
    /// # Errors
    /// [`ClientError::BadUrl`] when the URL is not absolute `http` or `https`, or the key has
    /// characters that no key has, or the file of certificate authorities cannot be used.
    pub(crate) fn new(url: &str, api_key: Option<String>, ca: Option<&Path>) -> Result<Self, ClientError> {
        let bad = |reason: String| ClientError::BadUrl { reason };
        let parsed: Uri = url.parse().map_err(|_| bad(format!("`{url}` is not a URL")))?;
        if !matches!(parsed.scheme_str(), Some("http" | "https")) || parsed.host().is_none() {
            return Err(bad(format!("`{url}` is not an http or https URL; write it like http://127.0.0.1:8080")));
        }
        let authorization = api_key
            .map(|key| HeaderValue::try_from(format!("Bearer {key}")))
            .transpose()
            .map_err(|_| bad("the API key has characters that cannot be sent; check WEFT_API_KEY".to_owned()))?
            .map(|mut value| {
                value.set_sensitive(true);
                value
            });
        let builder = hyper_rustls::HttpsConnectorBuilder::new();
        let builder = match ca {
            Some(file) => builder.with_tls_config(
                crate::tls::client(file).map_err(|error| bad(format!("cannot trust {}: {error:#}", file.display())))?,
            ),
            None => builder
                .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
                .map_err(|error| bad(format!("cannot set up TLS: {error}")))?,
        };
        let connector = builder.https_or_http().enable_http1().build();
        let http = HyperClient::builder(TokioExecutor::new()).build(connector);
        Ok(Self { base: url.trim_end_matches('/').to_owned(), authorization, http })
    }

    /// `GET path`, decoded.
    ///
    /// # Errors
    /// Any [`ClientError`].
    pub(crate) async fn get(&self, path: &str) -> Result<Value, ClientError> {
        let request = self.request(Method::GET, path, None)?;
        self.json(path, request).await
    }

    /// `POST path` with a JSON body, decoded. A fresh `Idempotency-Key` goes with it, so that an
    /// automatic retry below this layer can never act twice.
    ///
    /// # Errors
    /// Any [`ClientError`].
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        let request = self.request(Method::POST, path, Some(body))?;
        self.json(path, request).await
    }

    /// `GET path` as an event stream that starts behind `after` when given.
    ///
    /// # Errors
    /// Any [`ClientError`].
    pub(crate) async fn events(&self, path: &str, after: Option<u64>) -> Result<EventStream, ClientError> {
        let mut request = self.request(Method::GET, path, None)?;
        request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(after) = after {
            request.headers_mut().insert("last-event-id", HeaderValue::from(after));
        }
        let response = self.send(path, request).await?;
        if response.status() != StatusCode::OK {
            return Err(self.refusal(path, response).await);
        }
        Ok(EventStream::new(response.into_body(), self.url(path)))
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn request(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Request<Full<Bytes>>, ClientError> {
        let mut builder = Request::builder()
            .method(method)
            .uri(self.url(path))
            .header("openwop-version", OPENWOP_VERSION)
            .header(header::ACCEPT, "application/json");
        if let Some(authorization) = &self.authorization {
            builder = builder.header(header::AUTHORIZATION, authorization);
        }
        let body = match body {
            Some(value) => {
                builder = builder
                    .header(header::CONTENT_TYPE, "application/json")
                    .header("idempotency-key", crate::system::fresh_token());
                Bytes::from(value.to_string())
            }
            None => Bytes::new(),
        };
        builder.body(Full::new(body)).map_err(|error| ClientError::BadUrl { reason: error.to_string() })
    }

    async fn send(&self, path: &str, request: Request<Full<Bytes>>) -> Result<http::Response<Incoming>, ClientError> {
        let unreachable = |cause: String| ClientError::Unreachable { url: self.url(path), cause };
        match tokio::time::timeout(ANSWER_TIMEOUT, self.http.request(request)).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(unreachable(deepest(&error))),
            Err(_) => Err(unreachable(format!("no answer within {} s", ANSWER_TIMEOUT.as_secs()))),
        }
    }

    async fn json(&self, path: &str, request: Request<Full<Bytes>>) -> Result<Value, ClientError> {
        let response = self.send(path, request).await?;
        if !response.status().is_success() {
            return Err(self.refusal(path, response).await);
        }
        let bytes = self.body(path, response).await?;
        serde_json::from_slice(&bytes)
            .map_err(|error| ClientError::Unreadable { url: self.url(path), reason: error.to_string() })
    }

    async fn body(&self, path: &str, response: http::Response<Incoming>) -> Result<Bytes, ClientError> {
        match Limited::new(response.into_body(), ANSWER_MAX_BYTES).collect().await {
            Ok(collected) => Ok(collected.to_bytes()),
            Err(error) => Err(ClientError::Unreachable { url: self.url(path), cause: error.to_string() }),
        }
    }

    async fn refusal(&self, path: &str, response: http::Response<Incoming>) -> ClientError {
        let status = response.status();
        let bytes = match self.body(path, response).await {
            Ok(bytes) => bytes,
            Err(error) => return error,
        };
        let envelope: Option<Value> = serde_json::from_slice(&bytes).ok();
        let member = |name: &str| envelope.as_ref().and_then(|e| e.get(name)).and_then(Value::as_str);
        match (member("error"), member("message")) {
            (Some(code), Some(message)) => ClientError::Refused {
                code: code.to_owned(),
                message: message.trim_end_matches('.').to_owned(),
                hint: hint(status, path),
            },
            _ => ClientError::Unreadable {
                url: self.url(path),
                reason: format!("status {status} without an error envelope"),
            },
        }
    }
}

/// What the caller can do about a refusal, as far as status and path tell.
fn hint(status: StatusCode, path: &str) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "; set WEFT_API_KEY to a key made by `weft keys create`",
        StatusCode::FORBIDDEN => "; `weft keys list` shows what a key may do",
        StatusCode::NOT_FOUND if path == "/runs" => "; the log of `weft serve` names the files it refused",
        StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST if path.contains("/interrupts/") => {
            "; `weft runs events RUN --json` shows what was asked and which actions it takes"
        }
        StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST if path.starts_with("/runs/") => {
            "; `weft runs list` and `weft runs get RUN` show what there is"
        }
        _ => "",
    }
}

/// What the caller can do about a connection that did not come about.
fn remedy(cause: &str) -> &'static str {
    if cause.contains("InvalidContentType") {
        "it does not speak TLS: write the URL with http:"
    } else if cause.contains("certificate") {
        "name its certificate authority with --ca (or WEFT_CA)"
    } else if cause.contains("HTTP version") {
        "it may speak TLS: write the URL with https:"
    } else {
        "is the host running? (`weft serve`, or set WEFT_URL)"
    }
}

/// The innermost cause: what the operating system said, not what three layers said about it.
fn deepest(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
