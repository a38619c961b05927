//! News of a run and of the overview, as server-sent events: parts of the page, made here, that take
//! the place of those with the same id.

use super::load::Run;
use super::{outcome, time, timeline};
use crate::domain::TaskId;
use crate::store::Task;
use crate::web::access::{Viewer, number};
use crate::web::error::PageError;
use crate::web::overview;
use crate::web::site::Site;
use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use maud::{Markup, html};
use serde::Deserialize;
use std::convert::Infallible;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;

/// Between looks at a run where no bell rang, and at everything.
const POLL: Duration = Duration::from_millis(250);
const POLL_ALL: Duration = Duration::from_secs(2);
/// Between two pieces of news, so that many changes at once are one.
const GATHER: Duration = Duration::from_millis(50);
/// Between two looks at whether the viewer may still see it.
const ACCESS: Duration = Duration::from_secs(2);
/// A sign of life, so that nothing in between cuts the connection.
const ALIVE: Duration = Duration::from_secs(15);
/// Between two drawings of times and spend.
const SLOW: Duration = Duration::from_secs(1);
/// Items that one piece of news holds; a page that missed more is loaded anew.
const MOST_ITEMS: usize = 60;

#[derive(Deserialize)]
pub(in crate::web) struct From {
    #[serde(default)]
    after: String,
    #[serde(default)]
    from: String,
}

/// What a stream is about.
enum About {
    Overview { last: Option<String> },
    Run(Box<Followed>),
}

struct Followed {
    id: TaskId,
    /// The last writing that was told of.
    rev: i64,
    /// The first item on the page, counted from 1.
    from: usize,
    /// What the task was when it was told of.
    told: Option<Task>,
    drawn: Option<Instant>,
}

struct Stream {
    site: Site,
    viewer: Viewer,
    about: About,
    checked: Instant,
    told: Instant,
    over: bool,
    _place: OwnedSemaphorePermit,
}

async fn answer(site: Site, viewer: Viewer, about: About) -> Result<Response, PageError> {
    let place = site.0.streams.clone().try_acquire_owned();
    let place =
        place.map_err(|_| PageError::Busy("Too many pages are open; this one is not live."))?;
    let state = Stream {
        site,
        viewer,
        about,
        checked: Instant::now(),
        told: Instant::now(),
        over: false,
        _place: place,
    };
    let news = stream::unfold(state, |mut state| async move {
        let event = state.next().await?;
        Some((Ok::<_, Infallible>(event), state))
    });
    Ok(Sse::new(news).into_response())
}

/// `GET /events`: the overview's.
pub(in crate::web) async fn overview_events(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
) -> Result<Response, PageError> {
    answer(site, viewer, About::Overview { last: None }).await
}

/// `GET /runs/{id}/events?after=…&from=…`
pub(in crate::web) async fn events(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Path(id): Path<String>,
    Query(asked): Query<From>,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let task = site.run_for(&viewer, &id).await?;
    // Who comes back says what it heard last.
    let heard = headers.get("last-event-id").and_then(|v| v.to_str().ok());
    let after = heard.and_then(number).or(number(&asked.after)).unwrap_or(0);
    let from = number(&asked.from).unwrap_or(1);
    let about = About::Run(Box::new(Followed {
        id: task.id,
        rev: after,
        from: usize::try_from(from).unwrap_or(1),
        told: None,
        drawn: None,
    }));
    answer(site, viewer, about).await
}

