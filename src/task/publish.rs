//! Push and pull request; each looked up before it is made, so that doing it again changes nothing.

use super::check_run::HeadCheck;
use super::entitled::{Moment, entitled};
use super::outgoing::{Outgoing, Push};
use super::{Bench, TaskError, marker};
use crate::domain::{Cancel, Step, failure_point};
use crate::git::{Credential, GitError, Push as GitPush};
use crate::github::{
    NewPull, PullInfo, PullState, PullUpdate, Purpose, RepoInfo, Session, Stands, Thread,
};
use crate::render;
use crate::render::Trouble;
use crate::store::{Claimed, Reached};

/// The pull request as it stands now.
#[derive(Debug, Clone)]
pub(super) struct Published {
    pub(super) number: u64,
    pub(super) url: String,
    pub(super) title: String,
    pub(super) draft: bool,
    /// Whether this task opened it.
    pub(super) opened: bool,
}

/// Publishes; `None` where there is nothing to publish.
pub(super) async fn publish(
    bench: &Bench,
    session: &Session,
    claimed: &Claimed,
    outgoing: &Outgoing,
    cancel: &Cancel,
) -> Result<Option<Published>, TaskError> {
    let Some(push) = &outgoing.push else {
        return Ok(None);
    };
    let repo = session.repo_by_id().await?;
    let session = match repo.full_name.parse() {
        Ok(name) => session.renamed(name),
        Err(_) => session.clone(),
    };
    if push.private.is_some_and(|private| private != repo.private) {
        return Err(TaskError::Person(Trouble::VisibilityChanged));
    }
    let trigger = &claimed.task.trigger;
    entitled(bench, &session, trigger, Moment::Publish).await?;
    // A worker that slept past its lease must not write. The push is refused too where the branch
    // moved, but not where nobody has pushed yet.
    let (store, lease) = (&bench.store, bench.times.lease);
    store.heartbeat(claimed.held, lease).await?;
    match &push.local {
        Some(_) => move_branch(bench, &session, &repo, push).await?,
        None => branch(bench, &session, claimed, push, cancel).await?,
    }
    failure_point("branch-pushed");
    settled(bench, &session, push).await;
    let head = HeadCheck {
        bench,
        session: &session,
        task: claimed.task.id,
        head: &push.commit,
    };
    let run = match &push.shown {
        Some(shown) => head.begin().await?.map(|run| (run, shown)),
        None => None,
    };
    failure_point("check-run-begun");
    store.heartbeat(claimed.held, lease).await?;
    let published = pull_request(bench, &session, claimed, push).await;
    if matches!(&published, Err(error) if error.is_transient() || error.is_lost()) {
        return published.map(Some);
    }
    // The commit is there, whatever became of the pull request.
    if let Some((run, shown)) = run {
        let url = published.as_ref().ok().map(|p| p.url.as_str());
        head.end(run, shown, url).await?;
    }
    let published = published?;
    let reached = Reached {
        pr_number: Some(published.number),
        // As GitHub knows it: a commit made through its API has another id.
        head_sha: Some(push.commit.clone()),
        ..Reached::default()
    };
    bench
        .store
        .step(claimed.held, Step::Publish, &reached)
        .await?;
    failure_point("pull-request-recorded");
    Ok(Some(published))
}

async fn branch(
    bench: &Bench,
    session: &Session,
    claimed: &Claimed,
    push: &Push,
    cancel: &Cancel,
) -> Result<(), TaskError> {
    let unreadable = || TaskError::Person(Trouble::UnreadableCommit);
    let (commit, expected) = push.ids().ok_or_else(unreadable)?;
    // A worker elsewhere, whose git directory is not here, may have pushed before it died.
    if session.branch(&push.branch).await?.as_deref() == Some(&*push.commit) {
        return Ok(());
    }
    let private = bench
        .git
        .reopen(super::prepare::private_path(
            bench,
            session.repo(),
            claimed.task.id,
        ))
        .await?;
    let token = session.token(Purpose::Publish).await?;
    let credential = Credential::token(token.secret().clone());
    let pushed = private
        .push(
            &GitPush {
                url: &bench.git.url(&session.repo().name),
                credential: &credential,
                commit,
                reference: &format!("refs/heads/{}", push.branch),
                expected,
                rewrite: push.rewrite,
            },
            cancel,
        )
        .await;
    match pushed {
        Ok(_) => Ok(()),
        // Where it does not stand where it should, that is why.
        Err(refused @ GitError::Rejected { .. }) => {
            let now = session.branch(&push.branch).await?;
            Err(match now == push.expected {
                true => refused.into(),
                false => TaskError::Moved(push.branch.clone()),
            })
        }
        Err(other) => Err(other.into()),
    }
}

async fn move_branch(
    bench: &Bench,
    session: &Session,
    repo: &RepoInfo,
    push: &Push,
) -> Result<(), TaskError> {
    bench.git.may_move(&format!("refs/heads/{}", push.branch))?;
    let (from, to) = (push.expected.as_deref(), push.commit.as_str());
    let moved = session.move_branch(repo, &push.branch, from, to, push.rewrite);
    match moved.await? {
        Stands::There => Ok(()),
        Stands::Elsewhere(_) => Err(TaskError::Moved(push.branch.clone())),
    }
}

