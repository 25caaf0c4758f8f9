//! `core.end`: the exit marker.

use weft_core::{NodeCall, PureNode, PureOutcome};
use weft_model::JsonObject;

/// Completes at once with its inputs as outputs. Since the outputs of a
/// workflow's last nodes become the run's variables (events sheet, E14), the
/// input ports of this node are where an author names the run's results.
pub(crate) struct End;

impl PureNode for End {
    fn check(&self, _: &JsonObject) -> Result<(), String> {
        Ok(())
    }

    fn evaluate(&self, call: &NodeCall) -> PureOutcome {
        PureOutcome::Complete(call.inputs.clone())
    }
}
