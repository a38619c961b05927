//! Until when GitHub wants no request of an installation: for every process and over restarts.

use super::tasks::int;
use super::{Store, StoreError};
use sqlx::Row;

impl Store {
    /// Records a pause of an installation, until then in seconds since the Unix epoch; a longer one
    /// that is known stays.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn pause(
        &self,
        installation: u64,
        until: i64,
        secondary: bool,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO pauses (installation_id, until_s, secondary) VALUES ($1, $2, $3) \
             ON CONFLICT (installation_id) DO UPDATE \
             SET until_s = excluded.until_s, secondary = excluded.secondary \
             WHERE pauses.until_s < excluded.until_s",
        )
        .bind(int(installation))
        .bind(until)
        .bind(i64::from(secondary))
        .execute(&self.write)
        .await?;
        Ok(())
    }

    /// The last pause of an installation, over or not: until when, and whether for a burst.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn paused(&self, installation: u64) -> Result<Option<(i64, bool)>, StoreError> {
        let row = sqlx::query("SELECT until_s, secondary FROM pauses WHERE installation_id = $1")
            .bind(int(installation))
            .fetch_optional(&self.read)
            .await?;
        Ok(match row {
            None => None,
            Some(row) => Some((
                row.try_get("until_s")?,
                row.try_get::<i64, _>("secondary")? != 0,
            )),
        })
    }
}
