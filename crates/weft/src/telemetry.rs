//! Log lines: to stderr, filtered by `WEFT_LOG_FILTER` (default `info`).

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::Subscriber;

use crate::config::LogFormat;

/// Installs the process-wide log writer. A second call changes nothing.
pub(crate) fn install(format: LogFormat) {
    let filter = EnvFilter::try_from_env("WEFT_LOG_FILTER").unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = Subscriber::builder()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let _ = match format {
        LogFormat::Text => tracing::subscriber::set_global_default(builder.finish()),
        LogFormat::Json => tracing::subscriber::set_global_default(builder.json().finish()),
    };
}
