//! One installed repository: cloned into a throwaway mirror, asked whether it takes a push, and
//! whether it has the label. Nothing is written to it.

use super::Doctor;
use crate::domain::{Cancel, RepoRef};
use crate::git::{Credential, Depth, Git, GitError, GitSettings};
use crate::github::{Github, GithubError, Installation, Purpose, RepoInfo, Session};
use crate::onboard::report::Finding;
use crate::tree::TempFolder;
use std::time::{Duration, Instant};

/// Of one conversation.
const TIME: Duration = Duration::from_secs(120);
/// Repositories of which the smallest is chosen.
const LARGE_KIB: u64 = 2 << 20;

pub(super) async fn look(doctor: &Doctor, github: &Github, install: &Installation) -> Vec<Finding> {
    let (repo, info) = match chosen(doctor, github, install).await {
        Ok(found) => found,
        Err(finding) => return vec![finding],
    };
    let session = github.session(&repo);
    let mut findings = Vec::new();
    let size = info.size;
    match git(doctor) {
        Err((finding, _)) => findings.push(finding),
        Ok((git, folder)) => {
            findings.push(clone(&git, &session, &info).await);
            findings.push(push(&git, &session).await);
            if let Err(error) = folder.close() {
                tracing::debug!(%error, "a throwaway mirror was left");
            }
        }
    }
    if size > LARGE_KIB {
        let what = format!("{} has {} GiB", repo.name, size >> 20);
        let remedy = "its first clone brings one commit only, and takes long all the same: give `server.state_dir` room for it";
        findings.push(Finding::warning("size", what, remedy));
    }
    findings.push(label(doctor, &session).await);
    if let Err(error) = session.revoke_all().await {
        tracing::debug!(%error, "a token was not revoked and expires by itself");
    }
    findings
}

/// The named repository, or the smallest of those that mend may work on.
async fn chosen(
    doctor: &Doctor,
    github: &Github,
    install: &Installation,
) -> Result<(RepoRef, RepoInfo), Finding> {
    let name = "repository";
    let trouble = |e: GithubError| {
        let remedy = "accept the App's permissions where it is installed, then try again";
        Finding::failed(name, e.to_string(), remedy)
    };
    if let Some(wanted) = &doctor.repo {
        let repo = github.repo_named(wanted).await.map_err(|e| match e {
            GithubError::NotFound(_) => Finding::failed(
                name,
                format!("the App is not installed on {wanted}"),
                "add the repository to the installation, or check its name",
            ),
            other => trouble(other),
        })?;
        let info = github.session(&repo).repo_info().await.map_err(trouble)?;
        return Ok((repo, info));
    }
    let all = github.installed_repos(install.id).await.map_err(trouble)?;
    let repos = &doctor.settings.parts.repos;
    let fits = |r: &RepoInfo| r.full_name.parse().is_ok_and(|n| repos.allows(&n));
    let none = |what: &str, remedy: &str| Finding::failed(name, what, remedy);
    if all.is_empty() {
        return Err(none(
            "the installation holds no repository",
            "choose repositories for it in the account's settings (GitHub Apps, Configure)",
        ));
    }
    let smallest = all.into_iter().filter(fits).min_by_key(|r| r.size);
    let info = smallest.ok_or_else(|| {
        none(
            "`repos.allow` names none of the installation's repositories",
            "correct `repos.allow`, or take it away",
        )
    })?;
    let repo = RepoRef {
        id: info.id,
        name: info.full_name.parse().map_err(|_| {
            none(
                "GitHub names a repository that mend cannot read",
                "report a bug",
            )
        })?,
        installation_id: install.id,
    };
    Ok((repo, info))
}

fn git(doctor: &Doctor) -> Result<(Git, TempFolder), (Finding, ())> {
    let s = &doctor.settings.parts.github;
    let fail = |what: String, remedy: &str| (Finding::failed("clone", what, remedy), ());
    let folder = TempFolder::create(&doctor.temporary, 0o700)
        .map_err(|e| fail(e.to_string(), "give the temporary folder (TMPDIR) room"))?;
    let mut wanted = GitSettings::new(folder.path().join("mirrors"), s.web_url.clone());
    wanted.time = TIME;
    wanted.proxy.clone_from(&s.proxy);
    wanted.ca = match &s.ca_file {
        Some(file) => super::certificates(file).ok(),
        None => None,
    };
    let git = Git::new(wanted).map_err(|e| fail(e.to_string(), "check `github.web_url`"))?;
    Ok((git, folder))
}

