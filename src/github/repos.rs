//! The repository itself, who may do what in it, and its branches.

use super::client::{Ask, segment};
use super::error::GithubError;
use super::session::{Purpose, Session};
use super::wire::{RepoInfo, UserInfo, text};
use serde::Deserialize;

/// What a person may do in a repository, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    None,
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl Role {
    fn parse(word: &str) -> Option<Role> {
        Some(match word {
            "none" => Role::None,
            "read" => Role::Read,
            "triage" => Role::Triage,
            "write" => Role::Write,
            "maintain" => Role::Maintain,
            "admin" => Role::Admin,
            _ => return None,
        })
    }
}

#[derive(Deserialize)]
struct Permission {
    #[serde(default, deserialize_with = "text")]
    permission: String,
    #[serde(default, deserialize_with = "text")]
    role_name: String,
    #[serde(default)]
    user: Option<UserInfo>,
}

#[derive(Deserialize)]
struct GitRef {
    object: GitObject,
}

#[derive(Deserialize)]
struct GitObject {
    sha: String,
}

impl Session {
    /// The repository under the name that the session knows.
    ///
    /// # Errors
    /// [`GithubError::Moved`] when it was renamed: see [`Session::repo_by_id`].
    pub async fn repo_info(&self) -> Result<RepoInfo, GithubError> {
        self.call(Purpose::Read, &Ask::get(self.path("")))
            .await?
            .json()
    }

    /// The repository by its id, whatever its name is by now.
    ///
    /// # Errors
    /// [`GithubError::NotFound`] when it is gone or no longer the installation's.
    pub async fn repo_by_id(&self) -> Result<RepoInfo, GithubError> {
        let ask = Ask::get(format!("/repositories/{}", self.repo().id));
        self.call(Purpose::Read, &ask).await?.json()
    }

    /// Whether the repository has this label, in any case of letters.
    ///
    /// # Errors
    /// Every class of [`GithubError`] but `NotFound`.
    pub async fn has_label(&self, name: &str) -> Result<bool, GithubError> {
        let path = self.path(&format!("/labels/{}", segment(name)));
        match self.call(Purpose::Read, &Ask::get(path)).await {
            Ok(_) => Ok(true),
            Err(GithubError::NotFound(_)) => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// What a person may do now. `id` guards against a login that changed hands: another account
    /// of that name has no role. A custom role counts as the base role that it builds on.
    ///
    /// # Errors
    /// Every class of [`GithubError`] but `NotFound`; an error never means yes.
    pub async fn role_of(&self, login: &str, id: Option<u64>) -> Result<Role, GithubError> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_[]".contains(&b);
        if login.is_empty() || !login.bytes().all(plain) {
            return Ok(Role::None);
        }
        let path = self.path(&format!("/collaborators/{}/permission", segment(login)));
        let answer = match self.call(Purpose::Read, &Ask::get(path)).await {
            Ok(reply) => reply.json::<Permission>()?,
            Err(GithubError::NotFound(_)) => return Ok(Role::None),
            Err(e) => return Err(e),
        };
        if let (Some(wanted), Some(user)) = (id, &answer.user)
            && user.id != wanted
        {
            return Ok(Role::None);
        }
        let role = Role::parse(&answer.role_name).or_else(|| Role::parse(&answer.permission));
        Ok(role.unwrap_or(Role::None))
    }

    /// The commit that a branch points to; `None` when there is no such branch.
    ///
    /// # Errors
    /// Every class of [`GithubError`] but `NotFound`.
    pub async fn branch(&self, name: &str) -> Result<Option<String>, GithubError> {
        let path = self.path(&format!("/git/ref/heads/{}", branch_path(name)));
        match self.call(Purpose::Read, &Ask::get(path)).await {
            Ok(reply) => Ok(Some(reply.json::<GitRef>()?.object.sha)),
            Err(GithubError::NotFound(_)) => Ok(None),
            Err(e) => Err(e),
        }
    }
}

fn branch_path(name: &str) -> String {
    name.split('/').map(segment).collect::<Vec<_>>().join("/")
}
