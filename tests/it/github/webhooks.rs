//! Webhook payloads: GitHub's own examples, and what is left when fields are missing.

use mend::github::{Event, EventError};
use serde_json::{Value, json};

fn examples() -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<_> = std::fs::read_dir("tests/cases/webhooks")
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "json"))
        .map(|p| {
            (
                p.file_name().unwrap().to_str().unwrap().to_string(),
                std::fs::read(&p).unwrap(),
            )
        })
        .collect();
    found.sort();
    assert!(found.len() > 15);
    found
}

fn kind(event: &Event) -> &'static str {
    match event {
        Event::IssueLabeled(_) => "issues.labeled",
        Event::IssueUnlabeled(_) => "issues.unlabeled",
        Event::IssueClosed(_) => "issues.closed",
        Event::IssueGone(_) => "issues.gone",
        Event::IssueEdited(_) => "issues.edited",
        Event::IssueCommentCreated(_) => "issue_comment.created",
        Event::IssueCommentEdited(_) => "issue_comment.edited",
        Event::PullRequestClosed(_) => "pull_request.closed",
        Event::ReviewSubmitted(_) => "pull_request_review.submitted",
        Event::ReviewCommentCreated(_) => "pull_request_review_comment.created",
        Event::ReviewCommentEdited(_) => "pull_request_review_comment.edited",
        Event::CheckRunRerequested(_) => "check_run.rerequested",
        Event::CheckSuiteRerequested(_) => "check_suite.rerequested",
        Event::Withdrawn(_) => "withdrawn",
        Event::Ping => "ping",
        Event::Other { .. } => "other",
    }
}

