//! The two signals that end a host in order, SIGINT and SIGTERM, and the one that must not end it.

use tokio::signal::unix::{SignalKind, signal};

/// Raised when a file would grow beyond the process's limit (`ulimit -f`); 25 on every system that
/// weft is built for.
const FILE_SIZE_EXCEEDED: i32 = 25;

/// Waits for the first of the two signals.
///
/// # Errors
/// The signal handlers cannot be installed.
pub(crate) fn signalled() -> std::io::Result<impl Future<Output = &'static str>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    // By default this one kills. With a handler the write fails instead, and the store answers for
    // it like for any other disk that does not do what it is told.
    drop(signal(SignalKind::from_raw(FILE_SIZE_EXCEEDED))?);
    Ok(async move {
        tokio::select! {
            biased;
            _ = interrupt.recv() => "SIGINT",
            _ = terminate.recv() => "SIGTERM",
        }
    })
}
