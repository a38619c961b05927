//! One issue from the command line: the server's own way of a task, with one worker and an end.

use super::bench::{Hub, bench};
use super::convert::sandbox_settings;
use super::server::{Extra, StartError};
use super::state::folders;
use crate::config::{Environment, Settings};
use crate::domain::{Cancel, IssueRef, Person, RepoName, Trigger, TriggerKind};
use crate::github::GithubError;
use crate::sandbox::Sandbox;
use crate::store::{State, Store, StoreError, Task};
use crate::task::{Bench, Pool};
use crate::tree::make_folder;
use crate::tree::{TempFolder, TreeError};
use secrecy::ExposeSecret;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Claims of the task before it counts as dead, as a label's task has.
const ATTEMPTS: u32 = 3;
const LOOK: Duration = Duration::from_millis(200);

/// What is asked.
pub struct IssueFix<'a> {
    pub repo: &'a RepoName,
    pub number: u64,
    /// Whether nothing is written to GitHub, and nothing kept.
    pub dry_run: bool,
    /// Where throwaway folders go.
    pub temporary: &'a Path,
}

/// Why an issue is not worked on; the text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("{0}")]
    Github(#[from] GithubError),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Tree(#[from] TreeError),
    #[error("{0}")]
    Not(String),
    #[error("stopped; the task goes on with the server, or when the same command is given again")]
    Stopped,
}

/// Works on an issue until it has its verdict. Where a server shares the database, either of the
/// two may take the task; there is one, so nothing is made twice.
///
/// # Errors
/// See [`IssueError`]; every ending of the task itself is a verdict.
pub async fn fix_issue(
    settings: &Settings,
    environment: &Environment,
    extra: Extra,
    wanted: &IssueFix<'_>,
    stop: &Cancel,
) -> Result<Task, IssueError> {
    if !settings.repos.allows(wanted.repo) {
        let why = format!(
            "`repos.allow` of the settings does not name {}",
            wanted.repo
        );
        return Err(IssueError::Not(why));
    }
    let mut settings = settings.clone();
    // A rehearsal leaves nothing behind and shares nothing, so that no server takes it for real.
    let away = match wanted.dry_run {
        true => Some(TempFolder::create(wanted.temporary, 0o711)?),
        false => None,
    };
    if let Some(folder) = &away {
        let state = folder.path().join("state");
        settings.database.url = format!("sqlite:{}", state.join("mend.db").display()).into();
        settings.server.state_dir = state;
    }
    make_folder(&settings.server.state_dir, 0o711)?;
    let places = folders(&settings.server.state_dir)?;
    let mut sandbox = sandbox_settings(&settings.sandbox, environment);
    sandbox.program = extra.program.clone();
    let sandbox = Arc::new(Sandbox::find(&sandbox).await.map_err(StartError::from)?);
    let store = Store::open(settings.database.url.expose_secret(), extra.clock.clone()).await?;
    let hub = Hub::new(&settings, &extra, store.clone())?;
    let bench = bench(&settings, &extra, &hub, sandbox, places, wanted.dry_run)?;
    let (github, keeper, over) = (hub.github, hub.keeper, stop.child());
    let reaping = keeper.reap(&github, &over);
    let working = async {
        let done = Box::pin(run(bench, wanted, stop)).await;
        over.cancel();
        done
    };
    let ((), done) = tokio::join!(reaping, working);
    store.close().await;
    if let Some(folder) = away {
        folder.close()?;
    }
    done
}

async fn run(bench: Arc<Bench>, wanted: &IssueFix<'_>, stop: &Cancel) -> Result<Task, IssueError> {
    let trigger = trigger(&bench, wanted).await?;
    let store = bench.store.clone();
    let issue = &trigger.issue;
    // One that waits or runs already is the one to wait for: of an issue, one runs at a time.
    let newest = store.latest_task_of_issue(issue.repo.id, issue.id).await?;
    let open = newest.filter(|t| matches!(t.state, State::Queued | State::Running));
    let id = match open {
        Some(task) => task.id,
        None => store.create_task(&trigger, ATTEMPTS).await?.id(),
    };
    let pool_stop = stop.child();
    let pool = Pool::of(bench, id);
    let work = pool.run(&pool_stop);
    tokio::pin!(work);
    let watch = async {
        loop {
            if let Some(task) = store.task(id).await?
                && matches!(task.state, State::Done | State::Dead)
                && task.verdict.is_some()
            {
                return Ok(task);
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    let done = tokio::select! {
        done = watch => done,
        () = &mut work => return Err(IssueError::Stopped),
    };
    pool_stop.cancel();
    work.await;
    done
}

/// The issue as it stands now. Who gives the command holds the App's key: mend asks in its own name.
async fn trigger(bench: &Bench, wanted: &IssueFix<'_>) -> Result<Trigger, IssueError> {
    let (name, number) = (wanted.repo, wanted.number);
    let repo = match bench.github.repo_named(name).await {
        Err(GithubError::NotFound(_)) => {
            let why =
                format!("the App is not installed on {name}; install it there, or check the name");
            return Err(IssueError::Not(why));
        }
        other => other?,
    };
    let session = bench.github.session(&repo);
    let issue = match session.issue(number).await {
        Err(GithubError::NotFound(_)) => {
            return Err(IssueError::Not(format!("{name} has no issue {number}")));
        }
        other => other?,
    };
    if issue.pull_request.is_some() {
        let why = format!("{name}#{number} is a pull request; name the issue that it is for");
        return Err(IssueError::Not(why));
    }
    if issue.state == "closed" {
        let why = format!("{name}#{number} is closed; open it again first");
        return Err(IssueError::Not(why));
    }
    let bot = bench.github.bot(&session).await?.clone();
    if let Err(error) = session.revoke_all().await {
        tracing::debug!(%error, "a token was not revoked and expires by itself");
    }
    let key = format!("{}:{}:command:{}", repo.id, issue.id, uuid::Uuid::new_v4());
    Ok(Trigger {
        key,
        issue: IssueRef {
            repo,
            id: issue.id,
            number,
        },
        by: Person {
            id: bot.id.unwrap_or_default(),
            login: bot.login,
            is_bot: true,
        },
        what: TriggerKind::CommandLine,
        asked_on: None,
        asked_at: None,
        title: issue.title,
        body: issue.body,
    })
}
