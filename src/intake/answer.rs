//! A plain comment that answers mend's question: the issue goes on from it.

use super::admit::{ATTEMPTS, Admit, Admitted, Asking, acting, least};
use super::error::IntakeError;
use super::notice::{Place, Said};
use crate::domain::{Command, Trigger, TriggerKind, Verdict};
use crate::github::{CommentEvent, Thread};
use crate::store::{Delivery, Task};
use crate::text::{bound, from_rfc3339};

/// Bytes of an answer that reach the model.
const ANSWER: usize = 16 * 1024;
/// Seconds that GitHub's clock and ours may differ.
const SKEW: i64 = 60;

impl Admit {
    /// A comment without a command. It is an answer where the issue's newest task ended in a
    /// question and an entitled person wrote it after that; everything else is people talking.
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
        if issue.is_pull || event.body_before.is_some() || comment.body.trim().is_empty() {
            return Ok(TALK);
        }
        let newest = self.store.latest_task_of_issue(repo.id, issue.id).await?;
        let Some(asked) = newest.filter(|task| is_open_question(task, &comment.updated_at)) else {
            return Ok(TALK);
        };
        let (session, role) = self.role(&repo, &person).await?;
        let asking = Asking {
            delivery,
            place: Place {
                repo: session.repo().clone(),
                thread: Thread::Issue(issue.number),
                comment_id: Some(comment.id),
                person: person.clone(),
            },
            entitled: role >= least(self.settings.permission),
        };
        if !asking.entitled {
            return Ok(Admitted::Ignored(
                "an answer of somebody who may not give it",
            ));
        }
        if let Some(said) = self.unserved(&asking).await? {
            return Ok(said);
        }
        let trigger = Trigger {
            key: format!(
                "{}:{}:comment:{}:{}",
                repo.id, issue.id, comment.id, comment.updated_at
            ),
            issue: crate::domain::IssueRef {
                repo: asking.place.repo.clone(),
                ..asked.trigger.issue
            },
            by: person,
            what: TriggerKind::Comment {
                comment_id: comment.id,
                command: Command::Retry {
                    guidance: Some(bound(comment.body.trim(), ANSWER).to_string()),
                    from_scratch: false,
                },
            },
            asked_on: None,
            // The report stays the one that the question is about.
            title: asked.trigger.title,
            body: asked.trigger.body,
        };
        let task = self.store.create_task(&trigger, ATTEMPTS).await?.id();
        Ok(Admitted::Done(vec![
            asking.notice(0, Said::Accepted { task }),
        ]))
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
