//! Accepting, serving, draining.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body::Body;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::{Service, ServiceExt};

use super::executor::StreamTasks;
use super::io::{Linger, WatchedIo};
use super::limits::ServeLimits;
use super::listener::Listener;
use crate::respond::{NoRoom, UnreadBody};

/// The pause after an accept that failed, for example for want of descriptors: connections end
/// meanwhile, and without it the loop would spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How a listener's connections ended when it was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    /// Connections that had to be cut because their time was over.
    pub cut: usize,
}

/// Serves `service` on `listener` until `shutdown` is cancelled, then drains.
pub async fn serve<S, B>(
    listener: impl Into<Listener>,
    service: S,
    limits: ServeLimits,
    shutdown: CancellationToken,
) -> Drained
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    let listener = listener.into();
    let streams = StreamTasks::new();
    let server = Server {
        service,
        limits,
        builder: Arc::new(builder(limits, streams.clone())),
        tls: listener.tls.clone(),
        shutdown,
    };
    let mut connections = JoinSet::new();
    let seats = Seats::of(limits);
    loop {
        let (stream, seat) = tokio::select! {
            biased;
            () = server.shutdown.cancelled() => break,
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener, &seats) => accepted,
        };
        let server = server.clone();
        connections.spawn(async move {
            match seat {
                Seat::Inside(_permit) => server.connection(stream, None).await,
                // Whoever does not ask in time is closed without an answer.
                Seat::Threshold(_permit) => {
                    let told = server.connection(stream, Some(NoRoom));
                    drop(tokio::time::timeout(server.limits.turned_away_within, told).await);
                }
            }
        });
    }
    drop(listener);
    let drained = drain(connections, limits.drain_within).await;
    streams.end().await;
    drained
}

/// The places for connections.
struct Seats {
    inside: Arc<Semaphore>,
    threshold: Arc<Semaphore>,
}

/// A connection's place; it is free again when this is dropped.
enum Seat {
    /// It is served.
    Inside(OwnedSemaphorePermit),
    /// It is told that there is no room: a full listener answers.
    Threshold(OwnedSemaphorePermit),
}

impl Seats {
    fn of(limits: ServeLimits) -> Seats {
        Seats {
            inside: Arc::new(Semaphore::new(limits.connections_max)),
            threshold: Arc::new(Semaphore::new(limits.turned_away_max)),
        }
    }

    /// A place of either kind, inside when there is one.
    async fn next(&self) -> Seat {
        let never_closed = "the semaphore is never closed";
        tokio::select! {
            biased;
            permit = Arc::clone(&self.inside).acquire_owned() => Seat::Inside(permit.expect(never_closed)),
            permit = Arc::clone(&self.threshold).acquire_owned() => Seat::Threshold(permit.expect(never_closed)),
        }
    }

    /// A place may have become free inside while the next connection was waited for.
    fn better(&self, seat: Seat) -> Seat {
        match seat {
            Seat::Threshold(_) => Arc::clone(&self.inside).try_acquire_owned().map_or(seat, Seat::Inside),
            Seat::Inside(_) => seat,
        }
    }
}

/// The next connection, once there is a place for it. Cancel-safe: dropping it loses no connection.
async fn accept(listener: &Listener, seats: &Seats) -> (TcpStream, Seat) {
    let seat = seats.next().await;
    loop {
        match listener.accept().await {
            Ok(stream) => return (stream, seats.better(seat)),
            Err(cause) => {
                tracing::warn!(%cause, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Waits until every connection is gone, and ends those that outstay `within`.
async fn drain(mut connections: JoinSet<()>, within: Duration) -> Drained {
    let all_gone = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(within, all_gone).await.is_ok() {
        return Drained { cut: 0 };
    }
    let cut = connections.len();
    connections.shutdown().await;
    Drained { cut }
}

type Builder = auto::Builder<StreamTasks>;

fn builder(limits: ServeLimits, streams: StreamTasks) -> Builder {
    let mut builder = auto::Builder::new(streams);
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_read_within)
        .max_buf_size(limits.buffer_bytes);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.http2_streams_max)
        .max_send_buf_size(limits.buffer_bytes)
        // A peer that is gone without a word is found by its silence to a ping.
        .keep_alive_interval(limits.head_read_within)
        .keep_alive_timeout(limits.write_stalled_for);
    builder
}

struct Server<S> {
    service: S,
    limits: ServeLimits,
    builder: Arc<Builder>,
    tls: Option<TlsAcceptor>,
    shutdown: CancellationToken,
}

impl<S: Clone> Clone for Server<S> {
    fn clone(&self) -> Server<S> {
        Server {
            service: self.service.clone(),
            limits: self.limits,
            builder: Arc::clone(&self.builder),
            tls: self.tls.clone(),
            // A token of its own: connections look at it often, and must not meet at one lock.
            shutdown: self.shutdown.child_token(),
        }
    }
}

impl<S, B> Server<S>
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    async fn connection(&self, stream: TcpStream, no_room: Option<NoRoom>) {
        // Answers are written whole; waiting to fill a segment would only delay them.
        if let Err(cause) = stream.set_nodelay(true) {
            tracing::debug!(%cause, "TCP_NODELAY was not set");
        }
        let Some(tls) = &self.tls else { return self.speak(stream, no_room).await };
        // A handshake is part of what a peer may take its time over before its first request.
        match tokio::time::timeout(self.limits.head_read_within, tls.accept(stream)).await {
            // Boxed, since it is large and a plain connection should not carry its size.
            Ok(Ok(stream)) => self.speak(Box::new(stream), no_room).await,
            Ok(Err(cause)) => tracing::debug!(%cause, "a TLS handshake failed"),
            Err(_) => tracing::debug!("a TLS handshake took too long"),
        }
    }

    /// Speaks HTTP on one connection until it ends, or until it may end after a shutdown. Without
    /// room it ends after its first answer, which says so.
    async fn speak<T>(&self, transport: T, no_room: Option<NoRoom>)
    where
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let linger = Linger::default();
        let io = TokioIo::new(WatchedIo::new(transport, self.limits, linger.clone()));
        let told = CancellationToken::new();
        let service = service_fn(|mut request: Request<Incoming>| {
            if let Some(mark) = no_room {
                request.extensions_mut().insert(mark);
            }
            // An HTTP/2 stream is reset by itself and leaves its connection whole.
            let may_linger = request.version() != Version::HTTP_2;
            let answering = self.service.clone().oneshot(request);
            let linger = linger.clone();
            let told = no_room.map(|_| told.clone());
            async move {
                let response = answering.await?;
                if let Some(told) = told {
                    told.cancel();
                }
                if may_linger && response.extensions().get::<UnreadBody>().is_some() {
                    linger.ask();
                }
                Ok::<_, Infallible>(response)
            }
        });
        let mut connection = pin!(self.builder.serve_connection(io, service));
        let ended = tokio::select! {
            biased;
            ended = connection.as_mut() => ended,
            () = self.shutdown.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
            () = told.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(cause) = ended {
            tracing::debug!(%cause, "a connection ended early");
        }
    }
}
