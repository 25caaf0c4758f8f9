//! The door itself: one request in, one response out, whatever happens between.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::FutureExt;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, Request, Response, request};
use http_body::Body;
use tokio::sync::Semaphore;
use tower::Service;
use weft_ops::{Caller, Host, OpResult};

use crate::body::RestBody;
use crate::errors;
use crate::handlers::{self, discovery::DiscoveryAnswers};
use crate::options::RestOptions;
use crate::request_body::BodyLimits;
use crate::respond::{NoRoom, UnreadBody};
use crate::route::Route;
use crate::stats::RestStats;
use crate::version::{self, OPENWOP_VERSION, SERVED_VERSION};

/// The REST door of a host, as a `tower` service over any request body. Cheap to clone.
#[derive(Clone)]
pub struct RestDoor(Arc<Door>);

pub(crate) struct Door {
    pub(crate) host: Arc<Host>,
    pub(crate) options: RestOptions,
    pub(crate) discovery: DiscoveryAnswers,
    pub(crate) stats: Arc<RestStats>,
    /// A permit for each KiB of a large answer.
    kept_answers: Arc<Semaphore>,
}

/// Bytes of an answer from which on it is counted. What is smaller is within what a connection
/// may buffer anyway, and so is every answer that changed something.
const COUNTED_FROM_BYTES: usize = 64 * 1024;

/// Builds the door of `host`.
pub fn router(host: Arc<Host>, options: RestOptions) -> RestDoor {
    let discovery = DiscoveryAnswers::render(host.discovery());
    let kept_answers = Arc::new(Semaphore::new(options.kept_answers_kib));
    RestDoor(Arc::new(Door { host, options, discovery, stats: Arc::new(RestStats::new()), kept_answers }))
}

impl RestDoor {
    /// The door's counters.
    pub fn stats(&self) -> &Arc<RestStats> {
        &self.0.stats
    }
}

/// The future of a response. It never fails: a refusal is a response, too.
type Answering = Pin<Box<dyn Future<Output = Result<Response<RestBody>, Infallible>> + Send>>;

impl<B> Service<Request<B>> for RestDoor
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
{
    type Response = Response<RestBody>;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Answering {
        let door = Arc::clone(&self.0);
        Box::pin(async move { Ok(door.answer(request).await) })
    }
}

impl Door {
    async fn answer<B>(&self, request: Request<B>) -> Response<RestBody>
    where
        B: Body<Data = Bytes> + Send + Unpin,
    {
        let (head, mut body) = request.into_parts();
        let route = Route::of(&head.method, head.uri.path());
        let mut response = match self.options.cors.preflight(&head) {
            Some(granted) => granted,
            None => self.count_in(self.attempt(route, &head, &mut body).await),
        };
        if !route.is_probe() {
            response.headers_mut().insert(OPENWOP_VERSION, SERVED_VERSION);
        }
        self.options.cors.decorate(&head.headers, response.headers_mut());
        if !body.is_end_stream() {
            response.extensions_mut().insert(UnreadBody);
        }
        self.stats.count(&route, response.status());
        response
    }

    /// Counts a large answer until its peer has taken it. Many readers that ask and do not read
    /// would otherwise hold as many copies of the largest run there is.
    fn count_in(&self, response: Response<RestBody>) -> Response<RestBody> {
        let bytes = response.body().kept_bytes();
        if bytes < COUNTED_FROM_BYTES {
            return response;
        }
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        match Arc::clone(&self.kept_answers).try_acquire_many_owned(kib) {
            Ok(share) => response.map(|body| body.hold(share)),
            Err(_) => errors::response(&errors::too_many_answers()),
        }
    }

    /// Carries the request out. A panic is a refusal like any other (R-ERR-15): it is of this
    /// request alone, and what it left behind is only what the operation had already committed.
    async fn attempt<B>(&self, route: Route<'_>, head: &request::Parts, body: &mut B) -> Response<RestBody>
    where
        B: Body<Data = Bytes> + Send + Unpin,
    {
        match AssertUnwindSafe(self.dispatch(route, head, body)).catch_unwind().await {
            Ok(Ok(response)) => response,
            Ok(Err(refusal)) => errors::response(&refusal),
            Err(panic) => errors::response(&errors::of_panic(&*panic)),
        }
    }

    async fn dispatch<B>(&self, route: Route<'_>, head: &request::Parts, body: &mut B) -> OpResult<Response<RestBody>>
    where
        B: Body<Data = Bytes> + Send + Unpin,
    {
        // The probes are answered all the same: they say how the host is when it is full.
        if head.extensions.get::<NoRoom>().is_some() && !route.is_probe() {
            return Err(errors::no_room());
        }
        if route.operation().is_some() {
            version::negotiate(&head.headers)?;
        }
        match route {
            Route::Unknown => Err(errors::nothing_here()),
            Route::FirstMajor => Err(version::refuse_first_major(&head.headers)),
            Route::Health => Ok(handlers::probes::health()),
            Route::Ready => Ok(handlers::probes::ready(self)),
            Route::Metrics => Ok(handlers::probes::metrics(self)),
            Route::GetCapabilities => Ok(self.discovery.answer(&head.headers)),
            Route::GetWorkflow { workflow } => handlers::workflows::get(self, head, workflow).await,
            Route::CreateRun => handlers::runs::create(self, head, body).await,
            Route::GetRun { run } => handlers::runs::get(self, head, run).await,
            Route::ListRuns => handlers::runs::list(self, head).await,
            Route::CancelRun { run } => handlers::runs::cancel(self, head, body, run).await,
            Route::StreamRunEvents { run } => handlers::events::stream(self, head, run).await,
            Route::PollRunEvents { run } => handlers::events::poll(self, head, run).await,
            Route::ResolveInterruptByRun { run, node } => {
                handlers::interrupts::resolve(self, head, body, run, node).await
            }
        }
    }

    /// The verified caller. Two `Authorization` values are enough to be refused, so no more are
    /// handed over.
    pub(crate) async fn caller(&self, headers: &HeaderMap) -> OpResult<Caller> {
        let mut values = headers.get_all(AUTHORIZATION).iter().map(HeaderValue::as_bytes);
        match (values.next(), values.next()) {
            (None, _) => self.host.authenticate(&[]).await,
            (Some(only), None) => self.host.authenticate(&[only]).await,
            (Some(first), Some(second)) => self.host.authenticate(&[first, second]).await,
        }
    }

    pub(crate) fn body_limits(&self) -> BodyLimits {
        BodyLimits { bytes_max: self.host.limits().body_bytes_max, read_within: self.options.body_read_within }
    }
}
