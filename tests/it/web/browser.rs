//! The pages in a real browser: `tests/browser.sh` runs this with the path of axe-core.

use super::Rig;
use super::seed::{
    contradiction, didnt_start, finish, model, ready, result, running, spans, tool, trigger,
};
use mend::domain::{Clock, Reason, Verdict};
use mend::store::PullEnd;
use serde_json::json;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

/// The machine's clock, set back while the past is made.
#[derive(Default)]
struct Past(AtomicI64);

impl Clock for Past {
    fn now(&self) -> SystemTime {
        SystemTime::now() - Duration::from_secs(self.0.load(Ordering::SeqCst).unsigned_abs())
    }
}

const REPO: (u64, &str) = (1, "acme/invoicer");
const OTHER: (u64, &str) = (2, "acme/roombook");

/// A month of runs.
async fn history(rig: &Rig, clock: &Past) {
    let verdicts = [
        Verdict::Ready,
        Verdict::Ready,
        Verdict::Draft,
        Verdict::Ready,
        Verdict::NoChange,
        Verdict::Question,
        Verdict::Ready,
        Verdict::DidntStart,
        Verdict::LimitReached,
        Verdict::Ready,
        Verdict::Stopped,
        Verdict::Crashed,
    ];
    let titles = [
        "Totals drift by a cent from three units on",
        "NET 30 falls a day early in February",
        "CSV export drops the last line",
        "Discounts of 100 % divide by zero",
        "Foreign invoices show no currency",
        "Back-to-back bookings are refused",
    ];
    for n in 0..64usize {
        let day = 29 - (n * 29 / 64) as i64;
        clock
            .0
            .store(day * 86_400 + (n as i64 * 977) % 40_000, Ordering::SeqCst);
        let repo = if n % 3 == 0 { OTHER } else { REPO };
        let made = trigger(repo, 100 + n as u64, titles[n % titles.len()], "ada");
        let held = running(&rig.store, &made).await;
        let verdict = verdicts[n % verdicts.len()];
        let mut doc = result(verdict, Reason::Fixed);
        doc["pull_request"] = match verdict {
            Verdict::Ready | Verdict::Draft => {
                json!({"number": 200 + n, "title": titles[n % titles.len()], "head": "mend/x", "base": "main"})
            }
            _ => serde_json::Value::Null,
        };
        finish(&rig.store, held, verdict, &doc).await;
        if n % 4 == 0 {
            let ended_at = rig.store.now_ms().await.unwrap() + 7_400_000;
            let end = PullEnd {
                repo_id: repo.0,
                number: 200 + n as u64,
                merged: n % 12 != 8,
                opened_at: ended_at - 7_300_000,
                ended_at,
                head_sha: if n % 8 == 0 {
                    "4c1d2e94c1d2e94c1d2e94c1d2e94c1d2e94c1d2".into()
                } else {
                    "theirs".into()
                },
            };
            rig.store.put_pull_end(&end).await.unwrap();
        }
    }
    clock.0.store(0, Ordering::SeqCst);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium and axe-core: tests/browser.sh"]
async fn pages_in_a_real_browser() {
    let clock = Arc::new(Past::default());
    let rig = Rig::sqlite(clock.clone()).await;
    history(&rig, &clock).await;
    clock.0.store(340, Ordering::SeqCst);
    let made = |n: u64, title: &str| trigger(REPO, n, title, "ada");
    let done = ready(
        &rig.store,
        &made(41, "Totals drift by a cent from three units on"),
    )
    .await;
    let contradicts = contradiction(
        &rig.store,
        &made(52, "NET 30 falls a day early in February"),
    )
    .await;
    let not_started =
        didnt_start(&rig.store, &made(63, "Offsets with a colon are not parsed")).await;
    clock.0.store(0, Ordering::SeqCst);
    let held = running(&rig.store, &made(71, "CSV export drops the last line")).await;
    let now = rig.store.now_ms().await.unwrap();
    rig.store
        .put_spans(held, &spans(now, "failed"))
        .await
        .unwrap();
    for n in 0..3 {
        let waits = trigger(OTHER, 300 + n, "Discounts of 100 % divide by zero", "grace");
        rig.store.create_task(&waits, 3).await.unwrap();
    }
    let link = mend::web::invite(&rig.store, "/").await.unwrap();
    let store = rig.store.clone();
    // Turns go on while the browser looks.
    let going = tokio::spawn(async move {
        for id in 12.. {
            tokio::time::sleep(Duration::from_millis(700)).await;
            let one = match id % 2 {
                0 => model(
                    id,
                    &format!("I look at line {id}, and once more."),
                    9_000,
                    120,
                ),
                _ => tool(
                    id,
                    "read_file",
                    json!({"path": format!("invoicer/part{id}.py")}),
                    "1\ta = 1",
                ),
            };
            let one = mend::store::StoredSpan {
                started_at: store.now_ms().await.unwrap(),
                ..one
            };
            store.put_spans(held, &[one]).await.unwrap();
        }
    });
    let told = json!({"link": format!("{}{link}", rig.base), "runs": {"finished": done, "contradiction": contradicts, "didnt-start": not_started, "running": held.id}, "repo": REPO.1});
    let done = tokio::task::spawn_blocking(move || {
        let axe = std::env::var("MEND_AXE").expect("MEND_AXE is axe-core's file");
        let shots = std::env::var("MEND_SHOTS").expect("MEND_SHOTS is a folder for pictures");
        let mut node = Command::new("node");
        node.args(["tests/tools/browser.mjs", &told.to_string(), &axe, &shots]);
        node.status().unwrap()
    });
    let status = done.await.unwrap();
    going.abort();
    assert!(status.success(), "{status}");
}
