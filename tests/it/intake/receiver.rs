use super::{OLD, Served, signature};
use crate::store::Fresh;
use mend::intake::Bounds;
use sqlx::{Connection, Executor};
use std::time::{Duration, Instant};

const BODY: &str = r#"{"action":"labeled","repository":{"id":7},"issue":{"number":1}}"#;

async fn status(request: reqwest::RequestBuilder) -> u16 {
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_is_stored_as_it_came_and_answered_202() {
    let served = Served::new().await;
    let answer = served.delivery("g-1", BODY).send().await.unwrap();
    assert_eq!(answer.status(), 202);
    let answer: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(
        answer,
        serde_json::json!({"delivery": "g-1", "result": "stored"})
    );
    let hold = Duration::from_secs(60);
    let kept = served.store.next_deliveries(9, hold).await.unwrap();
    assert_eq!((kept.len(), kept[0].event.as_str()), (1, "issues"));
    assert_eq!(kept[0].payload, BODY.as_bytes());
    assert_eq!(served.get("/healthz").await.status(), 200);
    assert_eq!(served.get("/webhook").await.status(), 405);
}

#[tokio::test(flavor = "multi_thread")]
async fn wh_03_five_copies_in_parallel_are_stored_once_a_hundred_times() {
    let served = Served::new().await;
    for round in 0..100 {
        let guid = format!("g-{round}");
        let copies = (0..5).map(|_| status(served.delivery(&guid, BODY)));
        let statuses = futures::future::join_all(copies).await;
        assert_eq!(statuses, [202; 5]);
    }
    assert_eq!(served.stored().await, 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn wh_01_a_wrong_signature_is_401_before_anything_is_read() {
    let served = Served::new().await;
    let right = signature(super::NEW, BODY.as_bytes());
    let flipped = match right.strip_suffix('0') {
        Some(head) => format!("{head}1"),
        None => format!("{}0", &right[..right.len() - 1]),
    };
    let upper = right.replace("sha256=", "SHA256=");
    let cut = right[..right.len() - 1].to_string();
    let foreign = signature("another secret altogether", BODY.as_bytes());
    for bad in [flipped, upper, cut, foreign, String::new()] {
        // The body is no JSON and the other headers are wrong: nothing of them was looked at.
        let request = served
            .delivery("not a guid", "{")
            .header("x-github-event", "¿")
            .header("x-hub-signature-256", "");
        let mut request = request.build().unwrap();
        request
            .headers_mut()
            .insert("x-hub-signature-256", bad.parse().unwrap());
        let answer = reqwest::Client::new().execute(request).await.unwrap();
        assert_eq!(answer.status(), 401, "{bad}");
    }
    let twice = served
        .delivery("g", BODY)
        .header("x-hub-signature-256", &right);
    assert_eq!(status(twice).await, 401);
    let mut none = served.delivery("g", BODY).build().unwrap();
    none.headers_mut().remove("x-hub-signature-256");
    none.headers_mut()
        .insert("x-hub-signature", "sha1=00".parse().unwrap());
    let answer = reqwest::Client::new().execute(none).await.unwrap();
    assert_eq!(answer.status(), 401);
    assert_eq!(served.stored().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn wh_02_the_old_secret_counts_until_its_time() {
    let fresh = Fresh::new().await;
    let clock = fresh.clock.clone();
    let served = Served::of(fresh, 100_000, Bounds::default()).await;
    let old = |guid: &str| {
        let mut request = served.delivery(guid, BODY).build().unwrap();
        let signed = signature(OLD, BODY.as_bytes()).parse().unwrap();
        request.headers_mut().insert("x-hub-signature-256", signed);
        reqwest::Client::new().execute(request)
    };
    assert_eq!(old("a").await.unwrap().status(), 202);
    clock.on(Duration::from_secs(11));
    assert_eq!(old("b").await.unwrap().status(), 401);
    assert_eq!(status(served.delivery("c", BODY)).await, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn wh_05_an_oversized_body_is_413_whatever_its_header_says() {
    let served = Served::new().await;
    let large = vec![b' '; 100_001];
    assert_eq!(status(served.delivery("g", large.clone())).await, 413);
    let chunks = large
        .chunks(10_000)
        .map(|c| Ok::<_, std::io::Error>(c.to_vec()));
    let stream = futures::stream::iter(chunks.collect::<Vec<_>>());
    let chunked = served
        .delivery("g", "")
        .body(reqwest::Body::wrap_stream(stream));
    assert_eq!(status(chunked).await, 413);
    assert_eq!(status(served.delivery("g", vec![b' '; 100_000])).await, 202);
    assert_eq!(served.stored().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn wh_06_wrong_headers_are_400_and_unknown_events_are_ignored() {
    let served = Served::new().await;
    for (name, value) in [
        ("x-github-delivery", ""),
        ("x-github-delivery", "g g"),
        ("x-github-event", "Issues!"),
        ("content-type", "application/x-www-form-urlencoded"),
        ("content-encoding", "gzip"),
    ] {
        let mut request = served.delivery("g", BODY).build().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
        let answer = reqwest::Client::new().execute(request).await.unwrap();
        assert_eq!(answer.status(), 400, "{name}: {value}");
    }
    for event in ["deployment_status", "ping", "star"] {
        let mut request = served.delivery("g", BODY).build().unwrap();
        request
            .headers_mut()
            .insert("x-github-event", event.parse().unwrap());
        let answer = reqwest::Client::new().execute(request).await.unwrap();
        assert_eq!(answer.status(), 202, "{event}");
        let answer: serde_json::Value = answer.json().await.unwrap();
        assert_eq!(answer["result"], "ignored");
    }
    assert_eq!(served.stored().await, 0);
    // Signed, and no JSON: kept, so that somebody can look at it.
    assert_eq!(status(served.delivery("g", "{")).await, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn wh_03_wh_06_what_cannot_be_stored_is_503_within_five_seconds_and_may_come_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = super::store_now(folder.path()).await;
    let mut lock = sqlx::SqliteConnection::connect(&crate::store::url(folder.path()))
        .await
        .unwrap();
    let fresh = Fresh::of(store, folder);
    let served = Served::of(fresh, 100_000, Bounds::default()).await;
    lock.execute("BEGIN IMMEDIATE").await.unwrap();
    let start = Instant::now();
    let mut request = served.delivery("g", BODY).build().unwrap();
    // The machine's clock is past the old secret's end; the new one counts.
    request
        .headers_mut()
        .insert("x-github-event", "issue_comment".parse().unwrap());
    let answer = reqwest::Client::new().execute(request).await.unwrap();
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    lock.execute("COMMIT").await.unwrap();
    assert_eq!(status(served.delivery("g", BODY)).await, 202);
    assert_eq!(served.stored().await, 1);
    served.store.close().await;
    assert_eq!(status(served.delivery("h", BODY)).await, 503);
    assert_eq!(served.get("/healthz").await.status(), 503);
}
