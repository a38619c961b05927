//! The room `github`, which mend itself uses, against the simulator: neither knows the other.

use super::*;
use mend::domain::{Clock, RepoRef, SystemClock};
use mend::github::{
    CheckOutput, Conclusion, Event, Github, GithubError, GithubSettings, NewCheckRun, NewPull,
    PullState, PullUpdate, Purpose, Reaction, Role, Session, Thread,
};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

fn session(github: &Simulator, id: u64) -> Session {
    let key = github.private_key_pem().to_string().into();
    let settings = GithubSettings::new(github.base_url(), github.app_id(), key);
    let app = Github::new(&settings, SystemClock::shared()).unwrap();
    app.session(&RepoRef {
        id,
        name: REPO.parse().unwrap(),
        installation_id: github.installation_id(),
    })
}

async fn with_repo() -> (Checked, Session) {
    let github = start(SimulatorOptions {
        // Nobody listens there: what is sent is in the log all the same.
        webhook_url: Some("http://127.0.0.1:1/".to_string()),
        ..SimulatorOptions::default()
    })
    .await;
    let token = token(&github, json!({})).await;
    let (_, _, repo) = raw(&github, "GET", "/repos/acme/shop", &token, Value::Null).await;
    let session = session(&github, repo["id"].as_u64().unwrap());
    (github, session)
}

#[tokio::test]
async fn it_looks_and_tells_on_an_issue() {
    let (github, session) = with_repo().await;
    github
        .open_issue(REPO, "eve", "Crash", "It crashes.")
        .unwrap();
    github.label_issue(REPO, 1, "mend", "ada").unwrap();
    let issue = session.issue(1).await.unwrap();
    assert_eq!(
        (issue.title.as_str(), issue.body.as_str()),
        ("Crash", "It crashes.")
    );
    let labeled = session
        .newest_labeled(1, "MEND", None)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(labeled.actor.unwrap().login, "ada");
    assert_eq!(session.role_of("ada", None).await.unwrap(), Role::Maintain);
    assert_eq!(session.role_of("nobody", None).await.unwrap(), Role::None);
    let thread = Thread::Issue(1);
    session.react(thread, Reaction::Eyes).await.unwrap();
    session.react(thread, Reaction::Eyes).await.unwrap();
    let made = session
        .create_comment(thread, "Working <!-- m:1 -->")
        .await
        .unwrap();
    let found = session.find_comment(1, "m:1").await.unwrap().unwrap();
    assert_eq!(found.id, made.id);
    session
        .update_comment(thread, made.id, "Done")
        .await
        .unwrap();
    let seen = github.issue(REPO, 1).unwrap();
    assert_eq!(
        seen.reactions,
        [("mend[bot]".to_string(), "eyes".to_string())]
    );
    assert!(seen.comments[0].body == "Done" && seen.comments.len() == 1);
    let bot = session.github().bot(&session).await.unwrap();
    assert!(bot.id.is_some() && bot.login == "mend[bot]");
}

#[tokio::test]
async fn it_opens_and_keeps_a_pull_request() {
    let (github, session) = with_repo().await;
    let sha = github
        .push(REPO, "mend/issue-1", "wim", "Fix", [("a", "1")])
        .unwrap();
    assert_eq!(
        session.branch("mend/issue-1").await.unwrap(),
        Some(sha.clone())
    );
    let new = NewPull {
        title: "Fix",
        head: "mend/issue-1",
        base: "main",
        body: "Closes #1",
        draft: true,
    };
    let pull = session.create_pull(&new).await.unwrap();
    let twin = session.create_pull(&new).await.unwrap_err();
    assert!(twin.is_duplicate_pull(), "{twin}");
    let found = session
        .pulls_of("mend/issue-1", PullState::Open)
        .await
        .unwrap();
    assert_eq!(found[0].number, pull.number);
    let update = PullUpdate {
        body: Some("Closes #1, really"),
        ..PullUpdate::default()
    };
    session.update_pull(pull.number, &update).await.unwrap();
    session.set_draft(&pull, false).await.unwrap();
    let thread = Thread::Pull(pull.number);
    session.create_comment(thread, "Again").await.unwrap();
    let output = CheckOutput {
        title: "1 passed".into(),
        summary: "ok".into(),
        text: None,
        annotations: Vec::new(),
    };
    let mut run = NewCheckRun {
        name: "mend",
        head_sha: &sha,
        external_id: Some("7"),
        details_url: None,
        conclusion: None,
        output: None,
    };
    let made = session.create_check_run(&run).await.unwrap();
    (run.conclusion, run.output) = (Some(Conclusion::Success), Some(&output));
    session.update_check_run(made.id, &run).await.unwrap();
    let seen = &github.pulls(REPO)[0];
    assert!(!seen.draft && seen.body == "Closes #1, really");
    assert_eq!(
        github.check_runs(REPO)[0].conclusion.as_deref(),
        Some("success")
    );
    assert_eq!(github.issue(REPO, 1).unwrap().comments.len(), 1);
    let wrong = Thread::Issue(pull.number);
    let refused = session.create_comment(wrong, "x").await.unwrap_err();
    assert!(!refused.is_transient(), "{refused}");
}

