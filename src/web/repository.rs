//! `/repos` and `/repos/{owner}/{name}`: what became of mend's pull requests, and what they cost.

use super::access::Viewer;
use super::chart;
use super::error::PageError;
use super::icon::icon;
use super::layout::{Page, page};
use super::site::Site;
use super::table;
use super::words::{ago, badge, dollars, short, shown, spend, time};
use crate::domain::{RepoName, Spent};
use crate::render::duration;
use crate::store::{PullRecord, Search, Sight};
use axum::Extension;
use axum::extract::{Path, State};
use maud::{Markup, html};
use std::collections::BTreeMap;

const REPOS: u32 = 300;
const PULLS: u32 = 200;
const RUNS: u32 = 30;

/// `GET /repos`
pub(super) async fn list(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
) -> Result<Markup, PageError> {
    let sight = site.sight(&viewer).await?;
    let repos = site.store().known_repos(REPOS).await?;
    let content = html! {
        h1 { "Repositories" }
        table.runs {
            thead { tr { th scope="col" { "Repository" } th.n scope="col" { "Runs" } } }
            tbody { @for repo in repos.iter().filter(|r| sight.sees(r.id)) {
                tr {
                    td.what { a.title href={ "/repos/" (repo.name) } { (icon("repo")) (repo.name) } }
                    td.n { (repo.tasks) }
                }
            } }
        }
    };
    let about = Page {
        title: "Repositories",
        search: "",
        events: None,
        now: site.store().now_ms().await?,
    };
    Ok(page(&viewer, &about, &content))
}

