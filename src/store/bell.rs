//! Who waits for work is woken: within this process, and across processes that share a PostgreSQL
//! by LISTEN and NOTIFY. A lost notice costs no more than the wait until the next poll.

use super::StoreError;
use sqlx::postgres::{PgListener, PgNotification};
use sqlx::{AnyPool, AssertSqlSafe};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

const TASKS: &str = "mend_tasks";
const DELIVERIES: &str = "mend_deliveries";
const SPANS: &str = "mend_spans";
const CHANNELS: [&str; 3] = [TASKS, DELIVERIES, SPANS];
/// Before another connection is tried.
const AGAIN: Duration = Duration::from_secs(1);

/// Wakes those who wait for one kind of change.
#[derive(Clone, Default)]
pub(super) struct Bell {
    here: Arc<Notify>,
    /// Asks the teller to wake the other processes; many asks in a row are one.
    elsewhere: Option<Arc<Notify>>,
}

impl Bell {
    pub(super) fn ring(&self) {
        self.here.notify_waiters();
        if let Some(teller) = &self.elsewhere {
            teller.notify_one();
        }
    }

    /// Resolves at the next ring after this call.
    pub(super) fn heard(&self) -> impl Future<Output = ()> + Send + 'static {
        self.here.clone().notified_owned()
    }
}

/// The tasks that tell and listen; they end when the last clone is dropped.
pub(super) struct Wire(Vec<JoinHandle<()>>);

impl Wire {
    /// Ends them, after everybody was woken once more: a process that makes a task and goes may not
    /// have come to telling.
    pub(super) async fn cut(&self, pool: &AnyPool) {
        self.0.iter().for_each(JoinHandle::abort);
        for channel in [TASKS, DELIVERIES] {
            let sql = format!("NOTIFY {channel}");
            if sqlx::query(AssertSqlSafe(sql)).execute(pool).await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

/// The bells for tasks, deliveries and spans, heard by every process on the database.
pub(super) async fn shared(url: &str, pool: &AnyPool) -> Result<([Bell; 3], Wire), StoreError> {
    let bell = || Bell {
        here: Arc::default(),
        elsewhere: Some(Arc::default()),
    };
    let all = [bell(), bell(), bell()];
    // What this process says itself it need not hear again.
    let name = uuid::Uuid::new_v4().simple().to_string();
    let mut wire = Vec::new();
    for (channel, bell) in CHANNELS.iter().zip(&all) {
        if let Some(asked) = bell.elsewhere.clone() {
            let sql = format!("NOTIFY {channel}, '{name}'");
            wire.push(tokio::spawn(tell(pool.clone(), asked, sql)));
        }
    }
    // Listened before the first query is made, so that nothing falls between the two.
    let listener = listener(url).await?;
    let bells = std::array::from_fn(|n| (CHANNELS[n], all[n].here.clone()));
    wire.push(tokio::spawn(listen(url.to_string(), listener, bells, name)));
    Ok((all, Wire(wire)))
}

async fn listener(url: &str) -> Result<PgListener, sqlx::Error> {
    let mut listener = PgListener::connect(url).await?;
    listener.listen_all(CHANNELS).await?;
    Ok(listener)
}

async fn tell(pool: AnyPool, asked: Arc<Notify>, sql: String) {
    loop {
        asked.notified().await;
        let told = sqlx::query(AssertSqlSafe(sql.as_str()))
            .execute(&pool)
            .await;
        match told {
            Ok(_) => {}
            Err(sqlx::Error::PoolClosed) => return,
            Err(error) => tracing::debug!(%error, "other processes were not woken; they poll"),
        }
    }
}

async fn listen(
    url: String,
    mut listener: PgListener,
    bells: [(&'static str, Arc<Notify>); 3],
    name: String,
) {
    loop {
        let heard: Result<Option<PgNotification>, _> = listener.try_recv().await;
        match heard {
            Ok(Some(notice)) => {
                for (channel, bell) in &bells {
                    if notice.channel() == *channel && notice.payload() != name {
                        bell.notify_waiters();
                    }
                }
            }
            // The connection was lost and with it, perhaps, a notice.
            Ok(None) => bells.iter().for_each(|(_, bell)| bell.notify_waiters()),
            Err(error) => {
                tracing::debug!(%error, "the database does not notify; polling goes on");
                tokio::time::sleep(AGAIN).await;
                if let Ok(new) = self::listener(&url).await {
                    listener = new;
                    bells.iter().for_each(|(_, bell)| bell.notify_waiters());
                }
            }
        }
    }
}