#[test]
fn githubs_examples_are_read() {
    let mut counts = std::collections::BTreeMap::new();
    for (file, bytes) in examples() {
        let name = file.split('.').next().unwrap();
        let event = Event::parse(name, &bytes).unwrap_or_else(|e| panic!("{file}: {e}"));
        *counts.entry(kind(&event)).or_insert(0) += 1;
        if !["other", "issues.gone"].contains(&kind(&event)) {
            assert!(file.starts_with(kind(&event)), "{file}");
        }
    }
    let expected = [
        ("issue_comment.created", 4),
        ("issue_comment.edited", 2),
        ("issues.edited", 1),
        // Transferred.
        ("issues.gone", 1),
        ("issues.labeled", 2),
        ("issues.unlabeled", 1),
        ("other", 3),
        ("ping", 2),
        ("pull_request.closed", 2),
    ];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn what_mend_needs_is_taken() {
    let bytes = std::fs::read("tests/cases/webhooks/issues.labeled.1.json").unwrap();
    let Event::IssueLabeled(event) = Event::parse("issues", &bytes).unwrap() else {
        panic!();
    };
    let raw: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(
        event.origin.repo_id,
        raw["repository"]["id"].as_u64().unwrap()
    );
    assert_eq!(
        event.origin.repo.to_string(),
        raw["repository"]["full_name"].as_str().unwrap()
    );
    assert_eq!(event.origin.installation_id, None, "the example has none");
    assert_eq!(
        event.origin.sender.unwrap().login,
        raw["sender"]["login"].as_str().unwrap()
    );
    assert_eq!(event.issue.number, raw["issue"]["number"].as_u64().unwrap());
    assert_eq!(event.issue.body, raw["issue"]["body"].as_str().unwrap());
    assert_eq!(event.label.as_deref(), raw["label"]["name"].as_str());
    let bytes = std::fs::read("tests/cases/webhooks/issue_comment.edited.1.json").unwrap();
    let Event::IssueCommentEdited(event) = Event::parse("issue_comment", &bytes).unwrap() else {
        panic!();
    };
    let raw: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(
        event.comment.updated_at,
        raw["comment"]["updated_at"].as_str().unwrap()
    );
    assert_eq!(
        event.body_before.as_deref(),
        raw["changes"]["body"]["from"].as_str()
    );
    let bytes = std::fs::read("tests/cases/webhooks/pull_request.closed.1.json").unwrap();
    let Event::PullRequestClosed(event) = Event::parse("pull_request", &bytes).unwrap() else {
        panic!();
    };
    let raw: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(
        event.head_branch,
        raw["pull_request"]["head"]["ref"].as_str().unwrap()
    );
    assert_eq!(
        event.head_repo_id,
        raw["pull_request"]["head"]["repo"]["id"].as_u64()
    );
}

#[test]
fn deleted_accounts_and_missing_parts_are_no_error() {
    let payload = json!({
        "action": "labeled",
        "label": { "name": "Mend" },
        "issue": { "id": 1, "number": 2, "title": null, "body": null, "user": null, "labels": null, "state": "open" },
        "repository": { "id": 3, "full_name": "acme/app", "default_branch": null },
        "sender": null,
    });
    let Event::IssueLabeled(event) =
        Event::parse("issues", payload.to_string().as_bytes()).unwrap()
    else {
        panic!();
    };
    assert_eq!((event.issue.body.as_str(), event.origin.sender), ("", None));
    assert_eq!(event.label.as_deref(), Some("Mend"), "as it is written");
    let bot = json!({
        "action": "created",
        "comment": { "id": 9, "body": "/mend fix", "user": { "id": 4, "login": "x[bot]", "type": "Bot" }, "performed_via_github_app": { "id": 42 } },
        "issue": { "id": 1, "number": 2, "state": "closed", "pull_request": { "url": "u" } },
        "repository": { "id": 3, "full_name": "acme/app" },
        "sender": { "id": 4, "login": "x[bot]", "type": "Bot" },
        "installation": { "id": 99, "node_id": "n" },
    });
    let Event::IssueCommentCreated(event) =
        Event::parse("issue_comment", bot.to_string().as_bytes()).unwrap()
    else {
        panic!();
    };
    assert!(event.comment.author.unwrap().is_bot);
    assert_eq!(
        (event.comment.via_app, event.origin.installation_id),
        (Some(42), Some(99))
    );
    assert!(event.issue.is_pull && !event.issue.open);
}

#[test]
fn what_cannot_be_used_is_told_and_what_is_new_is_let_by() {
    let parse = |event: &str, body: &str| Event::parse(event, body.as_bytes());
    assert!(matches!(
        parse("issues", "{"),
        Err(EventError::NotJson { .. })
    ));
    assert!(
        matches!(parse("issues", "[]"), Err(EventError::NotJson { .. }))
            || parse("issues", "[]").is_ok()
    );
    assert!(matches!(
        parse("issues", r#"{"action":"labeled"}"#),
        Err(EventError::Incomplete { .. })
    ));
    assert!(matches!(
        parse(
            "issues",
            r#"{"action":"labeled","repository":{"id":1,"full_name":"../x"},"issue":{"id":1,"number":1},"label":{"name":"m"}}"#
        ),
        Err(EventError::Incomplete {
            field: "repository.full_name",
            ..
        })
    ));
    for (event, body) in [
        ("issues", r#"{"action":"field_added"}"#),
        ("sub_issues", r#"{"action":"labeled"}"#),
        ("installation", r#"{}"#),
        ("", r#"{"action":null}"#),
    ] {
        assert!(
            matches!(parse(event, body), Ok(Event::Other { .. })),
            "{event}"
        );
    }
}

/// Every field of one example of each kind is taken away or made null in turn: nothing panics, and what is
/// still read is of the same kind.
#[test]
fn examples_with_holes_never_panic() {
    let mut tried = 0;
    for (file, bytes) in examples() {
        if !file.ends_with(".1.json") {
            continue;
        }
        let name = file.split('.').next().unwrap();
        let whole: Value = serde_json::from_slice(&bytes).unwrap();
        let before = kind(&Event::parse(name, &bytes).unwrap());
        let mut paths = Vec::new();
        collect(&whole, String::new(), 0, &mut paths);
        for path in paths {
            for replacement in [None, Some(Value::Null), Some(json!("x")), Some(json!(-1))] {
                let mut holed = whole.clone();
                let (parent, key) = path.rsplit_once('/').unwrap();
                let parent = holed.pointer_mut(parent).unwrap().as_object_mut().unwrap();
                match replacement {
                    None => {
                        parent.remove(key);
                    }
                    Some(value) => {
                        parent.insert(key.into(), value);
                    }
                }
                tried += 1;
                if let Ok(event) = Event::parse(name, holed.to_string().as_bytes()) {
                    assert!([before, "other"].contains(&kind(&event)), "{file} {path}");
                }
            }
        }
    }
    assert!(tried > 1000, "{tried}");
}

fn collect(value: &Value, at: String, depth: usize, paths: &mut Vec<String>) {
    let Some(object) = value.as_object() else {
        return;
    };
    for (key, inner) in object {
        if key.contains('/') || key.contains('~') {
            continue;
        }
        let path = format!("{at}/{key}");
        paths.push(path.clone());
        if depth < 2 {
            collect(inner, path, depth + 1, paths);
        }
    }
}
