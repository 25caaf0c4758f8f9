//! One file for each group of operations: decode, call, encode.
//!
//! The order of refusal is the same everywhere (DECISIONS 7): the ids of the path, the credential,
//! tenant and scope, and only then parameters and body.

pub(crate) mod discovery;
pub(crate) mod events;
mod ids;
pub(crate) mod interrupts;
pub(crate) mod probes;
pub(crate) mod runs;
pub(crate) mod workflows;
