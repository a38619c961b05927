//! Which path is which page.

use super::access::entered;
use super::error::PageError;
use super::headers::framed;
use super::site::{Entrance, Site};
use super::{act, api, assets, login, operator, overview, repository, run, search};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

/// Bytes of a form.
const FORM: usize = 64 * 1024;

/// Every page for one way in. Merge it beside other routers: it takes no path of theirs.
pub fn router(site: Site) -> Router {
    let inside = Router::new()
        .route("/", get(overview::show))
        .route("/events", get(run::overview_events))
        .route("/search", get(search::show))
        .route("/repos", get(repository::list))
        .route("/repos/{owner}/{name}", get(repository::show))
        .route("/runs/{id}", get(run::show))
        .route("/runs/{id}/events", get(run::events))
        .route("/runs/{id}/log", get(run::log))
        .route("/runs/{id}/diff", get(run::diff_text))
        .route("/runs/{id}/spans/{span}", get(run::span))
        .route("/runs/{id}/spans/{span}/{part}", get(run::span_part))
        .route("/runs/{id}/stop", post(act::stop).get(act::refused))
        .route("/runs/{id}/retry", post(act::retry).get(act::refused))
        .route("/leave", post(act::leave).get(act::refused))
        .route("/api/tasks", get(api::tasks))
        .route("/api/tasks/{id}", get(api::task))
        .route("/api/tasks/{id}/spans", get(api::spans))
        .route("/api/openapi.json", get(api::description))
        .layer(from_fn_with_state(site.clone(), entered));
    let mut outside = Router::new().route("/static/{name}", get(assets::serve));
    match site.0.entrance {
        Entrance::Operator { .. } => outside = outside.route("/enter", get(operator::enter)),
        Entrance::People(_) => {
            outside = outside
                .route("/login", get(login::begin))
                .route("/login/callback", get(login::back));
        }
    }
    inside
        .merge(outside)
        .fallback(unknown)
        .layer(DefaultBodyLimit::max(FORM))
        .layer(from_fn_with_state(site.clone(), framed))
        .with_state(site)
}

/// What every unknown path answers.
async fn unknown() -> PageError {
    PageError::NotFound
}
