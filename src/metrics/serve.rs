//! `/metrics`, `/healthz`, `/readyz`.

use super::meter::Meter;
use super::text::Page;
use crate::domain::Cancel;
use crate::github::Github;
use crate::store::{Store, StoreError};
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::time::Duration;

/// A database that takes longer is not there, as far as this page goes.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the pages are made from.
#[derive(Clone)]
pub struct Vitals {
    pub store: Store,
    pub github: Github,
    pub meter: Meter,
    /// Fires when the process begins to end.
    pub draining: Cancel,
}

/// The three pages.
pub fn router(vitals: Vitals) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .with_state(vitals)
}

async fn metrics(State(vitals): State<Vitals>) -> Response {
    let text = vitals.text().await;
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// 200 while work can be taken; else the reason.
async fn ready(State(vitals): State<Vitals>) -> Response {
    if vitals.draining.is_cancelled() {
        return unready("mend is ending");
    }
    match tokio::time::timeout(PATIENCE, vitals.store.is_ready()).await {
        Ok(Ok(())) => "ready\n".into_response(),
        Ok(Err(StoreError::Newer { .. })) => unready("the database's schema is another version's"),
        _ => unready("the database is out of reach"),
    }
}

fn unready(why: &str) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")).into_response()
}

impl Vitals {
    async fn text(&self) -> String {
        let mut page = Page::default();
        let name = "mend_build_info";
        page.family(name, "gauge", "The version of this program.");
        page.sample(name, &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
        self.tasks(&mut page);
        let up = match tokio::time::timeout(PATIENCE, self.queue(&mut page)).await {
            Ok(Ok(())) => 1.0,
            _ => 0.0,
        };
        let name = "mend_database_up";
        page.family(
            name,
            "gauge",
            "Whether the database answered for this page.",
        );
        page.sample(name, &[], up);
        self.meter.write(&mut page);
        self.limits(&mut page);
        page.end()
    }

    /// Ended by this process, since it began.
    fn tasks(&self, page: &mut Page) {
        let name = "mend_tasks_ended_total";
        page.family(
            name,
            "counter",
            "Tasks that this process ended, by verdict.",
        );
        for (verdict, n) in self.store.tally().ended() {
            page.sample(name, &[("verdict", verdict)], n as f64);
        }
        let name = "mend_deliveries_total";
        page.family(
            name,
            "counter",
            "Webhooks that this process stored or ended, by result.",
        );
        for (result, n) in self.store.tally().deliveries() {
            page.sample(name, &[("result", result)], n as f64);
        }
    }

    async fn queue(&self, page: &mut Page) -> Result<(), StoreError> {
        let queue = self.store.queue_lengths().await?;
        let name = "mend_tasks";
        page.family(name, "gauge", "Tasks that wait or run, over all processes.");
        page.sample(name, &[("state", "queued")], queue.queued as f64);
        page.sample(name, &[("state", "running")], queue.running as f64);
        let name = "mend_queue_oldest_seconds";
        page.family(
            name,
            "gauge",
            "How long the oldest task waits that could run now.",
        );
        page.sample(name, &[], queue.oldest_ms as f64 / 1000.0);
        let name = "mend_deliveries_waiting";
        page.family(
            name,
            "gauge",
            "Webhooks that were stored and not admitted yet.",
        );
        page.sample(name, &[], queue.deliveries as f64);
        Ok(())
    }

    fn limits(&self, page: &mut Page) {
        let figures = self.github.figures();
        let name = "mend_github_requests_total";
        page.family(
            name,
            "counter",
            "Requests to GitHub, by class of the answer's status.",
        );
        for (class, n) in figures.answers {
            page.sample(name, &[("status", class)], n as f64);
        }
        let name = "mend_github_rate_limited_total";
        page.family(name, "counter", "Answers of GitHub that told a limit.");
        page.sample(name, &[("limit", "primary")], figures.primary as f64);
        page.sample(name, &[("limit", "secondary")], figures.secondary as f64);
        if let Some((remaining, limit)) = figures.remaining {
            let name = "mend_github_rate_limit_remaining";
            page.family(
                name,
                "gauge",
                "Requests left in the hour, by the last answer.",
            );
            page.sample(name, &[], remaining as f64);
            let name = "mend_github_rate_limit";
            page.family(name, "gauge", "Requests of an hour, by the last answer.");
            page.sample(name, &[], limit as f64);
        }
    }
}
