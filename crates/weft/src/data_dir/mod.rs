//! The data folder: one owner at a time, reachable by the others (DECISIONS 31).
//!
//! The owner holds an advisory lock on `lock` and listens on the Unix socket `owner.sock`; both
//! vanish with the process, so a killed owner leaves nothing to clean up by hand. Commands that
//! work on the store talk to the owner when there is one and open the store themselves when
//! there is none: `Admin::of` decides which.

mod lock;
mod owner;

pub(crate) use lock::{FolderLock, LockError};
pub(crate) use owner::{call, listen};

use std::path::{Path, PathBuf};

/// Makes an empty file that only its owner may read, unless there is one already.
///
/// # Errors
/// The file cannot be made.
pub(crate) fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// The names inside a data folder.
#[derive(Clone, Debug)]
pub(crate) struct DataDir {
    root: PathBuf,
}

impl DataDir {
    /// The folder at `root`, made with mode 0700 when it does not exist.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub(crate) fn create(root: &Path) -> std::io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt;
        if !root.is_dir() {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(root)?;
        }
        Ok(Self { root: root.to_path_buf() })
    }

    /// The embedded database.
    pub(crate) fn database(&self) -> PathBuf {
        self.root.join("weft.db")
    }

    /// Where the first key is written when nobody watches the terminal (DECISIONS 33).
    pub(crate) fn first_key(&self) -> PathBuf {
        self.root.join("first-key")
    }

    pub(crate) fn lock_file(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// Whether a process listens on the owner's socket right now.
    pub(crate) async fn has_listener(&self) -> bool {
        tokio::net::UnixStream::connect(self.owner_socket()).await.is_ok()
    }

    pub(crate) fn owner_socket(&self) -> PathBuf {
        self.root.join("owner.sock")
    }
}

#[cfg(test)]
mod tests;
