//! Deliveries per second: through the store's group commit, through HTTP, and a bare SQLite loop of
//! the same group size to compare with. `cargo bench --bench store [-- SECONDS]`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use hmac::{Hmac, Mac};
use mend::config::{Environment, Settings};
use mend::domain::{Cancel, SystemClock};
use mend::intake::{Bounds, Receiver, router, serve};
use mend::store::{Incoming, Store};
use sha2::Sha256;
use sqlx::{Connection, Executor};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SECRET: &str = "a webhook secret for figures";
/// About the size of an `issue_comment` payload.
const PAYLOAD: usize = 12 * 1024;
const CALLERS: usize = 16;

fn main() {
    let seconds = std::env::args()
        .filter_map(|a| a.parse().ok())
        .next()
        .unwrap_or(5);
    let time = Duration::from_secs(seconds);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        println!("{CALLERS} callers, {PAYLOAD} bytes a delivery, {seconds} s each");
        for group in [1, CALLERS, 64] {
            bare(group, time).await;
        }
        for callers in [1, CALLERS, 64] {
            through_the_store(callers, time).await;
        }
        through_http(time).await;
    });
}

/// On the disk that holds the build, not in memory.
fn folder() -> tempfile::TempDir {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
    tempfile::tempdir_in(base).unwrap()
}

async fn bare(group: usize, time: Duration) {
    let folder = folder();
    let url = format!(
        "sqlite:{}?mode=rwc",
        folder.path().join("bare.db").display()
    );
    let mut db = sqlx::SqliteConnection::connect(&url).await.unwrap();
    for sql in [
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "CREATE TABLE d (id INTEGER PRIMARY KEY, guid TEXT UNIQUE, payload BLOB)",
    ] {
        db.execute(sql).await.unwrap();
    }
    let payload = vec![b'x'; PAYLOAD];
    let start = Instant::now();
    let mut done = 0u64;
    while start.elapsed() < time {
        let mut tx = db.begin().await.unwrap();
        for _ in 0..group {
            sqlx::query("INSERT INTO d (guid, payload) VALUES (?, ?)")
                .bind(format!("guid-{done}"))
                .bind(&payload[..])
                .execute(&mut *tx)
                .await
                .unwrap();
            done += 1;
        }
        tx.commit().await.unwrap();
    }
    println!(
        "bare SQLite, groups of {group:>2}: {:>6.0}/s",
        rate(done, start)
    );
}

async fn through_the_store(callers: usize, time: Duration) {
    let folder = folder();
    let url = format!("sqlite:{}", folder.path().join("mend.db").display());
    let store = Store::open(&url, SystemClock::shared()).await.unwrap();
    let payload = bytes::Bytes::from(vec![b'x'; PAYLOAD]);
    let calls = run(callers, time, |guid| {
        let (store, payload) = (store.clone(), payload.clone());
        async move {
            let delivery = Incoming {
                guid,
                event: "issues".into(),
                lane: Some("7:1".into()),
                payload,
            };
            store.add_delivery(delivery).await.unwrap();
        }
    });
    report(&format!("store, {callers:>2} callers"), calls.await);
    store.close().await;
}

async fn through_http(time: Duration) {
    let folder = folder();
    let url = format!("sqlite:{}", folder.path().join("mend.db").display());
    let store = Store::open(&url, SystemClock::shared()).await.unwrap();
    let settings = Settings::load(
        None,
        &Environment::of([
            ("MEND_CONFIG", "/dev/null"),
            ("MEND_GITHUB_APP_ID", "1"),
            ("MEND_GITHUB_PRIVATE_KEY", "-----BEGIN PRIVATE KEY-----\\nx"),
            ("MEND_GITHUB_WEBHOOK_SECRET", SECRET),
            ("MEND_MODEL_REPLAY", "/none"),
        ]),
    );
    let github = Arc::new(settings.unwrap().github);
    let receiver = Receiver::new(store.clone(), github, 5 << 20);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/webhook", listener.local_addr().unwrap());
    let stop = Cancel::new();
    let serving = tokio::spawn(serve(
        listener,
        router(receiver),
        stop.clone(),
        Bounds::default(),
    ));

    let text = "x".repeat(PAYLOAD - 80);
    let body = format!(
        r#"{{"action":"labeled","repository":{{"id":7}},"issue":{{"number":1,"body":"{text}"}}}}"#
    );
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    let signature = format!("sha256={}", hex::encode(mac.finalize().into_bytes()));
    let http = reqwest::Client::new();
    let calls = run(CALLERS, time, |guid| {
        let request = http
            .post(&address)
            .header("x-github-event", "issues")
            .header("x-github-delivery", guid)
            .header("content-type", "application/json")
            .header("x-hub-signature-256", &signature)
            .body(body.clone());
        async move {
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status(), 202);
        }
    });
    report(&format!("HTTP, {CALLERS} connections"), calls.await);
    stop.cancel();
    serving.await.unwrap();
}

/// Calls as often as `callers` at once can; the time of each call, and of all together.
async fn run<F, C>(callers: usize, time: Duration, call: C) -> (Vec<Duration>, Instant)
where
    F: Future<Output = ()> + Send + 'static,
    C: Fn(String) -> F,
{
    let start = Instant::now();
    let one = |who: usize| {
        let call = &call;
        async move {
            let mut times = Vec::new();
            while start.elapsed() < time {
                let begun = Instant::now();
                // On the runtime's threads, as the server's own tasks are.
                tokio::spawn(call(format!("{who}-{}", times.len())))
                    .await
                    .unwrap();
                times.push(begun.elapsed());
            }
            times
        }
    };
    let all = futures::future::join_all((0..callers).map(one)).await;
    (all.concat(), start)
}

fn rate(done: u64, start: Instant) -> f64 {
    done as f64 / start.elapsed().as_secs_f64()
}

fn report(what: &str, (mut times, start): (Vec<Duration>, Instant)) {
    let rate = rate(times.len() as u64, start);
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    println!(
        "{what}: {rate:>6.0}/s, p50 {:.1} ms, p99 {:.1} ms",
        at(0.5),
        at(0.99)
    );
}
