//! The pages' facts as JSON, for scripts: same sessions, same rights.

mod description;
mod shapes;

pub(super) use description::description;

use super::access::{Viewer, number};
use super::error::PageError;
use super::search::read;
use super::site::Site;
use crate::domain::TaskId;
use crate::store::{Search, State as TaskState};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::json;
use shapes::{ApiSpan, ApiTask, ApiTaskWhole};

/// Tasks or spans of one answer at most.
const MOST: u32 = 200;
const PLAIN: u32 = 50;

/// An answer that is none, as JSON.
pub(super) struct ApiError(PageError);

impl From<PageError> for ApiError {
    fn from(error: PageError) -> Self {
        ApiError(error)
    }
}

impl From<crate::store::StoreError> for ApiError {
    fn from(error: crate::store::StoreError) -> Self {
        ApiError(error.into())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = match &self.0 {
            PageError::NotFound => StatusCode::NOT_FOUND,
            PageError::NoSession => StatusCode::UNAUTHORIZED,
            PageError::Refused(_) => StatusCode::FORBIDDEN,
            PageError::Wrong(_) => StatusCode::BAD_REQUEST,
            PageError::Busy(_) | PageError::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        let words = match &self.0 {
            PageError::Store(error) => {
                tracing::error!(%error, "an answer could not be made");
                "the database does not answer".to_string()
            }
            other => other.to_string(),
        };
        (status, Json(json!({ "error": words }))).into_response()
    }
}

/// What who is not logged in gets.
pub(super) fn refused(error: PageError) -> Response {
    ApiError(error).into_response()
}

#[derive(Deserialize)]
pub(super) struct Asked {
    /// As the search field of the pages.
    #[serde(default)]
    q: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    before: String,
    #[serde(default)]
    limit: String,
}

fn limit(text: &str) -> Result<u32, PageError> {
    if text.is_empty() {
        return Ok(PLAIN);
    }
    let n = number(text).and_then(|n| u32::try_from(n).ok());
    n.filter(|n| *n <= MOST)
        .ok_or(PageError::Wrong("limit is a number from 1 to 200"))
}

/// `GET /api/tasks`
pub(super) async fn tasks(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Query(asked): Query<Asked>,
) -> Result<Json<Vec<ApiTask>>, ApiError> {
    if asked.q.chars().count() > 200 {
        return Err(PageError::Wrong("q has at most 200 characters").into());
    }
    let state = match asked.state.as_str() {
        "" => None,
        word => Some(
            word.parse::<TaskState>()
                .map_err(|_| PageError::Wrong("state is queued, running, done or dead"))?,
        ),
    };
    let before = match asked.before.as_str() {
        "" => None,
        text => Some(TaskId(
            number(text).ok_or(PageError::Wrong("before is the id of a task"))?,
        )),
    };
    let wanted = Search {
        state,
        before,
        ..read(&asked.q)
    };
    let sight = site.sight(&viewer).await?;
    let found = site
        .store()
        .search(&sight, &wanted, limit(&asked.limit)?)
        .await?;
    Ok(Json(found.iter().map(ApiTask::of).collect()))
}

/// `GET /api/tasks/{id}`
pub(super) async fn task(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Path(id): Path<String>,
) -> Result<Json<ApiTaskWhole>, ApiError> {
    let task = site.run_for(&viewer, &id).await?;
    let spent = site.store().spent_of(task.id).await?;
    let guards = site.store().fired(task.id).await?;
    Ok(Json(ApiTaskWhole::of(&task, spent, guards)))
}

#[derive(Deserialize)]
pub(super) struct After {
    /// The number of the last writing that is known.
    #[serde(default)]
    after: String,
    #[serde(default)]
    limit: String,
}

/// `GET /api/tasks/{id}/spans`
pub(super) async fn spans(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Path(id): Path<String>,
    Query(asked): Query<After>,
) -> Result<Json<Vec<ApiSpan>>, ApiError> {
    let task = site.run_for(&viewer, &id).await?;
    let after = match asked.after.as_str() {
        "" | "0" => 0,
        text => number(text).ok_or(PageError::Wrong("after is a number of a writing"))?,
    };
    let found = site
        .store()
        .spans(task.id, after, limit(&asked.limit)?)
        .await?;
    Ok(Json(found.into_iter().map(ApiSpan::of).collect()))
}
