//! Reading JSON strictly: what a caller meant twice or too deeply is refused, not guessed.
//!
//! `serde_json` keeps the last of two equal members and turns a long integer into a float.
//! A request that says two things, or a number that would come back changed, is an error of
//! its sender, who learns the place.

mod parse;
#[cfg(test)]
pub(crate) mod tests;
mod text;
mod weight;

pub use parse::parse;
pub use weight::weight;

use std::fmt;

/// A JSON object.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;

/// Deepest nesting of arrays and objects.
pub const DEPTH_MAX: usize = 64;

/// A wire document as JSON text.
pub fn to_bytes<T: serde::Serialize>(document: &T) -> Vec<u8> {
    serde_json::to_vec(document).expect("wire documents have string keys only, and memory takes every byte")
}

/// Why a text is refused, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at line {line}, column {column}")]
pub struct JsonFault {
    /// What is wrong.
    pub reason: FaultReason,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultReason {
    /// Not JSON; the text says what was expected.
    Syntax(&'static str),
    /// The bytes are no UTF-8.
    NotUtf8,
    /// The text ends inside a value.
    UnexpectedEnd,
    /// Something follows the value.
    TrailingText,
    /// An object names this member twice.
    DuplicateMember(String),
    /// Nested deeper than [`DEPTH_MAX`].
    TooDeep,
    /// An integer outside the 64-bit ranges: it could not be kept exactly.
    IntegerTooLarge,
    /// A number that would become infinite, or zero without being it.
    NumberOutOfRange,
}

impl fmt::Display for FaultReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(expected) => write!(f, "malformed JSON, expected {expected}"),
            Self::NotUtf8 => f.write_str("the text is not UTF-8"),
            Self::UnexpectedEnd => f.write_str("the text ends too early"),
            Self::TrailingText => f.write_str("text after the value"),
            Self::DuplicateMember(name) => write!(f, "the member {name:?} is given twice"),
            Self::TooDeep => write!(f, "nested deeper than {DEPTH_MAX} levels"),
            Self::IntegerTooLarge => f.write_str("an integer does not fit 64 bits"),
            Self::NumberOutOfRange => f.write_str("a number cannot be represented"),
        }
    }
}
