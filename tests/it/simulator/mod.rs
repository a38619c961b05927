//! The simulated GitHub, met from outside: by octocrab, by git, by a webhook receiver, by a browser.

mod app;
mod client;
mod faults;
mod git;
mod hooks;
mod issues;
mod pages;
mod pulls;

use crate::contract::{Checked, Whose};
use mend::simulator::{Permission, Simulator, SimulatorOptions};
use octocrab::Octocrab;
use octocrab::models::AppId;
use serde_json::{Value, json};

pub const REPO: &str = "acme/shop";

/// A simulator with one repository and four people.
pub async fn start(options: SimulatorOptions) -> Checked {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    // libgit2's globals are set before anything uses it.
    mend::git::init().unwrap();
    let github = Checked::start(options, Whose::Test).await;
    github.add_person("ada", Permission::Maintain);
    github.add_person("wim", Permission::Write);
    github.add_person("tia", Permission::Triage);
    github.add_person("eve", Permission::None);
    github
        .create_repo(
            REPO,
            [("README.md", "# Shop\n"), ("shop/total.py", "RATE = 1\n")],
        )
        .unwrap();
    github
}

pub async fn simulator() -> Checked {
    start(SimulatorOptions::default()).await
}

pub fn as_app(github: &Simulator) -> Octocrab {
    let key = jsonwebtoken::EncodingKey::from_rsa_pem(github.private_key_pem().as_bytes()).unwrap();
    Octocrab::builder()
        .base_uri(github.base_url())
        .unwrap()
        .add_retry_config(octocrab::service::middleware::retry::RetryConfig::None)
        .app(AppId(github.app_id()), key)
        .build()
        .unwrap()
}

pub fn with_token(github: &Simulator, token: &str) -> Octocrab {
    Octocrab::builder()
        .base_uri(github.base_url())
        .unwrap()
        .add_retry_config(octocrab::service::middleware::retry::RetryConfig::None)
        .user_access_token(token.to_string())
        .build()
        .unwrap()
}

/// An installation token narrowed by this request body.
pub async fn token(github: &Simulator, narrowed: Value) -> String {
    let path = format!(
        "/app/installations/{}/access_tokens",
        github.installation_id()
    );
    let answer: Value = as_app(github).post(path, Some(&narrowed)).await.unwrap();
    answer["token"].as_str().unwrap().to_string()
}

/// The App in its installation, with everything it is granted.
pub async fn as_installation(github: &Simulator) -> Octocrab {
    with_token(github, &token(github, json!({})).await)
}

/// A raw request: status, headers, JSON (null where there is none).
pub async fn raw(
    github: &Simulator,
    method: &str,
    path: &str,
    token: &str,
    body: Value,
) -> (u16, reqwest::header::HeaderMap, Value) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let method = method.parse::<reqwest::Method>().unwrap();
    let url = format!("{}{path}", github.base_url());
    let mut request = client.request(method, url).bearer_auth(token);
    if !body.is_null() {
        request = request.json(&body);
    }
    let answer = request.send().await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    (status, headers, answer.json().await.unwrap_or_default())
}

/// A request of a table: method, path, body; what it must be answered, and a word in the answer.
pub type Case<'a> = (&'a str, &'a str, Value, u16, &'a str);

pub async fn try_all(github: &Simulator, token: &str, cases: &[Case<'_>]) {
    for (method, path, body, status, word) in cases {
        let (got, _, answer) = raw(github, method, path, token, body.clone()).await;
        assert_eq!(got, *status, "{method} {path}: {answer}");
        let found = word.is_empty() || answer.to_string().contains(word);
        assert!(found, "{method} {path} without {word}: {answer}");
    }
}