/// `GET /repos/{owner}/{name}`
pub(super) async fn show(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Markup, PageError> {
    let repo: RepoName = format!("{owner}/{name}")
        .parse()
        .map_err(|_| PageError::NotFound)?;
    let store = site.store();
    let id = store
        .repo_of_name(&repo)
        .await?
        .ok_or(PageError::NotFound)?;
    if !site.may_read(&viewer, id).await {
        return Err(PageError::NotFound);
    }
    let sight = Sight::Only(vec![id]);
    let pulls = store.pulls_of(id, PULLS).await?;
    let runs = store.search(&sight, &Search::default(), RUNS).await?;
    let verdicts = store.verdicts_by_day(&sight, chart::DAYS).await?;
    let (now, today) = (store.now_ms().await?, store.today().await?);
    let content = html! {
        h1 { (icon("repo")) (repo) }
        p.links { a href={ (site.0.github_web) "/" (repo) } rel="noreferrer" { "On GitHub" (icon("out")) } }
        (figures(&pulls))
        div.pair {
            section.card aria-labelledby="h-verdicts" {
                h2 #h-verdicts { "Verdicts" }
                (chart::verdicts(&verdicts, today))
            }
            section.card aria-labelledby="h-models" {
                h2 #h-models { "By model" }
                (models(&pulls))
            }
        }
        section aria-labelledby="h-pulls" {
            h2 #h-pulls { "Pull requests" span.count { (pulls.len()) } }
            @if pulls.is_empty() { p.empty { "mend has opened none here yet." } }
            @else { (pull_table(&site, &repo, &pulls, now)) }
        }
        section aria-labelledby="h-runs" {
            h2 #h-runs { "Runs" }
            (table::runs(&runs, now))
            p.more { a href={ "/search?q=" (super::search::form_urlencoded(&repo.to_string())) } { "All runs" } }
        }
    };
    let title = repo.to_string();
    let about = Page {
        title: &title,
        search: &title,
        events: None,
        now,
    };
    Ok(page(&viewer, &about, &content))
}

fn merged(pull: &PullRecord) -> bool {
    pull.end.as_ref().is_some_and(|e| e.merged)
}

/// Whether it took more than mend's first run: another run, or commits of people.
fn reworked(pull: &PullRecord) -> bool {
    pull.runs > 1 || pull.people_committed
}

/// Milliseconds from opening to merging.
fn to_merge(pull: &PullRecord) -> Option<u64> {
    let end = pull.end.as_ref().filter(|e| e.merged)?;
    let opened = match end.opened_at {
        0 => pull.first_at,
        at => at,
    };
    Some((end.ended_at - opened).max(0).unsigned_abs())
}

fn median(mut all: Vec<u64>) -> Option<u64> {
    all.sort_unstable();
    all.get(all.len() / 2).copied()
}

fn figures(pulls: &[PullRecord]) -> Markup {
    let count = |wanted: &dyn Fn(&PullRecord) -> bool| pulls.iter().filter(|p| wanted(p)).count();
    let time = median(pulls.iter().filter_map(to_merge).collect());
    html! {
        dl.figures {
            div { dt { "Opened" } dd { (pulls.len()) } }
            div { dt { "Merged" } dd { (count(&merged)) } }
            div { dt { "Closed" } dd { (count(&|p| p.end.is_some() && !merged(p))) } }
            div { dt { "Open" } dd { (count(&|p| p.end.is_none())) } }
            div { dt { "Reworked" } dd title="another run, or commits of people, after the first" { (count(&reworked)) } }
            div { dt { "Time to merge" } dd title="median, from opening" {
                @match time { Some(ms) => (duration(ms)), None => span.dim { "–" } }
            } }
        }
    }
}

/// What a merged pull request cost, by the model of its last run; what was spent on those that were
/// not merged counts too.
fn models(pulls: &[PullRecord]) -> Markup {
    let mut all: BTreeMap<&str, (usize, usize, Spent)> = BTreeMap::new();
    for pull in pulls {
        let entry = all.entry(pull.model.as_str()).or_default();
        entry.0 += 1;
        entry.1 += usize::from(merged(pull));
        entry.2.tokens += pull.spent.tokens;
        entry.2.microdollars += pull.spent.microdollars;
    }
    html! {
        @if all.is_empty() { p.empty { "Nothing is known yet." } }
        @else { table {
            thead { tr { th scope="col" { "Model" } th.n scope="col" { "Opened" } th.n scope="col" { "Merged" } th.n scope="col" { "Spend per merged" } } }
            tbody { @for (model, (opened, merged, spent)) in all {
                tr {
                    td { @if model.is_empty() { span.dim { "not known" } } @else { (shown(model)) } }
                    td.n { (opened) }
                    td.n { (merged) }
                    td.n {
                        @match u64::try_from(merged) {
                            Ok(0) | Err(_) => span.dim { "–" },
                            Ok(n) => {
                                (short(spent.tokens / n)) " tokens"
                                @if spent.microdollars > 0 { ", " (dollars(spent.microdollars / n)) }
                            }
                        }
                    }
                }
            } }
        } }
    }
}

fn pull_table(site: &Site, repo: &RepoName, pulls: &[PullRecord], now: i64) -> Markup {
    html! {
        table.runs {
            thead { tr {
                th scope="col" { "Pull request" } th scope="col" { "State" } th scope="col" { "Work" }
                th scope="col" { "Spend" } th.n scope="col" { "To merge" } th.n scope="col" { "When" }
            } }
            tbody { @for pull in pulls {
                tr {
                    td.what {
                        a.title href={ (site.0.github_web) "/" (repo) "/pull/" (pull.number) } rel="noreferrer" { "#" (pull.number) " " (shown(&pull.title)) }
                        span.place { "for #" (pull.issue) " · " a href={ "/runs/" (pull.last_task) } { "last run" } }
                    }
                    td { @match &pull.end {
                        None => (badge("live", "pull", "open")),
                        Some(end) if end.merged => (badge("good", "merged", "merged")),
                        Some(_) => (badge("calm", "cross", "closed")),
                    } }
                    td {
                        @if pull.runs == 1 { "1 run" } @else { (pull.runs) " runs" }
                        @if pull.people_committed { ", commits of people" }
                    }
                    td { (spend(&pull.spent)) }
                    td.n { @if let Some(ms) = to_merge(pull) { (duration(ms)) } }
                    td.n { @match &pull.end { Some(end) => (ago(now, end.ended_at)), None => (time(pull.first_at, "open")) } }
                }
            } }
        }
    }
}
