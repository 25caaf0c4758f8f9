//! Reads Rust text as far as the checks need it: what is code, what is comment, what is test.
//!
//! This is no parser. It tells comments and literals from code, finds the code that only tests
//! compile, and lists the paths that code names. Start reading at [`file`].

mod file;
mod paths;
mod split;

pub(crate) use file::{RustFile, rust_files};
pub(crate) use paths::names;
