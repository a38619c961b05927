//! Where a task starts from and which branch it writes (rules B6, GC-07).

use super::{Bench, TaskError};
use crate::config::is_base_branch;
use crate::directive;
use crate::domain::{Cancel, Command, Trigger};
use crate::git::{Credential, Depth, Expected, Fetched, Mirror, Oid, Private};
use crate::github::{BotIdentity, GithubError, LabelInfo, PullInfo, PullState, RepoInfo, Session};
use crate::render::Trouble;

/// How many branches of one issue are looked at before mend gives up.
const BRANCHES: u32 = 20;

/// What a task works on.
#[derive(Debug, Clone)]
pub(super) struct Ground {
    /// The branch that the pull request goes into.
    pub(super) base_branch: String,
    /// The commit that the check runs on for comparison.
    pub(super) base: Oid,
    /// mend's own branch, without `refs/heads/`.
    pub(super) branch: String,
    /// The commit that the work starts from.
    pub(super) start: Oid,
    pub(super) expected: Expected,
    /// Whether mend's own earlier commits are replaced.
    pub(super) rewrite: bool,
    /// The open pull request of the branch.
    pub(super) pull: Option<PullInfo>,
}

/// The branch names that an issue may use, in order of choice.
fn names(prefix: &str, pattern: &str, issue: u64) -> impl Iterator<Item = String> {
    let first = format!(
        "{prefix}{}",
        pattern.replace("{number}", &issue.to_string())
    );
    (1..=BRANCHES).map(move |n| match n {
        1 => first.clone(),
        n => format!("{first}-{n}"),
    })
}

/// What a label `base: BRANCH` of the issue names.
fn base_label(labels: &[LabelInfo]) -> Option<String> {
    labels.iter().find_map(|l| base_line(&l.name))
}

/// What a line `base: BRANCH` of the report names.
fn base_line(report: &str) -> Option<String> {
    let named = directive::setting(report, "base")?;
    let named = named.trim_matches('`');
    (!named.is_empty() && !named.contains(' ')).then(|| named.to_string())
}

/// Whether this trigger asks to begin anew.
fn from_scratch(trigger: &Trigger) -> bool {
    matches!(
        trigger.what.command(),
        Some(Command::Retry {
            from_scratch: true,
            ..
        })
    )
}

pub(super) struct Survey<'a> {
    pub(super) bench: &'a Bench,
    pub(super) session: &'a Session,
    pub(super) mirror: &'a Mirror,
    pub(super) private: &'a Private,
    pub(super) credential: &'a Credential,
    pub(super) repo: &'a RepoInfo,
    pub(super) bot: &'a BotIdentity,
    pub(super) cancel: &'a Cancel,
}

