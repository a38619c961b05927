//! What this GitHub knows. Answers, pages and webhooks are all made from it; the git objects and
//! refs are in bare repositories on disk, whose refs are the truth about branches.

use super::answer::Refusal;
use super::hooks::Hooks;
use super::manifest::Manifest;
use super::oauth::Logins;
use crate::domain::Clock;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

/// What a person may do in a repository, as GitHub's `role_name` words it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    None,
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl Permission {
    /// GitHub's `role_name`.
    pub fn role(self) -> &'static str {
        match self {
            Permission::None => "none",
            Permission::Read => "read",
            Permission::Triage => "triage",
            Permission::Write => "write",
            Permission::Maintain => "maintain",
            Permission::Admin => "admin",
        }
    }

    /// GitHub's older `permission`, which folds `triage` into read and `maintain` into write.
    pub fn folded(self) -> &'static str {
        match self {
            Permission::Triage => "read",
            Permission::Maintain => "write",
            other => other.role(),
        }
    }
}

/// GitHub's `type` of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccountKind {
    User,
    Bot,
    Organization,
}

#[derive(Debug, Clone)]
pub(super) struct Account {
    pub id: u64,
    pub login: String,
    pub kind: AccountKind,
    /// In every repository where no other one is set.
    pub permission: Permission,
}

#[derive(Debug, Clone)]
pub(super) struct App {
    pub id: u64,
    pub slug: String,
    pub client_id: String,
    pub manifest: Manifest,
    pub installation: u64,
    pub account: String,
    pub created_at: i64,
    pub suspended_at: Option<i64>,
    /// Whether anybody has installed it.
    pub installed: bool,
}

/// An App that a form made from a manifest, until its code is exchanged.
#[derive(Debug, Clone)]
pub(super) struct Registration {
    pub manifest: Manifest,
    pub hook_url: String,
    pub account: String,
    pub made_at: i64,
}

impl App {
    /// The login of the account that the App acts as.
    pub fn bot(&self) -> String {
        format!("{}[bot]", self.slug)
    }
}

/// An installation token.
#[derive(Debug, Clone)]
pub(super) struct Grant {
    pub expires_at: i64,
    pub permissions: BTreeMap<String, String>,
    /// `None` is every repository of the installation.
    pub repositories: Option<BTreeSet<u64>>,
}

#[derive(Debug, Clone)]
pub(super) enum Token {
    Installation(Grant),
    Person(String),
}

#[derive(Debug, Clone)]
pub(super) struct Label {
    pub id: u64,
    pub name: String,
    pub color: String,
    pub description: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Reaction {
    pub id: u64,
    pub author: String,
    pub content: String,
    pub created_at: i64,
}

#[derive(Debug, Clone)]
pub(super) struct Comment {
    pub id: u64,
    pub author: String,
    pub body: String,
    pub created_at: i64,
    pub updated_at: i64,
    pub reactions: Vec<Reaction>,
}

#[derive(Debug, Clone)]
pub(super) enum Happening {
    Labeled(String),
    Unlabeled(String),
    Closed,
    Reopened,
    Renamed { from: String, to: String },
    HeadForcePushed,
    HeadDeleted,
    ReadyForReview,
    ConvertedToDraft,
    Merged(String),
}

#[derive(Debug, Clone)]
pub(super) struct IssueEvent {
    pub id: u64,
    pub actor: String,
    pub what: Happening,
    pub created_at: i64,
}

/// What makes an issue a pull request.
#[derive(Debug, Clone)]
pub(super) struct Pull {
    pub id: u64,
    pub head: String,
    pub base: String,
    /// Follows the branch while the pull request is open.
    pub head_sha: String,
    pub base_sha: String,
    pub draft: bool,
    pub maintainer_can_modify: bool,
    pub merged: Option<Merge>,
    /// Logins and, with a slash before them, teams that were asked for a review.
    pub asked: Vec<String>,
    pub reviews: Vec<Review>,
}

/// A review that was handed in.
#[derive(Debug, Clone)]
pub(super) struct Review {
    pub id: u64,
    pub author: String,
    /// `approved`, `changes_requested`, `commented`.
    pub state: String,
    pub body: String,
    pub submitted_at: i64,
    pub comments: Vec<LineComment>,
}

/// A comment on a line.
#[derive(Debug, Clone)]
pub(super) struct LineComment {
    pub id: u64,
    pub author: String,
    pub path: String,
    pub line: u64,
    pub body: String,
    pub in_reply_to: Option<u64>,
    pub created_at: i64,
    pub reactions: Vec<Reaction>,
}

#[derive(Debug, Clone)]
pub(super) struct Merge {
    pub at: i64,
    pub by: String,
    pub commit: String,
}

#[derive(Debug, Clone)]
pub(super) struct Issue {
    pub id: u64,
    pub number: u64,
    pub author: String,
    pub title: String,
    pub body: Option<String>,
    /// Names, in the order in which they were put on.
    pub labels: Vec<String>,
    pub open: bool,
    pub locked: bool,
    pub state_reason: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
    pub closed_at: Option<i64>,
    pub closed_by: Option<String>,
    pub comments: Vec<Comment>,
    pub reactions: Vec<Reaction>,
    pub events: Vec<IssueEvent>,
    pub pull: Option<Pull>,
}

#[derive(Debug, Clone)]
pub(super) struct CheckRun {
    pub id: u64,
    pub suite: u64,
    pub name: String,
    pub head_sha: String,
    pub external_id: Option<String>,
    pub details_url: Option<String>,
    pub status: String,
    pub conclusion: Option<String>,
    pub started_at: Option<String>,
    pub completed_at: Option<String>,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub text: Option<String>,
    pub annotations: Vec<Value>,
}

#[derive(Debug)]
pub(super) struct Repo {
    pub id: u64,
    pub owner: String,
    pub name: String,
    pub private: bool,
    /// In KiB.
    pub size: u64,
    pub archived: bool,
    pub has_issues: bool,
    pub description: Option<String>,
    pub default_branch: String,
    /// The bare repository.
    pub path: PathBuf,
    pub created_at: i64,
    pub pushed_at: i64,
    pub next_number: u64,
    pub labels: Vec<Label>,
    pub issues: BTreeMap<u64, Issue>,
    pub checks: Vec<CheckRun>,
    pub permissions: BTreeMap<String, Permission>,
    /// Branches and tags as they were when webhooks were last sent about them.
    pub known_refs: BTreeMap<String, String>,
}

impl Repo {
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }
}

