//! What the crate's tests share: small node types, and definitions written on one line.

mod flow;
mod nodes;

pub(crate) use flow::{compile, definition};
pub(crate) use nodes::Types;
