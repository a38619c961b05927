//! Lists of runs.

use super::icon::icon;
use super::words::{ago, in_a_while, shown, since, stage, standing};
use crate::domain::TriggerKind;
use crate::render::duration;
use crate::store::Task;
use maud::{Markup, html};

/// Where a repository's page is.
pub(super) fn repo_path(task: &Task) -> String {
    format!("/repos/{}", task.trigger.issue.repo.name)
}

/// Title and place of a run.
fn what(task: &Task) -> Markup {
    let issue = &task.trigger.issue;
    html! {
        a.title href={ "/runs/" (task.id) } { (shown(&task.trigger.title)) }
        span.place {
            a href=(repo_path(task)) { (issue.repo.name) } " #" (issue.number)
            @if let Some(word) = asked(task) { " · " (word) }
        }
    }
}

/// How it was asked for, where that is not the label.
pub(super) fn asked(task: &Task) -> Option<&'static str> {
    Some(match task.trigger.what {
        TriggerKind::Label => return None,
        TriggerKind::CommandLine => "command line",
        TriggerKind::Comment { .. } => "comment",
        TriggerKind::Review { .. } => "review",
        TriggerKind::CheckRun { .. } => "button",
    })
}

/// Runs that go on.
pub(super) fn running(tasks: &[Task], now: i64) -> Markup {
    html! {
        table.runs {
            thead { tr { th scope="col" { "Run" } th scope="col" { "Issue" } th scope="col" { "Stage" } th.n scope="col" { "For" } } }
            tbody { @for task in tasks {
                tr {
                    td.id { a href={ "/runs/" (task.id) } { (task.id) } }
                    td.what { (what(task)) }
                    td { (standing(task)) span.under { (stage(task)) } }
                    td.n { (since(now, task.updated_at.max(task.created_at))) }
                }
            } }
        }
    }
}

/// Runs that wait, with their place.
pub(super) fn waiting(tasks: &[Task], now: i64) -> Markup {
    html! {
        table.runs {
            thead { tr { th.n scope="col" { "Place" } th scope="col" { "Issue" } th scope="col" { "Waits for" } th.n scope="col" { "Asked" } } }
            tbody { @for (n, task) in tasks.iter().enumerate() {
                tr {
                    td.n.id { (n + 1) }
                    td.what { (what(task)) }
                    td { (standing(task)) @if task.run_at > now { span.under { "again " (in_a_while(now, task.run_at)) } } }
                    td.n { (ago(now, task.created_at)) }
                }
            } }
        }
    }
}

/// Runs that ended, or all of a search.
pub(super) fn runs(tasks: &[Task], now: i64) -> Markup {
    html! {
        table.runs {
            thead { tr {
                th scope="col" { "Run" } th scope="col" { "Issue" } th scope="col" { "Verdict" }
                th scope="col" { "Pull request" } th.n scope="col" { "Took" } th.n scope="col" { "When" }
            } }
            tbody { @for task in tasks {
                tr {
                    td.id { a href={ "/runs/" (task.id) } { (task.id) } }
                    td.what { (what(task)) }
                    td { (standing(task)) }
                    td { @if let Some(n) = task.reached.pr_number { span.pull { (icon("pull")) "#" (n) } } }
                    td.n { (took(task)) }
                    td.n { (ago(now, task.updated_at)) }
                }
            } }
        }
    }
}

/// The time of the work itself, where the run has ended.
pub(super) fn took(task: &Task) -> String {
    let seconds = task.result.as_ref().and_then(|r| r["seconds"].as_f64());
    seconds.map_or(String::new(), |s| duration((s * 1000.0) as u64))
}
