//! The operations over a memory store and a running engine, by the requirements that they keep.

mod cancel;
mod create;
mod discovery;
mod faults;
mod idempotency;
mod interrupts;
mod list;
mod poll;
mod stream;
mod world;
