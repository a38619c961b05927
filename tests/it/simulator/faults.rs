use super::*;
use mend::simulator::{Effect, Fault};
use std::time::{Duration, Instant};

async fn comment(github: &Simulator, token: &str) -> Option<u16> {
    let url = format!("{}/repos/acme/shop/issues/1/comments", github.base_url());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client
        .post(url)
        .bearer_auth(token)
        .json(&json!({ "body": "hi" }));
    request.send().await.ok().map(|r| r.status().as_u16())
}

#[tokio::test]
async fn what_goes_wrong_goes_wrong_before_or_after_the_deed() {
    let github = simulator().await;
    github.open_issue(REPO, "eve", "Crash", "").unwrap();
    let token = token(&github, json!({})).await;
    let comments = || github.issue(REPO, 1).unwrap().comments.len();
    let after = Effect::AnswerAfter {
        status: 502,
        headers: vec![("retry-after".into(), "1".into())],
        body: "bad gateway".into(),
    };
    for (effect, answered, performed) in [
        (Effect::status(503, "down"), Some(503), false),
        (after, Some(502), true),
        (Effect::Cut, None, false),
        (Effect::CutAfter, None, true),
        (Effect::Delay(Duration::from_millis(300)), Some(201), true),
    ] {
        let (before, start) = (comments(), Instant::now());
        github
            .fault(Fault::once("POST", "/comments$", effect.clone()))
            .unwrap();
        assert_eq!(comment(&github, &token).await, answered, "{effect:?}");
        assert_eq!(comments() - before, usize::from(performed), "{effect:?}");
        if let Effect::Delay(time) = effect {
            assert!(start.elapsed() >= time);
        }
        let last = github.requests().pop().unwrap();
        assert_eq!((last.status, last.performed), (answered, performed));
        assert_eq!(comment(&github, &token).await, Some(201), "only once");
    }
}

#[tokio::test]
async fn all_of_it_can_be_down_and_come_back() {
    let github = simulator().await;
    github.open_issue(REPO, "eve", "Crash", "").unwrap();
    let token = token(&github, json!({})).await;
    github.down(Effect::Cut);
    assert_eq!(comment(&github, &token).await, None);
    github.down(Effect::status(503, "We are down"));
    assert_eq!(comment(&github, &token).await, Some(503));
    github.clear_faults();
    assert_eq!(comment(&github, &token).await, Some(201));
}

#[tokio::test]
async fn a_delayed_request_does_not_hold_up_the_end() {
    let github = simulator().await;
    github
        .fault(Fault::always("/", Effect::Delay(Duration::from_secs(60))))
        .unwrap();
    let url = format!("{}/app", github.base_url());
    let waiting = tokio::spawn(reqwest::get(url));
    tokio::time::sleep(Duration::from_millis(100)).await;
    let start = Instant::now();
    github.shutdown().await;
    assert!(start.elapsed() < Duration::from_secs(3));
    let _ = waiting.await;
}
