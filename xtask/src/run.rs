//! The tasks that only start another program with the right words.

use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::workspace;

/// Builds the release binary, then runs the bench against it.
///
/// # Errors
/// When a build or the bench fails.
pub(crate) fn bench(arguments: &[String]) -> anyhow::Result<()> {
    succeed(cargo().args(["build", "--release", "--package", "weft"]))?;
    succeed(cargo().args(["run", "--quiet", "--release", "--package", "weft-bench", "--"]).args(arguments))
}

/// Runs the simulator's tests under one seed.
///
/// # Errors
/// When the seed finds a fault.
pub(crate) fn simulation(seed: u64) -> anyhow::Result<()> {
    succeed(
        cargo()
            .args(["test", "--package", "weft-testkit", "sim", "--", "--nocapture"])
            .env("WEFT_SIM_SEED", seed.to_string()),
    )
}

/// Runs `.ci/run`, whole or one suite of it.
///
/// # Errors
/// When a suite fails or runs over its budget.
pub(crate) fn ci(suite: Option<&str>) -> anyhow::Result<()> {
    succeed(Command::new("bash").arg(".ci/run").args(suite))
}

fn cargo() -> Command {
    // Cargo names itself to what it runs, so the same toolchain is used all the way down.
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    command.current_dir(workspace::root());
    let status = command.status().with_context(|| format!("failed to start {:?}", command.get_program()))?;
    ensure!(status.success(), "{:?} ended with {status}", command.get_program());
    Ok(())
}
