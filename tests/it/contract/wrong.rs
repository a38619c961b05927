//! The check of the contract can fail: made-up requests and answers that break it.

use super::checked::{Checked, Whose, check};
use mend::simulator::{Exchange, Permission, SimulatorOptions};
use serde_json::{Value, json};

const PULLS: &str = "/repos/acme/app/pulls";
const ISSUE: &str = "/repos/acme/app/issues/7";

/// Method, path, query, body, what is said of it.
#[rustfmt::skip]
const WRONG: &[(&str, &str, &str, &str, &str)] = &[
    ("POST", PULLS, "", r#"{"title": "t", "base": "main"}"#, "\"head\" is a required"),
    ("POST", PULLS, "", r#"{"title": "t", "head": "h", "base": "b", "drafty": true}"#, "drafty"),
    ("POST", PULLS, "", r#"{"title": "t", "head": "h", "base": "b", "draft": "yes"}"#, "not of type \"boolean\""),
    ("POST", PULLS, "", r#"{"title": "t", "head": "h", "base": "b", "body": null}"#, "null is not of type"),
    ("POST", PULLS, "", "null", "no body"),
    ("GET", PULLS, "state=opened", "null", "\"opened\" is not one of"),
    ("GET", PULLS, "stat=open", "null", "`stat` is unknown"),
    ("GET", PULLS, "per_page=many", "null", "`per_page`"),
    ("GET", PULLS, "", r#"{"state": "open"}"#, "a body where none"),
    ("PUT", ISSUE, "", r#"{"state": "closed"}"#, "no such operation"),
    ("PATCH", ISSUE, "", r#"{"state": "close"}"#, "not one of"),
    ("GET", "/repos/acme/app/issues/seven", "", "null", "`issue_number`"),
    ("GET", "/repos/acme/app/isues", "", "null", "no such operation"),
    ("POST", "/repos/acme/app/check-runs", "", r#"{"name": "m", "head_sha": "aa", "conclusion": "fine"}"#, "fine"),
    ("POST", "/repos/acme/app/issues/7/reactions", "", r#"{"content": "bug"}"#, "not one of"),
];

fn sent(method: &str, path: &str, query: &str, body: &str) -> Vec<String> {
    super::description::GITHUB.request(&Exchange {
        method: method.into(),
        path: path.into(),
        query: query.into(),
        body: serde_json::from_str(body).unwrap(),
        status: 200,
        answer: None,
    })
}

#[test]
fn a_wrong_request_is_found() {
    let right = r#"{"title": "t", "head": "mend/issue-1", "base": "main", "draft": true}"#;
    assert_eq!(sent("POST", PULLS, "", right), [""; 0]);
    for (method, path, query, body, word) in WRONG {
        let wrong = sent(method, path, query, body);
        let found = wrong.iter().any(|f| f.contains(word));
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
