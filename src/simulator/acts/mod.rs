//! What can happen: each act changes the state, notes the event, and queues the webhooks. REST,
//! the pages and the Rust API all go through here, so that they cannot differ.

mod comments;
mod issues;
mod labels;
mod pulls;
mod push;
mod reviews;

pub(super) use comments::Target;
pub(super) use issues::IssueEdit;
pub(super) use labels::DEFAULTS as DEFAULT_LABELS;
pub(super) use pulls::{NewPull, PullEdit};

use super::answer::Refusal;
use super::state::{Happening, Issue, IssueEvent, Pull, World};
use super::{git::Store, shapes};
use serde_json::{Value, json};

/// The longest body that GitHub takes, in characters.
const BODY_LIMIT: usize = 65_536;

fn check_body(resource: &str, body: &str) -> Result<(), Refusal> {
    if body.chars().count() > BODY_LIMIT {
        return Err(Refusal::invalid(
            resource,
            "body",
            "custom",
            Some("body is too long (maximum is 65536 characters)"),
        ));
    }
    Ok(())
}

impl World {
    pub fn store(&self, repo: u64) -> Result<Store, Refusal> {
        Ok(Store::open(&self.repo(repo)?.path)?)
    }

    /// Notes an event of an issue.
    fn note(
        &mut self,
        repo: u64,
        number: u64,
        actor: &str,
        what: Happening,
    ) -> Result<(), Refusal> {
        let event = IssueEvent {
            id: self.fresh(),
            actor: actor.to_string(),
            what,
            created_at: self.now(),
        };
        let now = self.now();
        let issue = self.issue_mut(repo, number)?;
        issue.events.push(event);
        issue.updated_at = now;
        Ok(())
    }

    /// Queues the webhook `issues` or, for a pull request, `pull_request`.
    fn emit_issue(
        &mut self,
        repo: u64,
        number: u64,
        action: &str,
        actor: &str,
        more: Value,
    ) -> Result<(), Refusal> {
        let (of, issue) = self.issue(repo, number)?;
        let (event, mut about) = match &issue.pull {
            None => ("issues", json!({ "issue": shapes::issue(self, of, issue) })),
            Some(pull) => {
                let json = self.whole_pull(repo, issue, pull)?;
                (
                    "pull_request",
                    json!({ "number": number, "pull_request": json }),
                )
            }
        };
        if let (Value::Object(about), Value::Object(more)) = (&mut about, more) {
            about.extend(more);
        }
        self.emit(event, Some(action), repo, actor, about)
    }

    /// A pull request in GitHub's full form.
    pub fn whole_pull(&self, repo: u64, issue: &Issue, pull: &Pull) -> Result<Value, Refusal> {
        let compared = self.store(repo)?.compare(&pull.base_sha, &pull.head_sha)?;
        Ok(shapes::pull(
            self,
            self.repo(repo)?,
            issue,
            pull,
            Some(&compared),
        ))
    }
}
