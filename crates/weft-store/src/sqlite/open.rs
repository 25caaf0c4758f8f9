//! Connections: how each of them is opened and set up.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::migrate::{MIGRATIONS, MigrationError, migrate};
use super::options::SqliteOptions;

/// "weft" in ASCII: marks the file as ours, so that another program's database is not taken over.
const APPLICATION_ID: i32 = 0x7765_6674;
/// How long a connection waits for a lock. Only foreign programs that look into the file hold one
/// for any time; the store's own connections never compete for the same lock.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// Statements kept prepared by a connection; more than the store has.
const STATEMENTS_KEPT: usize = 64;
/// Cache of the writing connection, in KiB: the tails of all tables and indexes at full load.
const WRITER_CACHE_KIB: i64 = 8 * 1024;
/// Cache of a reading connection, in KiB: the system's own cache stands behind it.
const READER_CACHE_KIB: i64 = 2 * 1024;
/// Bytes to which the log file is cut when it starts over. A kept file is written faster than a
/// growing one, so this is well above what a checkpoint leaves.
const LOG_BYTES_KEPT: i64 = 64 * 1024 * 1024;

/// Why a database cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be opened or set up, or is no database.
    #[error("cannot open {}: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The database's own words.
        source: rusqlite::Error,
    },
    /// The file is another program's database.
    #[error("{} is a database, but not one of weft's", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The schema is not one that this build can work with.
    #[error("cannot use {}: {source}", path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: MigrationError,
    },
    /// A thread could not be started.
    #[error("cannot start the store's threads")]
    Threads(#[from] std::io::Error),
}

/// The writing connection, with an up-to-date schema.
pub(super) fn writer(options: &SqliteOptions) -> Result<Connection, OpenError> {
    let path = &options.path;
    let failed = |source| OpenError::Database { path: path.clone(), source };
    let mut conn = connect(path, WRITER_CACHE_KIB).map_err(failed)?;
    claim(&conn, path)?;
    set_up_writer(&conn, options.pages_max).map_err(failed)?;
    migrate(&mut conn, MIGRATIONS).map_err(|source| OpenError::Schema { path: path.clone(), source })?;
    Ok(conn)
}

/// A connection that cannot write.
pub(super) fn reader(path: &Path) -> Result<Connection, OpenError> {
    let failed = |source| OpenError::Database { path: path.to_owned(), source };
    let conn = connect(path, READER_CACHE_KIB).map_err(failed)?;
    conn.pragma_update(None, "query_only", true).map_err(failed)?;
    Ok(conn)
}

/// The connection of the checkpointer.
pub(super) fn checkpointer(path: &Path) -> Result<Connection, OpenError> {
    let failed = |source| OpenError::Database { path: path.to_owned(), source };
    let conn = connect(path, READER_CACHE_KIB).map_err(failed)?;
    durable(&conn).map_err(failed)?;
    Ok(conn)
}

fn connect(path: &Path, cache_kib: i64) -> rusqlite::Result<Connection> {
    // Without SQLite's own mutex: each connection belongs to one thread.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(LOCK_WAIT)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // A store that stopped over a failed flush must not move its log when it is dropped.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    conn.pragma_update(None, "cache_size", -cache_kib)?;
    Ok(conn)
}

fn set_up_writer(conn: &Connection, pages_max: Option<u32>) -> rusqlite::Result<()> {
    conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    durable(conn)?;
    conn.pragma_update(None, "foreign_keys", false)?;
    // The answer to these two is the value that was set.
    conn.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    conn.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES_KEPT, |_| Ok(()))?;
    if let Some(pages) = pages_max {
        conn.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    }
    Ok(())
}

/// Every commit and every checkpoint is flushed before it counts (DECISIONS 29).
fn durable(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "synchronous", "FULL")
}

/// Marks a new file, accepts a marked one, refuses any other.
fn claim(conn: &Connection, path: &Path) -> Result<(), OpenError> {
    let failed = |source| OpenError::Database { path: path.to_owned(), source };
    let id: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed)?;
    if id == APPLICATION_ID {
        return Ok(());
    }
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
    if id != 0 || tables > 0 {
        return Err(OpenError::Foreign { path: path.to_owned() });
    }
    conn.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)
}
