//! The lock file of a data folder: who owns it, and whether that process still lives.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;

use super::DataDir;

/// Ownership of a data folder for as long as the value lives.
///
/// The kernel releases the lock when the process ends, however it ends: a lock that is free is
/// proof that the former owner is gone, and recovery need not wait for anything.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: File,
}

/// Why a data folder could not be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    /// Another process owns the folder.
    #[error("the data folder {folder} is in use by process {owner}; stop that host or pass another --data")]
    Owned {
        /// The folder as the operator named it.
        folder: String,
        /// The owner's process id as its lock file states it.
        owner: String,
    },
    /// The lock file cannot be opened or written.
    #[error("cannot lock the data folder {folder}")]
    Io {
        /// The folder as the operator named it.
        folder: String,
        /// The cause.
        source: std::io::Error,
    },
}

impl FolderLock {
    /// Takes the folder, without waiting, and writes this process's id into the lock file.
    ///
    /// # Errors
    /// [`LockError::Owned`] naming the owner's pid, or [`LockError::Io`].
    pub(crate) fn acquire(folder: &DataDir) -> Result<Self, LockError> {
        let name = || folder.root.display().to_string();
        let io = |source| LockError::Io { folder: name(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(folder.lock_file())
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut owner = String::new();
                // The pid is for people: an unreadable one does not change the answer.
                let _ = file.read_to_string(&mut owner);
                let owner = owner.trim();
                let owner = if owner.is_empty() { "unknown" } else { owner };
                return Err(LockError::Owned { folder: name(), owner: owner.to_owned() });
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        file.set_len(0).map_err(io)?;
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        writeln!(file, "{}", std::process::id()).map_err(io)?;
        Ok(Self { _file: file })
    }
}
