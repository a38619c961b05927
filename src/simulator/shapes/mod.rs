//! The state as GitHub's JSON. Field names and their order follow the examples of GitHub's OpenAPI
//! description and of its webhook payloads; the URLs point at this server.

mod commits;
mod issues;
mod people;
mod pulls;
mod repos;
mod reviews;

pub(super) use commits::{branch, changed_file, commit, git_commit, git_ref, push_commit};
pub(super) use issues::{comment, issue, issue_event, label, reaction, timeline_comment};
pub(super) use people::{account, app, installation, node_id};
pub(super) use pulls::{check_run, pull};
pub(super) use repos::{full_repo, repo};
pub(super) use reviews::{line_comment, review};

use super::answer::escaped;

/// A branch or path in a URL: slashes stay.
pub(super) fn url_path(text: &str) -> String {
    escaped(text).replace("%2F", "/")
}
