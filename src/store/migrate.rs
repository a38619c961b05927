//! The schema, in numbered steps that only ever grow.

use super::{Dialect, StoreError};
use sqlx::{AnyConnection, AssertSqlSafe, Connection, Executor, Row};

/// Step `n` of the schema is entry `n - 1`. Never change one that was released; add another.
const STEPS: &[&str] = &[
    include_str!("0001_start.sql"),
    include_str!("0002_waits.sql"),
    include_str!("0003_spans.sql"),
    include_str!("0004_trust.sql"),
    include_str!("0005_pauses.sql"),
    include_str!("0006_queue.sql"),
    include_str!("0007_spending.sql"),
    include_str!("0008_stop.sql"),
    include_str!("0009_pages.sql"),
];

/// Brings the database to this version's schema; each step in a transaction of its own.
/// Refuses a database that a newer mend has touched.
pub(super) async fn migrate(
    connection: &mut AnyConnection,
    dialect: Dialect,
) -> Result<(), StoreError> {
    let mut tx = connection.begin_with(dialect.begin()).await?;
    // `IF NOT EXISTS` does not hold between sessions that create at the same moment.
    if dialect == Dialect::Postgres {
        tx.execute("SELECT pg_advisory_xact_lock(7235412)").await?;
    }
    tx.execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
        .await?;
    tx.commit().await?;
    for (n, step) in STEPS.iter().enumerate() {
        let version = n as i64 + 1;
        let mut tx = connection.begin_with(dialect.begin()).await?;
        // Two processes may start at once: the second waits here and finds the work done.
        if dialect == Dialect::Postgres {
            tx.execute("LOCK TABLE schema_version IN EXCLUSIVE MODE")
                .await?;
        }
        let found = current(&mut tx).await?;
        let known = STEPS.len() as i64;
        if found > known {
            return Err(StoreError::Newer { found, known });
        }
        if found < version {
            for statement in statements(&dialect.types(step)) {
                tx.execute(AssertSqlSafe(statement)).await?;
            }
            sqlx::query("INSERT INTO schema_version (version) VALUES ($1)")
                .bind(version)
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

/// How far a database's schema is, and how far this version's goes; nothing is changed. A database
/// that no mend has opened is at 0.
pub(super) async fn standing(
    connection: &mut AnyConnection,
    dialect: Dialect,
) -> Result<(i64, i64), StoreError> {
    let sql = match dialect {
        Dialect::Sqlite => {
            "SELECT COUNT(*) AS n FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'"
        }
        Dialect::Postgres => {
            "SELECT COUNT(*) AS n FROM pg_catalog.pg_class WHERE oid = to_regclass('schema_version')"
        }
    };
    let row = sqlx::query(sql).fetch_one(&mut *connection).await?;
    let found = match row.try_get::<i64, _>("n")? {
        0 => 0,
        _ => current(connection).await?,
    };
    Ok((found, STEPS.len() as i64))
}

async fn current(connection: &mut AnyConnection) -> Result<i64, StoreError> {
    let row = sqlx::query("SELECT COALESCE(MAX(version), 0) AS version FROM schema_version")
        .fetch_one(connection)
        .await?;
    Ok(row.try_get("version")?)
}

/// The statements of a step. A semicolon at a line's end ends one.
fn statements(step: &str) -> Vec<String> {
    step.split(";\n")
        .map(|s| {
            let lines: Vec<_> = s
                .lines()
                .filter(|l| !l.trim_start().starts_with("--"))
                .collect();
            lines.join("\n").trim().to_string()
        })
        .filter(|s| !s.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_splits_into_whole_statements() {
        let all = statements(STEPS[0]);
        assert!(all.len() > 10, "{}", all.len());
        for statement in all {
            assert!(statement.starts_with("CREATE "), "{statement}");
            assert_eq!(
                statement.matches('(').count(),
                statement.matches(')').count(),
                "{statement}"
            );
        }
    }
}
