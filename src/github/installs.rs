//! Where the App is installed, and the repositories there.

use super::app::Github;
use super::client::Ask;
use super::error::GithubError;
use super::session::{Purpose, Token};
use super::wire::{RepoInfo, UserInfo, list, text};
use crate::domain::{RepoName, RepoRef};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

/// Where the App is installed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Installation {
    pub id: u64,
    #[serde(default)]
    pub app_id: Option<u64>,
    #[serde(default)]
    pub suspended_at: Option<String>,
    #[serde(default)]
    pub account: Option<UserInfo>,
    /// `all` or `selected`.
    #[serde(default, deserialize_with = "text")]
    pub repository_selection: String,
    #[serde(default, deserialize_with = "text")]
    pub html_url: String,
    /// What was accepted, by name.
    #[serde(default)]
    pub permissions: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "list")]
    pub events: Vec<String>,
}

/// Pages of a hundred that a list has at most.
const PAGES: usize = 100;

impl Github {
    /// The App's installation on a repository.
    ///
    /// # Errors
    /// [`GithubError::NotFound`] when there is none.
    pub async fn installation_of(&self, repo: &RepoName) -> Result<Installation, GithubError> {
        let path = format!("/repos/{}/{}/installation", repo.owner(), repo.name());
        self.as_app(Ask::get(path)).await?.json()
    }

    /// Every installation of the App.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn installations(&self) -> Result<Vec<Installation>, GithubError> {
        let mut all = Vec::new();
        for page in 1..=PAGES {
            let ask = Ask::get(format!("/app/installations?per_page=100&page={page}"));
            let reply = self.as_app(ask).await?;
            let some: Vec<Installation> = reply.json()?;
            let last = reply.link("next", "page").is_none();
            all.extend(some);
            if last {
                break;
            }
        }
        Ok(all)
    }

    /// The repositories of an installation, without the archived ones.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn repos_of(&self, installation_id: u64) -> Result<Vec<RepoRef>, GithubError> {
        let all = self.installed_repos(installation_id).await?;
        Ok(all
            .into_iter()
            .filter_map(|r| {
                Some(RepoRef {
                    id: r.id,
                    name: r.full_name.parse().ok()?,
                    installation_id,
                })
            })
            .collect())
    }

    /// As [`Github::repos_of`], with what GitHub tells of each.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn installed_repos(
        &self,
        installation_id: u64,
    ) -> Result<Vec<RepoInfo>, GithubError> {
        let wanted = json!({ "permissions": { "metadata": "read" } });
        let token = self.mint(installation_id, wanted, Purpose::Read).await?;
        let all = self.pages_of(installation_id, &token).await;
        self.drop_token(&token).await;
        all
    }

    async fn pages_of(
        &self,
        installation_id: u64,
        token: &Token,
    ) -> Result<Vec<RepoInfo>, GithubError> {
        #[derive(Deserialize)]
        struct Page {
            #[serde(default)]
            repositories: Vec<RepoInfo>,
        }
        let mut all = Vec::new();
        for page in 1..=PAGES {
            let path = format!("/installation/repositories?per_page=100&page={page}");
            let ask = Ask::get(path).of(installation_id);
            let reply = self.client().send(&ask, token.secret()).await?;
            let last = reply.link("next", "page").is_none();
            let some = reply.json::<Page>()?.repositories;
            all.extend(some.into_iter().filter(|r| !r.archived));
            if last {
                break;
            }
        }
        Ok(all)
    }

    async fn drop_token(&self, token: &Token) {
        if let Err(error) = self.revoke(token).await {
            tracing::debug!(%error, "a token was not revoked yet");
        }
    }

    /// A repository by its name, as its installation sees it.
    ///
    /// # Errors
    /// [`GithubError::NotFound`] where the App is not installed.
    pub async fn repo_named(&self, name: &RepoName) -> Result<RepoRef, GithubError> {
        #[derive(Deserialize)]
        struct Named {
            id: u64,
            full_name: String,
        }
        let installation_id = self.installation_of(name).await?.id;
        // Until the repository's id is known, a token goes by its name.
        let wanted = json!({
            "repositories": [name.name()],
            "permissions": { "metadata": "read" },
        });
        let token = self.mint(installation_id, wanted, Purpose::Read).await?;
        let ask = Ask::get(format!("/repos/{}/{}", name.owner(), name.name()));
        let found = self.client().send(&ask, token.secret()).await;
        self.drop_token(&token).await;
        let found: Named = found?.json()?;
        Ok(RepoRef {
            id: found.id,
            name: found.full_name.parse().map_err(GithubError::Setting)?,
            installation_id,
        })
    }
}
