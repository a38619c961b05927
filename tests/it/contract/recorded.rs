//! What api.github.com really answered, recorded by others: 71 exchanges of 22 scenarios.

use super::description::GITHUB;
use crate::github::stub::{Stub, pass, status};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use mend::github::{GithubError, IssueInfo, LabelInfo, PullState, RepoInfo, UserInfo};
use mend::simulator::Exchange;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

fn recorded() -> Vec<Value> {
    let file = "tests/cases/github/exchanges.jsonl.gz";
    let out = Command::new("gzip").args(["-dc", file]).output().unwrap();
    assert!(out.status.success());
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

/// As the check of the contract sees it.
fn exchange(recorded: &Value) -> Exchange {
    let json = |v: &Value| match v.is_object() || v.is_array() {
        true => v.clone(),
        false => Value::Null,
    };
    let path = recorded["path"].as_str().unwrap();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    Exchange {
        method: recorded["method"].as_str().unwrap().into(),
        path: path.into(),
        query: query.into(),
        body: json(&recorded["body"]),
        status: recorded["status"].as_u64().unwrap() as u16,
        answer: Some(json(&recorded["response"])).filter(|a| !a.is_null()),
    }
}

/// The check takes what GitHub takes: a contract that the real GitHub breaks would be none.
#[test]
fn what_github_really_said_keeps_the_contract() {
    let (mut held, mut wrong) = (0, Vec::new());
    for recorded in recorded() {
        let exchange = exchange(&recorded);
        if !GITHUB.knows(&exchange.method, &exchange.path) {
            continue; // releases, projects, notifications: not mend's
        }
        held += 1;
        let of_answer = GITHUB.answer(&exchange).wrong;
        let all = GITHUB.request(&exchange).into_iter().chain(of_answer);
        let name = format!("{} {}", exchange.method, exchange.path);
        wrong.extend(all.map(|what| format!("{name}: {what}")));
    }
    assert!(held >= 22, "{held}");
    insta::assert_snapshot!(wrong.join("\n"));
}

/// Every call that reads, answered with each recorded answer in turn: a failure is told by its
/// class, nothing panics, and what has the right shape is read.
#[tokio::test(flavor = "multi_thread")]
async fn every_recorded_answer_is_read_or_refused_by_class() {
    let all = recorded();
    let scenarios: BTreeSet<_> = all.iter().map(|r| r["scenario"].to_string()).collect();
    assert_eq!((scenarios.len(), all.len()), (22, 71));
    let (mut classes, mut read) = (BTreeMap::new(), BTreeMap::new());
    for recorded in all {
        let (code, body) = (
            recorded["status"].as_u64().unwrap() as u16,
            recorded["response"].clone(),
        );
        let answer = move || match &body {
            Value::String(text) => {
                (StatusCode::from_u16(code).unwrap(), text.clone()).into_response()
            }
            json => status(code, json.clone()),
        };
        let stub = Stub::new(move |seen, _| match seen.path.ends_with("/access_tokens") {
            true => pass(),
            false => answer(),
        })
        .await;
        let session = stub.session();
        let results = [
            ("repository", session.repo_info().await.map(drop)),
            ("repository by id", session.repo_by_id().await.map(drop)),
            ("issue", session.issue(1).await.map(drop)),
            ("comments", session.comments(1).await.map(drop)),
            (
                "labelled",
                session.newest_labeled(1, "mend", None).await.map(drop),
            ),
            ("pull", session.pull(1).await.map(drop)),
            (
                "pulls",
                session.pulls_of("b", PullState::Open).await.map(drop),
            ),
            ("role", session.role_of("ann", None).await.map(drop)),
            ("branch", session.branch("b").await.map(drop)),
            ("review", session.comments_of_review(1, 2).await.map(drop)),
            ("user", session.user("ann").await.map(drop)),
            (
                "check run",
                session.find_check_run("aa", "mend", "1").await.map(drop),
            ),
        ];
        for (name, result) in results {
            let class = match &result {
                Ok(()) => "read",
                Err(GithubError::NotFound(_)) => "not found",
                Err(GithubError::Validation(_)) => "refused",
                Err(GithubError::Moved(_)) => "moved",
                Err(GithubError::Permanent(_)) => "not understood",
                Err(e) => panic!("{name} by {code}: {e:?}"),
            };
            match code {
                200..300 => assert!(["read", "not understood"].contains(&class), "{name} {code}"),
                300..400 => assert_eq!(class, "moved", "{name}"),
                422 => assert_eq!(class, "refused", "{name}"),
                // No role, no branch: an answer.
                404 => assert!(["not found", "read"].contains(&class), "{name}"),
                other => panic!("{other}"),
            }
            *classes.entry(class).or_insert(0) += 1;
            if class == "read" && code == 200 {
                *read.entry(name).or_insert(0) += 1;
            }
        }
    }
    insta::assert_debug_snapshot!((classes, read));
}

/// What the recordings hold of mend's own types is read with every value in its place.
#[test]
fn what_is_recorded_of_mends_own_types_is_read() {
    let mut counts = BTreeMap::new();
    for recorded in recorded() {
        let code = recorded["status"].as_u64().unwrap();
        let path = recorded["path"]
            .as_str()
            .unwrap()
            .split('?')
            .next()
            .unwrap();
        let body = &recorded["response"];
        let segments: Vec<_> = path.trim_matches('/').split('/').collect();
        if !(200..300).contains(&code) || body.is_string() {
            continue;
        }
        let list = || body.as_array().unwrap().iter();
        let kind = match &segments[..] {
            ["repos", _, _] | ["repositories", _] => {
                let repo: RepoInfo = serde_json::from_value(body.clone()).unwrap();
                assert_eq!(body["full_name"], repo.full_name.as_str());
                assert_eq!(
                    (&body["id"], &body["private"]),
                    (&repo.id.into(), &repo.private.into())
                );
                assert_eq!(body["default_branch"], repo.default_branch.as_str());
                "repository"
            }
            ["search", ..] => continue,
            [.., "issues"] if body.is_array() => {
                for body in list() {
                    issue(body);
                }
                "issues"
            }
            [.., "issues"] => {
                issue(body);
                "issue"
            }
            [.., "labels"] if body.is_array() => {
                for body in list() {
                    let label: LabelInfo = serde_json::from_value(body.clone()).unwrap();
                    assert_eq!(body["name"], label.name.as_str());
                }
                "labels"
            }
            [.., "collaborators"] => {
                for body in list() {
                    let user: UserInfo = serde_json::from_value(body.clone()).unwrap();
                    assert_eq!(body["login"], user.login.as_str());
                    assert!(!user.is_bot());
                }
                "users"
            }
            _ => continue,
        };
        *counts.entry(kind).or_insert(0) += 1;
    }
    let expected = [
        ("issue", 1),
        ("issues", 5),
        ("labels", 2),
        ("repository", 4),
        ("users", 2),
    ];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
}

fn issue(body: &Value) {
    let issue: IssueInfo = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(body["title"], issue.title.as_str());
    assert_eq!(
        (&body["id"], &body["number"]),
        (&issue.id.into(), &issue.number.into())
    );
    assert_eq!(body["body"].as_str().unwrap_or(""), issue.body);
    assert_eq!(body["user"]["login"], issue.user.unwrap().login.as_str());
}
