//! The command line: data to stdout, words to stderr, one exit code per outcome.

mod approve;
mod demo;
mod duration;
mod keys;
mod run;
mod runs;
mod serve;
mod show;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::client::{Client, ClientError};

/// OpenWOP v2 host: durable, replayable multi-agent workflows in one binary.
#[derive(Debug, Parser)]
#[command(name = "weft", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the host until SIGINT or SIGTERM, then drain and exit.
    Serve(Box<crate::config::ServeFlags>),
    /// Start a throw-away host and drive one approval workflow end to end.
    Demo,
    /// Create, list and revoke API keys of a data folder.
    Keys(keys::Keys),
    /// Create a run on a host.
    Run(run::Run),
    /// List, read, follow and cancel runs on a host.
    Runs(runs::Runs),
    /// Decide the open approval of a run.
    Approve(approve::Approve),
}

/// How a client command reaches its host.
#[derive(Args, Clone, Debug)]
struct Remote {
    /// URL of the host.
    #[arg(long, env = "WEFT_URL", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// API key; create one with `weft keys create`.
    #[arg(long, env = "WEFT_API_KEY", value_name = "KEY", hide_env_values = true)]
    api_key: Option<String>,
    /// Certificate authority of an https host (PEM) [default: the public ones].
    #[arg(long, env = "WEFT_CA", value_name = "FILE")]
    ca: Option<std::path::PathBuf>,
}

impl Remote {
    fn client(&self) -> Result<Client, Failure> {
        Client::new(&self.url, self.api_key.clone(), self.ca.as_deref()).map_err(Failure::from)
    }
}

/// Why a command did not do what it was asked.
#[derive(Debug)]
enum Failure {
    /// Exit code 1: the operation was refused or failed.
    Refused(anyhow::Error),
    /// Exit code 2: an argument cannot mean anything, whatever the host.
    Usage(anyhow::Error),
    /// Exit code 0: whoever read the output has seen enough.
    ReaderGone,
    /// Exit code 3: the host could not be reached.
    Unreachable(anyhow::Error),
}

impl Failure {
    fn report(&self) -> ExitCode {
        let (cause, code) = match self {
            Self::ReaderGone => return ExitCode::SUCCESS,
            Self::Refused(cause) => (cause, 1),
            Self::Usage(cause) => (cause, 2),
            Self::Unreachable(cause) => (cause, 3),
        };
        eprintln!("weft: {cause:#}");
        ExitCode::from(code)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(cause: anyhow::Error) -> Self {
        Self::Refused(cause)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Unreachable { .. } => Self::Unreachable(error.into()),
            ClientError::BadUrl { .. } => Self::Usage(error.into()),
            ClientError::Refused { .. } | ClientError::Unreadable { .. } => Self::Refused(error.into()),
        }
    }
}

/// Parses the command line, runs the command and reports how it ended. Wrong usage exits with 2
/// from inside the parser.
pub(crate) fn run() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return Failure::Refused(anyhow::Error::new(error).context("cannot start")).report(),
    };
    let result = runtime.block_on(dispatch(cli.command));
    // A reader that closed its end (`weft runs list | head`) must not hold the exit back.
    runtime.shutdown_background();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

async fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Serve(flags) => serve::serve(*flags).await,
        Command::Demo => Box::pin(demo::demo()).await,
        Command::Keys(keys) => keys::keys(keys).await,
        Command::Run(run) => run::run(run).await,
        Command::Runs(runs) => runs::runs(runs).await,
        Command::Approve(approve) => approve::approve(approve).await,
    }
}
