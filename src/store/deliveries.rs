//! Webhook deliveries: stored once, admitted in order, kept for a while against replays.

use super::{Dialect, Store, StoreError, ms};
use bytes::Bytes;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};
use std::collections::HashSet;
use std::sync::LazyLock;
use std::time::Duration;

/// A verified delivery that is to be stored.
#[derive(Clone)]
pub struct Incoming {
    /// GitHub's id of the delivery; a redelivery has the same.
    pub guid: String,
    /// The name of the event, for example `issues`.
    pub event: String,
    /// Deliveries of one lane are handed out in order, one at a time.
    pub lane: Option<String>,
    pub payload: Bytes,
}

/// Whether a delivery was new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    New,
    /// Stored before; nothing was changed.
    Duplicate,
}

/// A stored delivery, handed out to be admitted.
#[derive(Clone)]
pub struct Delivery {
    pub id: i64,
    pub guid: String,
    pub event: String,
    pub payload: Vec<u8>,
    /// How often it was handed out, this time included.
    pub attempts: u32,
    /// Milliseconds since the Unix epoch.
    pub received_at: i64,
}

impl std::fmt::Debug for Delivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Delivery {{ id: {}, guid: {:?}, event: {:?}, attempts: {}, payload: {} bytes }}",
            self.id,
            self.guid,
            self.event,
            self.attempts,
            self.payload.len()
        )
    }
}

/// How the admission of a delivery ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryEnd {
    /// It made a task, a stop or an answer.
    Done,
    /// It asked for nothing.
    Ignored,
    /// It cannot be read or answered; the reason is kept. A redelivery tries again.
    Failed(String),
    /// Hand it out again after this time; the reason is kept.
    Again { after: Duration, why: String },
}

/// Rows of one statement: with one for each row, the way to the database's thread and back would
/// cost as much as the insert.
const ROWS: [usize; 3] = [16, 4, 1];
const COLUMNS: usize = 6;

/// The statement for each of [`ROWS`]. A failed delivery that GitHub sends again starts anew; any
/// other is a duplicate.
static INSERTS: LazyLock<[String; 3]> =
    LazyLock::new(|| {
        ROWS.map(|rows| {
        let row = |r: usize| {
            let values: Vec<_> = (1..=COLUMNS).map(|c| format!("${}", r * COLUMNS + c)).collect();
            format!("({})", values.join(", "))
        };
        let rows: Vec<_> = (0..rows).map(row).collect();
        format!(
            "INSERT INTO deliveries (guid, event, lane, received_at, run_at, payload) VALUES {} \
             ON CONFLICT (guid) DO UPDATE SET state = 'new', attempts = 0, error = NULL, \
             run_at = excluded.run_at, payload = excluded.payload \
             WHERE deliveries.state = 'failed' RETURNING guid",
            rows.join(", ")
        )
    })
    });

/// Inserts deliveries and says of each whether it was new.
pub(super) async fn insert(
    connection: &mut AnyConnection,
    deliveries: &[&Incoming],
    now: i64,
) -> Result<Vec<Added>, StoreError> {
    // One statement must not meet the same row twice.
    let mut seen = HashSet::new();
    let firsts: Vec<&Incoming> = deliveries
        .iter()
        .copied()
        .filter(|d| seen.insert(d.guid.as_str()))
        .collect();
    let mut new = HashSet::new();
    let mut rest = firsts.as_slice();
    while let Some(at) = ROWS.iter().position(|n| *n <= rest.len()) {
        let (some, others) = rest.split_at(ROWS[at]);
        rest = others;
        let mut query = sqlx::query(AssertSqlSafe(INSERTS[at].as_str()));
        for delivery in some {
            query = query
                .bind(delivery.guid.as_str())
                .bind(delivery.event.as_str())
                .bind(delivery.lane.as_deref())
                .bind(now)
                .bind(now)
                .bind(&delivery.payload[..]);
        }
        for row in query.fetch_all(&mut *connection).await? {
            new.insert(row.try_get::<String, _>("guid")?);
        }
    }
    // Taken out: of two with one guid the first is new, the second a duplicate.
    let added = deliveries.iter().map(|d| match new.remove(&d.guid) {
        true => Added::New,
        false => Added::Duplicate,
    });
    Ok(added.collect())
}

macro_rules! take {
    ($lock:literal) => {
        concat!(
            "UPDATE deliveries SET attempts = attempts + 1, run_at = $1 \
             WHERE id IN (SELECT d.id FROM deliveries d \
             WHERE d.state = 'new' AND d.run_at <= $2 AND NOT EXISTS (\
             SELECT 1 FROM deliveries e WHERE e.state = 'new' AND e.lane = d.lane AND e.id < d.id) \
             ORDER BY d.id LIMIT $3",
            $lock,
            ") RETURNING id, guid, event, payload, attempts, received_at"
        )
    };
}

impl Store {
    /// Stores a delivery durably; resolves after the commit. Dropping the future does not take the
    /// delivery back.
    pub async fn add_delivery(&self, delivery: Incoming) -> Result<Added, StoreError> {
        let added = self.inserts.add(delivery).await?;
        self.tally.delivery(match added {
            Added::New => "stored",
            Added::Duplicate => "duplicate",
        });
        Ok(added)
    }