pub(super) struct World {
    /// Scheme, host and port, without a slash at the end.
    pub base: String,
    pub clock: Arc<dyn Clock>,
    /// Where the bare repositories are.
    pub folder: PathBuf,
    pub app: App,
    pub public_key: Vec<u8>,
    /// By lower-case login.
    pub accounts: BTreeMap<String, Account>,
    pub repos: BTreeMap<u64, Repo>,
    pub tokens: HashMap<String, Token>,
    /// Every installation token so far, whatever became of it.
    pub made: Vec<(String, Grant)>,
    /// Seconds that an installation token lives.
    pub token_life: i64,
    /// Requests that a token has in an hour.
    pub rate_limit: u64,
    /// By caller: the window's start and the requests in it.
    pub used: HashMap<String, (i64, u64)>,
    pub hooks: Hooks,
    /// By the code that the maker's browser was given.
    pub registrations: HashMap<String, Registration>,
    pub logins: Logins,
    pub last_id: u64,
}

impl World {
    /// An id that nothing else has.
    pub fn fresh(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    pub fn now(&self) -> i64 {
        self.clock.unix()
    }

    pub fn account(&self, login: &str) -> Option<&Account> {
        self.accounts.get(&login.to_lowercase())
    }

    pub fn find_repo(&self, owner: &str, name: &str) -> Option<&Repo> {
        self.repos
            .values()
            .find(|r| r.owner.eq_ignore_ascii_case(owner) && r.name.eq_ignore_ascii_case(name))
    }

    /// What `login` may do in `repo`; everybody may read a public one.
    pub fn permission(&self, repo: &Repo, login: &str) -> Permission {
        let least = if repo.private {
            Permission::None
        } else {
            Permission::Read
        };
        let Some(account) = self.account(login) else {
            return least;
        };
        if repo.owner.eq_ignore_ascii_case(login) {
            return Permission::Admin;
        }
        repo.permissions
            .get(&login.to_lowercase())
            .copied()
            .unwrap_or(account.permission)
            .max(least)
    }

    /// The address under which GitHub would know this account's commits.
    pub fn email(&self, account: &Account) -> String {
        format!("{}+{}@users.noreply.github.com", account.id, account.login)
    }

    pub fn repo(&self, id: u64) -> Result<&Repo, Refusal> {
        self.repos.get(&id).ok_or_else(Refusal::not_found)
    }

    pub fn repo_mut(&mut self, id: u64) -> Result<&mut Repo, Refusal> {
        self.repos.get_mut(&id).ok_or_else(Refusal::not_found)
    }

    pub fn issue(&self, repo: u64, number: u64) -> Result<(&Repo, &Issue), Refusal> {
        let repo = self.repo(repo)?;
        let issue = repo.issues.get(&number).ok_or_else(Refusal::not_found)?;
        Ok((repo, issue))
    }

    pub fn issue_mut(&mut self, repo: u64, number: u64) -> Result<&mut Issue, Refusal> {
        let issues = &mut self.repo_mut(repo)?.issues;
        issues.get_mut(&number).ok_or_else(Refusal::not_found)
    }

    pub fn is_bot(&self, login: &str) -> bool {
        self.account(login)
            .is_some_and(|a| a.kind == AccountKind::Bot)
    }
}
