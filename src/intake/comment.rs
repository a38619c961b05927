//! Comments: the commands in them, and the issue that they are about.

use super::admit::{ATTEMPTS, Admit, Admitted, Asking, acting, least};
use super::error::IntakeError;
use super::notice::{Place, Said};
use crate::directive::{self, Misunderstood};
use crate::domain::{Command, IssueRef, Trigger, TriggerKind};
use crate::github::{CommentEvent, Thread};
use crate::store::Delivery;

/// Commands of one comment; more is no comment but a program.
const COMMANDS: usize = 5;

/// The issue of a command, and the report's text.
struct About {
    issue: IssueRef,
    title: String,
    body: String,
}

impl Admit {
    pub(super) async fn comment(
        &self,
        delivery: &Delivery,
        event: CommentEvent,
    ) -> Result<Admitted, IntakeError> {
        let Some((repo, person)) = acting(&event.origin) else {
            return Ok(Admitted::Ignored("no person or no installation acts"));
        };
        if event.comment.via_app.is_some() {
            return Ok(Admitted::Ignored("an app wrote the comment"));
        }
        // Somebody who edits another's comment does not thereby ask for what stands in it.
        if event.comment.author.as_ref().map(|a| a.id) != Some(person.id) {
            return Ok(Admitted::Ignored("not the comment's author acts"));
        }
        let slug = match event.comment.body.contains('@') {
            true => self.github.app().await?.slug.clone(),
            false => String::new(),
        };
        let asked = directive::parse(&event.comment.body, &slug);
        let before = event.body_before.as_ref();
        if before.is_some_and(|b| directive::parse(b, &slug) == asked) {
            return Ok(Admitted::Ignored("the edit changed no command"));
        }
        if asked.as_ref().is_ok_and(Vec::is_empty) {
            return self.plain_comment(delivery, &event).await;
        }
        let (session, role) = self.role(&repo, &person).await?;
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
            entitled: role >= least(self.settings.permission),
        };
        if let Some(said) = self.unserved(&asking).await? {
            return Ok(said);
        }
        match asked {
            Ok(commands) => self.commands(&asking, &event, commands).await,
            Err(_) if !asking.entitled => Ok(Admitted::Ignored("not understood, not entitled")),
            Err(Misunderstood { line, hint }) => Ok(Admitted::Done(vec![
                asking.notice(0, Said::Hint { line, hint }),
            ])),
        }
    }

    async fn commands(
        &self,
        asking: &Asking<'_>,
        event: &CommentEvent,
        commands: Vec<Command>,
    ) -> Result<Admitted, IntakeError> {
        let asks_to_act = |c: &Command| !matches!(c, Command::Status | Command::Help);
        if !asking.entitled && commands.iter().any(asks_to_act) {
            return self.refused(asking).await;
        }
        if !asking.entitled && !self.may_tell(asking, "answer").await? {
            return Ok(Admitted::Ignored("answered within the hour"));
        }
        let Some(about) = self.about(asking, event).await? else {
            return Ok(Admitted::Done(vec![asking.notice(0, Said::NotOurs)]));
        };
        let mut notices = Vec::new();
        for (n, command) in commands.into_iter().take(COMMANDS).enumerate() {
            let said = self.obey(asking, event, &about, n, command).await?;
            notices.push(asking.notice(n, said));
        }
        Ok(Admitted::Done(notices))
    }

    async fn obey(
        &self,
        asking: &Asking<'_>,
        event: &CommentEvent,
        about: &About,
        n: usize,
        command: Command,
    ) -> Result<Said, IntakeError> {
        let (repo, issue) = (about.issue.repo.id, about.issue.id);
        Ok(match command {
            Command::Stop => Said::Stopping {
                tasks: self.store.cancel_issue(repo, issue).await?,
            },
            Command::Status => Said::Status {
                task: self
                    .store
                    .latest_task_of_issue(repo, issue)
                    .await?
                    .map(|t| t.id),
            },
            Command::Help => Said::Help,
            Command::Ci => Said::Ci,
            Command::Retry { .. } | Command::Fix { .. } => {
                let comment = &event.comment;
                let mut key = format!(
                    "{repo}:{issue}:comment:{}:{}",
                    comment.id, comment.updated_at
                );
                if n > 0 {
                    key.push_str(&format!("#{n}"));
                }
                let trigger = Trigger {
                    key,
                    issue: about.issue.clone(),
                    by: asking.place.person.clone(),
                    what: TriggerKind::Comment {
                        comment_id: comment.id,
                        command,
                    },
                    asked_on: match asking.place.thread {
                        Thread::Pull(number) => Some(number),
                        Thread::Issue(_) => None,
                    },
                    title: about.title.clone(),
                    body: about.body.clone(),
                };
                Said::Accepted {
                    task: self.store.create_task(&trigger, ATTEMPTS).await?.id(),
                }
            }
        })
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
        if !issue.is_pull {
            return Ok(Some(About {
                issue: IssueRef {
                    repo,
                    id: issue.id,
                    number: issue.number,
                },
                title: issue.title.clone(),
                body: issue.body.clone(),
            }));
        }
        let task = self
            .store
            .latest_task_of_pull(repo.id, issue.number)
            .await?;
        Ok(task.map(|task| About {
            issue: IssueRef {
                repo,
                ..task.trigger.issue
            },
            title: task.trigger.title,
            body: task.trigger.body,
        }))
    }
}
