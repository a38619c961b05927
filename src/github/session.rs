//! One repository, spoken to with tokens that can do no more than the call at hand needs.

use super::app::Github;
use super::client::{Ask, Reply, segment};
use super::error::GithubError;
use super::wire::UserInfo;
use crate::domain::{RepoName, RepoRef};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tokio::sync::Mutex;

/// What a token is for; each has the least permissions (decision 8 of the security design).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Fetch and look.
    Read,
    /// Comments and reactions on an issue, check runs.
    Status,
    /// Comments and reactions on a pull request. GitHub wants both permissions for these,
    /// whatever its reference says (github/rest-api-description#6994).
    PullStatus,
    /// Push, pull requests.
    Publish,
}

/// Every permission that some token of mend's has, at its highest level.
pub fn needed_permissions() -> BTreeMap<String, String> {
    let all = [
        Purpose::Read,
        Purpose::Status,
        Purpose::PullStatus,
        Purpose::Publish,
    ];
    let mut needed = BTreeMap::new();
    for purpose in all {
        for (name, level) in purpose.permissions().as_object().into_iter().flatten() {
            let level = level.as_str().unwrap_or("read").to_string();
            let known = needed.entry(name.clone()).or_insert(level.clone());
            if level == "write" {
                *known = level;
            }
        }
    }
    needed
}

impl Purpose {
    fn permissions(self) -> Value {
        match self {
            Purpose::Read => json!({
                "metadata": "read", "contents": "read", "issues": "read", "pull_requests": "read"
            }),
            Purpose::Status => json!({ "metadata": "read", "issues": "write", "checks": "write" }),
            Purpose::PullStatus => json!({
                "metadata": "read", "issues": "write", "pull_requests": "write"
            }),
            Purpose::Publish => json!({
                "metadata": "read", "contents": "write", "pull_requests": "write"
            }),
        }
    }
}

/// An installation token for one repository and one purpose. Its `Debug` does not show it.
#[derive(Debug, Clone)]
pub struct Token {
    /// A name of our own, under which it is written down.
    id: String,
    secret: SecretString,
    /// Seconds since the Unix epoch, GitHub's clock.
    pub expires: i64,
    pub purpose: Purpose,
}

impl Token {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The value, for git's transport and for redaction.
    pub fn secret(&self) -> &SecretString {
        &self.secret
    }
}

/// A token with less life than this is not handed out.
const MARGIN_S: i64 = 300;
/// GitHub's tokens live an hour; assumed where the answer does not say.
const LIFE_S: i64 = 3600;

/// One repository. Clones share the tokens.
#[derive(Debug, Clone)]
pub struct Session {
    github: Github,
    repo: RepoRef,
    tokens: Arc<Mutex<Tokens>>,
}

#[derive(Debug, Default)]
struct Tokens {
    current: HashMap<Purpose, Token>,
    /// Replaced shortly before their end, while a call may still use them.
    replaced: Vec<Token>,
}

#[derive(Deserialize)]
struct Minted {
    token: SecretString,
    #[serde(default)]
    expires_at: Option<String>,
}

impl Session {
    pub(super) fn new(github: Github, repo: RepoRef) -> Session {
        Session {
            github,
            repo,
            tokens: Arc::default(),
        }
    }

    /// The repository as it was given.
    pub fn repo(&self) -> &RepoRef {
        &self.repo
    }

    /// The App.
    pub fn github(&self) -> &Github {
        &self.github
    }

    /// The same repository and tokens under another name.
    pub fn renamed(&self, name: RepoName) -> Session {
        let mut session = self.clone();
        session.repo.name = name;
        session
    }

    /// A token with at least five minutes to live, minted when there is none. One mint at a time.
    ///
    /// # Errors
    /// [`GithubError::Validation`] when the installation did not grant the permissions,
    /// [`GithubError::NotFound`] when it is gone, and the other classes.
    pub async fn token(&self, purpose: Purpose) -> Result<Token, GithubError> {
        let mut tokens = self.tokens.lock().await;
        let now = self.github.client().now();
        let current = tokens.current.get(&purpose);
        if let Some(token) = current.filter(|t| t.expires - now > MARGIN_S) {
            return Ok(token.clone());
        }
        let wanted = json!({
            "repository_ids": [self.repo.id],
            "permissions": purpose.permissions(),
        });
        let github = &self.github;
        let token = github
            .mint(self.repo.installation_id, wanted, purpose)
            .await?;
        if let Some(old) = tokens.current.insert(purpose, token.clone()) {
            tokens.replaced.push(old);
        }
        Ok(token)
    }

