//! Definitions: what is refused and where, and what compiles to what.

mod compiled;
mod refused;
mod retry;
