//! What keeps a task from going on, in words for the person who can settle it. Each goes on after
//! "Could not start.", "it is not published." and the like.

use crate::text::code_span;
use std::fmt;

/// Something that only a person can settle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    Archived,
    /// The repository's own file; its path.
    NoText(String),
    /// Who asked may no longer ask.
    NotEntitled {
        login: String,
        needed: &'static str,
        /// Whether the work was done already.
        published: bool,
    },
    NoBranch(String),
    /// Somebody's commits stand on the branch that is to be begun anew.
    OthersCommits(String),
    NoHistory {
        branch: String,
        base: String,
    },
    /// Every name beneath this prefix is taken.
    BranchesTaken(String),
    /// The issue's `line` or `label` names no branch.
    NoBase(&'static str),
    VisibilityChanged,
    OtherApp {
        pull: u64,
        app: u64,
    },
    NoPullRequest,
    /// The API made another tree than the one that was checked.
    OtherFiles,
    NoRecording,
    UnreadableCommit,
    ServerStops,
    Broke,
}

impl Trouble {
    /// One of each, for those who look at all of them.
    pub fn all() -> Vec<Trouble> {
        let name = || "mend/issue-41".to_string();
        let entitled = |published| Trouble::NotEntitled {
            login: "ada".into(),
            needed: "write",
            published,
        };
        vec![
            Trouble::Archived,
            Trouble::NoText(".github/mend.toml".into()),
            entitled(false),
            entitled(true),
            Trouble::NoBranch("next".into()),
            Trouble::OthersCommits(name()),
            Trouble::NoHistory {
                branch: name(),
                base: "main".into(),
            },
            Trouble::BranchesTaken("mend/".into()),
            Trouble::NoBase("line"),
            Trouble::NoBase("label"),
            Trouble::VisibilityChanged,
            Trouble::OtherApp { pull: 12, app: 7 },
            Trouble::NoPullRequest,
            Trouble::OtherFiles,
            Trouble::NoRecording,
            Trouble::UnreadableCommit,
            Trouble::ServerStops,
            Trouble::Broke,
        ]
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Archived => f.write_str("the repository is archived, so nothing can be pushed to it"),
            Trouble::NoText(path) => write!(f, "{} is not UTF-8 text", code_span(path)),
            Trouble::NotEntitled {
                login,
                needed,
                published,
            } => write!(
                f,
                "the person who asked for this run, {}, no longer has {needed} access to this repository, so nothing was {}; \
                 somebody who has it can comment `/mend retry`",
                code_span(login),
                if *published { "published" } else { "started" }
            ),
            Trouble::NoBranch(name) => write!(
                f,
                "the branch {} does not exist or the repository is empty",
                code_span(name)
            ),
            Trouble::OthersCommits(branch) => write!(
                f,
                "{} holds commits that are not mend's, so it cannot begin from scratch there; \
                 `/mend retry` goes on from them, or close the pull request and delete the branch first",
                code_span(branch)
            ),
            Trouble::NoHistory { branch, base } => write!(
                f,
                "{} and {} have no history in common",
                code_span(branch),
                code_span(base)
            ),
            Trouble::BranchesTaken(prefix) => write!(
                f,
                "every branch name of this issue beneath {} is taken by somebody's commits; delete one",
                code_span(prefix)
            ),
            Trouble::NoBase(place) => write!(
                f,
                "the issue's {place} `base: …` names no branch that a change may go into; correct it, or take it out and comment \
                 `/mend retry`"
            ),
            Trouble::VisibilityChanged => f.write_str(
                "the repository was made public or private meanwhile; comment `/mend retry` if the change is still wanted",
            ),
            Trouble::OtherApp { pull, app } => write!(
                f,
                "#{pull} belongs to the mend of another App ({app}); give one of the two another `github.branch_prefix`"
            ),
            Trouble::NoPullRequest => f.write_str("GitHub takes no draft and no pull request either"),
            Trouble::OtherFiles => f.write_str(
                "GitHub made other files of the change than those that were checked; set `publish.commits` to \"push\"",
            ),
            Trouble::NoRecording => f.write_str(
                "the recorded model has no answers for a further run; name a real model to go on",
            ),
            Trouble::UnreadableCommit => f.write_str("the saved commit's id is not one"),
            Trouble::ServerStops => f.write_str("the server stops"),
            Trouble::Broke => f.write_str("it broke down inside mend"),
        }
    }
}

/// Somebody's commits stand where the change was to go, and it does not go on top of them.
pub fn moved(branch: &str, why: &str) -> String {
    let text = format!(
        "{} moved while I worked, and I replace nobody's commits. {why}",
        code_span(branch)
    );
    text.trim_end().to_string()
}

/// Why a change does not go on top of a branch: both changed the same lines of these files.
pub fn conflicts(paths: &[String]) -> String {
    const MOST: usize = 10;
    let named: Vec<String> = paths.iter().take(MOST).map(|p| code_span(p)).collect();
    format!("My change does not fit on top: {}.", named.join(", "))
}

/// A change that is not published, and where it is; `why` is a clause.
pub fn kept(why: &str) -> String {
    format!("{why}. It is kept on the server.")
}

/// A change that is larger than the house takes: files and lines, and the most of each.
pub fn too_large(files: (usize, usize), lines: (usize, usize)) -> String {
    format!(
        "it is larger than the operator takes (files: {} of at most {}, lines: {} of at most {}); \
         ask for a smaller step with `/mend retry from scratch`, or have `publish.max_files` and `publish.max_lines` raised",
        files.0, files.1, lines.0, lines.1
    )
}

/// How much of a day's budget is used; `whose` is `repository` or `installation`.
pub fn budget_used(percent: u64, whose: &str) -> String {
    format!("{percent} % of today's budget of this {whose} is used")
}

/// The same of the task's own.
pub fn own_budget_used(percent: u64) -> String {
    format!("{percent} % of this task's budget is used")
}

/// Nobody pays for a run today.
pub fn unpaid(used: &str) -> String {
    format!("{used}; ask again with `/mend retry` after midnight UTC.")
}

/// A limit of spend that could not be kept; stands in the pull request.
pub fn unpriced() -> String {
    "no price is configured for the model, so the limit of spend could not be kept".to_string()
}

/// The branch moved meanwhile and the change went on top; stands in the pull request.
pub fn went_on_top() -> String {
    "somebody pushed to the branch meanwhile; the change was put on top of that and checked again"
        .to_string()
}

/// The same while it is done; stands in the status comment.
pub fn going_on_top(branch: &str) -> String {
    format!(
        "{} moved meanwhile; checking the change on top of it",
        code_span(branch)
    )
}
