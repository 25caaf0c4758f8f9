//! The outbound HTTP client.

use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioTimer;
use tokio::sync::Semaphore;

use crate::body;
use crate::connect::{Dialler, EgressConnector};
use crate::error::EgressError;
use crate::policy::{EgressPolicy, Target};
use crate::pool::ConnectionTasks;
use crate::request::{self, Request, Response};
use crate::resolve::Resolver;
use crate::trust::TrustRoots;

/// Most calls of one client that are under way at once; further ones wait
/// inside their own deadline.
pub(crate) const CALLS_MAX: usize = 512;

/// Most idle connections kept per scheme and authority.
pub(crate) const IDLE_PER_HOST_MAX: usize = 2;

/// How long an idle connection is kept. Short, because a kept connection is to
/// an address that was vetted when it was opened, and a name that moves should
/// be followed soon.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

/// Largest response head.
pub(crate) const RESPONSE_HEAD_BYTES_MAX: usize = 64 * 1024;
/// Most header lines of a response.
pub(crate) const RESPONSE_HEADERS_MAX: usize = 128;

/// What a client is made of. It has one policy for its whole life: connections
/// are reused only among calls that were judged by the same rules.
pub struct EgressOptions {
    /// What may be reached.
    pub policy: EgressPolicy,
    /// How names are resolved.
    pub resolver: Arc<dyn Resolver>,
    /// Whom TLS trusts.
    pub trust: TrustRoots,
}

/// Sends requests under one policy. Cheap to clone; the last clone to go
/// closes every connection.
#[derive(Clone)]
pub struct EgressClient {
    inner: Arc<Inner>,
}

struct Inner {
    policy: Arc<EgressPolicy>,
    dialler: Dialler,
    http: Client<EgressConnector, Full<bytes::Bytes>>,
    calls: Semaphore,
    _connections: ConnectionTasks,
}

impl EgressClient {
    /// Builds a client.
    #[must_use]
    pub fn new(options: EgressOptions) -> Self {
        let policy = Arc::new(options.policy);
        let dialler = Dialler::new(Arc::clone(&policy), options.resolver);
        let connections = ConnectionTasks::default();
        let connector = EgressConnector::new(dialler.clone(), options.trust.client_config());
        // The library repeats a request by itself in one case only: a reused
        // connection turned out closed before the first byte was written.
        let http = Client::builder(connections.spawner())
            .pool_timer(TokioTimer::new())
            .timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(IDLE_PER_HOST_MAX)
            .http1_max_buf_size(RESPONSE_HEAD_BYTES_MAX)
            .http1_max_headers(RESPONSE_HEADERS_MAX)
            .http2_max_header_list_size(RESPONSE_HEAD_BYTES_MAX as u32)
            .build(connector);
        let calls = Semaphore::new(CALLS_MAX);
        Self { inner: Arc::new(Inner { policy, dialler, http, calls, _connections: connections }) }
    }

    /// Judges a URL with its addresses, without connecting: what a registration
    /// of a callback does (R-EGR-01).
    ///
    /// # Errors
    /// The refusal, or the resolver's failure.
    pub async fn vet(&self, url: &str) -> Result<Target, EgressError> {
        let target = self.inner.policy.judge_url(url).map_err(EgressError::Refused)?;
        self.inner.dialler.vet(&target).await?;
        Ok(target)
    }

    /// Sends one request and reads the whole response. No redirect is followed:
    /// a 3xx is returned as it came.
    ///
    /// # Errors
    /// See [`EgressError`]; an error status of the peer is not an error here.
    pub async fn send(&self, mut request: Request) -> Result<Response, EgressError> {
        request::prepare(&mut request)?;
        let target = self.inner.policy.judge_url(&request.url).map_err(EgressError::Refused)?;
        let after = request.timeout;
        tokio::time::timeout(after, self.exchange(request, target)).await.unwrap_or(Err(EgressError::Timeout { after }))
    }

    async fn exchange(&self, request: Request, target: Target) -> Result<Response, EgressError> {
        let _call = self.inner.calls.acquire().await.expect("the semaphore is never closed");
        let limit = request.max_response_bytes;
        let outgoing = outgoing(request, &target)?;
        let response = self
            .inner
            .http
            .request(outgoing)
            .await
            .map_err(|error| EgressError::from_client(&error, &target.host_text()))?;
        let (head, incoming) = response.into_parts();
        let body = body::collect(incoming, limit).await?;
        Ok(Response { status: head.status, headers: head.headers, body })
    }
}

fn outgoing(request: Request, target: &Target) -> Result<http::Request<Full<bytes::Bytes>>, EgressError> {
    let uri: Uri = target
        .url()
        .as_str()
        .parse()
        .map_err(|error: http::uri::InvalidUri| EgressError::Request { reason: error.to_string() })?;
    let mut outgoing = http::Request::new(Full::new(request.body));
    *outgoing.method_mut() = request.method;
    *outgoing.uri_mut() = uri;
    *outgoing.headers_mut() = request.headers;
    Ok(outgoing)
}
