//! A plain comment: it reaches the task that runs, or answers mend's question.

use super::admit::{Admit, Admitted, Asking, acting, least_role};
use super::comment::Asked;
use super::error::IntakeError;
use super::notice::{Place, Said};
use crate::domain::{Command, Trigger, TriggerKind, Verdict};
use crate::github::{Comment, CommentEvent, Thread};
use crate::store::{Delivery, State, Task};
use crate::text::{bound, from_rfc3339, sanitise_report};

/// Bytes of an answer that reach the model.
const ANSWER: usize = 16 * 1024;
/// Seconds that GitHub's clock and ours may differ.
const SKEW: i64 = 60;

impl Admit {
    /// A comment without a command. It is guidance where the issue's newest task waits or runs, and
    /// an answer where that ended in a question before the comment; both by entitled people only.
    /// Everything else is people talking.
    pub(super) async fn plain_comment(
        &self,
        delivery: &Delivery,
        event: &CommentEvent,
    ) -> Result<Admitted, IntakeError> {
        const TALK: Admitted = Admitted::Ignored("a comment without a command");
        let Some((repo, person)) = acting(&event.origin) else {
            return Ok(TALK);
        };
        let (issue, comment) = (&event.issue, &event.comment);
        let said = bound(sanitise_report(&comment.body).trim(), ANSWER);
        if event.body_before.is_some() || said.is_empty() {
            return Ok(TALK);
        }
        let newest = match issue.is_pull {
            false => self.store.latest_task_of_issue(repo.id, issue.id).await?,
            true => self.newest_for_pull(repo.id, issue.number).await?,
        };
        let Some(asked) = newest else {
            return Ok(TALK);
        };
        let steers = matches!(asked.state, State::Queued | State::Running);
        let answers = !issue.is_pull && is_open_question(&asked, &comment.updated_at);
        if !steers && !answers {
            return Ok(TALK);
        }
        let (session, role) = self.role(&repo, &person).await?;
        let asking = Asking {
            delivery,
            place: Place {
                repo: session.repo().clone(),
                thread: match issue.is_pull {
                    true => Thread::Pull(issue.number),
                    false => Thread::Issue(issue.number),
                },
                comment_id: Some(comment.id),
                person,
            },
            entitled: role >= least_role(self.settings.permission),
        };
        if !asking.entitled {
            return Ok(Admitted::Ignored(
                "an answer of somebody who may not give it",
            ));
        }
        if let Some(said) = self.unserved(&asking).await? {
            return Ok(said);
        }
        if steers {
            let text = format!(
                "`@{}` wrote while you worked:\n{said}",
                asking.place.person.login
            );
            let heard = self.store.steer_add(asked.id, &text).await?;
            return Ok(match heard {
                true => Admitted::Done(vec![asking.notice(0, Said::Heard { task: asked.id })]),
                false => TALK,
            });
        }
        self.answered(&asking, asked, comment, said).await
    }
}

impl Admit {
    /// An edit that changed the words of a command and not the command: no second run. A run of this
    /// comment that has not ended hears the new words.
    pub(super) async fn reworded(
        &self,
        event: &CommentEvent,
        asked: Asked,
    ) -> Result<Admitted, IntakeError> {
        const SAME: Admitted = Admitted::Ignored("the edit changed the words of a command only");
        let Some((repo, person)) = acting(&event.origin) else {
            return Ok(SAME);
        };
        let comment = &event.comment;
        let words = asked
            .unwrap_or_default()
            .into_iter()
            .rev()
            .find_map(|c| match c {
                Command::Retry { guidance, .. } => guidance,
                _ => None,
            });
        let newest = match event.issue.is_pull {
            false => {
                self.store
                    .latest_task_of_issue(repo.id, event.issue.id)
                    .await?
            }
            true => self.newest_for_pull(repo.id, event.issue.number).await?,
        };
        let of_this = |task: &Task| {
            let open = matches!(task.state, State::Queued | State::Running);
            open && matches!(&task.trigger.what, TriggerKind::Comment { comment_id, .. } if *comment_id == comment.id)
        };
        let (Some(words), Some(task)) = (words, newest.filter(of_this)) else {
            return Ok(SAME);
        };
        let (session, entitled) = self.entitled(&repo, &person, comment).await?;
        if !entitled || !self.serves(&session.repo().name) {
            return Ok(SAME);
        }
        let text = format!("`@{}` now words the request so:\n{words}", person.login);
        self.store.steer_add(task.id, &text).await?;
        Ok(Admitted::Done(Vec::new()))
    }

    /// The answer to a task's question makes the next task.
    async fn answered(
        &self,
        asking: &Asking<'_>,
        asked: Task,
        comment: &Comment,
        said: String,
    ) -> Result<Admitted, IntakeError> {
        let trigger = Trigger {
            key: format!(
                "{}:{}:comment:{}:{}",
                asking.place.repo.id, asked.trigger.issue.id, comment.id, comment.updated_at
            ),
            issue: crate::domain::IssueRef {
                repo: asking.place.repo.clone(),
                ..asked.trigger.issue
            },
            by: asking.place.person.clone(),
            what: TriggerKind::Comment {
                comment_id: comment.id,
                command: Command::Retry {
                    guidance: Some(said),
                    from_scratch: false,
                },
            },
            asked_on: None,
            asked_at: from_rfc3339(&comment.updated_at),
            // The report stays the one that the question is about.
            title: asked.trigger.title,
            body: asked.trigger.body,
        };
        let said = self.make(asking, &trigger).await?;
        Ok(Admitted::Done(
            said.map(|s| asking.notice(0, s)).into_iter().collect(),
        ))
    }

    /// The newest task of the issue that a pull request of mend's is for: a later run of it does
    /// not know its pull request before it is published.
    async fn newest_for_pull(
        &self,
        repo_id: u64,
        number: u64,
    ) -> Result<Option<Task>, IntakeError> {
        let known = self.store.latest_task_of_pull(repo_id, number).await?;
        Ok(match known {
            Some(task) => {
                let issue = task.trigger.issue.id;
                self.store.latest_task_of_issue(repo_id, issue).await?
            }
            None => None,
        })
    }
}

/// Whether the task asked something before this time; a comment that came late from GitHub may be
/// older than the question.
fn is_open_question(task: &Task, written_at: &str) -> bool {
    let written = from_rfc3339(written_at).map_or(i64::MAX, |s| s.saturating_add(SKEW));
    // Whether somebody's pull request is enough is answered by a command or not at all.
    let of_model = task.result.as_ref().is_none_or(|r| r["rival"].is_null());
    task.verdict == Some(Verdict::Question) && of_model && written >= task.updated_at / 1000
}
