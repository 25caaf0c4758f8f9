//! Performs effects: a bounded number at once, each one abortable, each panic caught.
//!
//! An effect is handed in only after the event that announces it is durable (ARCHITECTURE.md, sentence 4). Its
//! task belongs to the actor of its run and dies with it.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, JoinSet};
use weft_core::{EffectNode, NodeCall, NodeError};
use weft_model::{ErrorCode, JsonObject, NodeId};

use crate::error::panic_text;
use crate::stats::{Counted, Counters};

/// The process-wide share of what effects may use.
pub(crate) struct Executor {
    permits: Arc<Semaphore>,
}

/// One attempt that ended by itself.
pub(crate) struct Finished {
    pub(crate) node: NodeId,
    pub(crate) attempt: u32,
    pub(crate) result: Result<JsonObject, NodeError>,
    /// Whether the node broke instead of answering.
    pub(crate) panicked: bool,
}

/// The attempts of one run that are in flight. Dropping it aborts them.
#[derive(Default)]
pub(crate) struct InFlight {
    tasks: JoinSet<Finished>,
    handles: HashMap<(NodeId, u32), AbortHandle>,
}

impl Executor {
    pub(crate) fn new(concurrent: usize) -> Executor {
        Executor { permits: Arc::new(Semaphore::new(concurrent)) }
    }

    /// Starts an attempt in its own task, as soon as there is room for it.
    pub(crate) fn start(&self, flight: &mut InFlight, node: Arc<dyn EffectNode>, call: NodeCall, counters: &Counters) {
        let key = (call.node_id.clone(), call.attempt);
        let permits = Arc::clone(&self.permits);
        let counted = counters.effects.enter();
        let handle = flight.tasks.spawn(perform(permits, node, call, counted));
        flight.handles.insert(key, handle);
    }
}

impl InFlight {
    pub(crate) fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// Whether this attempt is in flight here.
    pub(crate) fn contains(&self, node: &NodeId, attempt: u32) -> bool {
        self.handles.contains_key(&(node.clone(), attempt))
    }

    /// Cuts one attempt; its result, should it exist already, is not delivered.
    pub(crate) fn abort(&mut self, node: &NodeId, attempt: u32) {
        if let Some(handle) = self.handles.remove(&(node.clone(), attempt)) {
            handle.abort();
        }
    }

    /// Cuts all attempts.
    pub(crate) fn abort_all(&mut self) {
        self.handles.clear();
        self.tasks.abort_all();
    }

    /// The next attempt that ended. Waits for ever when none is in flight. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Finished {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(finished)) => {
                    if let Some(finished) = self.landed(finished) {
                        return finished;
                    }
                }
                // An aborted task; a panic never gets here, `perform` catches it.
                Some(Err(_)) => {}
                None => std::future::pending().await,
            }
        }
    }

    /// The next attempt that has ended already.
    pub(crate) fn try_next(&mut self) -> Option<Finished> {
        while let Some(joined) = self.tasks.try_join_next() {
            if let Some(finished) = joined.ok().and_then(|finished| self.landed(finished)) {
                return Some(finished);
            }
        }
        None
    }

    fn landed(&mut self, finished: Finished) -> Option<Finished> {
        self.handles.remove(&(finished.node.clone(), finished.attempt)).map(|_| finished)
    }
}

async fn perform(permits: Arc<Semaphore>, node: Arc<dyn EffectNode>, call: NodeCall, _counted: Counted) -> Finished {
    let (node_id, attempt) = (call.node_id.clone(), call.attempt);
    let _permit = permits.acquire_owned().await.expect("the engine never closes its semaphore");
    // The call itself stands inside the guarded block: making the future can panic too.
    let guarded = AssertUnwindSafe(async move { node.execute(call).await }).catch_unwind().await;
    let panicked = guarded.is_err();
    let result = guarded.unwrap_or_else(|panic| {
        let cause = panic_text(panic);
        tracing::error!(node = %node_id, attempt, cause, "a node broke");
        Err(broken_node())
    });
    Finished { node: node_id, attempt, result, panicked }
}

/// What the log says of a node that panicked; the cause is for the host's log only.
fn broken_node() -> NodeError {
    NodeError::new(ErrorCode::InternalError, "The node broke an internal rule of the host.")
        .with_detail("reason", "broken")
}
