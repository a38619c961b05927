//! What a pull request brings: commits, checks, changed files; also a commit's and a check run's
//! own page.

use super::super::answer::Refusal;
use super::super::git::CommitInfo;
use super::super::state::{CheckRun, Pull, Repo, World};
use super::layout::{Tab, page, url, when};
use super::{diff, markdown};
use maud::{Markup, html};

fn short(sha: &str) -> &str {
    sha.get(..7).unwrap_or(sha)
}

pub(super) fn changes(world: &World, repo: &Repo, pull: &Pull) -> Result<Markup, Refusal> {
    let compared = world
        .store(repo.id)?
        .compare(&pull.base_sha, &pull.head_sha)?;
    let checks: Vec<&CheckRun> = repo
        .checks
        .iter()
        .filter(|c| c.head_sha == pull.head_sha)
        .collect();
    Ok(html! {
        section aria-labelledby="commits" {
            h2 id="commits" { "Commits" }
            ul.list { @for commit in &compared.commits { (commit_line(repo, commit)) } }
        }
        section aria-labelledby="checks" {
            h2 id="checks" { "Checks" }
            @if checks.is_empty() { p.dim { "No check run on " code { (short(&pull.head_sha)) } "." } }
            @else { ul.list { @for run in checks { (check_line(repo, run)) } } }
        }
        section aria-labelledby="files" {
            h2 id="files" { "Files changed" }
            (diff::files(&compared.files))
        }
    })
}

fn commit_line(repo: &Repo, commit: &CommitInfo) -> Markup {
    html! {
        li {
            a href={ (url(repo)) "/commit/" (commit.sha) } {
                (commit.message.lines().next().unwrap_or("(no message)"))
            }
            small {
                code { (short(&commit.sha)) } " · " (commit.author.name) " · "
                (when(commit.author.at))
            }
        }
    }
}

/// Colour and words of a check run's state.
fn verdict(run: &CheckRun) -> (&'static str, String) {
    match run.conclusion.as_deref() {
        None => ("draft", run.status.replace('_', " ")),
        Some("success") => ("open", "success".to_string()),
        Some("failure" | "timed_out" | "action_required") => (
            "closed",
            run.conclusion.clone().unwrap_or_default().replace('_', " "),
        ),
        Some(other) => ("draft", other.replace('_', " ")),
    }
}

fn check_line(repo: &Repo, run: &CheckRun) -> Markup {
    let (class, words) = verdict(run);
    html! {
        li {
            span class={ "dot " (class) } aria-hidden="true" {}
            a.check href={ (url(repo)) "/runs/" (run.id) } { (run.name) } " " span.dim { (words) }
            @if let Some(title) = &run.title { small { (title) } }
        }
    }
}

pub(super) fn check_run(repo: &Repo, run: &CheckRun) -> Markup {
    let (class, words) = verdict(run);
    let content = html! {
        h1 { (run.name) }
        div.meta { span class={ "state " (class) } { (words) } " on " code { (short(&run.head_sha)) } }
        @if let Some(title) = &run.title { h2 { (title) } }
        @for text in [&run.summary, &run.text].into_iter().flatten() {
            div.comment { div.body { (markdown::render(text, &url(repo))) } }
        }
    };
    page(
        &format!("{} · {}", run.name, repo.full_name()),
        Some((repo, Tab::Pulls)),
        &content,
    )
}

pub(super) fn commit(world: &World, repo: &Repo, sha: &str) -> Result<Markup, Refusal> {
    let store = world.store(repo.id)?;
    let commit = store.commit(sha)?;
    let files = store.files_of(&commit.sha)?;
    let mut lines = commit.message.splitn(2, '\n');
    let title = lines.next().unwrap_or_default();
    let rest = lines.next().unwrap_or_default().trim();
    let content = html! {
        h1 { (title) }
        @if !rest.is_empty() { pre { (rest) } }
        div.meta {
            code { (commit.sha) } " · " (commit.author.name) " · " (when(commit.author.at))
        }
        (diff::files(&files))
    };
    Ok(page(
        &format!("{title} · {}", repo.full_name()),
        Some((repo, Tab::Pulls)),
        &content,
    ))
}

pub(super) fn file(repo: &Repo, rev: &str, path: &str, text: &str) -> Markup {
    let content = html! {
        h1 { (path) }
        div.meta { "at " code { (rev) } }
        pre { (text) }
    };
    page(
        &format!("{path} · {}", repo.full_name()),
        Some((repo, Tab::Issues)),
        &content,
    )
}
