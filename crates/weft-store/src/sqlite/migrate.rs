//! The schema, brought up to date when a database is opened.
//!
//! Migrations are embedded, applied in order, each in its own transaction, and recorded with the
//! checksum of their text: a database that was made by other text than this build's is refused.

use rusqlite::Connection;
use weft_model::Digest;

/// A step of the schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Migration {
    pub(super) version: u32,
    pub(super) name: &'static str,
    pub(super) sql: &'static str,
}

/// The steps of this build, by version from 1 without a gap.
pub(super) const MIGRATIONS: &[Migration] =
    &[Migration { version: 1, name: "0001_initial", sql: include_str!("migrations/0001_initial.sql") }];

/// Why a schema cannot be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// A later build has migrated the database.
    #[error("the database has schema {found}, made by a newer weft; this build knows schemas up to {known}")]
    Newer {
        /// The name of the newest migration in the database.
        found: String,
        /// The name of the newest migration of this build.
        known: String,
    },
    /// The database was made by another text of the same step.
    #[error("migration {name} in the database is not the one of this build")]
    Changed {
        /// The name of the step in the database.
        name: String,
    },
    /// The record of migrations has a gap.
    #[error("the database lacks the record of migration {name}")]
    Missing {
        /// The name of the step.
        name: String,
    },
    /// The database failed.
    #[error("migration failed")]
    Database(#[from] rusqlite::Error),
}

/// Brings the schema up to date with `migrations`.
pub(super) fn migrate(conn: &mut Connection, migrations: &[Migration]) -> Result<(), MigrationError> {
    conn.execute_batch(
        "CREATE TABLE IF NOT EXISTS migrations (
            version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)",
    )?;
    let applied = applied(conn)?;
    check(&applied, migrations)?;
    for migration in &migrations[applied.len()..] {
        let transaction = conn.transaction()?;
        transaction.execute_batch(migration.sql)?;
        transaction.execute(
            "INSERT INTO migrations (version, name, checksum) VALUES (?1, ?2, ?3)",
            (migration.version, migration.name, checksum(migration)),
        )?;
        transaction.commit()?;
    }
    Ok(())
}

struct Applied {
    version: u32,
    name: String,
    checksum: String,
}

fn applied(conn: &Connection) -> rusqlite::Result<Vec<Applied>> {
    let mut rows = conn.prepare("SELECT version, name, checksum FROM migrations ORDER BY version")?;
    let rows =
        rows.query_map([], |row| Ok(Applied { version: row.get(0)?, name: row.get(1)?, checksum: row.get(2)? }))?;
    rows.collect()
}

fn check(applied: &[Applied], migrations: &[Migration]) -> Result<(), MigrationError> {
    let newest = migrations.last().expect("a build has at least one migration");
    if let Some(newer) = applied.last().filter(|last| last.version > newest.version) {
        return Err(MigrationError::Newer { found: newer.name.clone(), known: newest.name.to_owned() });
    }
    for (found, known) in applied.iter().zip(migrations) {
        if found.version != known.version {
            return Err(MigrationError::Missing { name: known.name.to_owned() });
        }
        if found.name != known.name || found.checksum != checksum(known) {
            return Err(MigrationError::Changed { name: found.name.clone() });
        }
    }
    Ok(())
}

fn checksum(migration: &Migration) -> String {
    Digest::of(migration.sql.as_bytes()).to_hex()
}
