//! Reviews of mend's pull requests, comments on their lines, and the check run's button.
//!
//! A review arrives as one event for itself and one for each of its comments, in any order. Each
//! event that asks for a run names the same act, the review, and takes all of it along: so a review
//! makes one task, and whichever event comes first makes it whole.

use super::act::Act;
use super::admit::{Admit, Admitted, Asking, acting, least_role};
use super::comment::{foreign, unchanged};
use super::error::IntakeError;
use super::notice::Place;
use crate::domain::{Command, Person, ReviewThread};
use crate::github::{CheckRunEvent, PullRequestEvent, ReviewCommentEvent, ReviewEvent, Session};
use crate::github::{ReviewCommentInfo, Thread};
use crate::store::Delivery;
use crate::text::{bound, sanitise_report};

/// Comments of one review that reach the model.
const THREADS: usize = 50;
/// Bytes of one comment, and of the diff above it.
const TEXT: usize = 4 * 1024;

impl Admit {
    /// A review that asks for changes, or holds a command.
    pub(super) async fn review(
        &self,
        delivery: &Delivery,
        event: ReviewEvent,
    ) -> Result<Admitted, IntakeError> {
        let Some((repo, person)) = acting(&event.pull.origin) else {
            return Ok(Admitted::Ignored("no person or no installation acts"));
        };
        if event.author.as_ref().map(|a| a.id) != Some(person.id) {
            return Ok(Admitted::Ignored("not the review's author acts"));
        }
        let mut asked = self.asked(&event.body).await?;
        let unasked = asked.as_ref().is_ok_and(Vec::is_empty);
        if unasked && event.state != "changes_requested" {
            return Ok(Admitted::Ignored("a review without a command"));
        }
        let about = self.about_pull(repo.clone(), event.pull.number).await?;
        if unasked && about.is_none() {
            return Ok(Admitted::Ignored("a review of somebody else's change"));
        }
        let (session, role) = self.role(&repo, &person).await?;
        let asking = asking(delivery, &session, &event.pull, person, None);
        let asking = Asking {
            entitled: role >= least_role(self.settings.permission),
            ..asking
        };
        if unasked {
            if !asking.entitled {
                return Ok(Admitted::Ignored("a review by somebody who may not steer"));
            }
            let text = bound(sanitise_report(&event.body).trim(), 4 * TEXT);
            asked = Ok(vec![Command::Retry {
                guidance: (!text.is_empty()).then_some(text),
                from_scratch: false,
            }]);
        }
        let commands = match self.may_ask(&asking, asked).await? {
            Ok(commands) => commands,
            Err(said) => return Ok(said),
        };
        let Some(about) = about else {
            let (number, head) = (event.pull.number, event.pull.head_repo_id);
            let said = self.not_ours(&session, number, Some(head)).await?;
            return Ok(Admitted::Done(vec![asking.notice(0, said)]));
        };
        let act = Act::Review {
            id: event.review_id,
            edited: None,
            at: event.submitted_at.clone(),
            threads: self
                .threads(&session, &event.pull, event.review_id, &asking.place.person)
                .await?,
        };
        let notices = self.obey_all(&asking, &act, &about, commands).await?;
        Ok(Admitted::Done(notices))
    }

