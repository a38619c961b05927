//! The store on real databases: SQLite files, and a PostgreSQL of the tests' own.

/// Tests that run on both databases: each takes a fresh store.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(super::Fresh::new().await).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(super::Fresh::postgres().await).await;
            })*
        }
    };
}

mod conversations;
mod deliveries;
mod faults;
mod figures;
mod killed;
mod leases;
mod queue;
mod shared;
mod signals;
mod spans;
mod spending;

use crate::postgres::{Database, Postgres};
use mend::domain::{Clock, Command, IssueRef, Person, RepoRef, Trigger, TriggerKind};
use mend::store::{Incoming, Store};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// A clock that the test moves.
pub struct Hand(AtomicU64);

impl Hand {
    pub fn new() -> Arc<Hand> {
        Arc::new(Hand(AtomicU64::new(1_700_000_000_000)))
    }

    pub fn on(&self, by: Duration) {
        self.0.fetch_add(by.as_millis() as u64, Ordering::SeqCst);
    }
}

impl Clock for Hand {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A store in a folder of its own, with the clock that drives it.
pub struct Fresh {
    pub store: Store,
    pub clock: Arc<Hand>,
    pub folder: tempfile::TempDir,
    pub url: String,
    database: Option<Database>,
}

impl Fresh {
    pub async fn new() -> Fresh {
        let folder = tempfile::tempdir().unwrap();
        let url = url(folder.path());
        Fresh::open(folder, url, None).await
    }

    pub async fn postgres() -> Fresh {
        let folder = tempfile::tempdir().unwrap();
        let database = Postgres::shared().database();
        Fresh::open(folder, database.url(), Some(database)).await
    }

    /// Around a store that was opened on the file in `folder`.
    pub fn of(store: Store, folder: tempfile::TempDir) -> Fresh {
        Fresh {
            store,
            clock: Hand::new(),
            url: url(folder.path()),
            folder,
            database: None,
        }
    }

    async fn open(folder: tempfile::TempDir, url: String, database: Option<Database>) -> Fresh {
        let clock = Hand::new();
        let store = Store::open(&url, clock.clone()).await.unwrap();
        Fresh {
            store,
            clock,
            folder,
            url,
            database,
        }
    }

    /// The PostgreSQL database, where it is one.
    pub fn database(&self) -> &Database {
        self.database.as_ref().unwrap()
    }
}

pub fn url(folder: &Path) -> String {
    format!("sqlite:{}", folder.join("mend.db").display())
}

pub fn incoming(guid: &str) -> Incoming {
    Incoming {
        guid: guid.into(),
        event: "issues".into(),
        lane: None,
        payload: format!("{{\"guid\":\"{guid}\"}}").into(),
    }
}

pub fn trigger(issue: u64, key: &str) -> Trigger {
    Trigger {
        issue: IssueRef {
            repo: RepoRef {
                id: 7,
                name: "acme/invoicer".parse().unwrap(),
                installation_id: 70,
            },
            id: 1000 + issue,
            number: issue,
        },
        by: Person {
            id: 3,
            login: "alice".into(),
            is_bot: false,
        },
        what: TriggerKind::Comment {
            comment_id: 9,
            command: Command::Retry {
                guidance: Some("round once".into()),
                from_scratch: false,
            },
        },
        asked_on: None,
        asked_at: None,
        title: "Totals drift".into(),
        body: "by a cent".into(),
        key: key.into(),
    }
}
