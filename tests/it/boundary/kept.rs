//! What the server keeps of a task holds no secret, and is taken up again all the same.

use super::read::requests;
use crate::model::stub::{Answer, Stub};
use crate::world::{PROJECT, REPO, WRITER, World, calls, chat, fix};
use mend::domain::{RepoRef, SystemClock, Verdict};
use mend::github::{Github, GithubSettings, Purpose};
use mend::text::{REDACTED, Redactor};
use secrecy::ExposeSecret;
use serde_json::json;
use std::path::Path;

const KEY: &str = "canary-model-key-77aa31c0e9";

fn files(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(std::fs::read_to_string(path).unwrap()),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn se_03_conversations_traces_and_recordings_are_kept_without_secrets() {
    let question = json!({"summary": "", "question": "Is 5 right?"});
    let turns = [
        calls(&[("read_file", json!({"path": "adder/sums.py"}))]),
        calls(&[("finish", question)]),
        fix(),
    ];
    let answers = turns.iter().map(|t| Answer::json(200, chat(t))).collect();
    let stub = Stub::start(answers).await;
    let kept = tempfile::tempdir().unwrap();
    let recorded = kept.path().join("recorded");
    let world = World::with(&[], PROJECT, |settings| {
        let model = &mut settings.model;
        model.wire = "chat".into();
        model.model = "scripted".into();
        model.base_url = Some(stub.base.clone());
        model.stream = Some(false);
        model.api_key = Some(KEY.into());
        model.record = Some(recorded.clone());
    })
    .await;
    let token = format!("ghp_{}", "x7Kq2mVn9Lw4Rt6Yb1Hs3Jd5Fg8Zc0PaQeUi");
    let hook = world.sim.webhook_secret().to_string();
    let secrets = [KEY, &token, &hook];
    let clean = |what: &str, text: &str| {
        for secret in secrets {
            assert!(!text.contains(secret), "{what}: {text}");
        }
    };
    // A person who pastes what nobody should.
    let body = format!("add(2, 3) gives -1 with {KEY} and {token}, says {hook}.");
    let issue = world
        .sim
        .open_issue(REPO, WRITER, "add subtracts", &body)
        .unwrap();
    world.sim.label_issue(REPO, issue, "mend", WRITER).unwrap();
    let task = world.ended(1).await;
    assert_eq!(task.verdict, Some(Verdict::Question));
    let store = world.server().store();
    let conversation = store.conversation(task.id).await.unwrap().unwrap();
    assert!(conversation.contains(REDACTED) && conversation.contains("add(2, 3) gives -1"));
    clean("conversation", &conversation);
    let spans = store.spans(task.id, 0, 1000).await.unwrap();
    assert!(spans.len() > 4, "{spans:#?}");
    let spans = format!("{spans:?}");
    assert!(spans.contains(REDACTED), "{spans}");
    clean("trace", &spans);
    let answer = format!("Yes, 5. Not {token}.");
    world.sim.comment(REPO, issue, WRITER, &answer).unwrap();
    let task = world.ended(2).await;
    assert_eq!(task.verdict, Some(Verdict::Ready), "{task:#?}");
    // The conversation went on: the answer came once, as the last thing said.
    let bodies: Vec<String> = stub
        .seen()
        .iter()
        .map(|s| String::from_utf8_lossy(&s.body).into_owned())
        .collect();
    assert_eq!(bodies.len(), 3);
    for body in &bodies {
        clean("request", body);
    }
    assert_eq!(bodies[2].matches("Yes, 5. Not").count(), 1, "{}", bodies[2]);
    let mut found = Vec::new();
    files(&recorded, &mut found);
    assert!(found.iter().any(|f| f.contains(REDACTED)));
    assert_eq!(requests(&recorded).len(), 3);
    for file in &found {
        clean("recording", file);
    }
    let mut shown = world.pulls()[0].body.clone();
    for comment in world.own_comments(issue) {
        shown.push_str(&comment.body);
    }
    clean("pull request and comments", &shown);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn se_03_every_token_is_known_before_anybody_has_it() {
    let world = World::new(&[&[fix()]]).await;
    let sim = &world.sim;
    let mut settings = GithubSettings::new(
        sim.base_url(),
        sim.app_id(),
        sim.private_key_pem().to_string().into(),
    );
    let redactor = Redactor::new();
    settings.redactor = redactor.clone();
    let github = Github::new(&settings, SystemClock::shared()).unwrap();
    let session = github.session(&RepoRef {
        id: sim.repo_id(REPO).unwrap(),
        name: REPO.parse().unwrap(),
        installation_id: sim.installation_id(),
    });
    for purpose in [
        Purpose::Read,
        Purpose::Status,
        Purpose::PullStatus,
        Purpose::Publish,
    ] {
        let token = session.token(purpose).await.unwrap();
        assert!(redactor.knows(token.secret().expose_secret()));
    }
    session.revoke_all().await.unwrap();
    world.end().await;
}
