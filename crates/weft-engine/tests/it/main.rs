//! The engine over the memory store, on a clock that the tests let pass.

mod crash;
mod create;
mod drain;
mod effects;
mod faults;
mod feed;
mod nodes;
mod orders;
mod storm;
mod timers;
mod world;