    /// Hands out deliveries that wait, oldest first; of each lane only the oldest, so that a stop
    /// never overtakes the start before it. Whoever takes one has `hold` to end it by
    /// [`Store::end_delivery`]; then it is handed out again.
    pub async fn next_deliveries(
        &self,
        limit: u32,
        hold: Duration,
    ) -> Result<Vec<Delivery>, StoreError> {
        let sql = match self.dialect {
            Dialect::Sqlite => take!(""),
            Dialect::Postgres => take!(" FOR UPDATE OF d SKIP LOCKED"),
        };
        let now = self.now().await?;
        let rows = sqlx::query(sql)
            .bind(now + ms(hold))
            .bind(now)
            .bind(i64::from(limit))
            .fetch_all(&self.write)
            .await?;
        let mut found = rows.iter().map(delivery).collect::<Result<Vec<_>, _>>()?;
        found.sort_by_key(|d| d.id);
        Ok(found)
    }

    /// Hands out again at once what a process that is gone had taken, instead of after its hold.
    /// What waits for GitHub keeps its time: it has a reason.
    pub async fn release_deliveries(&self) -> Result<u64, StoreError> {
        let done = sqlx::query(
            "UPDATE deliveries SET run_at = $1 \
             WHERE state = 'new' AND attempts > 0 AND error IS NULL AND run_at > $2",
        )
        .bind(self.now().await?)
        .bind(self.now().await?)
        .execute(&self.write)
        .await?;
        Ok(done.rows_affected())
    }

    /// Whoever still works on deliveries that were handed out keeps them for another `hold`.
    pub async fn keep_deliveries(&self, ids: &[i64], hold: Duration) -> Result<(), StoreError> {
        let until = self.now().await? + ms(hold);
        for id in ids {
            sqlx::query(
                "UPDATE deliveries SET run_at = $1 WHERE id = $2 AND state = 'new' AND run_at < $1",
            )
            .bind(until)
            .bind(id)
            .execute(&self.write)
            .await?;
        }
        Ok(())
    }

    /// Whether a delivery with GitHub's id is stored.
    pub async fn has_delivery(&self, guid: &str) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT id FROM deliveries WHERE guid = $1")
            .bind(guid)
            .fetch_optional(&self.read)
            .await?;
        Ok(row.is_some())
    }

    /// Records how the admission of a delivery ended.
    pub async fn end_delivery(&self, id: i64, end: &DeliveryEnd) -> Result<(), StoreError> {
        self.tally.delivery(match end {
            DeliveryEnd::Done => "done",
            DeliveryEnd::Ignored => "ignored",
            DeliveryEnd::Failed(_) => "failed",
            DeliveryEnd::Again { .. } => "again",
        });
        let (state, error, run_at) = match end {
            DeliveryEnd::Done => ("done", None, None),
            DeliveryEnd::Ignored => ("ignored", None, None),
            DeliveryEnd::Failed(why) => ("failed", Some(why.as_str()), None),
            DeliveryEnd::Again { after, why } => (
                "new",
                Some(why.as_str()),
                Some(self.now().await? + ms(*after)),
            ),
        };
        sqlx::query(
            "UPDATE deliveries SET state = $1, error = $2, run_at = COALESCE($3, run_at) \
             WHERE id = $4 AND state = 'new'",
        )
        .bind(state)
        .bind(error)
        .bind(run_at)
        .bind(id)
        .execute(&self.write)
        .await?;
        self.deliveries_changed.ring();
        Ok(())
    }

    /// Deliveries by state, for health and tests: `(state, how many)`, sorted.
    pub async fn count_deliveries(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let rows = sqlx::query(
            "SELECT state, COUNT(*) AS n FROM deliveries GROUP BY state ORDER BY state",
        )
        .fetch_all(&self.read)
        .await?;
        rows.iter()
            .map(|row| {
                let n: i64 = row.try_get("n")?;
                Ok((row.try_get("state")?, n.unsigned_abs()))
            })
            .collect()
    }

    /// Deletes ended deliveries and notices older than `age`; returns how many deliveries. GitHub
    /// redelivers for three days, so keep more than that.
    pub async fn prune_deliveries(&self, age: Duration) -> Result<u64, StoreError> {
        let before = self.now().await? - ms(age);
        sqlx::query("DELETE FROM notices WHERE told_at < $1")
            .bind(before)
            .execute(&self.write)
            .await?;
        let done = sqlx::query("DELETE FROM deliveries WHERE received_at < $1 AND state <> 'new'")
            .bind(before)
            .execute(&self.write)
            .await?;
        Ok(done.rows_affected())
    }
}

fn delivery(row: &AnyRow) -> Result<Delivery, StoreError> {
    let attempts: i64 = row.try_get("attempts")?;
    Ok(Delivery {
        id: row.try_get("id")?,
        guid: row.try_get("guid")?,
        event: row.try_get("event")?,
        payload: row.try_get("payload")?,
        attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
        received_at: row.try_get("received_at")?,
    })
}
