//! Runs as the server leaves them in its store.

use mend::domain::{
    IssueRef, Person, Reason, RepoRef, SpanEnd, SpanKind, Spent, Step, TaskId, Trigger,
    TriggerKind, Verdict,
};
use mend::store::{Held, Reached, Store, StoredSpan};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub const LEASE: Duration = Duration::from_secs(3600);

pub fn trigger(repo: (u64, &str), issue: u64, title: &str, login: &str) -> Trigger {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    Trigger {
        issue: IssueRef {
            repo: RepoRef {
                id: repo.0,
                name: repo.1.parse().unwrap(),
                installation_id: 1,
            },
            id: issue + 1000,
            number: issue,
        },
        by: Person {
            id: 7,
            login: login.into(),
            is_bot: false,
        },
        what: TriggerKind::Label,
        asked_on: None,
        asked_at: None,
        title: title.into(),
        body: "It is wrong.".into(),
        key: format!("seed-{n}"),
    }
}

/// A run that a worker holds.
pub async fn running(store: &Store, trigger: &Trigger) -> Held {
    let made = store.create_task(trigger, 3).await.unwrap().id();
    let room = mend::store::Room {
        only: Some(made),
        ..Default::default()
    };
    let claimed = store.claim_within("w", LEASE, room).await.unwrap().unwrap();
    let reached = Reached {
        base_sha: Some("1f0c3a7b1f0c3a7b1f0c3a7b1f0c3a7b1f0c3a7b".into()),
        ..Reached::default()
    };
    store
        .step(claimed.held, Step::Work, &reached)
        .await
        .unwrap();
    claimed.held
}

pub fn span(id: i64, parent: Option<i64>, kind: SpanKind, name: &str) -> StoredSpan {
    StoredSpan {
        id,
        rev: id,
        parent,
        kind,
        name: name.into(),
        started_at: 0,
        duration_ms: Some(40),
        end: Some(SpanEnd::Ok),
        input: String::new(),
        output: String::new(),
        attributes: "{}".into(),
    }
}

pub fn command(id: i64, parent: i64, line: &str, outcome: &str, output: &str) -> StoredSpan {
    let end = if outcome == "passed" {
        SpanEnd::Ok
    } else {
        SpanEnd::Failed
    };
    let tests = match outcome {
        "passed" => json!({"passed": 213, "failed": 0, "errors": 0, "skipped": 0}),
        "failed" => json!({"passed": 212, "failed": 1, "errors": 0, "skipped": 0}),
        _ => Value::Null,
    };
    let about = json!({"command": line, "outcome": outcome, "exit": 1, "tests": tests,
        "reason": if outcome == "passed" { "" } else { "AssertionError: 3.34 != 3.33." }});
    StoredSpan {
        input: line.into(),
        output: output.into(),
        end: Some(end),
        duration_ms: Some(1400),
        attributes: about.to_string(),
        ..span(id, Some(parent), SpanKind::Check, "command")
    }
}

pub fn model(id: i64, said: &str, input: u64, output: u64) -> StoredSpan {
    let about = json!({"mend.role": "worker", "gen_ai.request.model": "claude-example-4",
        "mend.usage": {"input_tokens": input, "output_tokens": output, "cached_tokens": input / 2,
            "dollars": input as f64 * 3e-6 + output as f64 * 15e-6}});
    StoredSpan {
        input: json!({"messages": ["…"]}).to_string(),
        output: json!({"text": said, "calls": []}).to_string(),
        attributes: about.to_string(),
        duration_ms: Some(2600),
        ..span(id, Some(2), SpanKind::Model, "model_call")
    }
}

pub fn tool(id: i64, name: &str, arguments: Value, result: &str) -> StoredSpan {
    StoredSpan {
        input: arguments.to_string(),
        output: result.into(),
        ..span(id, Some(2), SpanKind::Tool, name)
    }
}

const CHECK: &str = "python -m pytest";
const RED: &str = "\u{1b}[1m============ test session starts ============\u{1b}[0m\ncollected 213 items\n\ntests/test_invoice.py \u{1b}[32m.\u{1b}[0m\u{1b}[31mF\u{1b}[0m\n\n    def test_line_total_rounds_once(self):\n>       assert line_total(\"1.113\", 3) == 3.34\n\u{1b}[31mE       AssertionError: 3.33 != 3.34\u{1b}[0m\n\n\u{1b}[31m1 failed\u{1b}[0m, \u{1b}[32m212 passed\u{1b}[0m in 13.42s\n";

