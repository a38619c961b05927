//! Check runs on a commit.

use super::client::{Ask, segment};
use super::error::GithubError;
use super::session::{Purpose, Session};
use super::wire::{CheckRunInfo, list};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// How a check run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    Success,
    Failure,
    Neutral,
    Cancelled,
    TimedOut,
    ActionRequired,
    Skipped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationLevel {
    Notice,
    Warning,
    Failure,
}

/// A remark at lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    pub path: String,
    pub start_line: u64,
    pub end_line: u64,
    pub annotation_level: AnnotationLevel,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// What a check run shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckOutput {
    pub title: String,
    pub summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<Annotation>,
}

/// A check run to be made or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCheckRun<'a> {
    pub name: &'a str,
    pub head_sha: &'a str,
    /// mend's own id of it, shown nowhere.
    pub external_id: Option<&'a str>,
    pub details_url: Option<&'a str>,
    /// `None` while it runs.
    pub conclusion: Option<Conclusion>,
    pub output: Option<&'a CheckOutput>,
}

/// GitHub takes no more in one request.
pub const MOST_ANNOTATIONS: usize = 50;

#[derive(Deserialize)]
struct Found {
    #[serde(default, deserialize_with = "list")]
    check_runs: Vec<CheckRunInfo>,
}

impl Session {
    /// The App's own check run of this name and external id on a commit.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn find_check_run(
        &self,
        head_sha: &str,
        name: &str,
        external_id: &str,
    ) -> Result<Option<CheckRunInfo>, GithubError> {
        let app = self.github().app_id();
        let ask = Ask::get(self.path(&format!(
            "/commits/{}/check-runs?check_name={}&app_id={app}&filter=all&per_page=100",
            segment(head_sha),
            segment(name)
        )));
        let found: Found = self.call(Purpose::Status, &ask).await?.json()?;
        let ours = |run: &CheckRunInfo| {
            run.app.as_ref().is_none_or(|by| by.id == app)
                && run.external_id.as_deref() == Some(external_id)
        };
        Ok(found.check_runs.into_iter().find(ours))
    }

    /// Makes a check run; sent once.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn create_check_run(
        &self,
        run: &NewCheckRun<'_>,
    ) -> Result<CheckRunInfo, GithubError> {
        let mut body = state(run);
        body["head_sha"] = json!(run.head_sha);
        let ask = Ask::post(self.path("/check-runs"), body);
        self.call(Purpose::Status, &ask).await?.json()
    }

    /// Changes a check run.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn update_check_run(
        &self,
        id: u64,
        run: &NewCheckRun<'_>,
    ) -> Result<CheckRunInfo, GithubError> {
        let ask = Ask::patch(self.path(&format!("/check-runs/{id}")), state(run));
        self.call(Purpose::Status, &ask).await?.json()
    }
}

fn state(run: &NewCheckRun<'_>) -> serde_json::Value {
    let mut body = json!({ "name": run.name });
    match run.conclusion {
        Some(conclusion) => {
            body["status"] = json!("completed");
            body["conclusion"] = json!(conclusion);
        }
        None => body["status"] = json!("in_progress"),
    }
    if let Some(id) = run.external_id {
        body["external_id"] = json!(id);
    }
    if let Some(url) = run.details_url {
        body["details_url"] = json!(url);
    }
    if let Some(output) = run.output {
        let mut output = output.clone();
        output.annotations.truncate(MOST_ANNOTATIONS);
        body["output"] = json!(output);
    }
    body
}
