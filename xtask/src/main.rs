//! `cargo xtask`: the house rules as a program.
//!
//! It owns what a change must satisfy beyond compiling: the arrows between crates, the purity of the
//! inner ones, the licences, and which requirement a test witnesses. It must not depend on any crate
//! of weft, so that it still runs when they do not build. Start reading at [`tidy`], then
//! [`requirements`].

mod requirements;
mod run;
mod source;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tasks of the weft repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check the house rules: arrows, purity, licences, and what a text may say.
    Tidy,
    /// Show which requirements a test witnesses; fail on an id that does not exist.
    Requirements(requirements::Options),
    /// Measure weft beside its ceilings (builds the release binary first).
    Bench {
        /// Passed on to the bench, such as `--only create` or `--help`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Play one seed of the simulator again, with its output.
    Sim {
        /// The seed a failed run printed.
        seed: u64,
    },
    /// Do what CI does, or one suite of it.
    Ci {
        /// One of the suites of `.ci/run`; all of them when absent.
        suite: Option<String>,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Tidy => tidy::run(),
        Task::Requirements(options) => requirements::run(&options),
        Task::Bench { arguments } => run::bench(&arguments),
        Task::Sim { seed } => run::simulation(seed),
        Task::Ci { suite } => run::ci(suite.as_deref()),
    };
    // A finding is no fault of this program, so it is told without a backtrace.
    done.map_or_else(
        |error| {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}