async fn clone(git: &Git, session: &Session, info: &RepoInfo) -> Finding {
    let (name, repo) = ("clone", session.repo());
    let token = match session.token(Purpose::Read).await {
        Ok(token) => token,
        Err(e) => return refused(name, &e),
    };
    if info.default_branch.is_empty() {
        let remedy = "push a first commit";
        return Finding::warning(name, format!("{} is empty", repo.name), remedy);
    }
    let credential = Credential::token(token.secret().clone());
    let (url, branch) = (
        git.url(&repo.name),
        format!("refs/heads/{}", info.default_branch),
    );
    let start = Instant::now();
    let wanted = [branch];
    let fetched = async {
        let mirror = git.mirror(repo.id).await?;
        let depth = Depth::Commits(1);
        mirror
            .fetch(&url, &wanted, Some(&credential), depth, &Cancel::new())
            .await
    };
    match fetched.await {
        Ok(fetched) => {
            let commit = fetched.refs.values().next().map(ToString::to_string);
            let seconds = start.elapsed().as_secs_f64();
            match commit {
                Some(id) => Finding::ok(
                    name,
                    format!(
                        "{} at {} in {seconds:.1} s",
                        repo.name,
                        id.get(..7).unwrap_or(&id)
                    ),
                ),
                None => Finding::warning(
                    name,
                    format!("{} is empty", repo.name),
                    "push a first commit",
                ),
            }
        }
        Err(error) => Finding::failed(name, error.to_string(), remedy_of(&error)),
    }
}

fn remedy_of(error: &GitError) -> &'static str {
    match error {
        GitError::Transient { .. } | GitError::TimedOut { .. } => {
            "check that this machine reaches `github.web_url`; behind a proxy set `github.proxy`, with a certificate of your own `github.ca_file`"
        }
        GitError::Auth { .. } => {
            "give the App `contents: write` and accept it where it is installed"
        }
        GitError::TooLarge { .. } => {
            "mend brings at most 2 GiB in one fetch: take the repository out of the installation"
        }
        _ => "check `github.web_url`: git is spoken there",
    }
}

async fn push(git: &Git, session: &Session) -> Finding {
    let (name, repo) = ("push", session.repo());
    let token = match session.token(Purpose::Publish).await {
        Ok(token) => token,
        Err(e) => return refused(name, &e),
    };
    let credential = Credential::token(token.secret().clone());
    let url = git.url(&repo.name);
    match git.may_push(&url, &credential, &Cancel::new()).await {
        Ok(()) => Finding::ok(
            name,
            format!("{} would take a push (nothing was sent)", repo.name),
        ),
        Err(error) => Finding::failed(name, error.to_string(), remedy_of(&error)),
    }
}

fn refused(name: &'static str, error: &GithubError) -> Finding {
    let remedy = match error {
        GithubError::Validation(_) | GithubError::Forbidden(_) => {
            "give the App `contents: write` and `pull_requests: write`, and accept them where it is installed"
        }
        _ => "try again",
    };
    Finding::failed(name, error.to_string(), remedy)
}

async fn label(doctor: &Doctor, session: &Session) -> Finding {
    let (name, repo) = ("label", &session.repo().name);
    let label = &doctor.settings.parts.github.label;
    match session.has_label(label).await {
        Ok(true) => Finding::ok(name, format!("{repo} has the label `{label}`")),
        Ok(false) => Finding::warning(
            name,
            format!("{repo} has no label `{label}`, so nobody can put it on an issue"),
            format!("make it: {}/labels (New label)", web_of(doctor, repo)),
        ),
        Err(e) => Finding::warning(name, e.to_string(), "try again"),
    }
}

fn web_of(doctor: &Doctor, repo: &crate::domain::RepoName) -> String {
    format!("{}/{repo}", doctor.settings.parts.github.web_url)
}
