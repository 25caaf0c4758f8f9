//! Reading a node's config, and the failures every type shares.

use serde::de::DeserializeOwned;
use weft_core::NodeError;
use weft_model::{ErrorCode, FailureCode, JsonObject};

/// Reads a config into the type's own struct.
///
/// Config structs are closed: a misspelt member of an approval gate that was
/// silently ignored would be a gate without the protection its author wrote.
pub(crate) fn read<T: DeserializeOwned>(config: &JsonObject) -> Result<T, String> {
    T::deserialize(config).map_err(|error| error.to_string())
}

/// Reads a config that was checked when the workflow was registered.
pub(crate) fn read_checked<T: DeserializeOwned>(config: &JsonObject) -> Result<T, NodeError> {
    read(config).map_err(|reason| refuse(ErrorCode::NodeConfigInvalid, reason))
}

/// An input that the type cannot use. Repeating the attempt gives the same
/// input, so it is not retryable.
pub(crate) fn invalid_input(port: &str, reason: &str) -> NodeError {
    let mut error = refuse(ErrorCode::ValidationError, format!("input {port} {reason}"));
    error.details = Some(details([("field", port.to_owned())]));
    error
}

/// A failure with a registered code that no retry repairs.
pub(crate) fn refuse(code: ErrorCode, message: String) -> NodeError {
    NodeError { code: FailureCode::Registered(code), message, details: None, retryable: false }
}

/// A details object of texts.
pub(crate) fn details<const N: usize>(members: [(&str, String); N]) -> JsonObject {
    members.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
}
