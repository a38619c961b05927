//! What was made outside, so that it is made once; what people were told, so that they are not
//! told again at once.

use super::lease::held_still;
use super::{Held, Store, StoreError, ms};
use crate::domain::TaskId;
use sqlx::Row;
use std::time::Duration;

fn of_task(id: TaskId) -> String {
    format!("task:{id}")
}

fn of_delivery(id: i64) -> String {
    format!("delivery:{id}")
}

impl Store {
    /// What the effect `name` of a task made, when it was recorded: a comment's id, a number, a sha.
    pub async fn effect(&self, id: TaskId, name: &str) -> Result<Option<String>, StoreError> {
        self.effect_of(&of_task(id), name).await
    }

    /// Records what the effect `name` of a task made. A worker that lost its lease records nothing;
    /// its successor looks on GitHub before it makes the effect.
    pub async fn put_effect(&self, held: Held, name: &str, value: &str) -> Result<(), StoreError> {
        let done = sqlx::query(
            "INSERT INTO effects (scope, name, value, made_at) SELECT $1, $2, $3, $4 FROM tasks \
             WHERE id = $5 AND epoch = $6 \
             ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value",
        )
        .bind(of_task(held.id))
        .bind(name)
        .bind(value)
        .bind(self.now().await?)
        .bind(held.id.0)
        .bind(held.epoch)
        .execute(&self.write)
        .await?;
        held_still(done.rows_affected(), held)
    }

    /// As [`Store::effect`], for the answer to a delivery.
    pub async fn delivery_effect(
        &self,
        delivery: i64,
        name: &str,
    ) -> Result<Option<String>, StoreError> {
        self.effect_of(&of_delivery(delivery), name).await
    }

    /// Records what the answer `name` to a delivery made.
    pub async fn put_delivery_effect(
        &self,
        delivery: i64,
        name: &str,
        value: &str,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO effects (scope, name, value, made_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value",
        )
        .bind(of_delivery(delivery))
        .bind(name)
        .bind(value)
        .bind(self.now().await?)
        .execute(&self.write)
        .await?;
        Ok(())
    }

    async fn effect_of(&self, scope: &str, name: &str) -> Result<Option<String>, StoreError> {
        // On the writing side: an effect that was just recorded must be seen.
        let row = sqlx::query("SELECT value FROM effects WHERE scope = $1 AND name = $2")
            .bind(scope)
            .bind(name)
            .fetch_optional(&self.write)
            .await?;
        Ok(row.map(|r| r.try_get("value")).transpose()?)
    }

    /// Whether `key` may be told now: not when it was told within `every`, except to the same
    /// `holder`, who may not have come to telling it.
    pub async fn may_tell(
        &self,
        key: &str,
        holder: &str,
        every: Duration,
    ) -> Result<bool, StoreError> {
        let now = self.now().await?;
        let done = sqlx::query(
            "INSERT INTO notices (key, holder, told_at) VALUES ($1, $2, $3) \
             ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, told_at = excluded.told_at \
             WHERE notices.told_at <= $4 OR notices.holder = excluded.holder",
        )
        .bind(key)
        .bind(holder)
        .bind(now)
        .bind(now - ms(every))
        .execute(&self.write)
        .await?;
        Ok(done.rows_affected() > 0)
    }
}
