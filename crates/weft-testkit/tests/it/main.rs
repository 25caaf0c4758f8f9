//! The simulator's own binary: seeds, and what they must show.

mod sim;
