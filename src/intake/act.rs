//! What a command came in, and the obeying of it.

use super::admit::{Admit, Asking};
use super::error::IntakeError;
use super::notice::{Notice, Said};
use crate::domain::{Command, IssueRef, RepoRef, ReviewThread, Trigger, TriggerKind};
use crate::github::{GithubError, Session, Thread};
use crate::store::Task;
use crate::text::from_rfc3339;

/// Commands of one comment; more is no comment but a program.
const COMMANDS: usize = 5;

/// The issue of a command, and the report's text.
pub(super) struct About {
    pub issue: IssueRef,
    pub title: String,
    pub body: String,
}

impl About {
    /// The issue of a task, with the report that the task had.
    pub(super) fn task(task: Task, repo: RepoRef) -> About {
        About {
            issue: IssueRef {
                repo,
                ..task.trigger.issue
            },
            title: task.trigger.title,
            body: task.trigger.body,
        }
    }
}

/// What a person did that holds the command.
pub(super) enum Act {
    Comment {
        id: u64,
        updated_at: String,
    },
    /// A review as one batch, whichever of its parts holds the command.
    Review {
        id: u64,
        /// Set when it is about an edit of one of its comments.
        edited: Option<String>,
        /// When it was handed in or edited, as GitHub writes it.
        at: String,
        threads: Vec<ReviewThread>,
    },
    /// The button beneath a check run, or beneath all of them.
    CheckRun {
        id: u64,
        /// GitHub's id of the delivery: a second press of the button has nothing else of its own.
        guid: String,
    },
}

impl Act {
    /// The part of the semantic key that names the act.
    fn key(&self) -> String {
        match self {
            Act::Comment { id, updated_at } => format!("comment:{id}:{updated_at}"),
            Act::Review {
                id, edited: None, ..
            } => format!("review:{id}"),
            Act::Review {
                id,
                edited: Some(what),
                ..
            } => format!("review:{id}:{what}"),
            Act::CheckRun { id, guid } => format!("check_run:{id}:{guid}"),
        }
    }

    /// When it was done, where that is known.
    fn at(&self) -> Option<i64> {
        match self {
            Act::Comment { updated_at, .. } => from_rfc3339(updated_at),
            Act::Review { at, .. } => from_rfc3339(at),
            Act::CheckRun { .. } => None,
        }
    }

    fn kind(&self, command: Command) -> TriggerKind {
        match self {
            Act::Comment { id, .. } => TriggerKind::Comment {
                comment_id: *id,
                command,
            },
            Act::Review { id, threads, .. } => TriggerKind::Review {
                review_id: *id,
                command,
                threads: threads.clone(),
            },
            Act::CheckRun { id, .. } => TriggerKind::CheckRun {
                check_run_id: *id,
                command,
            },
        }
    }
}

impl Admit {
    /// Obeys the commands of one act in order.
    pub(super) async fn obey_all(
        &self,
        asking: &Asking<'_>,
        act: &Act,
        about: &About,
        commands: Vec<Command>,
    ) -> Result<Vec<Notice>, IntakeError> {
        let mut notices = Vec::new();
        let left = commands.len().saturating_sub(COMMANDS);
        for (n, command) in commands.into_iter().take(COMMANDS).enumerate() {
            let said = self.obey(asking, act, about, n, command).await?;
            notices.extend(said.map(|s| asking.notice(n, s)));
        }
        if left > 0 {
            let said = Said::LeftOut {
                most: COMMANDS,
                left,
            };
            notices.push(asking.notice(COMMANDS, said));
        }
        Ok(notices)
    }

    async fn obey(
        &self,
        asking: &Asking<'_>,
        act: &Act,
        about: &About,
        n: usize,
        command: Command,
    ) -> Result<Option<Said>, IntakeError> {
        let (repo, issue) = (about.issue.repo.id, about.issue.id);
        Ok(Some(match command {
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
                let mut key = format!("{repo}:{issue}:{}", act.key());
                if n > 0 {
                    key.push_str(&format!("#{n}"));
                }
                let trigger = Trigger {
                    key,
                    issue: about.issue.clone(),
                    by: asking.place.person.clone(),
                    what: act.kind(command),
                    asked_at: act.at(),
                    asked_on: match asking.place.thread {
                        Thread::Issue(_) => None,
                        on_pull => Some(on_pull.number()),
                    },
                    title: about.title.clone(),
                    body: about.body.clone(),
                };
                return self.make(asking, &trigger).await;
            }
        }))
    }

    /// What is told about a pull request that is none of mend's. `head_repo` is where its branch
    /// lies, where the event told; nothing is written to a fork and none of its code is run
    /// (rule AZ-06).
    pub(super) async fn not_ours(
        &self,
        session: &Session,
        number: u64,
        head_repo: Option<Option<u64>>,
    ) -> Result<Said, IntakeError> {
        let head_repo = match head_repo {
            Some(known) => known,
            None => match session.pull(number).await {
                Ok(pull) => pull.head.repo.map(|r| r.id),
                Err(GithubError::NotFound(_)) => return Ok(Said::NotOurs),
                Err(e) => return Err(e.into()),
            },
        };
        Ok(match head_repo == Some(session.repo().id) {
            true => Said::NotOurs,
            false => Said::Fork,
        })
    }
}
