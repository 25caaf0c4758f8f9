//! weft's tables and encodings held against the specification data, where that folder is beside
//! the workspace. Without it the comparison is skipped and says so.

mod encodings;
mod samples;
mod spec;
mod tables;
