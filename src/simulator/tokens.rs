//! The tokens that this GitHub handed out, as tests look at them; and what happens to repositories
//! beneath their ids.

use super::error::SimulatorError;
use super::start::Simulator;
use super::state::Token;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// An installation token, from its making on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenView {
    pub token: String,
    pub permissions: BTreeMap<String, String>,
    /// `None` is every repository of the installation.
    pub repositories: Option<BTreeSet<u64>>,
    /// Neither revoked nor expired.
    pub lives: bool,
}

impl Simulator {
    /// Every installation token so far, oldest first.
    pub fn tokens(&self) -> Vec<TokenView> {
        let world = self.host.world();
        let now = world.now();
        let view = |(token, grant): &(String, super::state::Grant)| TokenView {
            token: token.clone(),
            permissions: grant.permissions.clone(),
            repositories: grant.repositories.clone(),
            lives: matches!(world.tokens.get(token), Some(Token::Installation(g)) if g.expires_at > now),
        };
        world.made.iter().map(view).collect()
    }

    /// The id that stays, whatever the repository is called.
    pub fn repo_id(&self, repo: &str) -> Option<u64> {
        let world = self.host.world();
        let (owner, name) = repo.split_once('/')?;
        Some(world.find_repo(owner, name)?.id)
    }

    /// Where a repository's git objects and refs are.
    pub fn repo_folder(&self, repo: &str) -> Option<PathBuf> {
        let world = self.host.world();
        let (owner, name) = repo.split_once('/')?;
        Some(world.find_repo(owner, name)?.path.clone())
    }

    /// Gives a repository another name; the old one is free then, as after GitHub's redirect ended.
    ///
    /// # Errors
    /// When there is no such repository, or the new name is taken.
    pub fn rename_repo(&self, repo: &str, name: &str) -> Result<(), SimulatorError> {
        let mut world = self.host.world();
        let wrong = || SimulatorError::BadName(repo.to_string());
        let (owner, old) = repo.split_once('/').ok_or_else(wrong)?;
        if world.find_repo(owner, name).is_some() {
            return Err(SimulatorError::Exists(name.to_string()));
        }
        let id = world.find_repo(owner, old).ok_or_else(wrong)?.id;
        if let Some(repo) = world.repos.get_mut(&id) {
            repo.name = name.to_string();
        }
        Ok(())
    }
}
