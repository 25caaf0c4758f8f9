//! `core.fail`: a failure on purpose.

use serde::Deserialize;
use weft_core::{NodeCall, NodeError, PureNode, PureOutcome};
use weft_model::{FailureCode, JsonObject};

use crate::config::{read, read_checked};

/// The code word and message that fixtures expect when none is given.
const DEFAULT_WORD: &str = "conformance_test_failure";
const DEFAULT_MESSAGE: &str = "Intentional conformance failure";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    code: Option<String>,
    message: Option<String>,
}

/// Fails its node, once: a failure on purpose is never retried.
pub(crate) struct Fail;

impl PureNode for Fail {
    fn check(&self, config: &JsonObject) -> Result<(), String> {
        let config: Config = read(config)?;
        failure_code(config.code.as_deref()).map(|_| ())
    }

    fn evaluate(&self, call: &NodeCall) -> PureOutcome {
        PureOutcome::Fail(failure(call).unwrap_or_else(|error| error))
    }
}

fn failure(call: &NodeCall) -> Result<NodeError, NodeError> {
    let config: Config = read_checked(&call.config)?;
    let code = failure_code(config.code.as_deref()).map_err(|reason| crate::config::invalid_input("code", &reason))?;
    let stated = call.inputs.get("message").and_then(|value| value.as_str()).map(str::to_owned);
    let message = stated.or(config.message).unwrap_or_else(|| DEFAULT_MESSAGE.to_owned());
    Ok(NodeError::new(code, message))
}

/// Turns the author's word into a code the wire admits (R-EVT-22). A bare word
/// that is not registered goes under `example`, the organisation that the
/// registry keeps for documentation and tests; weft has no name of its own
/// there (DECISIONS 5).
fn failure_code(word: Option<&str>) -> Result<FailureCode, String> {
    let word = word.unwrap_or(DEFAULT_WORD);
    word.parse()
        .or_else(|_| format!("example.{word}").parse())
        .map_err(|_| format!("code {word:?} is neither a registered code nor a lower-case word"))
}
