use super::*;
use mend::domain::Cancel;
use mend::git::{Credential, Depth, Expected, GitError, GitSettings, Push, Pushed};
use mend::simulator::{Effect, Fault};
use std::path::{Path, PathBuf};
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
async fn the_room_git_fetches_and_pushes_here() {
    let github = simulator().await;
    let folder = tempfile::tempdir().unwrap();
    let settings = GitSettings::new(folder.path().join("mirrors"), github.base_url());
    let room = mend::git::Git::new(settings).unwrap();
    let url = format!("{}/{REPO}.git", github.base_url());
    let credential = Credential::token(token(&github, json!({})).await.into());
    let (main, cancel) = ("refs/heads/main".to_string(), Cancel::new());
    let mirror = room.mirror(1).await.unwrap();
    let wanted = [main.clone()];
    let fetch = mirror.fetch(&url, &wanted, Some(&credential), Depth::Full, &cancel);
    let parent = fetch.await.unwrap().refs[&main];
    assert_eq!(parent.to_string(), github.refs(REPO)[&main]);
    let private = mirror.private(folder.path().join("private")).await.unwrap();
    let commit = super::super::git::change(&private, parent, "shop/total.py", "RATE = 2\n").await;
    let push = Push {
        url: &url,
        credential: &credential,
        commit,
        reference: "refs/heads/mend/issue-7",
        expected: Expected::Absent,
        rewrite: false,
    };
    assert_eq!(private.push(&push, &cancel).await, Ok(Pushed::Updated));
    assert_eq!(github.refs(REPO)[push.reference], commit.to_string());
    github.expire_tokens();
    let late = mirror.fetch(&url, &wanted, Some(&credential), Depth::Full, &cancel);
    assert!(matches!(late.await, Err(GitError::Auth { .. })));
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
async fn a_push_whose_answer_is_lost_has_happened() {
    let github = simulator().await;
    let folder = tempfile::tempdir().unwrap();
    let token = token(&github, json!({})).await;
    assert!(clone(&github, &token, folder.path()).await.0);
    let work = folder.path().join("work");
    for (effect, happened) in [(Effect::Cut, false), (Effect::CutAfter, true)] {
        // Not once: libcurl tries again by itself when a reused connection dies.
        let fault = Fault::always("/git-receive-pack$", effect);
        github.fault(fault).unwrap();
        let (done, _) = run(&work, &["push", "-q", "origin", "HEAD:refs/heads/lost"]).await;
        assert!(!done);
        github.clear_faults();
        assert_eq!(github.refs(REPO).contains_key("refs/heads/lost"), happened);
    }
}

#[tokio::test]
async fn nothing_is_left_after_the_end() {
    let github = simulator().await;
    let url = github.base_url().to_string();
    let branch = uuid::Uuid::new_v4().to_string();
    github
        .push(REPO, &branch, "wim", "x", [("x", "x")])
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let token = token(&github, json!({})).await;
    assert!(clone(&github, &token, folder.path()).await.0);
    let home = home_of(&branch).expect("the simulator's folder");
    github.shutdown().await;
    assert!(!home.exists());
    assert_eq!(working_in(&home), Vec::<PathBuf>::new());
    assert!(reqwest::get(url).await.is_err());
}

/// The temporary folder whose repository has this branch.
fn home_of(branch: &str) -> Option<PathBuf> {
    let homes = std::fs::read_dir(std::env::temp_dir()).unwrap();
    let mut homes = homes.map(|e| e.unwrap().path());
    homes.find(|home| {
        let name = home.file_name().unwrap_or_default().to_string_lossy();
        let repos = std::fs::read_dir(home).into_iter().flatten().flatten();
        let mut refs = repos.map(|r| r.path().join("refs/heads").join(branch));
        name.starts_with("mend-simulator-") && refs.any(|r| r.exists())
    })
}

/// Processes whose current folder is this one, also after it was removed.
fn working_in(folder: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let folders = all.filter_map(|p| std::fs::read_link(p.path().join("cwd")).ok());
    folders
        .filter(|f| {
            f.starts_with(folder) || f.to_string_lossy().contains(&*folder.to_string_lossy())
        })
        .collect()
}
