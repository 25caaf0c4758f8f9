//! What tests share: the checker of the reliability invariants and the seeded simulator.
//!
//! Owns: `checker`, one pure function that judges logs against what clients saw, used unchanged
//! by unit tests, the simulator and the kill loop; and `simulator`, a whole host in one thread
//! under a seed. Must not: be a dependency of anything but tests. Start reading at
//! [`checker::check`].

pub mod checker;
pub mod simulator;
