//! Long texts under addresses of their own: a span, a run's whole log, its diff.

use super::load::Run;
use crate::store::{SpanLine, Store, StoreError};
use crate::text::{strip_ansi, visible};
use crate::web::access::{Viewer, number};
use crate::web::ansi::coloured;
use crate::web::error::PageError;
use crate::web::layout::{Page, page};
use crate::web::site::Site;
use crate::web::words::{exact, prose, size};
use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures::stream;
use maud::{Markup, html};

type Texts = (String, String);

async fn found(
    site: &Site,
    viewer: &Viewer,
    id: &str,
    span: &str,
) -> Result<(i64, i64, Texts), PageError> {
    let task = site.run_for(viewer, id).await?;
    let span = number(span).ok_or(PageError::NotFound)?;
    let whole = site.store().span_whole(task.id, span).await?;
    Ok((task.id.0, span, whole.ok_or(PageError::NotFound)?))
}

fn plain(body: Body) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], body).into_response()
}

/// `GET /runs/{id}/spans/{span}`: all that went in and came out.
pub(in crate::web) async fn span(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Path((id, span)): Path<(String, String)>,
) -> Result<Markup, PageError> {
    let (task, span, (input, output)) = found(&site, &viewer, &id, &span).await?;
    let lines = site
        .store()
        .span_lines(crate::domain::TaskId(task), 0, u32::MAX)
        .await?;
    let line = lines
        .iter()
        .find(|l| l.id == span)
        .ok_or(PageError::NotFound)?;
    let name = line.name.replace('_', " ");
    let content = html! {
        p.crumbs { a href={ "/runs/" (task) "#timeline" } { "run " (task) } span aria-hidden="true" { "/" } "span " (span) }
        h1 { (visible(&name)) }
        (about(line))
        @for (title, part, text) in [("In", "input", &input), ("Out", "output", &output)] {
            section.card aria-labelledby={ "h-" (part) } {
                h2 id={ "h-" (part) } { (title) span.count { (size(text.chars().count() as u64)) }
                    a.side href={ "/runs/" (task) "/spans/" (span) "/" (part) } { "as text" } }
                @if text.is_empty() { p.empty { "Nothing." } }
                @else { pre.out.whole tabindex="0" { (coloured(text)) } }
            }
        }
    };
    let about = Page {
        title: &name,
        search: "",
        events: None,
        now: site.store().now_ms().await?,
    };
    Ok(page(&viewer, &about, &content))
}

fn about(line: &SpanLine) -> Markup {
    let attributes: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&line.attributes).unwrap_or_default();
    html! {
        dl.facts {
            div { dt { "Began" } dd { (exact(line.started_at)) } }
            @if let Some(ms) = line.duration_ms { div { dt { "Took" } dd { (crate::render::duration(ms.max(0).unsigned_abs())) } } }
            @for (name, value) in &attributes {
                div { dt { (visible(name)) } dd { @match value.as_str() { Some(text) => (prose(text)), None => (visible(&value.to_string())) } } }
            }
        }
    }
}

/// `GET /runs/{id}/spans/{span}/{part}`: `input` and `output` as text, `output.html` for the page.
pub(in crate::web) async fn span_part(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Path((id, span, part)): Path<(String, String, String)>,
) -> Result<Response, PageError> {
    let (_, _, (input, output)) = found(&site, &viewer, &id, &span).await?;
    match part.as_str() {
        "input" => Ok(plain(Body::from(visible(&strip_ansi(&input))))),
        "output" => Ok(plain(Body::from(visible(&strip_ansi(&output))))),
        "output.html" => Ok(html! { pre.out tabindex="0" { (coloured(&output)) } }.into_response()),
        _ => Err(PageError::NotFound),
    }
}

/// `GET /runs/{id}/diff`
pub(in crate::web) async fn diff_text(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let task = site.run_for(&viewer, &id).await?;
    let diff = task.result.as_ref().and_then(|r| r["diff"].as_str());
    let diff = diff.filter(|d| !d.is_empty()).ok_or(PageError::NotFound)?;
    Ok(plain(Body::from(diff.to_string())))
}

/// `GET /runs/{id}/log`: everything in order, a span at a time, however long.
pub(in crate::web) async fn log(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let task = site.run_for(&viewer, &id).await?;
    let run = Run::load(site.store(), task).await?;
    let (store, id) = (site.store().clone(), run.task.id);
    let pieces = stream::unfold(run.lines.into_iter(), move |mut lines| {
        let store = store.clone();
        async move {
            let line = lines.next()?;
            let text = entry(&store, id, &line).await;
            Some((text, lines))
        }
    });
    Ok(plain(Body::from_stream(pieces)))
}

async fn entry(
    store: &Store,
    task: crate::domain::TaskId,
    line: &SpanLine,
) -> Result<Bytes, StoreError> {
    let (input, output) = store.span_whole(task, line.id).await?.unwrap_or_default();
    let took = line
        .duration_ms
        .map_or("open".to_string(), |ms| format!("{ms} ms"));
    let mut text = format!(
        "== {} {} {} ({took})\n",
        line.id,
        exact(line.started_at),
        visible(&line.name)
    );
    for (sign, part) in [(">", input), ("<", output)] {
        let part = visible(&strip_ansi(&part));
        part.lines()
            .for_each(|l| text.push_str(&format!("{sign} {l}\n")));
    }
    Ok(Bytes::from(text))
}
