//! What an error of the database means.

use rusqlite::ffi;

use crate::error::StoreError;

/// What is to be done about an error of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// This write or read failed and was undone; another one may go well.
    Fail,
    /// There is no room; the store goes on as soon as there is.
    Full,
    /// What was read is damaged.
    Corrupt,
    /// A value is larger than the database takes.
    TooLarge,
    /// The disk did not do what it was told. After a failed flush the system may have dropped the
    /// pages and would report success the next time, so nothing more is written (DECISIONS 29).
    Stop,
}

/// The fate of an error.
pub(super) fn fate(error: &rusqlite::Error) -> Fate {
    match error {
        rusqlite::Error::SqliteFailure(code, _) => fate_of_code(code.extended_code),
        // A column of the wrong type, or a number out of range: the row is malformed (R-DUR-06).
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => Fate::Corrupt,
        _ => Fate::Fail,
    }
}

fn fate_of_code(extended: i32) -> Fate {
    match extended {
        ffi::SQLITE_IOERR_NOMEM => Fate::Fail,
        // The shared index of the log is rebuilt from the log. That it cannot grow is a full disk,
        // and that it cannot be opened or locked says nothing of what was written.
        ffi::SQLITE_IOERR_SHMSIZE => Fate::Full,
        ffi::SQLITE_IOERR_SHMOPEN
        | ffi::SQLITE_IOERR_SHMMAP
        | ffi::SQLITE_IOERR_SHMLOCK
        | ffi::SQLITE_IOERR_LOCK
        | ffi::SQLITE_IOERR_RDLOCK
        | ffi::SQLITE_IOERR_UNLOCK
        | ffi::SQLITE_IOERR_CHECKRESERVEDLOCK
        | ffi::SQLITE_IOERR_BLOCKED => Fate::Fail,
        _ => match extended & 0xff {
            ffi::SQLITE_FULL => Fate::Full,
            ffi::SQLITE_IOERR => Fate::Stop,
            // A uniqueness that the writer has judged already can only break when an index does
            // not agree with its table.
            ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB | ffi::SQLITE_CONSTRAINT => Fate::Corrupt,
            ffi::SQLITE_TOOBIG => Fate::TooLarge,
            _ => Fate::Fail,
        },
    }
}

/// The error as callers see it.
pub(super) fn store_error(error: &rusqlite::Error) -> StoreError {
    let reason = error.to_string();
    match fate(error) {
        Fate::Fail => StoreError::Failed { reason },
        Fate::Full => StoreError::Full,
        Fate::Corrupt => StoreError::Corrupt { run: None, reason },
        Fate::TooLarge => StoreError::TooLarge { bytes: usize::MAX, limit: i32::MAX as usize },
        Fate::Stop => StoreError::Stopped { reason },
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        store_error(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: i32) -> Fate {
        fate(&rusqlite::Error::SqliteFailure(ffi::Error::new(code), None))
    }

    #[test]
    fn a_failed_flush_or_write_stops_the_writer() {
        for code in [
            ffi::SQLITE_IOERR,
            ffi::SQLITE_IOERR_FSYNC,
            ffi::SQLITE_IOERR_DIR_FSYNC,
            ffi::SQLITE_IOERR_WRITE,
            ffi::SQLITE_IOERR_READ,
            ffi::SQLITE_IOERR_SHORT_READ,
            ffi::SQLITE_IOERR_TRUNCATE,
        ] {
            assert_eq!(of(code), Fate::Stop, "{code}");
        }
    }

    #[test]
    fn a_full_disk_passes() {
        assert_eq!(of(ffi::SQLITE_FULL), Fate::Full);
        assert_eq!(of(ffi::SQLITE_IOERR_SHMSIZE), Fate::Full);
    }

    // R-DUR-06
    #[test]
    fn damage_is_named_as_damage() {
        let codes = [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB, ffi::SQLITE_CORRUPT_INDEX, ffi::SQLITE_CONSTRAINT_UNIQUE];
        for code in codes {
            assert_eq!(of(code), Fate::Corrupt, "{code}");
        }
        let wrong_type = rusqlite::Error::InvalidColumnType(0, "seq".to_owned(), rusqlite::types::Type::Text);
        assert_eq!(fate(&wrong_type), Fate::Corrupt);
    }

    #[test]
    fn what_may_pass_fails_one_write_only() {
        for code in [
            ffi::SQLITE_BUSY,
            ffi::SQLITE_LOCKED,
            ffi::SQLITE_NOMEM,
            ffi::SQLITE_IOERR_NOMEM,
            ffi::SQLITE_CANTOPEN,
            ffi::SQLITE_READONLY,
            ffi::SQLITE_INTERRUPT,
            ffi::SQLITE_IOERR_SHMMAP,
        ] {
            assert_eq!(of(code), Fate::Fail, "{code}");
        }
        assert_eq!(of(ffi::SQLITE_TOOBIG), Fate::TooLarge);
    }
}
