//! Comments: the commands in them, and the issue that they are about.

use super::act::{About, Act};
use super::admit::{Admit, Admitted, Asking, acting, least_role};
use super::error::IntakeError;
use super::notice::{Place, Said};
use crate::directive::{self, Misunderstood};
use crate::domain::{Command, IssueRef, Person, RepoRef};
use crate::github::{Comment, CommentEvent, Session, Thread};
use crate::store::Delivery;

/// What a text asks for, or why it is not understood.
pub(super) type Asked = Result<Vec<Command>, Misunderstood>;

impl Admit {
    pub(super) async fn comment(
        &self,
        delivery: &Delivery,
        event: CommentEvent,
    ) -> Result<Admitted, IntakeError> {
        let Some((repo, person)) = acting(&event.origin) else {
            return Ok(Admitted::Ignored("no person or no installation acts"));
        };
        let edited = event.body_before.as_deref();
        if let Some(why) = foreign(&event.comment, &person, edited.is_some()) {
            return Ok(Admitted::Ignored(why));
        }
        let asked = self.asked(&event.comment.body).await?;
        if let Some(before) = edited {
            let before = self.asked(before).await?;
            if before == asked {
                return Ok(Admitted::Ignored("the edit changed no command"));
            }
            if unchanged(&before, &asked) {
                return self.reworded(&event, asked).await;
            }
        }
        if asked.as_ref().is_ok_and(Vec::is_empty) {
            return self.plain_comment(delivery, &event).await;
        }
        let (session, entitled) = self.entitled(&repo, &person, &event.comment).await?;
        let number = event.issue.number;
        let asking = Asking {
            delivery,
            place: Place {
                repo: session.repo().clone(),
                thread: match event.issue.is_pull {
                    true => Thread::Pull(number),
                    false => Thread::Issue(number),
                },
                comment_id: Some(event.comment.id),
                person,
            },
            entitled,
        };
        let commands = match self.may_ask(&asking, asked).await? {
            Ok(commands) => commands,
            Err(said) => return Ok(said),
        };
        let Some(about) = self.about(&asking, &event).await? else {
            let said = self.not_ours(&session, number, None).await?;
            return Ok(Admitted::Done(vec![asking.notice(0, said)]));
        };
        let act = Act::Comment {
            id: event.comment.id,
            updated_at: event.comment.updated_at,
        };
        let notices = self.obey_all(&asking, &act, &about, commands).await?;
        Ok(Admitted::Done(notices))
    }

    /// The commands of a text.
    pub(super) async fn asked(&self, text: &str) -> Result<Asked, IntakeError> {
        let slug = match text.contains('@') {
            true => self.github.app().await?.slug.clone(),
            false => String::new(),
        };
        Ok(directive::parse(text, &slug))
    }

    /// Whether the person who acts may, and the comment's author as well where that is another.
    pub(super) async fn entitled(
        &self,
        repo: &RepoRef,
        person: &Person,
        comment: &Comment,
    ) -> Result<(Session, bool), IntakeError> {
        let needed = least_role(self.settings.permission);
        let (session, role) = self.role(repo, person).await?;
        let mut entitled = role >= needed;
        if let Some(author) = comment.author.as_ref().filter(|a| a.id != person.id)
            && entitled
        {
            entitled = self.role(repo, author).await?.1 >= needed;
        }
        Ok((session, entitled))
    }

    /// The commands that may be obeyed; otherwise the end of the delivery.
    pub(super) async fn may_ask(
        &self,
        asking: &Asking<'_>,
        asked: Asked,
    ) -> Result<Result<Vec<Command>, Admitted>, IntakeError> {
        if let Some(said) = self.unserved(asking).await? {
            return Ok(Err(said));
        }
        let commands = match asked {
            Ok(commands) => commands,
            Err(_) if !asking.entitled => {
                return Ok(Err(Admitted::Ignored("not understood, not entitled")));
            }
            Err(Misunderstood { line, hint }) => {
                let notice = asking.notice(0, Said::Hint { line, hint });
                return Ok(Err(Admitted::Done(vec![notice])));
            }
        };
        let asks_to_act = |c: &Command| !matches!(c, Command::Status | Command::Help);
        if !asking.entitled && commands.iter().any(asks_to_act) {
            return self.refused(asking).await.map(Err);
        }
        if !asking.entitled && !self.may_tell(asking, "answer").await? {
            return Ok(Err(Admitted::Ignored("answered within the hour")));
        }
        Ok(Ok(commands))
    }

    /// The issue that a comment is about, with its text as the payload froze it. For a comment on
    /// a pull request of mend's it is the issue that the request is for, with the text that its
    /// newest task had; `None` for a pull request of somebody else.
    async fn about(
        &self,
        asking: &Asking<'_>,
        event: &CommentEvent,
    ) -> Result<Option<About>, IntakeError> {
        let repo = asking.place.repo.clone();
        let issue = &event.issue;
        if issue.is_pull {
            return self.about_pull(repo, issue.number).await;
        }
        Ok(Some(About {
            issue: IssueRef {
                repo,
                id: issue.id,
                number: issue.number,
            },
            title: issue.title.clone(),
            body: issue.body.clone(),
        }))
    }

    /// The issue that a pull request of mend's is for.
    pub(super) async fn about_pull(
        &self,
        repo: RepoRef,
        number: u64,
    ) -> Result<Option<About>, IntakeError> {
        let task = self.store.latest_task_of_pull(repo.id, number).await?;
        Ok(task.map(|task| About::task(task, repo)))
    }
}

/// Whether an edit left the commands what they were, whatever else it changed.
pub(super) fn unchanged(before: &Asked, now: &Asked) -> bool {
    match (before, now) {
        (Ok(before), Ok(now)) => directive::same(before, now),
        (before, now) => before == now,
    }
}

/// Why nothing in a comment counts as this person's: a program wrote it, or the person is not its
/// author. Somebody who edits another's comment asks for what then stands in it only together with
/// the author, so both have to be entitled.
pub(super) fn foreign(comment: &Comment, person: &Person, edited: bool) -> Option<&'static str> {
    let Some(author) = &comment.author else {
        return Some("the comment's author is gone");
    };
    if comment.via_app.is_some() || author.is_bot {
        return Some("an app wrote the comment");
    }
    (author.id != person.id && !edited).then_some("not the comment's author acts")
}