/// The first turns of a run, each span after the other on the store's clock.
pub fn spans(now: i64, last: &str) -> Vec<StoredSpan> {
    let mut all = vec![
        StoredSpan {
            duration_ms: Some(3100),
            ..span(1, None, SpanKind::Step, "prepare")
        },
        StoredSpan {
            end: None,
            duration_ms: None,
            ..span(2, None, SpanKind::Task, "solve_task")
        },
        StoredSpan {
            end: Some(SpanEnd::Failed),
            duration_ms: Some(1500),
            attributes: json!({"outcome": "failed"}).to_string(),
            ..span(3, Some(2), SpanKind::Check, "base_check")
        },
        command(4, 3, CHECK, "failed", RED),
        model(
            5,
            "The totals come from `line_total` in `invoicer/invoice.py`. I read it and the module that calls it.",
            8_120,
            210,
        ),
        tool(
            6,
            "read_file",
            json!({"path": "invoicer/invoice.py"}),
            &"1\tdef line_total(price, count):\n2\t    return round(price, 2) * count\n".repeat(40),
        ),
        tool(
            7,
            "search",
            json!({"pattern": "line_total\\("}),
            "invoicer/invoice.py:1: def line_total(\ninvoicer/report.py:12: line_total(p, n)",
        ),
        model(
            8,
            "Each unit price is rounded before it is multiplied. I multiply first and round once, half up.",
            9_460,
            430,
        ),
        tool(
            9,
            "edit_file",
            json!({"path": "invoicer/invoice.py", "edits": [{"old": "    return round(price, 2) * count", "new": "    total = Decimal(price) * count\n    return total.quantize(CENT, ROUND_HALF_UP)"}]}),
            "edit 1: 1 line became 2 lines",
        ),
        StoredSpan {
            duration_ms: Some(1500),
            attributes: json!({"outcome": last}).to_string(),
            ..span(10, Some(2), SpanKind::Check, "auto_check")
        },
        command(
            11,
            10,
            CHECK,
            last,
            if last == "passed" {
                "213 passed in 13.51s\n"
            } else {
                RED
            },
        ),
    ];
    let mut at = now - 24_000;
    for one in &mut all {
        one.started_at = at;
        if one.kind != SpanKind::Task && !matches!(one.name.as_str(), "base_check" | "auto_check") {
            at += one.duration_ms.unwrap_or(0) + 20;
        }
    }
    all
}

fn run(outcome: &str, passed: u64, failed: u64) -> Value {
    json!({"command": CHECK, "exit": {"code": u8::from(failed > 0)}, "duration_ms": 14_000, "outcome": outcome,
        "kind": null, "tests": {"passed": passed, "failed": failed, "errors": 0, "skipped": 0},
        "failed_names": [], "failing": [], "reason": if failed > 0 { "AssertionError: 3.33 != 3.34." } else { "" },
        "named_files": [], "blames_change": false, "narrowed": false, "runner": "pytest", "evidence": []})
}

pub const DIFF: &str = "diff --git a/invoicer/invoice.py b/invoicer/invoice.py\nindex 1f0c3a7..4c1d2e9 100644\n--- a/invoicer/invoice.py\n+++ b/invoicer/invoice.py\n@@ -1,6 +1,9 @@\n+from decimal import ROUND_HALF_UP, Decimal\n+\n+CENT = Decimal(\"0.01\")\n \n \n def line_total(price, count):\n-    return round(price, 2) * count\n+    total = Decimal(price) * count\n+    return total.quantize(CENT, ROUND_HALF_UP)\n";

