//! `/`: what runs, waits and has ended.

use super::access::Viewer;
use super::chart;
use super::error::PageError;
use super::layout::{Page, page};
use super::site::Site;
use super::table;
use super::words::{dollars, short};
use crate::store::{Search, State as TaskState};
use axum::Extension;
use axum::extract::State;
use maud::{Markup, html};

const RUNNING: u32 = 50;
const WAITING: u32 = 50;
const RECENT: u32 = 30;

/// `GET /`
pub(super) async fn show(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
) -> Result<Markup, PageError> {
    let content = content(&site, &viewer).await?;
    let about = Page {
        title: "Runs",
        search: "",
        events: Some("/events".into()),
        now: site.store().now_ms().await?,
    };
    Ok(page(&viewer, &about, &content))
}

/// The part that changes, all of it.
pub(super) async fn content(site: &Site, viewer: &Viewer) -> Result<Markup, PageError> {
    let (store, sight) = (site.store(), site.sight(viewer).await?);
    let now = store.now_ms().await?;
    let today = store.today().await?;
    let running = Search {
        state: Some(TaskState::Running),
        ..Search::default()
    };
    let running = store.search(&sight, &running, RUNNING).await?;
    let waiting = store.waiting(&sight, WAITING).await?;
    let (queued, going) = store.count_live(&sight).await?;
    let verdicts = store.verdicts_by_day(&sight, chart::DAYS).await?;
    let spending = store.spent_by_day(&sight, chart::DAYS).await?;
    let recent = store.search(&sight, &Search::default(), RECENT).await?;
    let recent: Vec<_> = recent.into_iter().filter(|t| t.verdict.is_some()).collect();
    let ended: u64 = verdicts.iter().map(|v| v.tasks).sum();
    let tokens: u64 = spending.iter().map(|(_, s)| s.tokens).sum();
    let micro: u64 = spending.iter().map(|(_, s)| s.microdollars).sum();
    Ok(html! {
        div #overview {
            h1.hidden { "Runs" }
            @if !running.is_empty() {
                section aria-labelledby="h-running" {
                    h2 #h-running { "Running" span.count { (going) } }
                    (table::running(&running, now))
                }
            }
            @if !waiting.is_empty() {
                section aria-labelledby="h-waiting" {
                    h2 #h-waiting { "Waiting" span.count { (queued) } }
                    (table::waiting(&waiting, now))
                }
            }
            @if running.is_empty() && waiting.is_empty() {
                p.empty { "Nothing runs or waits. Label an issue, and its run appears here." }
            }
            div.pair {
                section.card aria-labelledby="h-verdicts" {
                    h2 #h-verdicts { "Verdicts" span.count { (ended) " in 30 days" } }
                    (chart::verdicts(&verdicts, today))
                }
                section.card aria-labelledby="h-spend" {
                    h2 #h-spend { "Spend" span.count {
                        (short(tokens)) " tokens in 30 days"
                        @if micro > 0 { ", " (dollars(micro)) } @else if tokens > 0 { ", price unknown" }
                    } }
                    (chart::spending(&spending, today))
                }
            }
            section aria-labelledby="h-recent" {
                h2 #h-recent { "Recent" }
                @if recent.is_empty() { p.empty { "No run has ended yet." } }
                @else {
                    (table::runs(&recent, now))
                    p.more { a href="/search" { "All runs" } }
                }
            }
        }
    })
}
