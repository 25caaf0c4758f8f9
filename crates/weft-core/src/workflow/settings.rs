//! The members of a node's open `settings` that weft reads: retries and the attempt's timeout.

use serde::Deserialize;
use weft_model::JsonObject;

use super::fault::{Fault, join};

/// Most attempts an author may ask for: at the longest pause a day's worth of trying.
const ATTEMPTS_MAX: u32 = 1_000;
/// First pause when the author states none.
const INITIAL_MS: u64 = 1_000;
/// Longest pause when the author states none.
const PAUSE_MAX_MS: u64 = 60_000;

/// How often and when a failed attempt is made again (E12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RetryPolicy {
    pub(crate) max_attempts: u32,
    backoff: Backoff,
    initial_ms: u64,
    max_ms: u64,
    jitter: bool,
}

#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "lowercase")]
enum Backoff {
    Fixed,
    #[default]
    Exponential,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RetryDef {
    max_attempts: Option<u32>,
    #[serde(default)]
    backoff: Backoff,
    initial_ms: Option<u64>,
    max_ms: Option<u64>,
    #[serde(default)]
    jitter: bool,
}

impl RetryPolicy {
    /// The pause before attempt `attempt` (from 1), never longer than the policy's maximum.
    ///
    /// Jitter takes away up to half, so that runs that failed together do not return together.
    pub(crate) fn pause_ms(&self, attempt: u32, random: [u8; 16]) -> u64 {
        let doublings = match self.backoff {
            Backoff::Fixed => 0,
            Backoff::Exponential => attempt.saturating_sub(1).min(63),
        };
        let pause = self.initial_ms.saturating_mul(1 << doublings).min(self.max_ms);
        if !self.jitter {
            return pause;
        }
        let mut word = [0; 8];
        word.copy_from_slice(&random[..8]);
        pause - u64::from_le_bytes(word) % (pause / 2 + 1)
    }
}

/// Reads a node's settings; members weft does not know belong to other hosts and are left alone.
pub(super) fn read(
    settings: Option<&JsonObject>,
    max_retries: Option<u32>,
    path: &str,
) -> Result<(RetryPolicy, Option<u64>), Fault> {
    let member = |name: &str| settings.and_then(|settings| settings.get(name)).filter(|value| !value.is_null());
    let path_of = |name: &str| join(&join(path, "settings"), name);
    let retry = match member("retry") {
        None => RetryDef::default(),
        Some(value) => {
            RetryDef::deserialize(value).map_err(|error| Fault::invalid(path_of("retry"), error.to_string()))?
        }
    };
    let timeout_ms = match member("timeoutMs") {
        None => None,
        Some(value) => Some(
            value
                .as_u64()
                .ok_or_else(|| Fault::invalid(path_of("timeoutMs"), "must be a whole number of milliseconds"))?,
        ),
    };
    let policy = policy(&retry, max_retries).map_err(|reason| Fault::invalid(path_of("retry"), reason))?;
    // 0 is no bound, as in settings.timeout and an interrupt's timeoutMs.
    Ok((policy, timeout_ms.filter(|ms| *ms > 0)))
}

fn policy(retry: &RetryDef, max_retries: Option<u32>) -> Result<RetryPolicy, String> {
    let max_attempts = match retry.max_attempts {
        Some(stated) if (1..=ATTEMPTS_MAX).contains(&stated) => stated,
        Some(_) => return Err(format!("maxAttempts must lie between 1 and {ATTEMPTS_MAX}")),
        None => max_retries.unwrap_or(0).saturating_add(1).min(ATTEMPTS_MAX),
    };
    let initial_ms = retry.initial_ms.unwrap_or(INITIAL_MS);
    let max_ms = retry.max_ms.unwrap_or(PAUSE_MAX_MS.max(initial_ms));
    if max_ms < initial_ms {
        return Err("maxMs is shorter than initialMs".to_owned());
    }
    Ok(RetryPolicy { max_attempts, backoff: retry.backoff, initial_ms, max_ms, jitter: retry.jitter })
}
