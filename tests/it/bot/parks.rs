//! A model that is busy: the task waits until the time named, and nothing is lost.

use crate::model::stub::{Answer, Stub};
use crate::world::{PROJECT, REPO, WRITER, World, calls, chat, fix};
use mend::domain::Verdict;
use mend::store::{State, Task, WaitsFor};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const LIMIT: &str = r#"{"error":{"type":"rate_limit_error","message":"slow down, @ada"}}"#;
const HOUR: Duration = Duration::from_secs(3600);

/// A world whose model is this stub, which is asked once and given no time to retry.
pub async fn world(stub: &Stub) -> World {
    with(stub, |_| {}).await
}

async fn with(stub: &Stub, change: impl FnOnce(&mut mend::config::ModelSettings)) -> World {
    World::with(&[], PROJECT, |settings| {
        let model = &mut settings.model;
        model.wire = "chat".into();
        model.model = "scripted".into();
        model.base_url = Some(stub.base.clone());
        model.stream = Some(false);
        model.retries = Some(1);
        model.retry_wait_s = Some(2);
        change(model);
    })
    .await
}

fn answer(reply: &Value) -> Answer {
    Answer::json(200, chat(reply))
}

fn look() -> Value {
    calls(&[("read_file", json!({"path": "adder/sums.py"}))])
}

/// Busy for an hour.
pub fn busy() -> Answer {
    Answer::json(429, LIMIT).header("retry-after", 3600)
}

async fn parked(world: &World) -> Task {
    world
        .until("the task is parked", async || {
            let task = world.tasks().await.into_iter().next()?;
            (task.waits_for == Some(WaitsFor::Model)).then_some(task)
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_429_parks_the_task_until_the_time_named() {
    type Value = fn() -> String;
    let date: Value = || httpdate::fmt_http_date(std::time::SystemTime::now() + HOUR);
    let cases: [(&str, Value, Duration); 4] = [
        ("retry-after", || "3600".into(), HOUR),
        ("retry-after", date, HOUR),
        ("x-ratelimit-reset", || "3600".into(), HOUR),
        (
            "anthropic-ratelimit-requests-reset",
            || mend_time(7200),
            2 * HOUR,
        ),
    ];
    for (name, value, wait) in cases {
        // Times of day count from now, however long the cases before took.
        let value = value();
        let stub = Stub::start(vec![
            answer(&look()),
            Answer::json(429, LIMIT).header(name, &value),
        ])
        .await;
        let world = world(&stub).await;
        let issue = world.label();
        let task = parked(&world).await;
        assert_eq!((task.state, task.attempt), (State::Queued, 0), "{name}");
        assert!(task.lease_owner.is_none());
        let ahead = task.run_at - task.updated_at;
        let off = (ahead - wait.as_millis() as i64).abs();
        assert!(off < 60_000, "{name}: {value}: {ahead} ms ahead");
        let told = &world.own_comments(issue)[0].body;
        assert!(
            told.contains("**Waiting for the model until ") && told.contains(" UTC"),
            "{told}"
        );
        assert!(
            told.contains("slow down") && !told.contains("@ada"),
            "{told}"
        );
        // Before the time nobody asks.
        let asked = stub.seen().len();
        world.clock.on(wait - Duration::from_secs(90));
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(stub.seen().len(), asked);
        stub.then(answer(&fix()));
        world.clock.on(Duration::from_secs(105));
        let task = world.ended(1).await;
        assert_eq!((task.verdict, task.attempt), (Some(Verdict::Ready), 1));
        let bodies = stub.bodies();
        assert_eq!(bodies.len(), 3, "the answered turn is not asked for again");
        assert_eq!(
            bodies[1], bodies[2],
            "the conversation goes on where it was"
        );
        assert_eq!(world.pulls().len(), 1);
        assert_eq!(world.own_comments(issue).len(), 1, "one comment, edited");
        world.end().await;
    }
}

/// RFC 3339, so many seconds from now, by an implementation that is not mend's.
fn mend_time(ahead: u64) -> String {
    let at = std::time::SystemTime::now() + Duration::from_secs(ahead);
    let out = std::process::Command::new("date")
        .args(["-u", "+%Y-%m-%dT%H:%M:%SZ", "-d"])
        .arg(format!(
            "@{}",
            at.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
        ))
        .output()
        .unwrap();
    String::from_utf8(out.stdout).unwrap().trim().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overloaded_model_parks_the_task_for_the_settings_time() {
    let stream = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    for busy in [
        Answer::json(
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        ),
        Answer::sse(stream),
    ] {
        let stub = Stub::start(vec![busy.clone(), busy]).await;
        let world = with(&stub, |m| m.busy_wait_s = Some(300)).await;
        world.label();
        let task = parked(&world).await;
        assert_eq!(stub.seen().len(), 2, "asked again once, then parked");
        let ahead = task.run_at - task.updated_at;
        assert!((240_000..=300_000).contains(&ahead), "{ahead}");
        assert!((240_000..=300_000).contains(&task.model_waited_ms));
        for _ in 0..2 {
            stub.then(answer(&fix()));
        }
        world.clock.on(Duration::from_secs(301));
        assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
        world.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_waits_of_a_task_are_bounded_and_then_it_ends_in_words() {
    let stub = Stub::start(vec![busy()]).await;
    let world = with(&stub, |m| m.park_s = Some(2 * 3600 + 600)).await;
    let issue = world.label();
    for times in 1..=2 {
        let task = world
            .until("it is parked once more", async || {
                let task = world.tasks().await.into_iter().next()?;
                let waited = task.model_waited_ms / 3_500_000 == times;
                (waited && task.waits_for.is_some()).then_some(task)
            })
            .await;
        assert_eq!(task.attempt, 0, "no attempt is counted");
        stub.then(busy());
        world.clock.on(HOUR + Duration::from_secs(1));
    }
    let task = world.ended(1).await;
    assert_eq!(task.verdict, Some(Verdict::DidntStart));
    assert_eq!(stub.seen().len(), 3);
    let told = &world.own_comments(issue)[0].body;
    assert!(
        told.contains("Could not start") && told.contains("The model is busy"),
        "{told}"
    );
    assert!(told.contains("/mend retry"), "{told}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_a_parked_task_at_once_and_status_says_until_when() {
    let stub = Stub::start(vec![Answer::json(429, LIMIT).header("retry-after", 7200)]).await;
    let world = world(&stub).await;
    let issue = world.label();
    parked(&world).await;
    world
        .sim
        .comment(REPO, issue, WRITER, "/mend status")
        .unwrap();
    world
        .until("the status is told", async || {
            world
                .own_comments(issue)
                .iter()
                .any(|c| c.body.contains(" waits for the model until ") && c.body.contains("UTC"))
                .then_some(())
        })
        .await;
    let asked = Instant::now();
    world
        .sim
        .comment(REPO, issue, WRITER, "/mend stop")
        .unwrap();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Stopped));
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert_eq!(stub.seen().len(), 1, "the model was not asked again");
    assert!(
        world.own_comments(issue)[0]
            .body
            .contains("**Stopped, as asked.**")
    );
    assert!(world.pulls().is_empty());
    world.end().await;
}