    /// Revokes every token that this session (with its clones) holds; the next call mints anew.
    ///
    /// # Errors
    /// The first failure; that token is left to [`Github::reap_tokens`].
    pub async fn revoke_all(&self) -> Result<(), GithubError> {
        let mut tokens = self.tokens.lock().await;
        let mut first = Ok(());
        let replaced = std::mem::take(&mut tokens.replaced);
        let current = std::mem::take(&mut tokens.current).into_values();
        for token in current.chain(replaced) {
            first = first.and(self.github.revoke(&token).await);
        }
        first
    }

    /// Sends with a token of this purpose. A token that GitHub no longer takes is replaced once:
    /// a 401 means that nothing was done.
    pub(super) async fn call(&self, purpose: Purpose, ask: &Ask) -> Result<Reply, GithubError> {
        let ask = &ask.clone().of(self.repo.installation_id);
        let token = self.token(purpose).await?;
        match self.github.client().send(ask, token.secret()).await {
            Err(GithubError::Unauthorized(_)) => {
                self.forget(&token).await;
                let token = self.token(purpose).await?;
                self.github.client().send(ask, token.secret()).await
            }
            other => other,
        }
    }

    /// Drops a token that does not work, unless somebody has replaced it already.
    async fn forget(&self, token: &Token) {
        use secrecy::ExposeSecret;
        let mut tokens = self.tokens.lock().await;
        let same = |held: &Token| held.secret.expose_secret() == token.secret.expose_secret();
        if tokens.current.get(&token.purpose).is_some_and(same) {
            tokens.current.remove(&token.purpose);
        }
    }

    /// A path beneath the repository.
    pub(super) fn path(&self, rest: &str) -> String {
        let name = &self.repo.name;
        format!("/repos/{}/{}{rest}", name.owner(), name.name())
    }

    /// Every item of a list, page by page; by number, since the addresses that GitHub gives are
    /// absolute and may lead around a proxy.
    pub(super) async fn list<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        most_pages: usize,
    ) -> Result<Vec<T>, GithubError> {
        const PAGE: usize = 100;
        let mut items = Vec::new();
        let glue = if path.contains('?') { '&' } else { '?' };
        for page in 1..=most_pages {
            let ask = Ask::get(format!("{path}{glue}per_page={PAGE}&page={page}"));
            let reply = self.call(Purpose::Read, &ask).await?;
            let some: Vec<T> = reply.json()?;
            let is_last =
                some.is_empty() || reply.link("next", "page").is_none() && some.len() < PAGE;
            items.extend(some);
            if is_last {
                break;
            }
        }
        Ok(items)
    }

    /// A user by login.
    ///
    /// # Errors
    /// [`GithubError::NotFound`] for nobody.
    pub async fn user(&self, login: &str) -> Result<UserInfo, GithubError> {
        let ask = Ask::get(format!("/users/{}", segment(login)));
        self.call(Purpose::Read, &ask).await?.json()
    }
}

impl Github {
    /// A new token of an installation.
    pub(super) async fn mint(
        &self,
        installation: u64,
        wanted: Value,
        purpose: Purpose,
    ) -> Result<Token, GithubError> {
        let path = format!("/app/installations/{installation}/access_tokens");
        // A token that was made for a lost answer dies within the hour, unseen.
        let ask = Ask::post(path, wanted).repeatable().of(installation);
        let minted: Minted = self.as_app(ask).await?.json()?;
        let expires = minted
            .expires_at
            .as_deref()
            .and_then(crate::text::from_rfc3339);
        let token = Token {
            id: uuid::Uuid::new_v4().to_string(),
            secret: minted.token,
            expires: expires.unwrap_or(self.client().now() + LIFE_S),
            purpose,
        };
        // Before anybody has it: from here on no text shows it, and it is revoked whatever happens.
        self.hide(&token.secret, token.expires);
        self.note(&token).await;
        Ok(token)
    }

    pub(super) async fn revoke_secret(&self, secret: &SecretString) -> Result<(), GithubError> {
        let ask = Ask::delete("/installation/token".into()).repeatable();
        match self.client().send(&ask, secret).await {
            Ok(_) | Err(GithubError::Unauthorized(_)) => Ok(()),
            Err(e) => Err(e),
        }
    }
}
