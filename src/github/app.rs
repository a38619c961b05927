//! The App: who it is, where it is installed, which deliveries it was sent.

use super::book::{Sealer, TokenBook};
use super::client::{Again, Ask, Client, Reply};
use super::error::GithubError;
use super::figures::GithubFigures;
use super::http::http;
use super::jwt::AppKey;
use super::pauses::Pauses;
use super::service;
use super::session::Session;
use super::wire::{AppInfo, UserInfo};
use crate::domain::{Clock, RepoRef};
use crate::text::Redactor;
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::OnceCell;

/// What this room must be told once.
#[derive(Debug, Clone)]
pub struct GithubSettings {
    /// `https://api.github.com`, `https://HOST/api/v3` of a GitHub Enterprise Server, or a
    /// simulator's root.
    pub api: String,
    pub app_id: u64,
    /// PEM, PKCS#1 or PKCS#8.
    pub private_key: SecretString,
    /// Time limit of one request.
    pub time: Duration,
    /// How often a read is sent at most.
    pub attempts: u32,
    /// The wait before a read's second attempt; it doubles.
    pub first_wait: Duration,
    /// An HTTP proxy's address, which may hold a password; the environment is not asked.
    pub proxy: Option<SecretString>,
    /// Certificates (PEM) that are trusted besides the system's.
    pub ca: Option<Vec<u8>>,
    /// Learns every token before anybody has it.
    pub redactor: Redactor,
}

impl GithubSettings {
    /// Thirty seconds a request, reads up to four times, half a second before the second.
    pub fn new(api: impl Into<String>, app_id: u64, private_key: SecretString) -> Self {
        GithubSettings {
            api: api.into(),
            app_id,
            private_key,
            time: Duration::from_secs(30),
            attempts: 4,
            first_wait: Duration::from_millis(500),
            proxy: None,
            ca: None,
            redactor: Redactor::new(),
        }
    }
}

/// As whom the App commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotIdentity {
    /// `slug[bot]`
    pub login: String,
    /// The bot's user id; `None` when GitHub did not tell.
    pub id: Option<u64>,
    /// The address by which GitHub shows the bot beside its commits.
    pub email: String,
}

/// The App at one GitHub. Clones share everything. Made inside a tokio runtime.
#[derive(Clone)]
pub struct Github {
    inner: Arc<Inner>,
}

struct Inner {
    client: Client,
    key: AppKey,
    app_id: u64,
    /// The host whose `users.noreply.` addresses belong to accounts.
    host: String,
    app: OnceCell<AppInfo>,
    bot: OnceCell<BotIdentity>,
    sessions: Mutex<HashMap<(u64, u64), Session>>,
    book: Option<(Arc<dyn TokenBook>, Sealer)>,
    redactor: Redactor,
}

/// How long after its death a token is still kept out of texts.
const SHOWN_S: i64 = 3600;

/// Sessions that are shared between short calls; more than this are forgotten.
const MOST_SESSIONS: usize = 500;

impl Github {
    /// Reads the key, prepares the client; asks GitHub nothing yet.
    ///
    /// # Errors
    /// [`GithubError::Setting`] for an address or a key that cannot be used.
    pub fn new(settings: &GithubSettings, clock: Arc<dyn Clock>) -> Result<Github, GithubError> {
        Github::with_book(settings, clock, None)
    }

    /// As [`Github::new`]; live tokens are written down in the book.
    ///
    /// # Errors
    /// Those of [`Github::new`].
    pub fn with_book(
        settings: &GithubSettings,
        clock: Arc<dyn Clock>,
        book: Option<Arc<dyn TokenBook>>,
    ) -> Result<Github, GithubError> {
        let sealer = Sealer::new(&settings.private_key);
        let key = AppKey::parse(settings.app_id, &settings.private_key)?;
        let api = address(&settings.api)?;
        let http = http(
            settings.time,
            settings.proxy.as_ref(),
            settings.ca.as_deref(),
        )?;
        let host = match api.host_str() {
            Some("api.github.com") | None => "github.com".to_string(),
            Some(host) => host.to_string(),
        };
        let graphql = graphql_base(&api);
        let client = Client::new(
            service::connect(http.clone(), uri(api.as_str())?),
            service::connect(http, uri(&graphql)?),
            clock,
            Again {
                attempts: settings.attempts,
                first_wait: settings.first_wait,
            },
        );
        Ok(Github {
            inner: Arc::new(Inner {
                client,
                key,
                app_id: settings.app_id,
                host,
                app: OnceCell::new(),
                bot: OnceCell::new(),
                sessions: Mutex::default(),
                book: book.zip(sealer),
                redactor: settings.redactor.clone(),
            }),
        })
    }

    /// Keeps pauses there from now on, and obeys them. Once; a second call changes nothing.
    pub fn keep_pauses(&self, pauses: Arc<dyn Pauses>) {
        let _ = self.inner.client.pauses.set(pauses);
    }

    /// The App's id.
    pub fn app_id(&self) -> u64 {
        self.inner.app_id
    }

    /// What GitHub answered so far, in numbers.
    pub fn figures(&self) -> GithubFigures {
        self.inner.client.figures.now()
    }

    /// Seconds that GitHub's clock is before this machine's, by its last answer.
    pub fn skew_s(&self) -> i64 {
        self.inner.client.skew_s()
    }

