//! Where the policy meets the socket: the connector that dials vetted addresses.
//!
//! The HTTP client asks this service for a connection to a scheme and authority
//! and has no other way to get one. The connector judges the URL again, resolves
//! the name, judges every answer, and dials one of exactly these addresses; the
//! name is not resolved a second time, so an answer that changes in between is
//! never used (R-EGR-05). The host name stays in the URL and is what TLS
//! verifies and what the `Host` header says.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower::Service;

use crate::error::EgressError;
use crate::policy::{EgressPolicy, Target, TargetHost};
use crate::resolve::Resolver;

/// Longest time from a request for a connection to its finished TLS handshake,
/// the look-up included. It also ends connects whose caller has already gone.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Most addresses of one name that are tried.
pub(crate) const DIALS_MAX: usize = 4;

/// Longest time for one TCP handshake; leaves room for the next address.
pub(crate) const DIAL_TIMEOUT: Duration = Duration::from_secs(4);

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Connecting<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;
type Tcp = TokioIo<TcpStream>;

/// The client's connector: the dialler, TLS over it, and one limit over both.
#[derive(Clone)]
pub(crate) struct EgressConnector {
    inner: HttpsConnector<Dialler>,
}

impl EgressConnector {
    /// Builds the connector of one policy.
    pub(crate) fn new(dialler: Dialler, tls: Arc<rustls::ClientConfig>) -> Self {
        Self { inner: HttpsConnector::from((dialler, tls)) }
    }
}

impl Service<Uri> for EgressConnector {
    type Response = MaybeHttpsStream<Tcp>;
    type Error = BoxError;
    type Future = Connecting<Self::Response, BoxError>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let host = uri.host().unwrap_or_default().to_owned();
        let connecting = self.inner.call(uri);
        Box::pin(async move {
            match tokio::time::timeout(CONNECT_TIMEOUT, connecting).await {
                Ok(outcome) => outcome,
                Err(_) => Err(EgressError::ConnectTimeout { host }.into()),
            }
        })
    }
}

/// Judges, resolves, judges again, dials.
#[derive(Clone)]
pub(crate) struct Dialler {
    policy: Arc<EgressPolicy>,
    resolver: Arc<dyn Resolver>,
}

impl Dialler {
    /// A dialler for one policy.
    pub(crate) fn new(policy: Arc<EgressPolicy>, resolver: Arc<dyn Resolver>) -> Self {
        Self { policy, resolver }
    }

    /// The vetted addresses of a target, at least one.
    ///
    /// # Errors
    /// A refusal, or the resolver's failure.
    pub(crate) async fn vet(&self, target: &Target) -> Result<Vec<SocketAddr>, EgressError> {
        let answers = match target.host() {
            TargetHost::Address(address) => vec![*address],
            TargetHost::Name(name) => self
                .resolver
                .resolve(name)
                .await
                .map_err(|source| EgressError::Resolve { host: name.clone(), source })?,
        };
        self.policy.judge_answers(target, &answers).map_err(EgressError::Refused)
    }

    async fn dial(&self, uri: &Uri) -> Result<Tcp, EgressError> {
        let target = self.policy.judge_url(&uri.to_string()).map_err(EgressError::Refused)?;
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in self.vet(&target).await?.into_iter().take(DIALS_MAX) {
            match dial_one(address).await {
                Ok(stream) => return Ok(TokioIo::new(stream)),
                Err(error) => last = error,
            }
        }
        Err(EgressError::Dial { host: target.host_text(), source: Arc::new(last) })
    }
}

async fn dial_one(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = tokio::time::timeout(DIAL_TIMEOUT, TcpStream::connect(address))
        .await
        .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    stream.set_nodelay(true)?;
    Ok(stream)
}

impl Service<Uri> for Dialler {
    type Response = Tcp;
    type Error = EgressError;
    type Future = Connecting<Tcp, EgressError>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), EgressError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dialler = self.clone();
        Box::pin(async move { dialler.dial(&uri).await })
    }
}
