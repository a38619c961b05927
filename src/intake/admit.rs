//! One delivery → a task, a stop or an answer. Who may do what is asked of GitHub now, for the
//! person who acts; an error never means yes.

use super::error::IntakeError;
use super::notice::{Notice, Place, Said};
use crate::config::{GithubSettings, Permission, QueueSettings, ReposSettings};
use crate::domain::{IssueRef, Person, RepoName, RepoRef, Trigger, TriggerKind};
use crate::github::{Event, Github, GithubError, IssueEvent, Origin, Role, Session, Thread};
use crate::store::{Delivery, Store};
use crate::text::from_rfc3339;
use std::sync::Arc;
use std::time::Duration;

/// Seconds after which the delivery of a label is late: a later one may have overtaken it.
const LATE_S: i64 = 120;
const HOUR: Duration = Duration::from_secs(3600);

/// Turns deliveries into tasks; clones share everything.
#[derive(Clone)]
pub struct Admit {
    pub(super) store: Store,
    pub(super) github: Github,
    pub(super) settings: Arc<GithubSettings>,
    pub(super) repos: Arc<ReposSettings>,
    pub(super) queue: Arc<QueueSettings>,
    /// A delivery is taken for this long; who dies meanwhile gives it back.
    pub(super) hold: Duration,
}

/// What became of a delivery.
#[derive(Debug, Clone, PartialEq)]
pub enum Admitted {
    /// It asks for nothing that mend does; the reason is for the log.
    Ignored(&'static str),
    /// It did something; people are told this.
    Done(Vec<Notice>),
}

/// A person at a place, and what they may do there.
pub(super) struct Asking<'a> {
    pub delivery: &'a Delivery,
    pub place: Place,
    pub entitled: bool,
}

impl Asking<'_> {
    pub(super) fn notice(&self, n: usize, said: Said) -> Notice {
        Notice {
            delivery: self.delivery.id,
            name: format!("notice-{n}"),
            place: self.place.clone(),
            said,
        }
    }
}

impl Admit {
    pub fn new(
        store: Store,
        github: Github,
        settings: Arc<GithubSettings>,
        repos: Arc<ReposSettings>,
    ) -> Admit {
        Admit {
            store,
            github,
            settings,
            repos,
            queue: Arc::default(),
            hold: Duration::from_secs(60),
        }
    }

    /// With priorities, and how long a delivery is taken for without a sign of life.
    pub fn with(self, queue: Arc<QueueSettings>, hold: Duration) -> Admit {
        Admit {
            queue,
            hold,
            ..self
        }
    }

    /// Admits one delivery. May be called again for the same one: a task is made once, and a
    /// notice keeps its name.
    pub async fn admit(&self, delivery: &Delivery) -> Result<Admitted, IntakeError> {
        match Event::parse(&delivery.event, &delivery.payload)? {
            Event::IssueLabeled(event) => self.labeled(delivery, event).await,
            Event::IssueUnlabeled(event) if !self.is_our_label(&event) => {
                Ok(Admitted::Ignored("another label"))
            }
            Event::IssueUnlabeled(event) => self.unlabeled(delivery, event).await,
            Event::IssueClosed(event) => self.closed(delivery, &event).await,
            Event::IssueGone(event) => self.gone(&event).await,
            Event::PullRequestClosed(event) => self.pull_closed(delivery, event).await,
            Event::IssueCommentCreated(event) => self.comment(delivery, event).await,
            Event::IssueCommentEdited(event) => match &event.body_before {
                None => Ok(Admitted::Ignored("the comment's text did not change")),
                Some(_) => self.comment(delivery, event).await,
            },
            Event::ReviewSubmitted(event) => self.review(delivery, event).await,
            Event::ReviewCommentCreated(event) => self.review_comment(delivery, event).await,
            Event::ReviewCommentEdited(event) => match &event.body_before {
                None => Ok(Admitted::Ignored("the comment's text did not change")),
                Some(_) => self.review_comment(delivery, event).await,
            },
            Event::CheckRunRerequested(event) | Event::CheckSuiteRerequested(event) => {
                self.rerequested(delivery, event).await
            }
            Event::Withdrawn(what) => self.taken_away(what).await,
            Event::IssueEdited(_) | Event::Ping | Event::Other { .. } => {
                Ok(Admitted::Ignored("an event that mend does not act on"))
            }
        }
    }

    /// Whether the operator serves this repository.
    pub(super) fn serves(&self, repo: &RepoName) -> bool {
        self.repos.allows(repo)
    }

    fn is_our_label(&self, event: &IssueEvent) -> bool {
        let ours = self.settings.label.to_lowercase();
        event
            .label
            .as_ref()
            .is_some_and(|l| l.to_lowercase() == ours)
    }

