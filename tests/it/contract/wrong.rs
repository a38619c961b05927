//! The check of the contract can fail: made-up requests and answers that break it.

use super::checked::{Checked, Whose, check};
use mend::simulator::{Exchange, Permission, SimulatorOptions};
use serde_json::{Value, json};

const PULLS: &str = "/repos/acme/app/pulls";

fn sent(method: &str, path: &str, query: &str, body: Value) -> Vec<String> {
    super::description::GITHUB.request(&Exchange {
        method: method.into(),
        path: path.into(),
        query: query.into(),
        body,
        status: 200,
        answer: None,
    })
}

#[test]
fn a_wrong_request_is_found() {
    let pull = json!({"title": "t", "head": "mend/issue-1", "base": "main", "draft": true});
    assert_eq!(sent("POST", PULLS, "", pull.clone()), [""; 0]);
    let with = |key: &str, value: Value| {
        let mut pull = pull.clone();
        pull[key] = value;
        pull
    };
    let issue = "/repos/acme/app/issues/7";
    let run = "/repos/acme/app/check-runs";
    for (method, path, query, body, word) in [
        (
            "POST",
            PULLS,
            "",
            json!({"title": "t", "base": "main"}),
            "\"head\" is a required",
        ),
        ("POST", PULLS, "", with("drafty", json!(true)), "drafty"),
        (
            "POST",
            PULLS,
            "",
            with("draft", json!("yes")),
            "not of type \"boolean\"",
        ),
        (
            "POST",
            PULLS,
            "",
            with("body", Value::Null),
            "null is not of type",
        ),
        ("POST", PULLS, "", Value::Null, "no body"),
        (
            "GET",
            PULLS,
            "state=opened",
            Value::Null,
            "\"opened\" is not one of",
        ),
        ("GET", PULLS, "stat=open", Value::Null, "`stat` is unknown"),
        ("GET", PULLS, "per_page=many", Value::Null, "`per_page`"),
        (
            "GET",
            PULLS,
            "",
            json!({"state": "open"}),
            "a body where none",
        ),
        (
            "PUT",
            issue,
            "",
            json!({"state": "closed"}),
            "no such operation",
        ),
        ("PATCH", issue, "", json!({"state": "close"}), "not one of"),
        (
            "GET",
            "/repos/acme/app/issues/seven",
            "",
            Value::Null,
            "`issue_number`",
        ),
        (
            "GET",
            "/repos/acme/app/isues",
            "",
            Value::Null,
            "no such operation",
        ),
        (
            "POST",
            run,
            "",
            json!({"name": "mend", "head_sha": "aa", "conclusion": "fine"}),
            "anyOf|any of|fine",
        ),
        (
            "POST",
            "/repos/acme/app/issues/7/reactions",
            "",
            json!({"content": "bug"}),
            "not one of",
        ),
    ] {
        let wrong = sent(method, path, query, body.clone());
        let found = word.split('|').any(|w| wrong.iter().any(|f| f.contains(w)));
        assert!(found, "{method} {path} {body}: {wrong:?}, not `{word}`");
    }
}

#[test]
fn a_wrong_answer_is_found() {
    let answered = |status: u16, answer: Value| {
        let exchange = Exchange {
            method: "GET".into(),
            path: "/users/ada".into(),
            query: String::new(),
            body: Value::Null,
            status,
            answer: Some(answer),
        };
        check(&exchange, Whose::Mend).join("\n")
    };
    for (status, answer, word) in [
        (200, json!({"login": 7}), "not valid under any"),
        (200, json!({"login": "ada"}), "not valid under any"),
        (201, json!({}), "201 is not described"),
        (404, json!({"error": "gone"}), "404 without a message"),
    ] {
        let wrong = answered(status, answer);
        assert!(wrong.contains(word), "{wrong}");
    }
}

/// The same through the wire: what the simulator would take and GitHub would not.
#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_request_through_the_wire_is_found() {
    let github = Checked::start(SimulatorOptions::default(), Whose::Test).await;
    github.add_person("ada", Permission::Write);
    github.create_repo("acme/app", [("a.py", "1\n")]).unwrap();
    let token = github.person_token("ada");
    let issue = json!({"title": "t", "titel": "typo"});
    let url = format!("{}/repos/acme/app/issues", github.base_url());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client
        .post(url)
        .bearer_auth(token)
        .json(&issue)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 201, "the simulator is not that strict");
    let found = github.found();
    assert!(found.iter().any(|f| f.contains("titel")), "{found:?}");
    github.forgive();
    github.shutdown().await;
}