/// Waits until GitHub shows what was just written: what is asked of it sooner may be answered with
/// 404 or 422. It is only read again, and what does not show in time is left to what follows.
async fn settled(bench: &Bench, session: &Session, push: &Push) {
    const LOOKS: u32 = 5;
    for look in 0..LOOKS {
        match session.branch(&push.branch).await {
            Ok(Some(now)) if now == push.commit => return,
            Ok(_) => tokio::time::sleep(bench.times.settle * 2u32.pow(look)).await,
            Err(_) => return,
        }
    }
}

/// Adopts the branch's open pull request, else opens one. The name of the effect under which the
/// opening is remembered tells a later attempt that it was this task's.
async fn pull_request(
    bench: &Bench,
    session: &Session,
    claimed: &Claimed,
    push: &Push,
) -> Result<Published, TaskError> {
    const OPENING: &str = "opening";
    let task = claimed.task.id;
    let found = session
        .pulls_of(&push.branch, PullState::Open)
        .await?
        .into_iter()
        .next();
    let opened = match &found {
        Some(_) => bench.store.effect(task, OPENING).await?.is_some(),
        None => true,
    };
    let pull = match found {
        Some(pull) => {
            if let Some(other) = marker::other_app(&pull.body, bench.github.app_id()) {
                return Err(TaskError::Person(Trouble::OtherApp {
                    pull: pull.number,
                    app: other,
                }));
            }
            adopt(session, pull, push).await?
        }
        None => {
            bench
                .store
                .put_effect(claimed.held, OPENING, &push.branch)
                .await?;
            let pull = open(bench, session, push).await?;
            failure_point("pull-request-opened");
            label(bench, session, &pull).await;
            ask_for_review(bench, session, &pull).await;
            pull
        }
    };
    Ok(Published {
        number: pull.number,
        url: pull.html_url,
        title: pull.title,
        draft: pull.draft,
        opened,
    })
}

/// The house's labels; a pull request without them is better than none.
async fn label(bench: &Bench, session: &Session, pull: &PullInfo) {
    let labels = &bench.publish.labels;
    if labels.is_empty() {
        return;
    }
    if let Err(error) = session.add_labels(Thread::Pull(pull.number), labels).await {
        tracing::warn!(%error, "the pull request has no labels");
    }
}

/// The house's reviewers; one who has no access keeps nobody from reading it.
async fn ask_for_review(bench: &Bench, session: &Session, pull: &PullInfo) {
    let wanted = &bench.publish.reviewers;
    if wanted.is_empty() {
        return;
    }
    let (teams, people): (Vec<&str>, Vec<&str>) = wanted
        .iter()
        .map(String::as_str)
        .partition(|r| r.contains('/'));
    let teams: Vec<&str> = teams
        .iter()
        .filter_map(|t| t.split_once('/').map(|(_, slug)| slug))
        .collect();
    if let Err(error) = session
        .request_reviewers(pull.number, &people, &teams)
        .await
    {
        tracing::warn!(%error, "nobody was asked for a review; check `publish.reviewers`");
    }
}

async fn adopt(session: &Session, pull: PullInfo, push: &Push) -> Result<PullInfo, TaskError> {
    let body = render::reframed(&pull.body, &push.body);
    if pull.body != body {
        let update = PullUpdate {
            body: Some(&body),
            ..PullUpdate::default()
        };
        session.update_pull(pull.number, &update).await?;
    }
    if pull.draft != push.draft {
        match session.set_draft(&pull, push.draft).await {
            Ok(()) => {}
            Err(e) if e.is_draft_unsupported() => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(PullInfo {
        body,
        draft: push.draft,
        ..pull
    })
}

/// The branch's open pull request, which GitHub may list a little later than it knows of it.
async fn shown(
    bench: &Bench,
    session: &Session,
    push: &Push,
) -> Result<Option<PullInfo>, TaskError> {
    const LOOKS: u32 = 4;
    for look in 0..LOOKS {
        let found = session.pulls_of(&push.branch, PullState::Open).await?;
        if let Some(pull) = found.into_iter().next() {
            return Ok(Some(pull));
        }
        tokio::time::sleep(bench.times.settle * 2u32.pow(look)).await;
    }
    Ok(None)
}

async fn open(bench: &Bench, session: &Session, push: &Push) -> Result<PullInfo, TaskError> {
    let body = render::framed(&push.body, push.template.as_deref());
    let mut new = NewPull {
        title: &push.title,
        head: &push.branch,
        base: &push.base_branch,
        body: &body,
        draft: push.draft,
    };
    let plain = format!("[draft] {}", push.title);
    for _ in 0..2 {
        match session.create_pull(&new).await {
            Ok(pull) => return Ok(pull),
            // The answer to an earlier request was lost, or somebody was faster.
            Err(e) if e.is_duplicate_pull() => {
                return match shown(bench, session, push).await? {
                    Some(pull) => adopt(session, pull, push).await,
                    None => Err(e.into()),
                };
            }
            // Where there are no drafts, the title says it.
            Err(e) if new.draft && e.is_draft_unsupported() => {
                new.draft = false;
                new.title = &plain;
            }
            Err(e) => return Err(e.into()),
        }
    }
    Err(TaskError::Person(Trouble::NoPullRequest))
}
