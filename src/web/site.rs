//! What all pages share.

use super::access::Seen;
use crate::config::Permission;
use crate::domain::Cancel;
use crate::github::OAuth;
use crate::store::Store;
use crate::trace::Guard;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Streams at the same time; the rest of the server's connections stay free for webhooks and pages.
const STREAMS: usize = 256;

/// How one gets in.
#[derive(Clone)]
pub enum Entrance {
    /// On loopback, by a link that works once: sees and may do everything. The port is in the
    /// cookie's name, since browsers share cookies among the ports of a host.
    Operator { port: u16 },
    /// At GitHub: each sees what they may read there, and may do what they may do there.
    People(Arc<Login>),
}

/// How people log in.
pub struct Login {
    pub oauth: OAuth,
    /// Scheme and host where people reach mend.
    pub public_url: String,
}

impl Login {
    /// Where GitHub sends people back to.
    pub(super) fn back(&self) -> String {
        format!("{}/login/callback", self.public_url)
    }
}

/// What pages are told.
pub struct SiteSettings {
    pub store: Store,
    /// Where issues and pull requests are, without a slash at its end.
    pub github_web: String,
    /// What a person needs to stop and retry.
    pub permission: Permission,
    pub guards: Arc<Vec<Guard>>,
    /// Ends streams.
    pub stop: Cancel,
}

/// What pages share; clones share it.
#[derive(Clone)]
pub struct Site(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub store: Store,
    pub github_web: String,
    pub permission: Permission,
    pub guards: Arc<Vec<Guard>>,
    pub stop: Cancel,
    pub entrance: Entrance,
    /// Scheme and host as browsers name them.
    pub origins: Vec<String>,
    pub streams: Arc<Semaphore>,
    pub seen: Seen,
}

impl Site {
    pub fn new(settings: SiteSettings, entrance: Entrance) -> Site {
        let origins = match &entrance {
            Entrance::Operator { port } => ["127.0.0.1", "localhost", "[::1]"]
                .iter()
                .map(|host| format!("http://{host}:{port}"))
                .collect(),
            Entrance::People(login) => vec![login.public_url.clone()],
        };
        Site(Arc::new(Inner {
            store: settings.store,
            github_web: settings.github_web,
            permission: settings.permission,
            guards: settings.guards,
            stop: settings.stop,
            entrance,
            origins,
            streams: Arc::new(Semaphore::new(STREAMS)),
            seen: Seen::default(),
        }))
    }

    pub(super) fn store(&self) -> &Store {
        &self.0.store
    }
}