pub fn result(verdict: Verdict, reason: Reason) -> Value {
    json!({
        "verdict": verdict, "reason": reason, "stop": "suite_passed", "model": "claude-example-4",
        "summary": "`line_total` rounded each unit price before multiplying, so totals drifted by a cent from three units on. It now multiplies first and rounds once, half up, as the report asks.",
        "checks": [{"command": CHECK, "base": run("failed", 212, 1), "after": run("passed", 213, 0),
            "comparison": {"fixed": ["tests/test_invoice.py::test_line_total_rounds_once"], "newly_broken": [], "already_failing": [], "vanished": [], "flaky": [], "basis": "names"}}],
        "contradictions": [], "reproductions": [], "weaknesses": [], "warnings": [], "diff": DIFF, "turns": 2,
        "usage": {"input_tokens": 17_580, "output_tokens": 640, "cached_tokens": 8_790, "dollars": 0.0623},
        "seconds": 48.2, "checks_seconds": 29.1, "error": null,
        "pull_request": {"number": 66, "url": "https://github.test/acme/invoicer/pull/66", "title": "Fix: Totals drift by a cent", "draft": verdict != Verdict::Ready, "head": "mend/issue-41", "base": "main"},
    })
}

pub async fn finish(store: &Store, held: Held, verdict: Verdict, result: &Value) -> TaskId {
    let reached = Reached {
        pr_number: result["pull_request"]["number"].as_u64(),
        head_sha: Some("4c1d2e94c1d2e94c1d2e94c1d2e94c1d2e94c1d2".into()),
        ..Reached::default()
    };
    store.step(held, Step::Publish, &reached).await.unwrap();
    let spent = Spent {
        turns: 2,
        tokens: 18_220,
        microdollars: 62_300,
    };
    let repo = store
        .task(held.id)
        .await
        .unwrap()
        .unwrap()
        .trigger
        .issue
        .repo;
    store.put_spending(held, &repo, spent).await.unwrap();
    store.finish(held, verdict, result).await.unwrap();
    held.id
}

/// A run that ended ready, with its trace.
pub async fn ready(store: &Store, trigger: &Trigger) -> TaskId {
    let held = running(store, trigger).await;
    let now = store.now_ms().await.unwrap();
    let mut all = spans(now, "passed");
    all[1].end = Some(SpanEnd::Ok);
    all[1].duration_ms = Some(21_000);
    store.put_spans(held, &all).await.unwrap();
    let guard = ("read a test file".to_string(), 6);
    store.put_fired(held.id, &[guard]).await.unwrap();
    let result = result(Verdict::Ready, Reason::Fixed);
    finish(store, held, Verdict::Ready, &result).await
}

/// A run that ended as a draft, since a test contradicts the report.
pub async fn contradiction(store: &Store, trigger: &Trigger) -> TaskId {
    let held = running(store, trigger).await;
    let now = store.now_ms().await.unwrap();
    store.put_spans(held, &spans(now, "failed")).await.unwrap();
    let mut result = result(Verdict::Draft, Reason::Contradiction);
    result["checks"][0]["after"] = run("failed", 212, 1);
    result["summary"] = "NET 30 now falls 30 days after the invoice date, as the report describes (31 January gives 2 March).".into();
    result["contradictions"] = json!([{"test": "test_net_30_january", "file": "tests/test_terms.py", "line": 44,
        "expected": "3 March", "report_requires": "2 March: \"due 30 days after the invoice date\"", "why": "the test counts the invoice's own day", "confirmed": true}]);
    finish(store, held, Verdict::Draft, &result).await
}

/// A run whose check did not start.
pub async fn didnt_start(store: &Store, trigger: &Trigger) -> TaskId {
    let held = running(store, trigger).await;
    let now = store.now_ms().await.unwrap();
    let mut all = spans(now, "failed");
    all.truncate(4);
    all[3] = StoredSpan {
        started_at: now - 9000,
        ..command(
            4,
            3,
            CHECK,
            "didnt_start",
            "ModuleNotFoundError: No module named 'freezegun'\n",
        )
    };
    store.put_spans(held, &all).await.unwrap();
    let mut result = result(Verdict::Draft, Reason::CheckDidntStart);
    let mut stopped = run("didnt_start", 0, 0);
    stopped["tests"] = Value::Null;
    stopped["exit"] = json!({"code": 4});
    stopped["reason"] = "No module named 'freezegun'.".into();
    result["checks"][0] = json!({"command": CHECK, "base": stopped, "after": stopped, "comparison": {"fixed": [], "newly_broken": [], "already_failing": [], "vanished": [], "flaky": []}});
    finish(store, held, Verdict::Draft, &result).await
}
