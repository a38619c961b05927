//! `[publish]`: the house's ways with pull requests.

use super::reader::Reader;
use super::values::is_branch_prefix;
use std::str::FromStr;

/// What the body says of the issue when the change settles it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IssueLink {
    /// `Closes #n`: merging closes the issue.
    #[default]
    Closes,
    /// `Relates to #n`: people close it.
    RelatesTo,
}

impl FromStr for IssueLink {
    type Err = ();

    fn from_str(s: &str) -> Result<Self, ()> {
        match s {
            "closes" => Ok(IssueLink::Closes),
            "relates to" => Ok(IssueLink::RelatesTo),
            _ => Err(()),
        }
    }
}

/// How a commit comes onto its branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CommitsBy {
    /// Made here and pushed.
    #[default]
    Push,
    /// Made through GitHub's API, which signs it as the App's.
    Api,
}

impl FromStr for CommitsBy {
    type Err = ();

    fn from_str(s: &str) -> Result<Self, ()> {
        match s {
            "push" => Ok(CommitsBy::Push),
            "api" => Ok(CommitsBy::Api),
            _ => Err(()),
        }
    }
}

/// What a change is published as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PublishAs {
    #[default]
    PullRequest,
    /// The diff in the comment: no branch, no pull request.
    Comment,
}

impl FromStr for PublishAs {
    type Err = ();

    fn from_str(s: &str) -> Result<Self, ()> {
        match s {
            "pull request" => Ok(PublishAs::PullRequest),
            "comment" => Ok(PublishAs::Comment),
            _ => Err(()),
        }
    }
}

/// Where a push of mend's does not start the repository's CI before somebody entitled says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HoldCi {
    /// In public repositories, whose issues anybody writes.
    #[default]
    Public,
    Always,
    Never,
}

impl FromStr for HoldCi {
    type Err = ();

    fn from_str(s: &str) -> Result<Self, ()> {
        match s {
            "public" => Ok(HoldCi::Public),
            "always" => Ok(HoldCi::Always),
            "never" => Ok(HoldCi::Never),
            _ => Err(()),
        }
    }
}

impl HoldCi {
    /// Whether CI is held in such a repository.
    pub fn holds(self, is_private: bool) -> bool {
        match self {
            HoldCi::Public => !is_private,
            HoldCi::Always => true,
            HoldCi::Never => false,
        }
    }
}

/// `[publish]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishSettings {
    /// What a change becomes.
    pub as_what: PublishAs,
    pub commits: CommitsBy,
    pub hold_ci: HoldCi,
    /// The branch's name beneath `github.branch_prefix`, with `{number}` of the issue.
    pub branch: String,
    /// Asked for a review when a pull request is opened: logins, and teams as `org/team`.
    pub reviewers: Vec<String>,
    /// Which file of a folder `PULL_REQUEST_TEMPLATE` is for mend's pull requests.
    pub template: Option<String>,
    /// A new pull request's title, with `{title}` and `{number}` of the issue.
    pub title: String,
    /// The branch that changes go into; `None` is the repository's default branch.
    pub base: Option<String>,
    pub issue_link: IssueLink,
    /// Whether who asked stands as co-author in the commit.
    pub co_author: bool,
    /// Whether mend signs the commit off (DCO).
    pub sign_off: bool,
    /// The line that says what made the change; empty for none.
    pub disclosure: String,
    /// Put on a pull request when it is opened.
    pub labels: Vec<String>,
    /// A larger change is not published.
    pub max_files: usize,
    /// Lines added and removed, together.
    pub max_lines: usize,
}

impl Default for PublishSettings {
    fn default() -> Self {
        PublishSettings {
            as_what: PublishAs::default(),
            commits: CommitsBy::default(),
            hold_ci: HoldCi::default(),
            branch: "issue-{number}".into(),
            reviewers: Vec::new(),
            template: None,
            title: "Fix: {title}".into(),
            base: None,
            issue_link: IssueLink::default(),
            co_author: true,
            sign_off: false,
            disclosure: "Written by a language model under mend; please review it as you would a stranger's change."
                .into(),
            labels: Vec::new(),
            max_files: 100,
            max_lines: 5000,
        }
    }
}

/// Whether a branch may be a pull request's base, by its name alone.
pub fn is_base_branch(name: &str) -> bool {
    is_branch_prefix(&format!("{name}/"))
}

fn is_reviewer(name: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    match name.split_once('/') {
        Some((org, team)) => plain(org) && plain(team),
        None => plain(name),
    }
}

pub(super) fn publish(r: &mut Reader<'_>) -> PublishSettings {
    let plain = PublishSettings::default();
    let title = r.text("publish.title").unwrap_or(plain.title);
    if !title.contains("{title}") {
        r.wrong(
            "publish.title",
            "must hold {title}, the issue's, such as `fix: {title} (#{number})`",
        );
    }
    let base = r.text("publish.base");
    if base.as_deref().is_some_and(|b| !is_base_branch(b)) {
        r.wrong("publish.base", "must be the name of a branch");
    }
    let labels = r.list("publish.labels");
    if labels
        .iter()
        .any(|l| l.trim().is_empty() || l.chars().count() > 50)
    {
        r.wrong("publish.labels", "must have 1 to 50 characters each");
    }
    let truth = "true or false";
    let branch = r.text("publish.branch").unwrap_or(plain.branch);
    if !branch.contains("{number}") || !is_base_branch(&branch.replace("{number}", "1")) {
        r.wrong(
            "publish.branch",
            "must be the name of a branch with {number}, the issue's, such as `issue-{number}`; it stands beneath `github.branch_prefix`",
        );
    }
    let reviewers = r.list("publish.reviewers");
    if !reviewers.iter().all(|name| is_reviewer(name)) {
        r.wrong(
            "publish.reviewers",
            "must be logins, or teams as `org/team`",
        );
    }
    PublishSettings {
        as_what: r
            .parsed("publish.as", "`pull request` or `comment`")
            .unwrap_or_default(),
        commits: r
            .parsed("publish.commits", "`push` or `api`")
            .unwrap_or_default(),
        hold_ci: r
            .parsed("publish.hold_ci", "`public`, `always` or `never`")
            .unwrap_or_default(),
        branch,
        reviewers,
        template: r.text("publish.template"),
        title,
        base,
        issue_link: r
            .parsed("publish.issue_link", "`closes` or `relates to`")
            .unwrap_or_default(),
        co_author: r
            .parsed("publish.co_author", truth)
            .unwrap_or(plain.co_author),
        sign_off: r
            .parsed("publish.sign_off", truth)
            .unwrap_or(plain.sign_off),
        disclosure: r.text("publish.disclosure").unwrap_or(plain.disclosure),
        labels,
        max_files: r
            .number("publish.max_files", 1, 100_000)
            .map_or(plain.max_files, |n| n as usize),
        max_lines: r
            .number("publish.max_lines", 1, 10_000_000)
            .map_or(plain.max_lines, |n| n as usize),
    }
}
