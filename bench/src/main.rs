//! `cargo xtask bench`: weft beside its ceilings, in interleaved pairs.
//!
//! A figure alone says more about the machine than about weft, so every figure is taken as a
//! pair, weft and then its ceiling under the same load, five times in turn, and the ratio is the
//! median of the five. The CPU time of client and server is printed with each, because on two
//! cores a busy client is a slow server.

mod ceiling;
mod cpu;
mod http;
mod load;
mod measure;
mod report;
mod server;
mod subscriber;
mod workflows;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Role>,
    /// The built binary.
    #[arg(long, default_value = "target/release/weft")]
    weft: PathBuf,
    /// Only measures whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Pairs a measure.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=25))]
    pairs: u32,
    /// Seconds of load on each side of a pair.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=60))]
    seconds: u64,
    /// Also write the results as JSON to this file.
    #[arg(long)]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Subcommand)]
enum Role {
    /// Serve the bare axum handler (started by the bench itself).
    #[command(hide = true)]
    CeilingHttp,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(Role::CeilingHttp) = arguments.command {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        return runtime.block_on(ceiling::http::serve());
    }
    // One thread of load: the rest of the machine belongs to the server.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let results = runtime.block_on(measure::all(&arguments))?;
    println!("{}", report::table(&results));
    if let Some(path) = &arguments.json {
        std::fs::write(path, serde_json::to_vec_pretty(&results)?)?;
        eprintln!("written to {}", path.display());
    }
    Ok(())
}
