//! What tests share: the checker of the reliability invariants, the seeded simulator, ports.
//!
//! Owns: `checker`, one pure function that judges logs against what clients saw, used unchanged
//! by unit tests, the simulator and the kill loop; `simulator`, a whole host in one thread under a
//! seed; `ports` and `nodes`, what every other test of a host stands on. Must not: be a dependency
//! of anything but tests. Start reading at [`checker::check`].

pub mod checker;
pub mod nodes;
pub mod ports;
pub mod simulator;
