//! The page of a run, and what it is made of.

mod call;
mod checks;
mod diff;
mod events;
mod head;
mod items;
mod load;
mod texts;
mod time;
mod timeline;

pub(super) use events::{events, overview_events};
pub(super) use texts::{diff_text, log, span, span_part};

use super::access::Viewer;
use super::error::PageError;
use super::layout::{Page, page};
use super::site::Site;
use axum::Extension;
use axum::extract::{Path, Query, State};
use load::Run;
use maud::{Markup, html};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Part {
    /// The first item that is shown, counted from 1.
    #[serde(default)]
    turns: String,
}

/// `GET /runs/{id}?turns=…`
pub(super) async fn show(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Path(id): Path<String>,
    Query(part): Query<Part>,
) -> Result<Markup, PageError> {
    let from = match part.turns.as_str() {
        "" => None,
        text => {
            let n = super::access::number(text).ok_or(PageError::NotFound)?;
            Some(usize::try_from(n).map_err(|_| PageError::NotFound)?)
        }
    };
    let task = site.run_for(&viewer, &id).await?;
    let run = Run::load(site.store(), task).await?;
    let shown = timeline::window(&run, from);
    // News are put at the end: only the last page takes them.
    let is_last = shown.end == run.items.len();
    let events = (!run.has_ended() && is_last).then(|| {
        format!(
            "{}/events?after={}&from={}",
            run.path(),
            run.rev(),
            shown.start + 1
        )
    });
    let content = html! {
        (head::show(&run, &site.0.github_web))
        div.columns {
            div.main {
                (outcome(&run))
                (timeline::show(site.store(), &run, from).await?)
            }
            div.aside {
                (head::now(&run, &viewer))
                (time::waterfall(&run))
                (time::spending(&run))
                (time::guards(&run, &site.0.guards))
            }
        }
    };
    let title = format!(
        "Run {}: {}",
        run.task.id,
        crate::text::visible(&run.task.trigger.title)
    );
    let about = Page {
        title: &title,
        search: "",
        events,
        now: run.now,
    };
    Ok(page(&viewer, &about, &content))
}

/// What came of an ended run; empty, but there, before.
fn outcome(run: &Run) -> Markup {
    let diff = run.text("diff");
    html! {
        div #outcome {
            @if let Some(part) = checks::did_not_start(run) { (part) }
            @if let Some(part) = checks::contradictions(run) { (part) }
            @if let Some(part) = head::summary(run) { (part) }
            @if let Some(part) = checks::show(run) { (part) }
            @if let Some(part) = checks::proof(run) { (part) }
            @if !diff.is_empty() { (diff::show(&diff, &run.path())) }
        }
    }
}