impl Stream {
    /// The next piece of news; `None` ends the stream.
    async fn next(&mut self) -> Option<Event> {
        if self.over {
            return None;
        }
        // What comes within a moment of the last piece of news is one with the next.
        tokio::time::sleep(GATHER.saturating_sub(self.told.elapsed())).await;
        loop {
            let store = self.site.store().clone();
            let (spans, tasks) = (store.spans_changed(), store.tasks_changed());
            if self.checked.elapsed() >= ACCESS && !self.may_see().await {
                self.over = true;
                return Some(Event::default().event("gone").data("gone"));
            }
            match self.look().await {
                Ok(Some(event)) => {
                    self.told = Instant::now();
                    return Some(event);
                }
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "news of a page could not be read"),
            }
            if self.told.elapsed() >= ALIVE {
                self.told = Instant::now();
                return Some(Event::default().comment("alive"));
            }
            let stop = crate::web::act::stopping(&self.site);
            let (of_run, poll) = match self.about {
                About::Overview { .. } => (false, POLL_ALL),
                About::Run(_) => (true, POLL),
            };
            tokio::select! {
                () = spans, if of_run => {}
                () = tasks => {}
                () = tokio::time::sleep(poll) => {}
                () = stop.cancelled() => return None,
            }
        }
    }

    /// Whether the viewer is logged in still, and may read what this is about.
    async fn may_see(&mut self) -> bool {
        self.checked = Instant::now();
        if !self.site.lasts(&self.viewer).await.unwrap_or(false) {
            return false;
        }
        match &self.about {
            About::Overview { .. } => true,
            About::Run(run) => {
                let id = run.id.to_string();
                self.site.run_for(&self.viewer, &id).await.is_ok()
            }
        }
    }

    async fn look(&mut self) -> Result<Option<Event>, PageError> {
        match &mut self.about {
            About::Overview { last } => {
                let now = overview::content(&self.site, &self.viewer)
                    .await?
                    .into_string();
                let stable = without_times(&now);
                let news = last.as_ref().is_some_and(|l| *l != stable);
                *last = Some(stable);
                Ok(news.then(|| put("put", &now, 0)))
            }
            About::Run(run) => {
                let event = run.look(&self.site, &self.viewer).await?;
                self.over = run.told.as_ref().is_some_and(|t| t.verdict.is_some());
                Ok(event)
            }
        }
    }
}

impl Followed {
    async fn look(&mut self, site: &Site, viewer: &Viewer) -> Result<Option<Event>, PageError> {
        let store = site.store();
        let task = store.task(self.id).await?.ok_or(PageError::NotFound)?;
        let rev = store.span_rev(self.id).await?;
        let ended = task.verdict.is_some();
        let same = self.told.as_ref().is_some_and(|t| unchanged(t, &task));
        if same && rev == self.rev {
            return Ok(None);
        }
        let run = Run::load(store, task).await?;
        let changed: Vec<_> = run
            .items
            .iter()
            .skip(self.from - 1)
            .filter(|i| ended || i.spans.iter().any(|n| run.lines[*n].rev > self.rev))
            .collect();
        let kept = changed.len().saturating_sub(MOST_ITEMS);
        let changed = &changed[kept..];
        let texts = timeline::texts(store, &run, changed).await?;
        let slow = ended || !same || self.drawn.is_none_or(|at| at.elapsed() >= SLOW);
        if slow {
            self.drawn = Some(Instant::now());
        }
        let parts: Markup = html! {
            (super::head::now(&run, viewer))
            @for item in changed { (timeline::one(&run, item, &texts)) }
            @if slow { (time::waterfall(&run)) (time::spending(&run)) }
            @if ended { (outcome(&run)) (time::guards(&run, &site.0.guards)) }
        };
        self.rev = run.rev();
        self.told = Some(run.task);
        let kind = if ended { "end" } else { "put" };
        Ok(Some(put(kind, &parts.into_string(), self.rev)))
    }
}

fn unchanged(a: &Task, b: &Task) -> bool {
    (a.state, a.step, a.verdict, a.cancel_requested, a.run_at)
        == (b.state, b.step, b.verdict, b.cancel_requested, b.run_at)
}

/// A piece of news. Carriage returns would end a line of the stream.
fn put(kind: &str, html: &str, rev: i64) -> Event {
    Event::default()
        .event(kind)
        .id(rev.to_string())
        .data(html.replace('\r', ""))
}

/// The overview without the words that change with time alone.
fn without_times(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find("<time") {
        out.push_str(&rest[..at]);
        rest = rest[at..]
            .split_once("</time>")
            .map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}