impl Survey<'_> {
    /// Chooses where to start and where to write: an open pull request of mend's branch is gone on
    /// with; a branch whose commits are all mend's may be replaced when its pull request is done
    /// with or a person asked to begin anew; a branch with somebody's commits is left alone.
    pub(super) async fn ground(&self, trigger: &Trigger) -> Result<Ground, TaskError> {
        let scratch = from_scratch(trigger);
        let wanted = self.base_branch(trigger).await?;
        let (prefix, pattern) = (&self.bench.branch_prefix, &self.bench.publish.branch);
        for branch in names(prefix, pattern, trigger.issue.number) {
            let pull = self
                .session
                .pulls_of(&branch, PullState::Open)
                .await?
                .into_iter()
                .next();
            let base_branch = match &pull {
                Some(pull) if !pull.base.branch.is_empty() => pull.base.branch.clone(),
                _ => wanted.clone(),
            };
            let fetched = self.fetch(&[&base_branch, &branch]).await?;
            crate::domain::failure_point("mirror-fetched");
            let tip = |name: &str| fetched.refs.get(&format!("refs/heads/{name}")).copied();
            let base_tip = tip(&base_branch)
                .ok_or_else(|| TaskError::Person(Trouble::NoBranch(base_branch.clone())))?;
            let fresh = |expected, rewrite, pull| Ground {
                base_branch: base_branch.clone(),
                base: base_tip,
                branch: branch.clone(),
                start: base_tip,
                expected,
                rewrite,
                pull,
            };
            let Some(head) = tip(&branch) else {
                return Ok(fresh(Expected::Absent, false, pull));
            };
            let base = self.private.merge_base(base_tip, head).await?;
            let own = match base {
                Some(base) => self.all_own(base, head).await?,
                None => false,
            };
            match (pull, base) {
                (Some(pull), _) if scratch && own => {
                    return Ok(fresh(Expected::At(head), true, Some(pull)));
                }
                (Some(_), _) if scratch => {
                    return Err(TaskError::Person(Trouble::OthersCommits(branch)));
                }
                (Some(pull), Some(base)) => {
                    return Ok(Ground {
                        base_branch,
                        base,
                        branch,
                        start: head,
                        expected: Expected::At(head),
                        rewrite: false,
                        pull: Some(pull),
                    });
                }
                (Some(_), None) => {
                    return Err(TaskError::Person(Trouble::NoHistory {
                        branch,
                        base: base_branch,
                    }));
                }
                // Left over from a pull request that was closed or merged, or never opened.
                (None, Some(_)) if own => return Ok(fresh(Expected::At(head), true, None)),
                (None, _) => {}
            }
        }
        Err(TaskError::Person(Trouble::BranchesTaken(
            self.bench.branch_prefix.clone(),
        )))
    }

    /// The branch that the report names, else a label, else the operator's, else the repository's
    /// default.
    async fn base_branch(&self, trigger: &Trigger) -> Result<String, TaskError> {
        let (named, place) = match base_line(&trigger.body) {
            Some(named) => (Some(named), "line"),
            None => {
                let labels = match self.session.issue(trigger.issue.number).await {
                    Ok(issue) => issue.labels,
                    // What is gone, or is not shown, names no branch; it ends the task elsewhere.
                    Err(GithubError::NotFound(_)) => Vec::new(),
                    Err(error) => return Err(error.into()),
                };
                (base_label(&labels), "label")
            }
        };
        let Some(named) = named else {
            let configured = self.bench.publish.base.clone();
            return Ok(configured.unwrap_or_else(|| self.repo.default_branch.clone()));
        };
        match is_base_branch(&named) && !named.starts_with(&self.bench.branch_prefix) {
            true => Ok(named),
            false => Err(TaskError::Person(Trouble::NoBase(place))),
        }
    }

    async fn fetch(&self, branches: &[&str]) -> Result<Fetched, TaskError> {
        let wanted: Vec<String> = branches.iter().map(|b| format!("refs/heads/{b}")).collect();
        let url = self.bench.git.url(&self.session.repo().name);
        Ok(self
            .mirror
            .fetch(
                &url,
                &wanted,
                Some(self.credential),
                Depth::Full,
                self.cancel,
            )
            .await?)
    }

    /// Whether every commit after `base` up to `head` is mend's own. GitHub commits what it signs in
    /// its own name.
    async fn all_own(&self, base: Oid, head: Oid) -> Result<bool, TaskError> {
        const MOST: usize = 200;
        let commits = self.private.commits_between(base, head, MOST).await?;
        // Hosts differ where GitHub is not github.com; the part before has the App's user id.
        let local = self.bot.email.split('@').next().unwrap_or_default();
        let bots = |email: &str| {
            let parts = email.split_once('@');
            parts.is_some_and(|(l, host)| l == local && host.starts_with("users.noreply."))
        };
        Ok(commits.len() < MOST
            && commits.iter().all(|c| {
                let by_github = c.committer_email.starts_with("noreply@");
                bots(&c.author_email) && (by_github || bots(&c.committer_email))
            }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_report_names_the_base() {
        for (report, named) in [
            ("It fails.\n\nbase: release-1.x\n", Some("release-1.x")),
            ("Base: `v2`\r\nx", Some("v2")),
            ("base: ", None),
            ("base: the thing that we stand on", None),
            ("In the database: x", None),
            ("  base: x", None),
            ("```\nbase: x\n```", None),
            ("> base: x", None),
            ("> as it says\nbase: x", None),
            ("    base: x", None),
            ("<details>\n\nbase: x\n\n</details>", None),
            ("<!--\nbase: x\n-->", None),
            ("```\nbase: x\n```\nbase: y", Some("y")),
        ] {
            assert_eq!(base_line(report).as_deref(), named, "{report:?}");
        }
    }

    #[test]
    fn branch_names_are_deterministic() {
        let all: Vec<String> = names("mend/", "issue-{number}", 41).take(3).collect();
        assert_eq!(all, ["mend/issue-41", "mend/issue-41-2", "mend/issue-41-3"]);
    }
}
