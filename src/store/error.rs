//! What can go wrong with the store, sorted by what a caller does about it.

use crate::domain::TaskId;
use std::sync::Arc;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The URL does not name a database that mend can use.
    #[error("`database.url` {0}")]
    Url(String),
    /// A newer mend has migrated this database.
    #[error(
        "the database has schema version {found}, and this mend knows only {known}: start the newer mend, or restore the backup from before the upgrade"
    )]
    Newer { found: i64, known: i64 },
    /// Another worker holds the task now, or nobody does: stop every effect of this attempt.
    #[error("the lease of task {0} is lost: stop working on it")]
    LostLease(TaskId),
    #[error("there is no task {0}")]
    NoTask(TaskId),
    /// Locked, unreachable or shutting down; the same call may succeed later.
    #[error("the database is busy or out of reach: {0}")]
    Busy(#[source] Arc<sqlx::Error>),
    /// It took the question and does not answer.
    #[error("the database does not answer")]
    Silent,
    #[error("the database's disk is full or not writable: {0}")]
    Full(#[source] Arc<sqlx::Error>),
    /// The store was closed, or its writer is gone.
    #[error("the store is closed")]
    Closed,
    #[error("the database refuses a statement: {0}")]
    Database(#[source] sqlx::Error),
    /// A row that this version of mend cannot read.
    #[error("a stored {what} does not read: {why}")]
    Row { what: &'static str, why: String },
}

impl StoreError {
    /// Whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            StoreError::Busy(_) | StoreError::Full(_) | StoreError::Silent
        )
    }

    /// The same error again, for everybody who waited for the same transaction; `None` for one
    /// that another try of a part may not meet.
    pub(super) fn shared(&self) -> Option<StoreError> {
        match self {
            StoreError::Busy(e) => Some(StoreError::Busy(e.clone())),
            StoreError::Full(e) => Some(StoreError::Full(e.clone())),
            StoreError::Closed => Some(StoreError::Closed),
            _ => None,
        }
    }

    pub(super) fn is_unique_violation(&self) -> bool {
        matches!(self, StoreError::Database(sqlx::Error::Database(e)) if e.is_unique_violation())
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(e: sqlx::Error) -> Self {
        let code = match &e {
            sqlx::Error::Database(d) => d.code().unwrap_or_default().into_owned(),
            sqlx::Error::PoolTimedOut | sqlx::Error::Io(_) | sqlx::Error::WorkerCrashed => {
                return StoreError::Busy(Arc::new(e));
            }
            sqlx::Error::PoolClosed => return StoreError::Closed,
            _ => return StoreError::Database(e),
        };
        match class(&code) {
            Class::Busy => StoreError::Busy(Arc::new(e)),
            Class::Full => StoreError::Full(Arc::new(e)),
            Class::Other => StoreError::Database(e),
        }
    }
}

#[derive(Debug, PartialEq)]
enum Class {
    Busy,
    Full,
    Other,
}

/// SQLite gives extended result codes in decimal (<https://sqlite.org/rescode.html>), PostgreSQL
/// five characters (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
fn class(code: &str) -> Class {
    if code.len() == 5 {
        return match code {
            "53100" => Class::Full,
            "40001" | "40P01" | "55P03" => Class::Busy,
            c if ["08", "53", "57"].contains(&&c[..2]) => Class::Busy,
            _ => Class::Other,
        };
    }
    match code.parse::<i64>().map(|c| c & 0xff) {
        // SQLITE_BUSY, SQLITE_LOCKED, SQLITE_INTERRUPT, SQLITE_PROTOCOL
        Ok(5 | 6 | 9 | 15) => Class::Busy,
        // SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN
        Ok(8 | 10 | 13 | 14) => Class::Full,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_by_what_to_do() {
        assert_eq!(class("517"), Class::Busy); // SQLITE_BUSY_SNAPSHOT
        assert_eq!(class("13"), Class::Full);
        assert_eq!(class("2067"), Class::Other); // SQLITE_CONSTRAINT_UNIQUE
        assert_eq!(class("57P01"), Class::Busy);
        assert_eq!(class("53100"), Class::Full);
        assert_eq!(class("23505"), Class::Other);
    }
}
