//! A look at a database that changes nothing.

use super::{BUSY_TIMEOUT_MS, Dialect, Store, StoreError, dialect, migrate, sqlite_file};
use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, AssertSqlSafe, ConnectOptions, Connection, Executor};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// How long a database has to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a database stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// SQLite's file is not there yet; the first start makes it.
    Absent(PathBuf),
    /// It answers and can be written; `found` steps of its schema, of the `known` ones.
    Schema { found: i64, known: i64 },
}

impl Store {
    /// Opens the database without bringing it up to date, takes its write lock and gives it back.
    ///
    /// # Errors
    /// Whatever would keep [`Store::open`] from working.
    pub async fn look(url: &str) -> Result<Standing, StoreError> {
        sqlx::any::install_default_drivers();
        let dialect = dialect(url)?;
        let address = match dialect {
            Dialect::Sqlite => {
                let (file, path) = sqlite_file(url)?;
                if !file.exists() {
                    return Ok(Standing::Absent(file));
                }
                format!("sqlite://{path}?mode=rw")
            }
            Dialect::Postgres => url.to_string(),
        };
        let options = AnyConnectOptions::from_str(&address)
            .map_err(|_| StoreError::Url("is not a database's URL".into()))?;
        let look = async {
            let mut connection = options.connect().await?;
            let seen = seen(&mut connection, dialect).await;
            let _ = connection.close().await;
            seen
        };
        match tokio::time::timeout(PATIENCE, look).await {
            Ok(seen) => seen,
            Err(_) => Err(sqlx::Error::PoolTimedOut.into()),
        }
    }

    /// Whether the database answers and its schema is this version's.
    ///
    /// # Errors
    /// [`StoreError::Newer`] when another version has changed it meanwhile, and the other classes.
    pub async fn is_ready(&self) -> Result<(), StoreError> {
        let mut connection = self.read.acquire().await?;
        let (found, known) = migrate::standing(&mut connection, self.dialect).await?;
        match found == known {
            true => Ok(()),
            false => Err(StoreError::Newer { found, known }),
        }
    }
}

async fn seen(connection: &mut AnyConnection, dialect: Dialect) -> Result<Standing, StoreError> {
    if dialect == Dialect::Sqlite {
        let wait = format!("PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}");
        connection.execute(AssertSqlSafe(wait)).await?;
        // The lock that every write needs; given back at once.
        connection.execute("BEGIN IMMEDIATE").await?;
        connection.execute("ROLLBACK").await?;
    }
    let (found, known) = migrate::standing(connection, dialect).await?;
    match found > known {
        true => Err(StoreError::Newer { found, known }),
        false => Ok(Standing::Schema { found, known }),
    }
}
