//! The real door over a real host in memory, driven in process and over loopback sockets.

mod ask;
mod bad_input;
mod create;
mod discovery;
mod encoding;
mod interrupts;
mod negotiation;
mod poll;
mod probes;
mod read;
mod refusals;
mod schemas;
mod sockets;
mod stream;
mod world;
