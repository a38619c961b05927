//! The head of a run's page: what it is about, where it stands, what can be done.

use super::load::Run;
use crate::domain::{Reason, SpanKind, Usage};
use crate::render::{duration, thousands};
use crate::store::State;
use crate::text::visible;
use crate::web::access::Viewer;
use crate::web::icon::icon;
use crate::web::table::{asked, repo_path};
use crate::web::words::{ago, dollars, in_a_while, prose, shown, since, stage, standing};
use maud::{Markup, html};
use serde::Deserialize;

/// The pull request of a run, as it is kept with its result.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Published {
    pub number: u64,
    pub title: String,
    pub draft: bool,
    pub head: String,
    pub base: String,
}

pub(super) fn show(run: &Run, github_web: &str) -> Markup {
    let issue = &run.task.trigger.issue;
    let repo = format!("{github_web}/{}", issue.repo.name);
    let pull = run.task.reached.pr_number;
    html! {
        div.head {
            p.crumbs {
                a href=(repo_path(&run.task)) { (icon("repo")) (issue.repo.name) }
                span aria-hidden="true" { "/" } "run " (run.task.id)
            }
            h1 { (shown(&run.task.trigger.title)) }
            p.links {
                a href={ (repo) "/issues/" (issue.number) } rel="noreferrer" { (icon("issue")) "Issue #" (issue.number) (icon("out")) }
                @if let Some(n) = pull {
                    a href={ (repo) "/pull/" (n) } rel="noreferrer" { (icon("pull")) "Pull request #" (n) (icon("out")) }
                    a href={ (repo) "/pull/" (n) "/checks" } rel="noreferrer" { (icon("check")) "Its checks" (icon("out")) }
                }
            }
        }
    }
}

/// Where the run stands, and what can be done about it: this changes while it runs.
pub(super) fn now(run: &Run, viewer: &Viewer) -> Markup {
    let task = &run.task;
    let live = !run.has_ended();
    html! {
        section #now.card.now aria-label="Where it stands" {
            div.line.first {
                (standing(task))
                span.stage { @match (live, task.state) {
                    (true, State::Running) => { (doing(run)) },
                    (true, _) => { (waits(run)) },
                    (false, _) => { (why(run)) },
                } }
            }
            @if let Some(error) = error(run) { p.error { (prose(&error)) } }
            (facts(run))
            (forms(run, viewer))
        }
    }
}

fn error(run: &Run) -> Option<String> {
    let of_result = run.text("error");
    match of_result.is_empty() {
        false => Some(of_result),
        true => run.task.error.clone(),
    }
}

/// What the run does at this moment.
fn doing(run: &Run) -> Markup {
    let last = run.items.last().map(|item| item.title(&run.lines));
    html! {
        @match last { Some(title) => { (title) }, None => (stage(&run.task)) }
        @if let Some(item) = run.items.last() { ", " (since(run.now, item.head(&run.lines).started_at)) }
    }
}

fn waits(run: &Run) -> Markup {
    let task = &run.task;
    html! {
        @if task.state != State::Queued { "ends in words now" }
        @else if task.run_at > run.now { "goes on " (in_a_while(run.now, task.run_at)) }
        @else { "waits for a worker since " (ago(run.now, task.run_at)) }
    }
}

/// Why the verdict is what it is, in a clause.
fn why(run: &Run) -> &'static str {
    let reason: Option<Reason> = run.result("reason");
    match reason {
        None => "",
        Some(reason) => match reason {
            Reason::Fixed => "the check was red and is green",
            Reason::FixedOthersFailBefore => "fixed; what still fails failed before",
            Reason::Reproduced => "a test that it adds is red without the change and green with it",
            Reason::CheckIsDeaf => "the check stays green where it has to be red",
            Reason::HarnessChanged => "the change reaches what runs or reports the tests",
            Reason::TestsLost => "tests that ran before do not run any more",
            Reason::TestsInSourceChanged => "the change touches tests inside source files",
            Reason::OnlyTestsChanged => "nothing but tests and documents is changed",
            Reason::FixedByTestFiles => "not fixed without the test files that it adds",
            Reason::NoChange => "nothing had to be changed",
            Reason::Question => "one answer is needed",
            Reason::Answer => "the report asked something that needs no change",
            Reason::LimitReached => "a limit ended the work",
            Reason::Stopped => "somebody stopped it",
            Reason::ModelUnreachable => "the model gave no answer",
            Reason::Contradiction => "a test contradicts the report",
            Reason::DoubtedTest => "the model doubts a test",
            Reason::CheckDidntStart => "the check didn't start",
            Reason::CheckTimedOut => "the check ran into its time limit",
            Reason::NotChecked => "nothing was checked",
            Reason::NewlyBroken => "something is newly broken",
            Reason::FlakyLeft => "what is red passed when it ran again alone",
            Reason::NotFixedYet => "not fixed yet",
            Reason::NotReproduced => "no test shows the bug",
            Reason::NoBase => "there is no base to compare with",
        },
    }
}

