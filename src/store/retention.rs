//! What is kept of ended tasks' traces: so many days, and so many bytes.

use super::{Store, StoreError, ms};
use sqlx::Row;
use std::time::Duration;

/// Tasks whose spans one transaction deletes; others write in between.
const TOGETHER: usize = 50;

impl Store {
    /// Deletes the spans of tasks that ended longer ago than `age`, then those of the oldest ended
    /// tasks until what is left of all is no more than `most` bytes of text; returns how many.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prune_spans(&self, age: Duration, most: u64) -> Result<u64, StoreError> {
        let old = sqlx::query(
            "SELECT s.task_id FROM (SELECT DISTINCT task_id FROM spans) s \
             JOIN tasks t ON t.id = s.task_id \
             WHERE t.state IN ('done', 'dead') AND t.updated_at < $1 ORDER BY s.task_id",
        )
        .bind(self.now().await? - ms(age))
        .fetch_all(&self.read)
        .await?;
        let old = old.iter().map(|row| Ok(row.try_get("task_id")?));
        let old = old.collect::<Result<Vec<_>, StoreError>>()?;
        let deleted = self.delete_spans(&old).await?;
        Ok(deleted + self.delete_spans(&self.too_much(most).await?).await?)
    }

    /// The ended tasks whose spans do not fit into so many bytes beside those of newer tasks.
    async fn too_much(&self, most: u64) -> Result<Vec<i64>, StoreError> {
        let sizes = sqlx::query(
            "SELECT s.task_id, s.size, t.state FROM (SELECT task_id, CAST(SUM(OCTET_LENGTH(input) \
             + OCTET_LENGTH(output) + OCTET_LENGTH(attributes)) AS BIGINT) AS size \
             FROM spans GROUP BY task_id) s JOIN tasks t ON t.id = s.task_id \
             ORDER BY s.task_id DESC",
        )
        .fetch_all(&self.read)
        .await?;
        let (mut sum, mut over) = (0u64, Vec::new());
        for row in &sizes {
            let state: String = row.try_get("state")?;
            sum += row.try_get::<i64, _>("size")?.unsigned_abs();
            if sum > most && (state == "done" || state == "dead") {
                over.push(row.try_get("task_id")?);
            }
        }
        Ok(over)
    }

    async fn delete_spans(&self, tasks: &[i64]) -> Result<u64, StoreError> {
        let mut deleted = 0;
        for some in tasks.chunks(TOGETHER) {
            let mut tx = self.write.begin_with(self.dialect.begin()).await?;
            for task in some {
                let done = sqlx::query("DELETE FROM spans WHERE task_id = $1")
                    .bind(*task)
                    .execute(&mut *tx)
                    .await?;
                deleted += done.rows_affected();
            }
            tx.commit().await?;
        }
        Ok(deleted)
    }
}
