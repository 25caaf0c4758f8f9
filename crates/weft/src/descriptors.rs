//! How the open files that the system allows are shared out.
//!
//! The database, the owner's socket and the calls of nodes need files as connections do. Without a
//! share of their own, a flood of idle clients would take the last one, and then a run could not
//! call out and no key could be revoked.

use weft_engine::EngineLimits;
use weft_engine::limits::EFFECTS_CONCURRENT;
use weft_rest::ServeLimits;

/// Files of the process itself: about 20 for database, sockets and the runtime, the connections
/// that are being turned away, and the owner's socket.
const OWN_FILES: usize = 48;
/// One effect in flight for so many files.
const FILES_PER_EFFECT: usize = 4;
/// Connections that a host keeps however few files it has; below this it could serve nobody.
const CONNECTIONS_MIN: usize = 4;

/// The limits that fit into the files this process may open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    connections: usize,
    effects: usize,
}

impl Shares {
    /// By the limit of this process, where the system tells it.
    pub(crate) fn of_process() -> Self {
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
        Self::of(open_files(&limits).unwrap_or(usize::MAX))
    }

    fn of(files: usize) -> Self {
        let effects = EFFECTS_CONCURRENT.min(files / FILES_PER_EFFECT).max(1);
        let rest = files.saturating_sub(effects + OWN_FILES);
        let connections = ServeLimits::STANDARD.connections_max.min(rest).max(CONNECTIONS_MIN);
        Self { connections, effects }
    }

    /// The limits of the listener.
    pub(crate) fn serve(self) -> ServeLimits {
        if self.connections < ServeLimits::STANDARD.connections_max {
            tracing::info!(connections = self.connections, "the limit of open files bounds the connections");
        }
        ServeLimits { connections_max: self.connections, ..ServeLimits::STANDARD }
    }

    /// The limits of the engine.
    pub(crate) fn engine(self) -> EngineLimits {
        EngineLimits { effects_concurrent: self.effects, ..EngineLimits::default() }
    }
}

/// The soft limit in the system's table; nothing where it is not there or is no number.
fn open_files(limits: &str) -> Option<usize> {
    let row = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    row.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_everything_else() {
        for files in [64, 256, 1024, 4096] {
            let Shares { connections, effects } = Shares::of(files);
            assert!(effects >= 1 && connections >= CONNECTIONS_MIN);
            assert!(files <= 64 || connections + effects + OWN_FILES <= files, "{files}");
        }
        let Shares { connections, effects } = Shares::of(usize::MAX);
        assert_eq!((connections, effects), (ServeLimits::STANDARD.connections_max, EFFECTS_CONCURRENT));
    }

    #[test]
    fn the_soft_limit_is_read() {
        let table = "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 1048576              files\n";
        assert_eq!(open_files(table), Some(1024));
        assert_eq!(open_files("Max open files unlimited unlimited files"), None);
        assert_eq!(open_files(""), None);
    }
}
