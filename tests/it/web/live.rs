//! News reach an open page soon, across processes too, and streams end.

use super::Rig;
use super::seed::{finish, model, result, running, spans, tool, trigger};
use mend::domain::{Reason, SystemClock, Verdict};
use mend::store::{Held, Store};
use reqwest::Response;
use serde_json::json;
use std::time::{Duration, Instant};

/// Text of the stream until it holds `wanted`; how long that took.
async fn until(stream: &mut Response, wanted: &str) -> (String, Duration) {
    let start = Instant::now();
    let mut text = String::new();
    while !text.contains(wanted) {
        let chunk = tokio::time::timeout(Duration::from_secs(10), stream.chunk()).await;
        match chunk
            .unwrap_or_else(|_| panic!("no {wanted:?} in {text}"))
            .unwrap()
        {
            Some(bytes) => text.push_str(&String::from_utf8_lossy(&bytes)),
            None => panic!("the stream ended before {wanted:?}: {text}"),
        }
    }
    (text, start.elapsed())
}

async fn begun(store: &Store) -> Held {
    let held = running(
        store,
        &trigger((1, "acme/invoicer"), 41, "Totals drift", "ada"),
    )
    .await;
    let now = store.now_ms().await.unwrap();
    store.put_spans(held, &spans(now, "failed")).await.unwrap();
    held
}

/// Turns written by `worker` are seen on the page of `rig`; the median time.
async fn latency(rig: &Rig, worker: &Store) -> Duration {
    let held = begun(worker).await;
    let path = format!("/runs/{}/events?after=11&from=1", held.id);
    let mut stream = rig.browser.get(&path).await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    until(&mut stream, "event: put").await;
    let mut times = Vec::new();
    for n in 0..9 {
        let id = 12 + n;
        tokio::time::sleep(Duration::from_millis(70)).await;
        let said = format!("thought number {n}");
        let start = Instant::now();
        worker
            .put_spans(held, &[model(id, &said, 100, 10)])
            .await
            .unwrap();
        let (text, _) = until(&mut stream, &said).await;
        assert!(text.contains(&format!("id=\"item-{id}\"")), "{text}");
        times.push(start.elapsed());
    }
    times.sort();
    println!(
        "a turn reaches the page: median {:?}, most {:?}",
        times[4], times[8]
    );
    times[4]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_reaches_the_page_within_300_ms() {
    for rig in Rig::both().await {
        let worker = match rig.store.is_shared() {
            true => rig.elsewhere().await,
            false => rig.store.clone(),
        };
        let median = latency(&rig, &worker).await;
        assert!(median < Duration::from_millis(300), "{median:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_tells_the_end_and_closes() {
    let rig = Rig::sqlite(SystemClock::shared()).await;
    let held = begun(&rig.store).await;
    let mut stream = rig.browser.get("/runs/1/events?after=11&from=1").await;
    until(&mut stream, "event: put").await;
    let call = tool(12, "read_file", json!({"path": "a.py"}), "<b>");
    rig.store.put_spans(held, &[call]).await.unwrap();
    let (text, _) = until(&mut stream, "a.py").await;
    assert!(
        text.contains("&lt;b&gt;") && !text.contains("<b>"),
        "{text}"
    );
    finish(
        &rig.store,
        held,
        Verdict::Ready,
        &result(Verdict::Ready, Reason::Fixed),
    )
    .await;
    let (text, _) = until(&mut stream, "id=\"checks\"").await;
    assert!(text.contains("event: end"), "{text}");
    while let Some(bytes) = stream.chunk().await.unwrap() {
        assert!(!bytes.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_overview_is_live_and_ends_with_the_server() {
    let rig = Rig::sqlite(SystemClock::shared()).await;
    let mut stream = rig.browser.get("/events").await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let made = trigger((1, "acme/invoicer"), 77, "A new report", "ada");
    rig.store.create_task(&made, 3).await.unwrap();
    until(&mut stream, "A new report").await;
    rig.stop.cancel();
    let end = async { while let Ok(Some(_)) = stream.chunk().await {} };
    tokio::time::timeout(Duration::from_secs(5), end)
        .await
        .expect("the stream ends");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_its_session() {
    let rig = Rig::sqlite(SystemClock::shared()).await;
    begun(&rig.store).await;
    let mut stream = rig.browser.get("/runs/1/events?after=11&from=1").await;
    until(&mut stream, "event: put").await;
    let csrf = rig.browser.csrf().await;
    rig.browser
        .form("/leave", &[("csrf", &csrf)])
        .send()
        .await
        .unwrap();
    until(&mut stream, "event: gone").await;
}
