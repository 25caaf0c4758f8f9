//! Name resolution behind a port, so that tests answer as they like.

use std::future::Future;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

/// Most look-ups that may be under way at once. A hung look-up keeps its thread
/// until the system gives up, so this also bounds the threads it can hold.
pub(crate) const LOOKUPS_MAX: usize = 16;

/// Longest time for one look-up.
pub(crate) const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);

/// A future of a [`Resolver`].
pub type Resolving<'a> = Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, ResolveError>> + Send + 'a>>;

/// Turns a host name into addresses. It only reports; the policy judges.
pub trait Resolver: Send + Sync + 'static {
    /// All addresses of a name, never an empty list.
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a>;
}

/// Why a name gave no addresses.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ResolveError {
    /// The name exists without addresses, or not at all.
    #[error("no address")]
    NoAnswer,
    /// No answer in time.
    #[error("no answer in time")]
    Timeout,
    /// The system's resolver failed.
    #[error("resolver failed")]
    System(#[source] Arc<io::Error>),
}

/// The operating system's resolver (`getaddrinfo`).
#[derive(Debug, Clone)]
pub struct SystemResolver {
    lookups: Arc<Semaphore>,
}

impl SystemResolver {
    /// A resolver with the limits of this module.
    #[must_use]
    pub fn new() -> Self {
        Self { lookups: Arc::new(Semaphore::new(LOOKUPS_MAX)) }
    }

    async fn look_up(&self, name: String) -> Result<Vec<IpAddr>, ResolveError> {
        let permit = Arc::clone(&self.lookups).acquire_owned().await.expect("the semaphore is never closed");
        // `getaddrinfo` cannot be interrupted. The permit moves into the thread,
        // so a look-up that outlives its caller still counts against the limit.
        let answer = tokio::task::spawn_blocking(move || {
            let answer = (name.as_str(), 0).to_socket_addrs();
            drop(permit);
            answer.map(|list| list.map(|socket| socket.ip()).collect::<Vec<_>>())
        })
        .await;
        let mut addresses = match answer {
            Ok(Ok(addresses)) => addresses,
            Ok(Err(error)) => return Err(ResolveError::System(Arc::new(error))),
            Err(join) => return Err(ResolveError::System(Arc::new(io::Error::other(join)))),
        };
        addresses.dedup();
        if addresses.is_empty() { Err(ResolveError::NoAnswer) } else { Ok(addresses) }
    }
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::new()
    }
}

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        let look_up = self.look_up(name.to_owned());
        Box::pin(
            async move { tokio::time::timeout(LOOKUP_TIMEOUT, look_up).await.unwrap_or(Err(ResolveError::Timeout)) },
        )
    }
}
