//! GitHub's answers, as far as mend reads them. Optional is whatever GitHub has ever left out or
//! sent as `null`: deleted accounts, unset bodies, repositories that are gone.

use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// A missing text and a `null` are an empty one.
pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(from)?.unwrap_or_default())
}

/// A missing list and a `null` are an empty one.
pub(super) fn list<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::<Vec<T>>::deserialize(from)?.unwrap_or_default())
}

/// An account.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct UserInfo {
    pub id: u64,
    #[serde(default, deserialize_with = "text")]
    pub login: String,
    /// `User`, `Bot`, `Organization`, `Mannequin`.
    #[serde(rename = "type", default, deserialize_with = "text")]
    pub kind: String,
}

impl UserInfo {
    /// Whether no person acts through this account.
    pub fn is_bot(&self) -> bool {
        self.kind == "Bot" || self.login.ends_with("[bot]")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LabelInfo {
    #[serde(default, deserialize_with = "text")]
    pub name: String,
}

/// The App by its own account.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AppInfo {
    pub id: u64,
    pub slug: String,
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    #[serde(default)]
    pub owner: Option<UserInfo>,
    #[serde(default, deserialize_with = "text")]
    pub html_url: String,
    /// What was asked for, by name: `read`, `write` or `admin`.
    #[serde(default)]
    pub permissions: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "list")]
    pub events: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RepoInfo {
    pub id: u64,
    /// The id in GraphQL.
    #[serde(default, deserialize_with = "text")]
    pub node_id: String,
    /// `owner/name`, the present one.
    #[serde(default, deserialize_with = "text")]
    pub full_name: String,
    #[serde(default)]
    pub private: bool,
    #[serde(default)]
    pub archived: bool,
    /// In KiB, as GitHub last counted.
    #[serde(default)]
    pub size: u64,
    #[serde(default, deserialize_with = "text")]
    pub default_branch: String,
    #[serde(default, deserialize_with = "text")]
    pub html_url: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IssueInfo {
    pub id: u64,
    pub number: u64,
    #[serde(default, deserialize_with = "text")]
    pub title: String,
    #[serde(default, deserialize_with = "text")]
    pub body: String,
    /// `open` or `closed`.
    #[serde(default, deserialize_with = "text")]
    pub state: String,
    #[serde(default)]
    pub user: Option<UserInfo>,
    #[serde(default, deserialize_with = "list")]
    pub labels: Vec<LabelInfo>,
    #[serde(default)]
    pub locked: bool,
    #[serde(default, deserialize_with = "text")]
    pub html_url: String,
    #[serde(default, deserialize_with = "text")]
    pub updated_at: String,
    /// Present when the issue is a pull request.
    #[serde(default)]
    pub pull_request: Option<serde_json::Value>,
}

/// An event of an issue of the kind `labeled`, or any other with what it has of this.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LabeledEvent {
    pub id: u64,
    #[serde(default, deserialize_with = "text")]
    pub event: String,
    #[serde(default)]
    pub label: Option<LabelInfo>,
    #[serde(default)]
    pub actor: Option<UserInfo>,
    #[serde(default, deserialize_with = "text")]
    pub created_at: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AppRef {
    pub id: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CommentInfo {
    pub id: u64,
    #[serde(default, deserialize_with = "text")]
    pub body: String,
    #[serde(default)]
    pub user: Option<UserInfo>,
    #[serde(default, deserialize_with = "text")]
    pub html_url: String,
    #[serde(default, deserialize_with = "text")]
    pub created_at: String,
    #[serde(default, deserialize_with = "text")]
    pub updated_at: String,
    #[serde(default)]
    pub performed_via_github_app: Option<AppRef>,
    /// Ends in the number of the issue or pull request.
    #[serde(default, deserialize_with = "text")]
    pub issue_url: String,
}

/// A comment on a line of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ReviewCommentInfo {
    pub id: u64,
    #[serde(default, deserialize_with = "text")]
    pub body: String,
    #[serde(default)]
    pub user: Option<UserInfo>,
    #[serde(default, deserialize_with = "text")]
    pub path: String,
    /// `None` when the line is outdated, or the comment is about the whole file.
    #[serde(default)]
    pub line: Option<u64>,
    #[serde(default)]
    pub original_line: Option<u64>,
    #[serde(default, deserialize_with = "text")]
    pub diff_hunk: String,
    #[serde(default, deserialize_with = "text")]
    pub updated_at: String,
    #[serde(default)]
    pub pull_request_review_id: Option<u64>,
    #[serde(default)]
    pub in_reply_to_id: Option<u64>,
}

/// A review of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ReviewInfo {
    pub id: u64,
    #[serde(default)]
    pub user: Option<UserInfo>,
    #[serde(default, deserialize_with = "text")]
    pub body: String,
    /// `CHANGES_REQUESTED`, `COMMENTED` and others.
    #[serde(default, deserialize_with = "text")]
    pub state: String,
    #[serde(default, deserialize_with = "text")]
    pub submitted_at: String,
}

/// Head or base of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PullSide {
    #[serde(rename = "ref", default, deserialize_with = "text")]
    pub branch: String,
    #[serde(default, deserialize_with = "text")]
    pub sha: String,
    /// `None` when the fork is gone.
    #[serde(default)]
    pub repo: Option<RepoInfo>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PullInfo {
    pub id: u64,
    pub number: u64,
    /// The id in GraphQL.
    #[serde(default, deserialize_with = "text")]
    pub node_id: String,
    #[serde(default, deserialize_with = "text")]
    pub html_url: String,
    #[serde(default, deserialize_with = "text")]
    pub title: String,
    #[serde(default, deserialize_with = "text")]
    pub body: String,
    /// `open` or `closed`.
    #[serde(default, deserialize_with = "text")]
    pub state: String,
    #[serde(default)]
    pub draft: bool,
    #[serde(default)]
    pub merged_at: Option<String>,
    #[serde(default)]
    pub user: Option<UserInfo>,
    pub head: PullSide,
    pub base: PullSide,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CheckRunInfo {
    pub id: u64,
    #[serde(default)]
    pub external_id: Option<String>,
    #[serde(default)]
    pub app: Option<AppRef>,
    #[serde(default, deserialize_with = "text")]
    pub html_url: String,
    #[serde(default, deserialize_with = "text")]
    pub status: String,
    #[serde(default)]
    pub conclusion: Option<String>,
}

/// A delivery of the App's webhook, from GitHub's list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Delivery {
    pub id: u64,
    /// The same over redeliveries.
    #[serde(default, deserialize_with = "text")]
    pub guid: String,
    #[serde(default, deserialize_with = "text")]
    pub delivered_at: String,
    #[serde(default)]
    pub redelivery: bool,
    /// What the receiver answered; `None` or 0 when nothing.
    #[serde(default)]
    pub status_code: Option<u16>,
    /// GitHub's words for what came of it: `OK`, `timed out`, `failed to connect to host`.
    #[serde(default, deserialize_with = "text")]
    pub status: String,
    #[serde(default, deserialize_with = "text")]
    pub event: String,
    #[serde(default)]
    pub action: Option<String>,
    #[serde(default)]
    pub installation_id: Option<u64>,
    #[serde(default)]
    pub repository_id: Option<u64>,
}
