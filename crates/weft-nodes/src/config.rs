//! Reading a node's config, and the failures every type shares.

use serde::de::DeserializeOwned;
use weft_core::NodeError;
use weft_model::{ErrorCode, JsonObject};

/// Reads a config into the type's own struct.
///
/// Config structs are closed: a misspelt member of an approval gate that was
/// silently ignored would be a gate without the protection its author wrote.
pub(crate) fn read<T: DeserializeOwned>(config: &JsonObject) -> Result<T, String> {
    T::deserialize(config).map_err(|error| error.to_string())
}

/// Reads a config that was checked when the workflow was registered.
pub(crate) fn read_checked<T: DeserializeOwned>(config: &JsonObject) -> Result<T, NodeError> {
    read(config).map_err(|reason| NodeError::new(ErrorCode::NodeConfigInvalid, reason))
}

/// An input that the type cannot use. Repeating the attempt gives the same
/// input, so it is not retryable.
pub(crate) fn invalid_input(port: &str, reason: &str) -> NodeError {
    NodeError::new(ErrorCode::ValidationError, format!("input {port} {reason}")).with_detail("field", port)
}
