//! Pull requests.

use super::super::answer::Refusal;
use super::super::state::{Happening, Pull, World};
use super::{IssueEdit, check_body};
use serde_json::{Value, json};

/// A pull request to be opened.
#[derive(Debug)]
pub(in super::super) struct NewPull<'a> {
    pub title: &'a str,
    pub body: Option<&'a str>,
    /// A branch, or `owner:branch`.
    pub head: &'a str,
    pub base: &'a str,
    pub draft: bool,
    pub maintainer_can_modify: bool,
}

/// What an edit of a pull request sets.
#[derive(Debug, Default)]
pub(in super::super) struct PullEdit {
    pub issue: IssueEdit,
    pub base: Option<String>,
}

fn wrong(field: &str, code: &str) -> Refusal {
    Refusal::invalid("PullRequest", field, code, None)
}

fn custom(message: &str) -> Refusal {
    Refusal::invalid("PullRequest", "", "custom", Some(message))
}

impl World {
    pub fn open_pull(
        &mut self,
        repo: u64,
        new: &NewPull<'_>,
        author: &str,
    ) -> Result<u64, Refusal> {
        let of = self.repo(repo)?;
        let head = match new.head.split_once(':') {
            Some((owner, branch)) if owner.eq_ignore_ascii_case(&of.owner) => branch,
            Some(_) => return Err(wrong("head", "invalid")),
            None => new.head,
        };
        if new.title.trim().is_empty() {
            return Err(wrong("title", "missing_field"));
        }
        check_body("PullRequest", new.body.unwrap_or_default())?;
        let store = self.store(repo)?;
        let base_sha = store
            .branch(new.base)
            .ok_or_else(|| wrong("base", "invalid"))?;
        let head_sha = store.branch(head).ok_or_else(|| wrong("head", "invalid"))?;
        let compared = store.compare(&base_sha, &head_sha)?;
        if compared.merge_base.is_none() {
            return Err(custom(&format!(
                "The {head} branch has no history in common with {}",
                new.base
            )));
        }
        if compared.commits.is_empty() {
            return Err(custom(&format!(
                "No commits between {} and {head}",
                new.base
            )));
        }
        self.no_twin(repo, head, new.base, None)?;
        let number = self.new_issue(repo, author, new.title, new.body)?;
        let id = self.fresh();
        self.issue_mut(repo, number)?.pull = Some(Pull {
            id,
            head: head.to_string(),
            base: new.base.to_string(),
            head_sha: head_sha.clone(),
            base_sha,
            draft: new.draft,
            maintainer_can_modify: new.maintainer_can_modify,
            merged: None,
            asked: Vec::new(),
            reviews: Vec::new(),
        });
        store.set_ref(&format!("refs/pull/{number}/head"), &head_sha)?;
        self.emit_issue(repo, number, "opened", author, Value::Null)?;
        Ok(number)
    }

    /// One open pull request per head and base, in GitHub's words.
    fn no_twin(&self, repo: u64, head: &str, base: &str, but: Option<u64>) -> Result<(), Refusal> {
        let of = self.repo(repo)?;
        let twin = of.issues.values().any(|i| {
            i.open
                && but != Some(i.number)
                && i.pull
                    .as_ref()
                    .is_some_and(|p| p.head == head && p.base == base)
        });
        if twin {
            return Err(custom(&format!(
                "A pull request already exists for {}:{head}.",
                of.owner
            )));
        }
        Ok(())
    }

    pub fn pull_mut(&mut self, repo: u64, number: u64) -> Result<&mut Pull, Refusal> {
        let pull = self.issue_mut(repo, number)?.pull.as_mut();
        pull.ok_or_else(Refusal::not_found)
    }

    pub fn edit_pull(
        &mut self,
        repo: u64,
        number: u64,
        edit: PullEdit,
        actor: &str,
    ) -> Result<(), Refusal> {
        let pull = self.pull_mut(repo, number)?.clone();
        if let Some(base) = edit.base.filter(|b| *b != pull.base) {
            let sha = self.store(repo)?.branch(&base);
            let sha = sha.ok_or_else(|| wrong("base", "invalid"))?;
            self.no_twin(repo, &pull.head, &base, Some(number))?;
            let changed = self.pull_mut(repo, number)?;
            changed.base = base;
            changed.base_sha = sha;
            let changes = json!({
                "base": { "ref": { "from": pull.base }, "sha": { "from": pull.base_sha } }
            });
            self.emit_issue(repo, number, "edited", actor, json!({ "changes": changes }))?;
        }
        if edit.issue.open == Some(true) && !self.issue(repo, number)?.1.open {
            if pull.merged.is_some() {
                return Err(custom(
                    "state cannot be changed. The pull request is merged.",
                ));
            }
            let sha = self.store(repo)?.branch(&pull.head).ok_or_else(|| {
                custom(&format!(
                    "state cannot be changed. The {} branch has been deleted.",
                    pull.head
                ))
            })?;
            self.no_twin(repo, &pull.head, &pull.base, Some(number))?;
            self.pull_mut(repo, number)?.head_sha = sha;
        }
        self.edit_issue(repo, number, edit.issue, actor)
    }

    pub fn set_draft(
        &mut self,
        repo: u64,
        number: u64,
        draft: bool,
        actor: &str,
    ) -> Result<(), Refusal> {
        let pull = self.pull_mut(repo, number)?;
        if pull.draft == draft {
            return Ok(());
        }
        pull.draft = draft;
        let (what, action) = if draft {
            (Happening::ConvertedToDraft, "converted_to_draft")
        } else {
            (Happening::ReadyForReview, "ready_for_review")
        };
        self.note(repo, number, actor, what)?;
        self.emit_issue(repo, number, action, actor, Value::Null)
    }
}