    /// A comment on a line that holds a command. What a review says without one comes with the
    /// review.
    pub(super) async fn review_comment(
        &self,
        delivery: &Delivery,
        event: ReviewCommentEvent,
    ) -> Result<Admitted, IntakeError> {
        let Some((repo, person)) = acting(&event.pull.origin) else {
            return Ok(Admitted::Ignored("no person or no installation acts"));
        };
        let comment = &event.comment;
        let edited = event.body_before.as_deref();
        if let Some(why) = foreign(comment, &person, edited.is_some()) {
            return Ok(Admitted::Ignored(why));
        }
        let asked = self.asked(&comment.body).await?;
        if asked.as_ref().is_ok_and(Vec::is_empty) {
            return Ok(Admitted::Ignored("a comment without a command"));
        }
        if let Some(before) = edited
            && unchanged(&self.asked(before).await?, &asked)
        {
            return Ok(Admitted::Ignored("the edit changed no command"));
        }
        let (session, entitled) = self.entitled(&repo, &person, comment).await?;
        let asking = asking(delivery, &session, &event.pull, person, Some(comment.id));
        let asking = Asking { entitled, ..asking };
        let commands = match self.may_ask(&asking, asked).await? {
            Ok(commands) => commands,
            Err(said) => return Ok(said),
        };
        let number = event.pull.number;
        let Some(about) = self.about_pull(session.repo().clone(), number).await? else {
            let head = event.pull.head_repo_id;
            let said = self.not_ours(&session, number, Some(head)).await?;
            return Ok(Admitted::Done(vec![asking.notice(0, said)]));
        };
        let review = event.review_id.unwrap_or(comment.id);
        let author = comment.author.as_ref().unwrap_or(&asking.place.person);
        let act = Act::Review {
            id: review,
            edited: edited.map(|_| format!("{}:{}", comment.id, comment.updated_at)),
            at: comment.updated_at.clone(),
            threads: match event.review_id {
                Some(id) => self.threads(&session, &event.pull, id, author).await?,
                None => Vec::new(),
            },
        };
        let notices = self.obey_all(&asking, &act, &about, commands).await?;
        Ok(Admitted::Done(notices))
    }

    /// The comments on lines that a review of this person holds.
    async fn threads(
        &self,
        session: &Session,
        pull: &PullRequestEvent,
        review: u64,
        author: &Person,
    ) -> Result<Vec<ReviewThread>, IntakeError> {
        let comments = session.comments_of_review(pull.number, review).await?;
        let theirs = |c: &ReviewCommentInfo| c.user.as_ref().is_some_and(|u| u.id == author.id);
        let threads = comments.into_iter().filter(theirs).take(THREADS);
        let threads = threads.map(|c| ReviewThread {
            comment_id: c.id,
            path: c.path,
            line: c.line.or(c.original_line),
            hunk: bound(&c.diff_hunk, TEXT),
            text: bound(sanitise_report(&c.body).trim(), TEXT),
        });
        Ok(threads.collect())
    }

    /// The button that runs a check again asks for another run, as `/mend retry` does.
    pub(super) async fn rerequested(
        &self,
        delivery: &Delivery,
        event: CheckRunEvent,
    ) -> Result<Admitted, IntakeError> {
        let Some((repo, person)) = acting(&event.origin) else {
            return Ok(Admitted::Ignored("no person or no installation acts"));
        };
        if event.app_id != Some(self.github.app_id()) {
            return Ok(Admitted::Ignored("another app's check run"));
        }
        let mut found = None;
        for number in event.pulls {
            if let Some(about) = self.about_pull(repo.clone(), number).await? {
                found = Some((number, about));
                break;
            }
        }
        let Some((number, about)) = found else {
            return Ok(Admitted::Ignored(
                "a check run of no pull request of mend's",
            ));
        };
        let (session, role) = self.role(&repo, &person).await?;
        let asking = Asking {
            delivery,
            place: Place {
                repo: session.repo().clone(),
                thread: Thread::Pull(number),
                comment_id: None,
                person,
            },
            entitled: role >= least_role(self.settings.permission),
        };
        let again = vec![Command::Retry {
            guidance: None,
            from_scratch: false,
        }];
        let commands = match self.may_ask(&asking, Ok(again)).await? {
            Ok(commands) => commands,
            Err(said) => return Ok(said),
        };
        let act = Act::CheckRun {
            id: event.check_run_id,
            guid: delivery.guid.clone(),
        };
        let notices = self.obey_all(&asking, &act, &about, commands).await?;
        Ok(Admitted::Done(notices))
    }
}

fn asking<'a>(
    delivery: &'a Delivery,
    session: &Session,
    pull: &PullRequestEvent,
    person: Person,
    line_comment: Option<u64>,
) -> Asking<'a> {
    Asking {
        delivery,
        place: Place {
            repo: session.repo().clone(),
            thread: match line_comment {
                Some(comment) => Thread::Line {
                    pull: pull.number,
                    comment,
                },
                None => Thread::Pull(pull.number),
            },
            comment_id: line_comment,
            person,
        },
        entitled: false,
    }
}
