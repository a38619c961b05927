//! Pull requests.

use super::client::{Ask, segment};
use super::error::GithubError;
use super::session::{Purpose, Session};
use super::wire::PullInfo;
use serde::Serialize;
use serde_json::json;

/// A pull request to be opened from a branch of the same repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewPull<'a> {
    pub title: &'a str,
    /// The branch's name, without `refs/heads/`.
    pub head: &'a str,
    pub base: &'a str,
    pub body: &'a str,
    pub draft: bool,
}

/// What shall be other than it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PullUpdate<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<PullState>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PullState {
    Open,
    Closed,
    /// Only to look for.
    All,
}

impl PullState {
    fn word(self) -> &'static str {
        match self {
            PullState::Open => "open",
            PullState::Closed => "closed",
            PullState::All => "all",
        }
    }
}

impl Session {
    /// A pull request by number.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn pull(&self, number: u64) -> Result<PullInfo, GithubError> {
        let ask = Ask::get(self.path(&format!("/pulls/{number}")));
        self.call(Purpose::Read, &ask).await?.json()
    }

    /// The pull requests whose head is this branch of this repository (a fork's branch of the
    /// same name is none of them), newest first.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn pulls_of(
        &self,
        branch: &str,
        state: PullState,
    ) -> Result<Vec<PullInfo>, GithubError> {
        let path = self.path(&format!(
            "/pulls?state={}&head={}:{}",
            state.word(),
            segment(self.repo().name.owner()),
            segment(branch)
        ));
        let mut pulls: Vec<PullInfo> = self.list(&path, 10).await?;
        // GitHub leaves the filter out when it cannot read it.
        pulls.retain(|pull| {
            pull.head.branch == branch
                && pull
                    .head
                    .repo
                    .as_ref()
                    .is_some_and(|r| r.id == self.repo().id)
        });
        pulls.sort_by_key(|pull| std::cmp::Reverse(pull.number));
        Ok(pulls)
    }

    /// The newest open pull requests, forks' included; the first five hundred.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn open_pulls(&self) -> Result<Vec<PullInfo>, GithubError> {
        self.list(&self.path("/pulls?state=open"), 5).await
    }

    /// Opens a pull request; sent once.
    ///
    /// # Errors
    /// [`GithubError::is_duplicate_pull`] and [`GithubError::is_draft_unsupported`] name the
    /// refusals that have a way on.
    pub async fn create_pull(&self, new: &NewPull<'_>) -> Result<PullInfo, GithubError> {
        let body = json!({
            "title": new.title,
            "head": new.head,
            "base": new.base,
            "body": new.body,
            "draft": new.draft,
        });
        let ask = Ask::post(self.path("/pulls"), body);
        self.call(Purpose::Publish, &ask).await?.json()
    }

    /// Changes title, body or state.
    ///
    /// # Errors
    /// Every class of [`GithubError`].
    pub async fn update_pull(
        &self,
        number: u64,
        update: &PullUpdate<'_>,
    ) -> Result<PullInfo, GithubError> {
        let ask = Ask::patch(self.path(&format!("/pulls/{number}")), json!(update));
        self.call(Purpose::Publish, &ask).await?.json()
    }

    /// Asks people, and teams by their slugs, for a review.
    ///
    /// # Errors
    /// [`GithubError::Validation`] when one of them has no access: then none is asked.
    pub async fn request_reviewers(
        &self,
        number: u64,
        people: &[&str],
        teams: &[&str],
    ) -> Result<(), GithubError> {
        let path = self.path(&format!("/pulls/{number}/requested_reviewers"));
        let body = json!({ "reviewers": people, "team_reviewers": teams });
        self.call(Purpose::Publish, &Ask::post(path, body))
            .await
            .map(drop)
    }

    /// Makes a pull request a draft or ready for review; REST cannot.
    ///
    /// # Errors
    /// [`GithubError::is_draft_unsupported`] where the plan knows no drafts.
    pub async fn set_draft(&self, pull: &PullInfo, draft: bool) -> Result<(), GithubError> {
        let mutation = match draft {
            true => "convertPullRequestToDraft",
            false => "markPullRequestReadyForReview",
        };
        let query = format!(
            "mutation($id: ID!) {{ {mutation}(input: {{pullRequestId: $id}}) \
             {{ pullRequest {{ isDraft }} }} }}"
        );
        let ask = Ask::graphql(&query, json!({ "id": pull.node_id }));
        self.call(Purpose::Publish, &ask).await.map(drop)
    }
}
