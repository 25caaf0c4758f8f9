//! `weft`: an OpenWOP v2 host in one binary.
//!
//! This crate owns what only a process can own: the command line, the configuration, the data
//! folder's lock, the wiring of every part, telemetry and shutdown. It holds no rule of the
//! protocol; those live in the crates it wires together. Start reading at [`wire_up`].

mod admin;
mod cli;
mod client;
mod config;
mod data_dir;
mod descriptors;
mod loader;
mod probes;
mod shutdown;
mod system;
mod telemetry;
mod tls;
mod wire_up;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
