//! From a claimed task to the folders that the engine works on.

use super::branch::{Ground, Survey};
use super::git_inside::{Objects, git_inside};
use super::steer::thread_guidance;
use super::{Bench, TaskError, template};
use crate::config::{REPO_FILE, RepoConfig};
use crate::domain::{Cancel, Command, RepoRef, TaskId, Trigger, failure_point};
use crate::git::{Bringing, Caps, Credential, Oid, Private};
use crate::github::{BotIdentity, Purpose, Session};
use crate::render::Trouble;
use crate::tree::TempFolder;
use std::path::{Path, PathBuf};

/// Bytes of a repository's own settings.
const REPO_FILE_BYTES: usize = 256 * 1024;

/// Everything that an attempt needs before it can work.
pub(super) struct Prepared {
    pub(super) private: Private,
    pub(super) bot: BotIdentity,
    pub(super) ground: Ground,
    pub(super) config: RepoConfig,
    /// Whether only some people see the repository.
    pub(super) is_private: bool,
    /// The house's template of pull requests.
    pub(super) template: Option<String>,
    /// Holds `base` and `start`; goes when this is dropped.
    _folder: TempFolder,
    pub(super) base: PathBuf,
    /// The code that the work starts from, where it is not the base.
    pub(super) start: Option<PathBuf>,
    /// What commands see as `.git`.
    pub(super) git: Option<PathBuf>,
}

/// Token, mirror, ground, fresh check-outs.
pub(super) async fn prepare(
    bench: &Bench,
    session: Session,
    task: TaskId,
    trigger: &Trigger,
    cancel: &Cancel,
) -> Result<Prepared, TaskError> {
    let repo = session.repo_by_id().await?;
    let session = match repo.full_name.parse() {
        Ok(name) => session.renamed(name),
        Err(_) => session,
    };
    if repo.archived {
        return Err(TaskError::Person(Trouble::Archived));
    }
    let token = session.token(Purpose::Read).await?;
    failure_point("token-minted");
    let credential = Credential::token(token.secret().clone());
    let mirror = bench.git.mirror(session.repo().id).await?;
    let private = mirror
        .private(private_path(bench, session.repo(), task))
        .await?;
    let bot = bench.github.bot(&session).await?.clone();
    let survey = Survey {
        bench,
        session: &session,
        mirror: &mirror,
        private: &private,
        credential: &credential,
        repo: &repo,
        bot: &bot,
        cancel,
    };
    let ground = survey.ground(trigger).await?;
    let mut config = repo_config(&private, ground.base).await?;
    let wanted = bench.publish.template.as_deref();
    let template = template::find(&private, ground.base, wanted).await;
    let folder = TempFolder::create(&bench.scratch, 0o711)?;
    let base = folder.path().join("base");
    let url = bench.git.url(&session.repo().name);
    let source = Source {
        private: &private,
        url: &url,
        credential: &credential,
        cancel,
    };
    let left = source.lay(ground.base, &base).await?;
    config.warnings.extend(left);
    let start = match ground.start == ground.base {
        true => None,
        false => {
            let path = folder.path().join("start");
            // What stays as it is was told of the base.
            source.lay(ground.start, &path).await?;
            Some(path)
        }
    };
    let objects = Objects {
        mirror: &mirror,
        private: &private,
        url: &url,
        credential: &credential,
    };
    let place = (&*base, folder.path().join("git"));
    let git = git_inside(bench, &objects, ground.base, place, cancel).await?;
    Ok(Prepared {
        private,
        bot,
        ground,
        config,
        is_private: repo.private,
        template,
        _folder: folder,
        base,
        start,
        git,
    })
}

/// From where check-outs are made.
struct Source<'a> {
    private: &'a Private,
    url: &'a str,
    credential: &'a Credential,
    cancel: &'a Cancel,
}

impl Source<'_> {
    /// A fresh check-out of a commit, and what of it is not there, in sentences for a person.
    async fn lay(&self, commit: Oid, folder: &Path) -> Result<Vec<String>, TaskError> {
        let caps = Caps::default();
        let done = self.private.checkout(commit, folder, caps, self.cancel);
        let done = done.await?;
        failure_point("tree-checked-out");
        let bringing = Bringing {
            private: self.private,
            url: self.url,
            credential: Some(self.credential),
            commit,
            folder,
        };
        Ok(bringing.rest(&done, caps, self.cancel).await?)
    }
}

pub(super) fn private_path(bench: &Bench, repo: &RepoRef, task: TaskId) -> PathBuf {
    bench.private.join(format!("{}-{task}.git", repo.id))
}

/// `.github/mend.toml` of the commit that the pull request goes on top of, never of mend's branch.
async fn repo_config(private: &Private, base: Oid) -> Result<RepoConfig, TaskError> {
    match private
        .read_file_at(base, REPO_FILE, REPO_FILE_BYTES)
        .await?
    {
        None => Ok(RepoConfig::default()),
        Some(bytes) => {
            let text = String::from_utf8(bytes)
                .map_err(|_| TaskError::Person(Trouble::NoText(REPO_FILE.into())))?;
            Ok(RepoConfig::parse(&text)?)
        }
    }
}

/// What the maintainer asked to be different this time.
pub(super) fn guidance(trigger: &Trigger) -> Vec<String> {
    let said = match trigger.what.command() {
        Some(Command::Retry {
            guidance: Some(text),
            ..
        }) => Some(text.clone()),
        _ => None,
    };
    let threads = trigger.what.threads();
    let numbered = threads
        .iter()
        .enumerate()
        .map(|(n, thread)| format!("Comment {}. {}", n + 1, thread_guidance(thread)));
    let asked = super::replies::asked(threads.len());
    said.into_iter().chain(numbered).chain(asked).collect()
}
