//! `/search`: runs by repository, issue, verdict and words.

use super::access::{Viewer, number};
use super::error::PageError;
use super::layout::{Page, page};
use super::site::Site;
use super::table;
use crate::domain::{RepoName, TaskId};
use crate::store::Search;
use axum::Extension;
use axum::extract::{Query, State};
use maud::{Markup, html};
use serde::Deserialize;

const PER_PAGE: u32 = 50;
/// Characters of a search.
const MOST: usize = 200;

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    q: String,
    #[serde(default)]
    before: String,
}

/// `owner/name`, `#12`, `verdict:ready` and words, in any order.
pub(super) fn read(text: &str) -> Search {
    let mut search = Search::default();
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        if let Ok(repo) = word.parse::<RepoName>() {
            search.repo = Some(repo);
        } else if let Some(n) = word.strip_prefix('#').and_then(number) {
            search.issue = Some(n.unsigned_abs());
        } else if let Some((repo, n)) = word.split_once('#')
            && let (Ok(repo), Some(n)) = (repo.parse::<RepoName>(), number(n))
        {
            search.repo = Some(repo);
            search.issue = Some(n.unsigned_abs());
        } else if let Some(verdict) = word.strip_prefix("verdict:") {
            search.verdict = Some(verdict.to_string());
        } else {
            words.push(word);
        }
    }
    search.text = words.join(" ");
    search
}

/// `GET /search?q=…&before=…`
pub(super) async fn show(
    State(site): State<Site>,
    Extension(viewer): Extension<Viewer>,
    Query(asked): Query<Asked>,
) -> Result<Markup, PageError> {
    if asked.q.chars().count() > MOST {
        return Err(PageError::Wrong("A search has at most 200 characters."));
    }
    let before = match asked.before.as_str() {
        "" => None,
        text => Some(TaskId(number(text).ok_or(PageError::NotFound)?)),
    };
    let wanted = Search {
        before,
        ..read(&asked.q)
    };
    let store = site.store();
    let sight = site.sight(&viewer).await?;
    let found = store.search(&sight, &wanted, PER_PAGE).await?;
    let now = store.now_ms().await?;
    let next = found.last().filter(|_| found.len() == PER_PAGE as usize);
    let next = next.map(|task| {
        let q: String = form_urlencoded(&asked.q);
        format!("/search?q={q}&before={}", task.id)
    });
    let content = html! {
        h1 { @if asked.q.trim().is_empty() { "All runs" } @else { "Search" } }
        @if found.is_empty() {
            p.empty { "No run fits. Search for " code { "owner/name" } ", " code { "#12" } ", " code { "verdict:draft" } " or words of an issue's title." }
        } @else {
            (table::runs(&found, now))
            @if let Some(next) = next { p.more { a href=(next) { "Older runs" } } }
        }
    };
    let about = Page {
        title: "Search",
        search: &asked.q,
        events: None,
        now,
    };
    Ok(page(&viewer, &about, &content))
}

/// A value of a query.
pub(super) fn form_urlencoded(text: &str) -> String {
    use std::fmt::Write;
    text.bytes().fold(String::new(), |mut out, b| {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(b as char),
            b => drop(write!(out, "%{b:02X}")),
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_read_by_its_words() {
        let found = read("acme/adder #12 verdict:ready two  words");
        assert_eq!(found.repo.unwrap().to_string(), "acme/adder");
        assert_eq!(
            (found.issue, found.verdict.as_deref()),
            (Some(12), Some("ready"))
        );
        assert_eq!(found.text, "two words");
        let found = read("acme/adder#7");
        assert_eq!(found.issue, Some(7));
        assert_eq!(read("' OR 1=1--").text, "' OR 1=1--");
    }
}
