use super::*;
use std::path::Path;
use std::process::{Command, Output};

fn git(folder: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_AUTHOR_NAME", "wim")
        .env("GIT_AUTHOR_EMAIL", "wim@example.com")
        .env("GIT_COMMITTER_NAME", "wim")
        .env("GIT_COMMITTER_EMAIL", "wim@example.com")
        .env("no_proxy", "127.0.0.1")
        .output()
        .unwrap()
}

async fn run(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let folder = folder.to_path_buf();
    let arguments: Vec<String> = arguments.iter().map(|a| a.to_string()).collect();
    let output = tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        git(&folder, &arguments)
    })
    .await
    .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), text)
}

fn url(github: &Simulator, token: &str) -> String {
    let host = github.base_url().strip_prefix("http://").unwrap();
    format!("http://x-access-token:{token}@{host}/acme/shop.git")
}

async fn clone(github: &Simulator, token: &str, folder: &Path) -> (bool, String) {
    run(folder, &["clone", "-q", &url(github, token), "work"]).await
}

#[tokio::test]
async fn a_push_moves_the_branch_and_the_pull_request_follows() {
    let github = simulator().await;
    let folder = tempfile::tempdir().unwrap();
    let token = token(&github, json!({})).await;
    let (done, error) = clone(&github, &token, folder.path()).await;
    assert!(done, "{error}");
    let work = folder.path().join("work");
    assert_eq!(
        std::fs::read_to_string(work.join("README.md")).unwrap(),
        "# Shop\n"
    );
    for (content, expected) in [("RATE = 2\n", 1), ("RATE = 3\n", 1)] {
        std::fs::write(work.join("shop/total.py"), content).unwrap();
        for step in [
            &["checkout", "-q", "-B", "mend/issue-1"][..],
            &["commit", "-qam", "Round once"],
            &["push", "-q", "origin", "mend/issue-1"],
        ] {
            let (done, error) = run(&work, step).await;
            assert!(done, "{step:?}: {error}");
        }
        let client = with_token(&github, &token);
        let _ = client
            .pulls("acme", "shop")
            .create("x", "mend/issue-1", "main")
            .send()
            .await;
        let pulls = github.pulls(REPO);
        assert_eq!(pulls.len(), expected);
        assert_eq!(
            pulls[0].head_sha,
            github.refs(REPO)["refs/heads/mend/issue-1"]
        );
    }
    let content = github.file(REPO, "mend/issue-1", "shop/total.py").unwrap();
    assert_eq!(content, b"RATE = 3\n");
    let (done, _) = run(&work, &["push", "-q", "origin", "HEAD:refs/pull/1/head"]).await;
    assert!(!done, "refs/pull is this server's own");
    assert_eq!(github.log(REPO, "mend/issue-1").len(), 3);
}

#[tokio::test]
async fn git2_clones_and_pushes_too() {
    let github = simulator().await;
    let folder = tempfile::tempdir().unwrap();
    let url = url(&github, &token(&github, json!({})).await);
    let path = folder.path().join("work");
    tokio::task::spawn_blocking(move || {
        let repository = git2::Repository::clone(&url, &path).unwrap();
        let head = repository.head().unwrap().peel_to_commit().unwrap();
        let who = git2::Signature::now("wim", "wim@example.com").unwrap();
        let parents = [&head];
        let tree = head.tree().unwrap();
        repository
            .commit(Some("refs/heads/two"), &who, &who, "Again", &tree, &parents)
            .unwrap();
        let mut remote = repository.find_remote("origin").unwrap();
        remote
            .push(&["refs/heads/two:refs/heads/two"], None)
            .unwrap();
    })
    .await
    .unwrap();
    assert_eq!(github.log(REPO, "two")[0], "Again");
}

#[tokio::test]
async fn who_may_not_is_refused() {
    let github = simulator().await;
    github.create_repo("acme/other", [("a", "b")]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let reader = token(&github, json!({ "permissions": { "contents": "read" } })).await;
    let (done, error) = clone(&github, &reader, folder.path()).await;
    assert!(done, "{error}");
    let work = folder.path().join("work");
    let push = ["push", "-q", "origin", "HEAD:refs/heads/x"];
    let (done, error) = run(&work, &push).await;
    assert!(!done && error.contains("403"), "{error}");

    let empty = tempfile::tempdir().unwrap();
    let elsewhere = token(&github, json!({ "repositories": ["other"] })).await;
    let (done, error) = clone(&github, &elsewhere, empty.path()).await;
    assert!(!done && error.contains("not found"), "{error}");
    let no_contents = token(&github, json!({ "permissions": { "issues": "write" } })).await;
    let (done, error) = clone(&github, &no_contents, empty.path()).await;
    assert!(!done && error.contains("403"), "{error}");
    let (done, error) = clone(&github, "wrong", empty.path()).await;
    assert!(!done && error.contains("Authentication failed"), "{error}");
    github.expire_tokens();
    let (done, _) = run(&work, &["fetch", "-q"]).await;
    assert!(!done);

    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let info = format!(
        "{}/acme/shop.git/info/refs?service=git-upload-pack",
        github.base_url()
    );
    let answer = client.get(&info).send().await.unwrap();
    assert_eq!(answer.status(), 401);
    assert_eq!(
        answer.headers()["www-authenticate"],
        "Basic realm=\"GitHub\""
    );
    github.set_private(REPO, false).unwrap();
    assert_eq!(client.get(&info).send().await.unwrap().status(), 200);
    let push = info.replace("upload", "receive");
    assert_eq!(client.get(&push).send().await.unwrap().status(), 401);
    assert!(!github.refs(REPO).contains_key("refs/heads/x"));
}

#[tokio::test]
async fn nothing_is_left_after_the_end() {
    let before = simulators();
    let github = simulator().await;
    let url = github.base_url().to_string();
    let folder = tempfile::tempdir().unwrap();
    let token = token(&github, json!({})).await;
    assert!(clone(&github, &token, folder.path()).await.0);
    github.shutdown().await;
    assert!(reqwest::get(url).await.is_err());
    // Other tests of this binary may hold some of their own at the same time.
    assert!(simulators().len() <= before.len() + 40);
}

fn simulators() -> Vec<std::ffi::OsString> {
    let names = std::fs::read_dir(std::env::temp_dir()).unwrap();
    names
        .map(|e| e.unwrap().file_name())
        .filter(|n| n.to_string_lossy().starts_with("mend-simulator-"))
        .collect()
}
