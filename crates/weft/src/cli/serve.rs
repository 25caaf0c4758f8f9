//! `weft serve`: runs the host until it is asked to stop, then drains.

use std::io::{IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;

use anyhow::Context;
use serde_json::json;

use super::Failure;
use crate::config::{HostConfig, ServeFlags};
use crate::wire_up::{self, Running};
use crate::{shutdown, telemetry};

/// The tenant of the first key.
const FIRST_TENANT: &str = "dev";

pub(super) async fn serve(flags: ServeFlags) -> Result<(), Failure> {
    let config = HostConfig::resolve(flags)?;
    telemetry::install(config.log);
    // Before anything is opened: a signal during start must end the process in order too.
    let signalled = shutdown::signalled().context("cannot listen for signals")?;
    let running = Box::pin(wire_up::start(&config, FIRST_TENANT)).await?;
    announce(&running)?;
    if config.tls.is_none() && !config.listen.ip().is_loopback() {
        tracing::warn!("plain HTTP beyond this machine shows keys to the network; end TLS in front, or set --tls-cert");
    }
    let signal = signalled.await;
    tracing::info!(signal, "draining");
    Box::pin(running.stop()).await?;
    tracing::info!("stopped");
    Ok(())
}

/// The one line on stdout that scripts wait for, and the first key for whoever starts out.
fn announce(running: &Running) -> anyhow::Result<()> {
    if let Some(key) = &running.first_key {
        if std::io::stderr().is_terminal() {
            eprintln!("first key (shown once): {}", key.expose());
            eprintln!("try: curl -H 'Authorization: Bearer {}' {}/runs", key.expose(), running.url);
        } else {
            let path = running.folder.first_key();
            let mut file = std::fs::OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(&path)
                .with_context(|| format!("cannot write the first key to {}", path.display()))?;
            writeln!(file, "{}", key.expose())?;
            eprintln!("first key written to {}", path.display());
        }
    }
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{}", json!({ "event": "listening", "url": running.url, "pid": std::process::id() }))?;
    stdout.flush()?;
    Ok(())
}
