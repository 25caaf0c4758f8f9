//! `core.delay`: a wait on a durable timer (R-EVT-136).

use serde::Deserialize;
use serde_json::Value;
use weft_core::{NodeCall, NodeError, PureNode, PureOutcome};
use weft_model::JsonObject;

use crate::config::{invalid_input, read, read_checked};

/// The wait when neither config nor inputs state one.
const DEFAULT_MS: u64 = 100;

/// Longest wait: ten years of 366 days. A longer one is a mistake in units,
/// and the sum with any date of this century stays far inside a timestamp.
const DELAY_MS_MAX: u64 = 10 * 366 * 24 * 60 * 60 * 1000;

/// The config. Several spellings are in use; the first one stated wins.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Config {
    delay_ms: Option<Value>,
    ms: Option<Value>,
    duration_ms: Option<Value>,
    delay_seconds: Option<Value>,
}

/// Sleeps, then completes.
pub(crate) struct Delay;

impl PureNode for Delay {
    fn check(&self, config: &JsonObject) -> Result<(), String> {
        configured(&read(config)?).map(|_| ())
    }

    fn evaluate(&self, call: &NodeCall) -> PureOutcome {
        match wait_ms(call) {
            Ok(ms) => PureOutcome::Sleep { ms },
            Err(error) => PureOutcome::Fail(error),
        }
    }
}

/// The inputs win over the config, so that a run can state its own wait.
fn wait_ms(call: &NodeCall) -> Result<u64, NodeError> {
    for (port, factor) in PORTS {
        if let Some(value) = call.inputs.get(port) {
            return whole_ms(value, factor).map_err(|reason| invalid_input(port, &reason));
        }
    }
    let config = read_checked(&call.config)?;
    configured(&config).map_err(|reason| invalid_input("config", &reason))
}

const PORTS: [(&str, f64); 4] = [("delayMs", 1.0), ("ms", 1.0), ("durationMs", 1.0), ("delaySeconds", 1000.0)];

fn configured(config: &Config) -> Result<u64, String> {
    let stated = [&config.delay_ms, &config.ms, &config.duration_ms, &config.delay_seconds];
    for ((name, factor), value) in PORTS.iter().zip(stated) {
        if let Some(value) = value {
            return whole_ms(value, *factor).map_err(|reason| format!("{name} {reason}"));
        }
    }
    Ok(DEFAULT_MS)
}

/// Rounds up: the wait is at least the stated time.
fn whole_ms(value: &Value, factor: f64) -> Result<u64, String> {
    let ms = value.as_f64().map(|number| (number * factor).ceil());
    match ms {
        // The range check keeps the conversion exact.
        Some(ms) if (0.0..=DELAY_MS_MAX as f64).contains(&ms) => Ok(ms as u64),
        _ => Err(format!("is not a number of milliseconds from 0 to {DELAY_MS_MAX}")),
    }
}