    async fn labeled(
        &self,
        delivery: &Delivery,
        event: IssueEvent,
    ) -> Result<Admitted, IntakeError> {
        if !self.is_our_label(&event) {
            return Ok(Admitted::Ignored("another label"));
        }
        if event.issue.is_pull {
            return Ok(Admitted::Ignored("a pull request was labelled"));
        }
        let Some((repo, person)) = acting(&event.origin) else {
            return Ok(Admitted::Ignored("no person or no installation acts"));
        };
        let issue = event.issue;
        let (session, role) = self.role(&repo, &person).await?;
        let asking = Asking {
            delivery,
            place: Place {
                repo: session.repo().clone(),
                thread: Thread::Issue(issue.number),
                comment_id: None,
                person: person.clone(),
            },
            entitled: role >= least_role(self.settings.permission),
        };
        if let Some(said) = self.unserved(&asking).await? {
            return Ok(said);
        }
        if !asking.entitled {
            return self.refused(&asking).await;
        }
        let moves = session
            .label_moves(issue.number, &self.settings.label, Some(person.id))
            .await?;
        if moves.on.is_some() && moves.gone() {
            return Ok(Admitted::Ignored("the label came off meanwhile"));
        }
        let labeled = moves.on.ok_or(IntakeError::NotYet {
            number: issue.number,
        })?;
        if self.is_late(&labeled.created_at) && !self.still_labeled(&session, issue.number).await? {
            return Ok(Admitted::Ignored("the label came off meanwhile"));
        }
        let trigger = Trigger {
            key: label_key(repo.id, issue.id, labeled.id),
            issue: IssueRef {
                repo: asking.place.repo.clone(),
                id: issue.id,
                number: issue.number,
            },
            by: person,
            what: TriggerKind::Label,
            asked_on: None,
            asked_at: from_rfc3339(&labeled.created_at),
            title: issue.title,
            body: issue.body,
        };
        let said = self.make(&asking, &trigger).await?;
        Ok(Admitted::Done(
            said.map(|s| asking.notice(0, s)).into_iter().collect(),
        ))
    }

    /// Whether so much time passed since then that the world may be another.
    fn is_late(&self, at: &str) -> bool {
        from_rfc3339(at).is_some_and(|at| self.store.clock().unix() - at > LATE_S)
    }

    pub(super) async fn still_labeled(
        &self,
        session: &Session,
        number: u64,
    ) -> Result<bool, IntakeError> {
        let issue = session.issue(number).await?;
        let ours = self.settings.label.to_lowercase();
        let labeled = issue.labels.iter().any(|l| l.name.to_lowercase() == ours);
        Ok(labeled && issue.state != "closed")
    }

    /// What the person may do now, and the session that knows the repository's present name.
    pub(super) async fn role(
        &self,
        repo: &RepoRef,
        person: &Person,
    ) -> Result<(Session, Role), IntakeError> {
        let session = self.github.shared_session(repo);
        let first = session.role_of(&person.login, Some(person.id)).await;
        // Renamed since the event, or another repository has the name now: the token, which is for
        // this one alone, sees nothing there. The id still leads to the right one.
        let lost = matches!(
            first,
            Ok(Role::None) | Err(GithubError::Moved(_) | GithubError::Forbidden(_))
        );
        if !lost {
            return Ok((session, first?));
        }
        let name = match session.repo_by_id().await {
            Ok(repo) => repo.full_name.parse().map_err(GithubError::Setting)?,
            Err(GithubError::NotFound(_)) => return Ok((session, first?)),
            Err(e) => return Err(e.into()),
        };
        if session.repo().name == name {
            return Ok((session, first?));
        }
        let session = session.renamed(name);
        let role = session.role_of(&person.login, Some(person.id)).await?;
        Ok((session, role))
    }

    /// The end of an event in a repository that the operator did not name; told to who is entitled.
    pub(super) async fn unserved(
        &self,
        asking: &Asking<'_>,
    ) -> Result<Option<Admitted>, IntakeError> {
        if self.repos.allows(&asking.place.repo.name) {
            return Ok(None);
        }
        if !asking.entitled || !self.may_tell(asking, "unserved").await? {
            return Ok(Some(Admitted::Ignored("the repository is not served")));
        }
        let notice = asking.notice(0, Said::NotServed);
        Ok(Some(Admitted::Done(vec![notice])))
    }

    pub(super) async fn refused(&self, asking: &Asking<'_>) -> Result<Admitted, IntakeError> {
        if !self.may_tell(asking, "refused").await? {
            return Ok(Admitted::Ignored("refused, and told within the hour"));
        }
        let needed = self.settings.permission;
        Ok(Admitted::Done(vec![
            asking.notice(0, Said::Refused { needed }),
        ]))
    }

    /// One text of a kind for each person and issue in an hour.
    pub(super) async fn may_tell(
        &self,
        asking: &Asking<'_>,
        kind: &str,
    ) -> Result<bool, IntakeError> {
        let place = &asking.place;
        let (repo, number) = (place.repo.id, place.thread.number());
        let key = format!("{kind}:{repo}:{number}:{}", place.person.id);
        let holder = &asking.delivery.guid;
        Ok(self.store.may_tell(&key, holder, HOUR).await?)
    }
}

/// The semantic key of a labelling.
pub(super) fn label_key(repo_id: u64, issue_id: u64, labeled: u64) -> String {
    format!("{repo_id}:{issue_id}:labeled:{labeled}")
}

/// The repository and the person of an event; bots, and webhooks of no installation, have none.
pub(super) fn acting(origin: &Origin) -> Option<(RepoRef, Person)> {
    let person = origin.sender.clone().filter(|p| !p.is_bot)?;
    let repo = RepoRef {
        id: origin.repo_id,
        name: origin.repo.clone(),
        installation_id: origin.installation_id?,
    };
    Some((repo, person))
}

/// The least role that a setting asks for.
pub fn least_role(permission: Permission) -> Role {
    match permission {
        Permission::Triage => Role::Triage,
        Permission::Write => Role::Write,
        Permission::Maintain => Role::Maintain,
        Permission::Admin => Role::Admin,
    }
}
