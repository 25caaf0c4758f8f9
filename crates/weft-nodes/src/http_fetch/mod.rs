//! `core.openwop.http.fetch`: one HTTP call with the published config, inputs
//! and outputs (DECISIONS 42), through the egress guard.

mod config;
mod outcome;
mod plan;
mod template;

use tokio::time::Instant;
use weft_core::{EffectFuture, EffectNode, NodeCall, NodeError};
use weft_egress::EgressClient;
use weft_model::JsonObject;

use self::config::Config;
use self::plan::Plan;

/// The methods that the published schema admits; advertised by the family `httpClient`.
pub const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/// Longest that one request may take, by the published schema; advertised likewise.
pub const REQUEST_TIMEOUT_MS_MAX: u64 = 120_000;

/// Sends the request, and sends it again where that is harmless or asked for.
pub(crate) struct HttpFetch {
    client: EgressClient,
    max_response_bytes: usize,
}

impl HttpFetch {
    pub(crate) fn new(client: EgressClient, max_response_bytes: usize) -> Self {
        Self { client, max_response_bytes }
    }
}

/// Whether a call that a crash cut off may be made again: a read, yes. Anything
/// else may have had its effect already (DECISIONS 36).
pub(crate) fn is_repeatable(config: &JsonObject) -> bool {
    crate::config::read::<Config>(config).is_ok_and(|config| config.method.is_read())
}

impl EffectNode for HttpFetch {
    fn check(&self, config: &JsonObject) -> Result<(), String> {
        crate::config::read::<Config>(config)?.check()
    }

    fn execute(&self, call: NodeCall) -> EffectFuture {
        let client = self.client.clone();
        let max_response_bytes = self.max_response_bytes;
        Box::pin(async move {
            let plan = Plan::of(&call)?;
            fetch(&client, &plan, max_response_bytes).await
        })
    }
}

async fn fetch(client: &EgressClient, plan: &Plan, max_response_bytes: usize) -> Result<JsonObject, NodeError> {
    let started = Instant::now();
    let mut attempt = 1;
    loop {
        let outcome = client.send(plan.request(max_response_bytes)).await;
        if let Some(pause) = plan.pause_after(attempt, &outcome) {
            tokio::time::sleep(pause).await;
            attempt += 1;
            continue;
        }
        return match outcome {
            Ok(response) => Ok(outcome::outputs(&response, plan, attempt, started.elapsed())),
            Err(error) => {
                tracing::debug!(%error, attempt, "an outbound call gave no response");
                Err(outcome::failure(&error, plan, attempt))
            }
        };
    }
}