#[tokio::test]
async fn it_reads_the_webhooks_that_are_sent() {
    let (github, session) = with_repo().await;
    github
        .open_issue(REPO, "eve", "Crash", "It crashes.")
        .unwrap();
    github.label_issue(REPO, 1, "mend", "ada").unwrap();
    let comment = github.comment(REPO, 1, "ada", "/mend retry").unwrap();
    github
        .edit_comment(REPO, comment, "/mend stop", "wim")
        .unwrap();
    let log = github.deliveries();
    let events: Vec<Event> = log
        .iter()
        .map(|d| Event::parse(&d.event, d.body.as_bytes()).unwrap())
        .collect();
    let Event::IssueLabeled(labeled) = &events[1] else {
        panic!("{:?}", events[1])
    };
    assert_eq!(labeled.label.as_deref(), Some("mend"));
    assert_eq!(
        labeled.origin.installation_id,
        Some(github.installation_id())
    );
    assert_eq!(labeled.origin.sender.as_ref().unwrap().login, "ada");
    let Event::IssueCommentEdited(edited) = &events[3] else {
        panic!("{:?}", events[3])
    };
    assert_eq!(edited.body_before.as_deref(), Some("/mend retry"));
    assert!(github.settle(Duration::from_secs(10)).await);
    let (listed, _) = session.github().deliveries(None).await.unwrap();
    assert_eq!(listed.len(), 4);
    session.github().redeliver(listed[0].id).await.unwrap();
    assert!(github.deliveries().last().unwrap().redelivery);
}

#[tokio::test]
async fn its_tokens_have_no_more_than_their_purpose() {
    let (github, session) = with_repo().await;
    let read = session.token(Purpose::Read).await.unwrap();
    let secret = secrecy::ExposeSecret::expose_secret(read.secret()).to_string();
    let body = json!({ "title": "x" });
    let (status, _, _) = raw(&github, "POST", "/repos/acme/shop/issues", &secret, body).await;
    assert_eq!(status, 403);
    session.revoke_all().await.unwrap();
    let (status, _, _) = raw(&github, "GET", "/repos/acme/shop", &secret, Value::Null).await;
    assert_eq!(status, 401);
    github.suspend(true);
    let suspended = session.issue(1).await.unwrap_err();
    assert!(
        !matches!(suspended, GithubError::NotFound(_)),
        "{suspended}"
    );
}

struct Behind;

impl Clock for Behind {
    fn now(&self) -> SystemTime {
        SystemTime::now() - Duration::from_secs(1800)
    }
}

#[tokio::test]
async fn it_finds_its_way_when_the_clocks_differ() {
    let github = start(SimulatorOptions {
        clock: Arc::new(Behind),
        ..SimulatorOptions::default()
    })
    .await;
    let (status, headers, _) = raw(&github, "GET", "/app", "none", Value::Null).await;
    assert_eq!(status, 401);
    let told = httpdate::parse_http_date(headers["date"].to_str().unwrap()).unwrap();
    let behind = SystemTime::now().duration_since(told).unwrap().as_secs();
    assert!((1799..1860).contains(&behind), "{behind}");
    // By mend's clock the statement is issued half an hour ahead; the second one is not.
    let session = session(&github, 1);
    assert_eq!(session.github().app().await.unwrap().slug, "mend");
}
