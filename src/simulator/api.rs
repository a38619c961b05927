//! The Rust side: what tests and the demo do and look at without HTTP.

use super::acts::{DEFAULT_LABELS, IssueEdit};
use super::answer::Refusal;
use super::error::SimulatorError;
use super::git::{Signature, Store};
use super::keys;
use super::start::Simulator;
use super::state::{AccountKind, Permission, Repo, Token, World};
use std::collections::BTreeMap;

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoFile {
    pub path: String,
    /// `None` deletes the file.
    pub content: Option<Vec<u8>>,
    pub executable: bool,
}

impl From<(&str, &str)> for RepoFile {
    fn from((path, content): (&str, &str)) -> RepoFile {
        RepoFile {
            path: path.to_string(),
            content: Some(content.as_bytes().to_vec()),
            executable: false,
        }
    }
}

impl Simulator {
    /// Root of REST, git and pages: scheme, host and port without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.base
    }

    pub fn app_id(&self) -> u64 {
        self.host.world().app.id
    }

    /// For example `mend`; the App acts as `mend[bot]`.
    pub fn app_slug(&self) -> String {
        self.host.world().app.slug.clone()
    }

    pub fn installation_id(&self) -> u64 {
        self.host.world().app.installation
    }

    /// The App's key as GitHub hands it out once: PEM, here PKCS#8.
    pub fn private_key_pem(&self) -> &str {
        &self.private_pem
    }

    pub fn webhook_secret(&self) -> String {
        self.host.world().hooks.secret.clone()
    }

    /// Where webhooks go from now on.
    pub fn set_webhook_url(&self, url: Option<&str>) {
        self.host.world().hooks.url = url.map(str::to_string);
    }

    /// Adds a person with this permission in every repository where no other one is set.
    pub fn add_person(&self, login: &str, permission: Permission) -> u64 {
        let mut world = self.host.world();
        world.add_account(login, AccountKind::User, permission)
    }

    /// Sets a person's permission in one repository.
    ///
    /// # Errors
    /// When there is no such repository.
    pub fn set_permission(
        &self,
        repo: &str,
        login: &str,
        permission: Permission,
    ) -> Result<(), SimulatorError> {
        self.act("set permission", repo, |world, id| {
            let permissions = &mut world.repo_mut(id)?.permissions;
            permissions.insert(login.to_lowercase(), permission);
            Ok(())
        })
    }

    /// A personal access token of a person.
    pub fn person_token(&self, login: &str) -> String {
        let token = keys::personal_token();
        let person = Token::Person(login.to_string());
        self.host.world().tokens.insert(token.clone(), person);
        token
    }

    /// Makes every installation token expire now.
    pub fn expire_tokens(&self) {
        let mut world = self.host.world();
        let now = world.now();
        for token in world.tokens.values_mut() {
            if let Token::Installation(grant) = token {
                grant.expires_at = now;
            }
        }
    }

    /// Suspends the installation, or ends that.
    pub fn suspend(&self, suspended: bool) {
        let mut world = self.host.world();
        world.app.suspended_at = suspended.then(|| world.now());
        let by = world.app.account.clone();
        let action = if suspended { "suspend" } else { "unsuspend" };
        world.emit_installation(action, &by);
    }

    /// Makes a private repository `owner/name` whose `main` holds these files in one commit; its
    /// id. An owner that is not known yet becomes an organisation.
    ///
    /// # Errors
    /// When the name is no `owner/name` or taken, or git refuses a path.
    pub fn create_repo<F: Into<RepoFile>>(
        &self,
        name: &str,
        files: impl IntoIterator<Item = F>,
    ) -> Result<u64, SimulatorError> {
        let files: Vec<RepoFile> = files.into_iter().map(Into::into).collect();
        let mut world = self.host.world();
        let wrong = || SimulatorError::BadName(name.to_string());
        let (owner, short) = name.split_once('/').ok_or_else(wrong)?;
        let fine = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        if !fine(owner) || !fine(short) {
            return Err(wrong());
        }
        if world.find_repo(owner, short).is_some() {
            return Err(SimulatorError::Exists(name.to_string()));
        }
        if world.account(owner).is_none() {
            world.add_account(owner, AccountKind::Organization, Permission::Admin);
        }
        let (id, now) = (world.fresh(), world.now());
        let path = world.folder.join(format!("{id}.git"));
        let store = Store::create(&path, "main")?;
        let by = signature(&world, owner);
        store.commit_files("main", &files, "Initial commit", &by)?;
        let known_refs = store.refs()?;
        world.repos.insert(
            id,
            Repo {
                id,
                owner: owner.to_string(),
                name: short.to_string(),
                archived: false,
                has_issues: true,
                private: true,
                size: 1,
                description: None,
                default_branch: "main".to_string(),
                path,
                created_at: now,
                pushed_at: now,
                next_number: 1,
                labels: Vec::new(),
                issues: BTreeMap::new(),
                checks: Vec::new(),
                permissions: BTreeMap::new(),
                known_refs,
            },
        );
        for (label, color, what) in DEFAULT_LABELS {
            refused(name, world.create_label(id, label, color, Some(what)))?;
        }
        Ok(id)
    }

    /// Commits files to a branch as a person who pushes; the new head. A branch that does not
    /// exist begins at the default branch.
    ///
    /// # Errors
    /// When there is no such repository, or git refuses a path.
    pub fn push<F: Into<RepoFile>>(
        &self,
        repo: &str,
        branch: &str,
        by: &str,
        message: &str,
        files: impl IntoIterator<Item = F>,
    ) -> Result<String, SimulatorError> {
        let files: Vec<RepoFile> = files.into_iter().map(Into::into).collect();
        self.act("push", repo, |world, id| {
            let store = world.store(id)?;
            if store.branch(branch).is_none()
                && let Some(start) = store.branch(&world.repo(id)?.default_branch)
            {
                store.set_ref(&format!("refs/heads/{branch}"), &start)?;
            }
            let sha = store.commit_files(branch, &files, message, &signature(world, by))?;
            world.refs_moved(id, by)?;
            Ok(sha)
        })
    }

    /// Opens an issue; its number.
    ///
    /// # Errors
    /// When there is no such repository, or GitHub would refuse.
    pub fn open_issue(
        &self,
        repo: &str,
        author: &str,
        title: &str,
        body: &str,
    ) -> Result<u64, SimulatorError> {
        self.act("open issue", repo, |world, id| {
            world.open_issue(id, author, title, Some(body), &[])
        })
    }

    /// Puts a label on an issue.
    ///
    /// # Errors
    /// When there is no such issue.
    pub fn label_issue(
        &self,
        repo: &str,
        number: u64,
        label: &str,
        by: &str,
    ) -> Result<(), SimulatorError> {
        self.act("label issue", repo, |world, id| {
            world.add_labels(id, number, &[label.to_string()], by)
        })
    }

    /// Takes a label off an issue.
    ///
    /// # Errors
    /// When the issue has no such label.
    pub fn unlabel_issue(
        &self,
        repo: &str,
        number: u64,
        label: &str,
        by: &str,
    ) -> Result<(), SimulatorError> {
        self.act("unlabel issue", repo, |world, id| {
            world.remove_label(id, number, label, by)
        })
    }

    /// Sets the text of an issue or pull request.
    ///
    /// # Errors
    /// When there is no such issue.
    pub fn edit_issue_body(
        &self,
        repo: &str,
        number: u64,
        body: &str,
        by: &str,
    ) -> Result<(), SimulatorError> {
        self.edit(
            repo,
            number,
            by,
            IssueEdit {
                body: Some(body.to_string()),
                ..IssueEdit::default()
            },
        )
    }

    /// Closes or reopens an issue or pull request.
    ///
    /// # Errors
    /// When there is no such issue.
    pub fn set_issue_open(
        &self,
        repo: &str,
        number: u64,
        open: bool,
        by: &str,
    ) -> Result<(), SimulatorError> {
        self.edit(
            repo,
            number,
            by,
            IssueEdit {
                open: Some(open),
                ..IssueEdit::default()
            },
        )
    }

    fn edit(&self, repo: &str, n: u64, by: &str, edit: IssueEdit) -> Result<(), SimulatorError> {
        self.act("edit issue", repo, |world, id| {
            world.edit_issue(id, n, edit, by)
        })
    }

    /// Comments on an issue or pull request; the comment's id.
    ///
    /// # Errors
    /// When there is no such issue, or GitHub would refuse.
    pub fn comment(
        &self,
        repo: &str,
        number: u64,
        author: &str,
        body: &str,
    ) -> Result<u64, SimulatorError> {
        self.act("comment", repo, |world, id| {
            world.add_comment(id, number, author, body)
        })
    }

    /// Hands in a review (`approved`, `changes_requested`, `commented`) with comments on lines:
    /// path, line, text; its id.
    ///
    /// # Errors
    /// When there is no such pull request, or GitHub would refuse.
    pub fn review(
        &self,
        repo: &str,
        number: u64,
        author: &str,
        review: (&str, &str),
        lines: &[(&str, u64, &str)],
    ) -> Result<u64, SimulatorError> {
        self.act("review", repo, |world, id| {
            world.submit_review(id, number, author, review, lines)
        })
    }

    /// Edits a comment.
    ///
    /// # Errors
    /// When there is no such comment.
    pub fn edit_comment(
        &self,
        repo: &str,
        comment: u64,
        body: &str,
        by: &str,
    ) -> Result<(), SimulatorError> {
        self.act("edit comment", repo, |world, id| {
            world.edit_comment(id, comment, body, by)
        })
    }

    pub(super) fn act<T>(
        &self,
        what: &str,
        repo: &str,
        act: impl FnOnce(&mut World, u64) -> Result<T, Refusal>,
    ) -> Result<T, SimulatorError> {
        let mut world = self.host.world();
        let (owner, name) = repo.split_once('/').unwrap_or((repo, ""));
        let id = world.find_repo(owner, name).map(|r| r.id);
        let id = id.ok_or_else(|| SimulatorError::Refused {
            what: format!("{what} in {repo}"),
            message: "there is no such repository".to_string(),
        })?;
        refused(&format!("{what} in {repo}"), act(&mut world, id))
    }
}

fn refused<T>(what: &str, result: Result<T, Refusal>) -> Result<T, SimulatorError> {
    result.map_err(|refusal| SimulatorError::Refused {
        what: what.to_string(),
        message: refusal.body().to_string(),
    })
}

fn signature(world: &World, login: &str) -> Signature {
    let account = world.account(login);
    Signature {
        name: login.to_string(),
        email: account.map_or_else(|| format!("{login}@example.com"), |a| world.email(a)),
        at: world.now(),
    }
}
