//! The processes under measurement: the built binary and the bare handler.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;

/// A server process; ended when dropped.
pub(crate) struct Server {
    child: Child,
    /// `host:port` it listens on.
    pub address: String,
    /// A key of tenant `bench`; empty for a ceiling.
    pub key: String,
    /// From process start to the listening line.
    pub started_in: Duration,
}

impl Server {
    /// Starts `weft serve` on `data` with the bench workflows.
    pub(crate) fn weft(binary: &Path, data: &Path, workflows: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(binary);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data).arg("--workflows").arg(workflows);
        let mut server = Self::spawn(command)?;
        let made = Command::new(binary).args(["keys", "create", "--tenant", "bench", "--data"]).arg(data).output()?;
        if !made.status.success() {
            bail!("no key: {}", String::from_utf8_lossy(&made.stderr));
        }
        server.key = String::from_utf8(made.stdout)?.trim().to_owned();
        Ok(server)
    }

    /// Starts the bare axum handler.
    pub(crate) fn ceiling() -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("ceiling-http");
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> anyhow::Result<Self> {
        let begun = Instant::now();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start a server; build first: cargo build --release --package weft")?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("stdout is piped")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let started_in = begun.elapsed();
        let listening: Value = serde_json::from_str(&line).context("the server printed no listening line")?;
        let url = listening["url"].as_str().context("the listening line names no url")?;
        let address = url.trim_start_matches("http://").to_owned();
        Ok(Self { child, address, key: String::new(), started_in })
    }

    /// The process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process without warning.
    pub(crate) fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Asks the process to end and waits.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        Command::new("kill").args(["-TERM", &self.pid().to_string()]).status()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
