//! The run options under `configurable`: closed, nested, versioned (openwop-rest §9, R-OPT-…).
//!
//! Options of families that this host does not offer are refused where ignoring them would break
//! a promise (a spending limit, a credential, a provider) and kept where they have no effect.

use serde_json::Value;
use weft_model::org::is_kebab;
use weft_model::{ErrorCode, JsonObject};

use crate::error::{OpError, OpResult};

/// The one version of the object (R-OPT-01).
const VERSION: u64 = 1;

/// What the engine needs of the options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunBounds {
    /// `run.runTimeoutMs`.
    pub(crate) run_timeout_ms: Option<u64>,
    /// `run.recursionLimit`.
    pub(crate) recursion_limit: Option<u64>,
}

/// Checks `configurable` and reads the bounds from it.
pub(crate) fn check(configurable: &JsonObject) -> OpResult<RunBounds> {
    if configurable.get("version").and_then(Value::as_u64) != Some(VERSION) {
        return Err(wrong("configurable.version", "must be 1"));
    }
    let mut bounds = RunBounds::default();
    for (name, value) in configurable {
        match name.as_str() {
            "version" => {}
            "run" => bounds = run_section(section("configurable.run", value)?)?,
            "ai" => ai_section(section("configurable.ai", value)?)?,
            "distillation" => distillation_section(section("configurable.distillation", value)?)?,
            "budget" => return Err(budget_unavailable(value)),
            "extensions" => extensions_section(section("configurable.extensions", value)?)?,
            other => return Err(unknown("configurable", other)),
        }
    }
    Ok(bounds)
}

fn run_section(section: &JsonObject) -> OpResult<RunBounds> {
    let mut bounds = RunBounds::default();
    for (name, value) in section {
        let path = || format!("configurable.run.{name}");
        match name.as_str() {
            "recursionLimit" => bounds.recursion_limit = Some(integer(path(), value, 1)?),
            "runTimeoutMs" => bounds.run_timeout_ms = Some(integer(path(), value, 1)?),
            "maxLoopIterations" => {
                integer(path(), value, 1)?;
            }
            // A confidence between 0 and 1, as in the interrupt's data (DECISIONS 25, D10).
            "escalationThreshold" => number(path(), value, 0.0, 1.0)?,
            other => return Err(unknown("configurable.run", other)),
        }
    }
    Ok(bounds)
}

fn ai_section(section: &JsonObject) -> OpResult<()> {
    for (name, value) in section {
        let path = || format!("configurable.ai.{name}");
        match name.as_str() {
            // No provider is advertised, so none can be chosen (R-OPT-07, R-OPT-08).
            "provider" => return Err(wrong(&path(), "names a provider that this host does not offer")),
            "credentialRef" => {
                return Err(OpError::new(ErrorCode::CredentialForbidden, "This host takes no credential references."));
            }
            // Every key of this host is a production credential (R-OPT-09).
            "mockProvider" => {
                return Err(OpError::new(ErrorCode::MockProviderForbidden, "A mock provider needs a test credential."));
            }
            "model" => text(path(), value)?,
            "temperature" => number(path(), value, 0.0, 2.0)?,
            "maxTokens" => {
                integer(path(), value, 1)?;
            }
            "maxRefusals" => {
                integer(path(), value, 0)?;
            }
            "reasoningVerbosity" => {
                if !matches!(value.as_str(), Some("none" | "summary" | "full")) {
                    return Err(wrong(&path(), "must be none, summary or full"));
                }
            }
            "promptOverrides" => {
                let overrides = section_at(path(), value)?;
                if overrides.values().any(|text| !text.is_string()) {
                    return Err(wrong(&path(), "must map names to texts"));
                }
            }
            other => return Err(unknown("configurable.ai", other)),
        }
    }
    Ok(())
}

fn distillation_section(section: &JsonObject) -> OpResult<()> {
    for (name, value) in section {
        match name.as_str() {
            "tokenBudget" => {
                integer("configurable.distillation.tokenBudget".to_owned(), value, 1)?;
            }
            other => return Err(unknown("configurable.distillation", other)),
        }
    }
    Ok(())
}

/// Vendor options: `extensions.<org>` only (R-OPT-15).
fn extensions_section(section: &JsonObject) -> OpResult<()> {
    for (org, value) in section {
        if !is_kebab(org) {
            return Err(unknown("configurable.extensions", org));
        }
        section_at(format!("configurable.extensions.{org}"), value)?;
    }
    Ok(())
}

/// A spending limit that nobody enforces would be a false promise.
fn budget_unavailable(value: &Value) -> OpError {
    if !value.is_object() {
        return wrong("configurable.budget", "must be an object");
    }
    OpError::new(ErrorCode::CapabilityNotProvided, "This host does not enforce budgets.")
        .with_detail("requiredCapability", "budget")
}

fn section<'a>(path: &str, value: &'a Value) -> OpResult<&'a JsonObject> {
    section_at(path.to_owned(), value)
}

fn section_at(path: String, value: &Value) -> OpResult<&JsonObject> {
    value.as_object().ok_or_else(|| wrong(&path, "must be an object"))
}

fn integer(path: String, value: &Value, minimum: u64) -> OpResult<u64> {
    whole(value).filter(|number| *number >= minimum).ok_or_else(|| {
        wrong(&path, if minimum == 0 { "must be an integer of at least 0" } else { "must be an integer of at least 1" })
    })
}

/// JSON Schema's integer: `3` and `3.0` are the same number.
fn whole(value: &Value) -> Option<u64> {
    /// The largest number up to which a double holds every integer.
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && (0.0..=EXACT_MAX).contains(number))
            .map(|number| number as u64)
    })
}

fn number(path: String, value: &Value, low: f64, high: f64) -> OpResult<()> {
    match value.as_f64() {
        Some(number) if (low..=high).contains(&number) => Ok(()),
        _ => Err(OpError::invalid_field(path.clone(), format!("{path} must be a number from {low} to {high}."))),
    }
}

fn text(path: String, value: &Value) -> OpResult<()> {
    if value.is_string() { Ok(()) } else { Err(wrong(&path, "must be a text")) }
}

fn wrong(path: &str, what: &str) -> OpError {
    OpError::invalid_field(path, format!("{path} {what}."))
}

fn unknown(path: &str, name: &str) -> OpError {
    let name: String = name.chars().take(128).collect();
    OpError::invalid_field(format!("{path}.{name}"), format!("{path} has no member of this name."))
}
