//! A second model reads the change: another endpoint, another wire, another key.

use super::wire::plain;
use crate::model::stub::{Answer, Stub};
use crate::world::{PROJECT, World, fix, text};
use mend::config::ModelSettings;
use mend::domain::Verdict;
use mend::model::WireKind;
use serde_json::json;

fn settings(wire: &str, stub: &Stub, key: &str) -> ModelSettings {
    ModelSettings {
        wire: wire.into(),
        model: format!("the-{wire}-model"),
        base_url: Some(stub.base.clone()),
        api_key: Some(key.into()),
        stream: Some(false),
        retries: Some(0),
        ..ModelSettings::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewer_has_its_own_endpoint_wire_and_key() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("kept");
    let worker = Stub::start(vec![Answer::json(200, plain(WireKind::Anthropic, &fix()))]).await;
    let points = json!({"points": [{"path": "adder/sums.py", "line": 2, "severity": "note",
        "text": "The name could say more."}]});
    let review = text(&points.to_string());
    let reviewer = Stub::start(vec![Answer::json(200, plain(WireKind::Responses, &review))]).await;
    let world = World::with(&[], PROJECT, |s| {
        s.model = settings("anthropic", &worker, "key-of-the-worker");
        s.model.record = Some(record.clone());
        s.roles.reviewer = Some(settings("responses", &reviewer, "key-of-the-reviewer"));
    })
    .await;
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    {
        let (work, read) = (worker.seen(), reviewer.seen());
        assert_eq!((work.len(), read.len()), (1, 1));
        assert_eq!(work[0].path, "/v1/messages");
        assert_eq!(read[0].path, "/v1/responses");
        assert_eq!(work[0].headers["x-api-key"], "key-of-the-worker");
        assert_eq!(
            read[0].headers["authorization"],
            "Bearer key-of-the-reviewer"
        );
        let asked = String::from_utf8(read[0].body.to_vec()).unwrap();
        assert!(asked.contains("return a + b"), "it sees the change");
    }
    let body = &world.pulls()[0].body;
    assert!(body.contains("the-responses-model"), "{body}");
    let task = std::fs::read_dir(&record).unwrap().next().unwrap().unwrap();
    for file in ["0001.reply.json", "review/0001.reply.json"] {
        assert!(task.path().join(file).is_file(), "{file}");
    }
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewer_that_is_busy_holds_nothing_up() {
    let worker = Stub::start(vec![Answer::json(200, plain(WireKind::Chat, &fix()))]).await;
    let limit = Answer::json(429, "{}").header("retry-after", 3600);
    let reviewer = Stub::start(vec![limit]).await;
    let world = World::with(&[], PROJECT, |s| {
        s.model = settings("chat", &worker, "key-of-the-worker");
        s.roles.reviewer = Some(settings("chat", &reviewer, "key-of-the-reviewer"));
    })
    .await;
    world.label();
    let task = world.ended(1).await;
    assert_eq!(task.verdict, Some(Verdict::Ready));
    assert_eq!(task.model_waited_ms, 0, "not parked");
    world.end().await;
}