    /// The App as GitHub knows it; asked once.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn app(&self) -> Result<&AppInfo, GithubError> {
        self.inner
            .app
            .get_or_try_init(|| async { self.as_app(Ask::get("/app".into())).await?.json() })
            .await
    }

    /// As whom to commit. When the bot's user id cannot be had, an address without it serves.
    ///
    /// # Errors
    /// Those of [`Github::app`].
    pub async fn bot(&self, session: &Session) -> Result<&BotIdentity, GithubError> {
        self.inner
            .bot
            .get_or_try_init(|| async {
                let login = format!("{}[bot]", self.app().await?.slug);
                let user: Option<UserInfo> = match session.user(&login).await {
                    Ok(user) => Some(user),
                    Err(e) => {
                        tracing::warn!(error = %e, "the bot's user id is not known");
                        None
                    }
                };
                let id = user.map(|u| u.id);
                let local = match id {
                    Some(id) => format!("{id}+{login}"),
                    None => login.clone(),
                };
                Ok(BotIdentity {
                    email: format!("{local}@users.noreply.{}", self.inner.host),
                    login,
                    id,
                })
            })
            .await
    }

    /// A session of its own: its tokens are its own, and revoking them disturbs nobody. For tasks.
    pub fn session(&self, repo: &RepoRef) -> Session {
        Session::new(self.clone(), repo.clone())
    }

    /// A session that callers share, for short calls that should not mint a token each. Not to be
    /// revoked by one of them.
    pub fn shared_session(&self, repo: &RepoRef) -> Session {
        let mut sessions = self
            .inner
            .sessions
            .lock()
            .unwrap_or_else(|e| e.into_inner());
        if sessions.len() >= MOST_SESSIONS {
            let old: Vec<Session> = sessions.drain().map(|(_, session)| session).collect();
            tokio::spawn(revoke_all(old));
        }
        let session = sessions
            .entry((repo.installation_id, repo.id))
            .or_insert_with(|| self.session(repo));
        if session.repo().name != repo.name {
            *session = session.renamed(repo.name.clone());
        }
        session.clone()
    }

    /// Revokes the tokens of every shared session: at the end of the process.
    pub async fn revoke_shared(&self) {
        let all = {
            let mut sessions = self
                .inner
                .sessions
                .lock()
                .unwrap_or_else(|e| e.into_inner());
            sessions.drain().map(|(_, session)| session).collect()
        };
        revoke_all(all).await;
    }

    /// Whoever prints this token from now on prints stars, until it is dead for an hour.
    pub(super) fn hide(&self, token: &SecretString, expires: i64) {
        let (redactor, now) = (&self.inner.redactor, self.inner.client.now());
        redactor.know_until(token.expose_secret(), expires + SHOWN_S, now);
    }

    pub(super) fn book(&self) -> Option<(&dyn TokenBook, &Sealer)> {
        let (book, sealer) = self.inner.book.as_ref()?;
        Some((&**book, sealer))
    }

    /// Sends as the App. A statement that GitHub did not take because the clocks differ is made
    /// once more by GitHub's clock, which its answer told.
    pub(super) async fn as_app(&self, ask: Ask) -> Result<Reply, GithubError> {
        let client = &self.inner.client;
        let at = client.now();
        let first = client.send(&ask, &self.inner.key.sign(at)?).await;
        match first {
            Err(GithubError::Unauthorized(_)) if (client.now() - at).abs() > 30 => {
                tracing::warn!(
                    skew_s = client.now() - at,
                    "the clock differs from GitHub's"
                );
                client.send(&ask, &self.inner.key.sign(client.now())?).await
            }
            other => other,
        }
    }

    pub(super) fn client(&self) -> &Client {
        &self.inner.client
    }
}

async fn revoke_all(sessions: Vec<Session>) {
    for session in sessions {
        if let Err(error) = session.revoke_all().await {
            tracing::warn!(%error, "a token was not revoked yet");
        }
    }
}

impl std::fmt::Debug for Github {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Github")
            .field("app_id", &self.inner.app_id)
            .field("host", &self.inner.host)
            .finish_non_exhaustive()
    }
}

pub(super) fn address(text: &str) -> Result<reqwest::Url, GithubError> {
    let refuse = || {
        GithubError::Setting(
            "GitHub's API address is not usable; give it as `https://api.github.com` or \
             `https://HOST/api/v3`"
                .into(),
        )
    };
    let url = reqwest::Url::parse(text).map_err(|_| refuse())?;
    let fits = matches!(url.scheme(), "http" | "https")
        && url.host_str().is_some()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    fits.then_some(url).ok_or_else(refuse)
}

fn uri(text: &str) -> Result<http::Uri, GithubError> {
    text.trim_end_matches('/')
        .parse()
        .map_err(|_| GithubError::Setting("GitHub's API address cannot be read".into()))
}

/// Beside the REST root on github.com, at `/api/graphql` on GitHub Enterprise Server.
fn graphql_base(api: &reqwest::Url) -> String {
    let text = api.as_str().trim_end_matches('/');
    match text.strip_suffix("/api/v3") {
        Some(host) => format!("{host}/api"),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphql_lies_where_each_github_has_it() {
        for (api, graphql) in [
            ("https://api.github.com", "https://api.github.com"),
            ("https://ghes.example/api/v3/", "https://ghes.example/api"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ] {
            assert_eq!(graphql_base(&address(api).unwrap()), graphql);
        }
    }

    #[test]
    fn unusable_addresses_are_told() {
        for bad in [
            "",
            "api.github.com",
            "ftp://x",
            "https://u:p@x",
            "https://x/?a=1",
        ] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
