//! The two signals that end a host in order: SIGINT and SIGTERM.

use tokio::signal::unix::{SignalKind, signal};

/// Waits for the first of the two signals.
///
/// # Errors
/// The signal handlers cannot be installed.
pub(crate) fn signalled() -> std::io::Result<impl Future<Output = &'static str>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            biased;
            _ = interrupt.recv() => "SIGINT",
            _ = terminate.recv() => "SIGTERM",
        }
    })
}
