//! What a task is about to publish: saved before the first effect on GitHub, so that any later
//! attempt publishes the very same thing without working again.

use super::branch::Ground;
use super::check_run::Shown;
use crate::domain::{Reason, StopReason, Verdict};
use crate::fix::Said;
use crate::git::{Expected, Oid};
use crate::text::Redactor;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The name under which it is saved among the task's effects.
pub(super) const EFFECT: &str = "outgoing";

/// A change on its way to GitHub, or the plain ending of a task that changed nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Outgoing {
    pub(super) verdict: Verdict,
    pub(super) reason: Reason,
    pub(super) stop: StopReason,
    pub(super) turns: u32,
    /// The model's words about this run.
    pub(super) summary: String,
    /// Its answers to the comments on lines that started the task, in their order.
    #[serde(default)]
    pub(super) replies: Vec<Option<String>>,
    /// The check in words, for the comment.
    pub(super) check: Option<String>,
    /// What went wrong, where something did.
    pub(super) error: Option<String>,
    /// Branch and abbreviated commit that the work was compared with.
    pub(super) base: Option<(String, String)>,
    /// `None` where nothing is published.
    pub(super) push: Option<Push>,
    /// The files that this run changed.
    #[serde(default)]
    pub(super) touched: Vec<String>,
    /// Files that were changed on the way to an answer, and are not kept.
    #[serde(default)]
    pub(super) discarded: Vec<String>,
    /// The number of the pull request that stays as it is, where nothing is pushed.
    pub(super) stays: Option<u64>,
    /// Somebody's open pull request for the issue, about which people are asked.
    #[serde(default)]
    pub(super) rival: Option<u64>,
    /// The whole change as a text, where it is published in the comment alone.
    #[serde(default)]
    pub(super) proposal: Option<String>,
    /// How often the change was put on top of a branch that somebody moved.
    #[serde(default)]
    pub(super) integrated: u32,
    /// The document of `mend fix --json`.
    pub(super) document: Value,
    pub(super) elapsed_ms: u64,
    /// Milliseconds since the Unix epoch.
    pub(super) made_at: i64,
}

impl Outgoing {
    /// Without any secret, in whatever text of it: what is stored and published is this.
    pub(super) fn redacted(&self, redactor: &Redactor) -> Result<Outgoing, serde_json::Error> {
        let mut value = serde_json::to_value(self)?;
        redactor.redact_json(&mut value);
        serde_json::from_value(value)
    }

    /// The same with a commit of the same files that has another id, wherever it is named.
    pub(super) fn renamed(&self, commit: &str) -> Outgoing {
        let mut new = self.clone();
        let Some(push) = &mut new.push else {
            return new;
        };
        let local = std::mem::replace(&mut push.commit, commit.to_string());
        let (old, now) = (named(&local), named(commit));
        push.body = push.body.replace(&old, &now);
        if let Some(shown) = &mut push.shown {
            shown.rename(&old, &now);
        }
        push.local = Some(local);
        if let Some(body) = new.document["body"].as_str() {
            new.document["body"] = body.replace(&old, &now).into();
        }
        new
    }
}

/// How texts name a commit.
fn named(commit: &str) -> String {
    format!("`{}`", commit.get(..7).unwrap_or(commit))
}

/// A commit for a branch, and the pull request around it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Push {
    pub(super) branch: String,
    pub(super) base_branch: String,
    pub(super) commit: String,
    /// The commit in the private git directory, where `commit` was made through the API.
    #[serde(default)]
    pub(super) local: Option<String>,
    /// What the loop said, for a check of the same change elsewhere.
    #[serde(default)]
    pub(super) said: Option<Said>,
    /// Where the branch must stand; `None`: nowhere.
    pub(super) expected: Option<String>,
    pub(super) rewrite: bool,
    pub(super) title: String,
    pub(super) body: String,
    pub(super) draft: bool,
    /// Whether the repository was private when the work began.
    #[serde(default)]
    pub(super) private: Option<bool>,
    /// The house's template, for a pull request that is opened.
    #[serde(default)]
    pub(super) template: Option<String>,
    /// What the check run on the commit shows.
    #[serde(default)]
    pub(super) shown: Option<Shown>,
}

impl Push {
    pub(super) fn new(
        ground: &Ground,
        commit: Oid,
        title: String,
        body: String,
        draft: bool,
    ) -> Self {
        Push {
            branch: ground.branch.clone(),
            base_branch: ground.base_branch.clone(),
            commit: commit.to_string(),
            local: None,
            said: None,
            expected: match ground.expected {
                Expected::Absent => None,
                Expected::At(id) => Some(id.to_string()),
            },
            rewrite: ground.rewrite,
            title,
            body,
            draft,
            private: None,
            template: None,
            shown: None,
        }
    }

    /// The commit that the private git directory holds.
    pub(super) fn made_here(&self) -> Option<Oid> {
        Oid::from_str(self.local.as_deref().unwrap_or(&self.commit)).ok()
    }

    /// Commit and expectation as git wants them; `None` when a saved id is not one.
    pub(super) fn ids(&self) -> Option<(Oid, Expected)> {
        let commit = Oid::from_str(&self.commit).ok()?;
        let expected = match &self.expected {
            None => Expected::Absent,
            Some(id) => Expected::At(Oid::from_str(id).ok()?),
        };
        Some((commit, expected))
    }
}
