//! `core.identity`: input `payload` to output `payload` (R-EVT-135).

use weft_core::{NodeCall, PureNode, PureOutcome};
use weft_model::JsonObject;

const PORT: &str = "payload";

/// Copies its one port. An absent optional input gives an absent output, not
/// `null`: the two are different values.
pub(crate) struct Identity;

impl PureNode for Identity {
    fn check(&self, _: &JsonObject) -> Result<(), String> {
        Ok(())
    }

    fn evaluate(&self, call: &NodeCall) -> PureOutcome {
        let copied = call.inputs.get_key_value(PORT);
        let outputs = copied.into_iter().map(|(port, value)| (port.clone(), value.clone()));
        PureOutcome::Complete(outputs.collect())
    }
}