fn facts(run: &Run) -> Markup {
    let task = &run.task;
    let used: Usage = run.result("usage");
    let seconds: f64 = run.result("seconds");
    let model = match task.model.is_empty() {
        false => task.model.clone(),
        true => model_of(run),
    };
    html! {
        dl.facts {
            div { dt { "Asked by" } dd { (shown(&task.trigger.by.login)) @if let Some(word) = asked(task) { ", " (word) } } }
            div { dt { "Asked" } dd { (ago(run.now, task.created_at)) } }
            @if run.has_ended() { div { dt { "Ended" } dd { (ago(run.now, task.updated_at)) } } }
            @if seconds > 0.0 {
                div { dt { "Took" } dd { (duration((seconds * 1000.0) as u64))
                    @let checks: f64 = run.result("checks_seconds");
                    @if checks > 0.0 { span.dim { ", checks " (duration((checks * 1000.0) as u64)) } }
                } }
            }
            @if !model.is_empty() { div { dt { "Model" } dd { (visible(&model)) } } }
            div { dt { "Spend" } dd {
                @if used.input_tokens > 0 {
                    (thousands(used.input_tokens)) " in, " (thousands(used.output_tokens)) " out"
                    @match used.dollars { Some(d) => { ", " (dollars((d * 1e6) as u64)) }, None => span.dim { ", price unknown" } }
                } @else { (crate::web::words::spend(&run.spent)) }
            } }
            @if task.attempt > 1 { div { dt { "Attempt" } dd { (task.attempt) " of " (task.max_attempts) } } }
            @if let Some(base) = &task.reached.base_sha { div { dt { "Base" } dd { code { (short_sha(base)) } } } }
            @if let Some(head) = &task.reached.head_sha { div { dt { "Commit" } dd { code { (short_sha(head)) } } } }
        }
    }
}

fn model_of(run: &Run) -> String {
    let line = run.lines.iter().find(|l| l.kind == SpanKind::Model);
    let name = line.map(|l| super::items::attribute(l, "gen_ai.request.model"));
    name.and_then(|n| n.as_str().map(String::from))
        .unwrap_or_default()
}

fn short_sha(sha: &str) -> String {
    visible(sha.get(..7).unwrap_or(sha))
}

fn forms(run: &Run, viewer: &Viewer) -> Markup {
    let path = run.path();
    html! {
        @if !run.has_ended() {
            @if !run.task.cancel_requested {
                form.act action={ (path) "/stop" } method="post" {
                    input type="hidden" name="csrf" value=(viewer.csrf());
                    button.danger type="submit" { (icon("stop")) "Stop" }
                    span.dim { "keeps what there is" }
                }
            }
        } @else {
            details.act id="retry" {
                summary { (icon("retry")) "Retry" }
                form action={ (path) "/retry" } method="post" {
                    input type="hidden" name="csrf" value=(viewer.csrf());
                    label for="guidance" { "What should be different? (optional)" }
                    textarea #guidance name="guidance" rows="3" maxlength="4000" {}
                    button type="submit" { "Run again" }
                }
            }
        }
    }
}

/// What the model says it did, and what was published of it.
pub(super) fn summary(run: &Run) -> Option<Markup> {
    let summary = run.text("summary");
    let published: Option<Published> = run.result("pull_request");
    let kept: Option<Published> = run.result("unpublished");
    if summary.trim().is_empty() && published.is_none() && kept.is_none() {
        return None;
    }
    Some(html! {
        section #summary.card aria-labelledby="h-summary" {
            h2 #h-summary { "Summary" span.count { "the model's words" } }
            @if !summary.trim().is_empty() { div.said.large { (prose(&summary)) } }
            @if let Some(p) = published {
                p.under { (icon("pull")) b { (visible(&p.title)) } @if p.draft { " (draft)" } ": " code { (visible(&p.head)) } " into " code { (visible(&p.base)) } }
            } @else if let Some(p) = kept {
                p.under { "Not published: " b { (visible(&p.title)) } ", for " code { (visible(&p.head)) } }
            }
        }
    })
}
