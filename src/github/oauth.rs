//! People who log in at GitHub through the App, and what each may do, asked with their own token:
//! <https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app>.

use super::app::{Github, GithubSettings};
use super::book::Sealer;
use super::client::{Ask, segment};
use super::error::{Detail, GithubError};
use super::http::http;
use super::repos::Role;
use super::wire::UserInfo;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use std::time::Duration;

/// Nobody waits longer for a page.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of an answer with a token.
const MOST: usize = 16 * 1024;

/// The App as people log in through it.
pub struct OAuth {
    github: Github,
    http: reqwest::Client,
    /// GitHub's pages, without a slash at the end.
    web: String,
    client_id: String,
    client_secret: SecretString,
    sealer: Sealer,
}

/// A person's own token.
pub struct UserToken {
    pub secret: SecretString,
    /// How long it lives; `None` for one without an end.
    pub life: Option<Duration>,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    access_token: Option<SecretString>,
    #[serde(default)]
    expires_in: Option<u64>,
    #[serde(default)]
    error: Option<String>,
}

#[derive(Deserialize)]
struct Repository {
    id: u64,
    #[serde(default)]
    permissions: Rights,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Rights {
    admin: bool,
    maintain: bool,
    push: bool,
    triage: bool,
}

impl OAuth {
    /// # Errors
    /// [`GithubError::Setting`] where the client or the key cannot be made.
    pub fn new(
        settings: &GithubSettings,
        github: Github,
        web: &str,
        (client_id, client_secret): (&str, &SecretString),
    ) -> Result<OAuth, GithubError> {
        let unsealed = || GithubError::Setting("the App's private key cannot seal".into());
        Ok(OAuth {
            github,
            http: http(
                settings.time,
                settings.proxy.as_ref(),
                settings.ca.as_deref(),
            )?,
            web: web.trim_end_matches('/').to_string(),
            client_id: client_id.to_string(),
            client_secret: client_secret.clone(),
            sealer: Sealer::new(&settings.private_key).ok_or_else(unsealed)?,
        })
    }

    /// Where somebody is sent to log in; `challenge` is PKCE's, by S256.
    pub fn authorize_url(&self, back: &str, state: &str, challenge: &str) -> String {
        format!(
            "{}/login/oauth/authorize?client_id={}&redirect_uri={}&state={}\
             &code_challenge={}&code_challenge_method=S256",
            self.web,
            segment(&self.client_id),
            segment(back),
            segment(state),
            segment(challenge),
        )
    }

    /// The token for the code with which somebody came back.
    ///
    /// # Errors
    /// `Unauthorized` where GitHub does not take the code; `Transient` where it does not answer.
    pub async fn exchange(
        &self,
        code: &str,
        verifier: &str,
        back: &str,
    ) -> Result<UserToken, GithubError> {
        let detail = |message: &str| Detail {
            request: "POST /login/oauth/access_token".into(),
            message: message.into(),
            ..Detail::default()
        };
        let form = [
            ("client_id", self.client_id.as_str()),
            ("client_secret", self.client_secret.expose_secret()),
            ("code", code),
            ("redirect_uri", back),
            ("code_verifier", verifier),
        ];
        let body: Vec<String> = form
            .iter()
            .map(|(name, value)| format!("{name}={}", segment(value)))
            .collect();
        let request = self
            .http
            .post(format!("{}/login/oauth/access_token", self.web))
            .header("accept", "application/json")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body.join("&"))
            .timeout(PATIENCE);
        // reqwest's own errors carry the address; these carry nothing.
        let response = request.send().await;
        let mut response =
            response.map_err(|_| GithubError::Transient(detail("no answer came")))?;
        let mut bytes = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MOST {
                return Err(GithubError::Permanent(detail("the answer is too large")));
            }
        }
        let answer: Answer = serde_json::from_slice(&bytes)
            .map_err(|_| GithubError::Transient(detail("the answer cannot be read")))?;
        match (answer.access_token, answer.error) {
            (Some(secret), None) => {
                let life = answer.expires_in.map(Duration::from_secs);
                let day = Duration::from_secs(24 * 3600);
                let until = self.github.client().now() + life.unwrap_or(day).as_secs() as i64;
                self.github.hide(&secret, until);
                Ok(UserToken { secret, life })
            }
            (_, why) => {
                let word = why.unwrap_or_default();
                let plain = word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
                let word = if plain { word.as_str() } else { "refused" };
                Err(GithubError::Unauthorized(detail(word)))
            }
        }
    }

    /// Whose token this is.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn user(&self, token: &SecretString) -> Result<UserInfo, GithubError> {
        let ask = Ask::get("/user".into());
        self.github.client().send(&ask, token).await?.json()
    }

    /// What the token's owner may do in a repository now; an error never means yes.
    pub async fn role(&self, token: &SecretString, repo: u64) -> Role {
        let ask = Ask::get(format!("/repositories/{repo}"));
        let asked = tokio::time::timeout(PATIENCE, self.github.client().send(&ask, token));
        let found = match asked.await {
            Ok(Ok(reply)) => reply.json::<Repository>(),
            Ok(Err(error)) => {
                tracing::debug!(repo, %error, "a person may not read a repository");
                return Role::None;
            }
            Err(_) => return Role::None,
        };
        match found {
            Ok(found) if found.id != repo => Role::None,
            Ok(found) => match found.permissions {
                Rights { admin: true, .. } => Role::Admin,
                Rights { maintain: true, .. } => Role::Maintain,
                Rights { push: true, .. } => Role::Write,
                Rights { triage: true, .. } => Role::Triage,
                _ => Role::Read,
            },
            Err(_) => Role::None,
        }
    }

    /// A token as it may be kept, under the id of its session.
    pub fn seal(&self, session: &str, token: &SecretString) -> Option<String> {
        self.sealer.seal(session, token)
    }

    /// The token that was sealed under this id.
    pub fn unseal(&self, session: &str, sealed: &str) -> Option<SecretString> {
        self.sealer.open(session, sealed)
    }
}
