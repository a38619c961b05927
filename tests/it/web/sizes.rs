//! A run of 200 turns and 5 MB of output: its pages are small and soon there, and the server's memory
//! stays flat.

use super::Rig;
use super::seed::{finish, model, result, running, span, tool, trigger};
use mend::domain::{Reason, SpanKind, Verdict};
use serde_json::json;
use std::time::{Duration, Instant};

const TURNS: i64 = 200;

fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_200_turns_and_5_mb_is_soon_there() {
    for rig in Rig::both().await {
        let held = running(
            &rig.store,
            &trigger((1, "acme/invoicer"), 41, "Totals drift", "ada"),
        )
        .await;
        let line = "\u{1b}[31mF\u{1b}[0m tests/test_invoice.py::test_many - AssertionError\n";
        let output = line.repeat(26_000 / line.len());
        let mut all = vec![
            span(1, None, SpanKind::Step, "prepare"),
            span(2, None, SpanKind::Task, "solve_task"),
        ];
        for n in 0..TURNS {
            let id = 3 + n * 3;
            all.push(model(id, "I look again.", 5_000, 200));
            all.push(tool(
                id + 1,
                "read_file",
                json!({"path": "invoicer/invoice.py"}),
                &output,
            ));
            all.push(tool(
                id + 2,
                "edit_file",
                json!({"path": "a.py", "edits": [{"old": "a", "new": "b"}]}),
                "done",
            ));
        }
        let whole: usize = all.iter().map(|s| s.output.len()).sum();
        assert!(whole > 5_000_000, "{whole}");
        for part in all.chunks(64) {
            rig.store.put_spans(held, part).await.unwrap();
        }
        let path = format!("/runs/{}", held.id);
        let live = rig.browser.page(&path).await;
        assert!(
            live.contains("Turn 200") && live.contains("id=\"item-600\""),
            "the last turns of one that runs"
        );
        finish(
            &rig.store,
            held,
            Verdict::Ready,
            &result(Verdict::Ready, Reason::Fixed),
        )
        .await;
        rig.browser.page(&path).await;
        let before = resident_kb();
        let mut times = Vec::new();
        for n in 0..21 {
            let start = Instant::now();
            let page = rig
                .browser
                .page(&format!("{path}?turns={}", 1 + n * 9))
                .await;
            times.push(start.elapsed());
            assert!(page.len() < 700_000, "{} bytes", page.len());
        }
        let log = rig.browser.page(&format!("{path}/log")).await;
        assert!(log.len() > 4_500_000, "{}", log.len());
        drop(log);
        times.sort();
        let grown = resident_kb().saturating_sub(before) / 1024;
        println!(
            "a part of the page: median {:?}, most {:?}; memory grew by {grown} MB",
            times[10], times[20]
        );
        assert!(times[10] < Duration::from_secs(1), "{times:?}");
        assert!(grown < 64, "{grown} MB");
        let whole = rig
            .browser
            .page(&format!("{path}/spans/4/output.html"))
            .await;
        assert!(whole.matches("<span class=\"f1\">").count() > 300);
    }
}
