//! CPU time and memory of a process, as the kernel accounts them.

use anyhow::Context;

/// Kernel ticks a second; Linux fixes this for user space.
const TICKS_PER_SECOND: f64 = 100.0;

/// Seconds of user and system time a process has used so far, all its threads.
pub(crate) fn seconds(pid: u32) -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The command name may hold blanks; everything behind its closing bracket is regular.
    let fields: Vec<&str> = stat.rsplit_once(')').context("an unreadable stat line")?.1.split_whitespace().collect();
    let tick = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    Ok((tick(11) + tick(12)) / TICKS_PER_SECOND)
}

/// Proportional resident memory of a process, in MiB.
pub(crate) fn memory_mib(pid: u32) -> anyhow::Result<f64> {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:")).context("no Pss line")?;
    let kib: f64 = line.split_whitespace().nth(1).context("no Pss value")?.parse()?;
    Ok(kib / 1024.0)
}
