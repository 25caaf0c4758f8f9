//! The built binary as a child process, on a free port with its own data folder.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// The binary under test.
pub(crate) fn weft() -> Command {
    unset(Command::new(env!("CARGO_BIN_EXE_weft")))
}

/// The same under a limit of the process, said as `ulimit` says it.
pub(crate) fn limited_weft(limit: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_weft")]);
    unset(shell)
}

fn unset(mut command: Command) -> Command {
    // A developer's own settings must not reach the host under test.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WEFT_")) {
        command.env_remove(name);
    }
    command
}

/// A running `weft serve`; killed when dropped.
pub(crate) struct Host {
    child: Child,
    /// Where it listens.
    pub url: String,
    log: PathBuf,
}

impl Host {
    /// Starts a host on `data` and waits until it says that it listens.
    pub(crate) fn start(data: &Path, extra: &[&str]) -> Self {
        Self::start_as(weft(), data, extra)
    }

    /// The same through a command that becomes the binary.
    pub(crate) fn start_as(mut command: Command, data: &Path, extra: &[&str]) -> Self {
        let log = data.with_extension("stderr.log");
        let stderr = std::fs::File::options().create(true).append(true).open(&log).expect("a log file");
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0", "--fixtures", "--samples", "--data"])
            .arg(data)
            .args(extra)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("stdout is readable");
        let listening: Value = serde_json::from_str(&line).unwrap_or_else(|_| {
            panic!("no listening line; stderr: {}", std::fs::read_to_string(&log).unwrap_or_default())
        });
        assert_eq!(listening["event"], "listening");
        assert_eq!(listening["pid"], child.id());
        let url = listening["url"].as_str().expect("the line names the url").to_owned();
        Self { child, url, log }
    }

    /// Kills the process the way a power cut would: no handler runs.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("reaped");
    }

    /// Asks the process to end and returns its exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
        self.child.wait().expect("reaped").code()
    }

    /// What the process wrote to stderr so far.
    pub(crate) fn stderr(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a client or store command to its end.
pub(crate) fn run(arguments: &[&str], envs: &[(&str, &str)]) -> Output {
    weft().args(arguments).envs(envs.iter().copied()).stdin(Stdio::null()).output().expect("the command runs")
}

/// Stdout of a command that must succeed.
pub(crate) fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("utf-8")
}

/// A new key of `tenant`.
pub(crate) fn key(data: &Path, tenant: &str) -> String {
    let data = data.to_str().expect("a utf-8 path");
    stdout(&run(&["keys", "create", "--tenant", tenant, "--data", data], &[])).trim().to_owned()
}
