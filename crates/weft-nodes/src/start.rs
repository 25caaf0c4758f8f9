//! `core.start`: the entry marker.

use weft_core::{NodeCall, PureNode, PureOutcome};
use weft_model::JsonObject;

/// Completes at once and hands its inputs on. Its config is not read.
pub(crate) struct Start;

impl PureNode for Start {
    fn check(&self, _: &JsonObject) -> Result<(), String> {
        Ok(())
    }

    fn evaluate(&self, call: &NodeCall) -> PureOutcome {
        PureOutcome::Complete(call.inputs.clone())
    }
}
