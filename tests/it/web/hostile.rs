//! DB-01: hostile text in every field is text. The page with it has the very elements and attributes
//! of the page with plain text in its place.

use super::Rig;
use super::seed::{finish, model, running, span, tool, trigger};
use mend::domain::{Reason, SpanKind, SystemClock, Verdict};
use mend::store::{Store, StoredSpan};
use scraper::{Html, Node};
use serde_json::{Value, json};

const EVIL: [&str; 6] = [
    "<img src=x onerror=1>",
    "\"><svg/onload=1><script>alert(1)</script>",
    "' onmouseover='alert(1)' x='[x](javascript:1)",
    "{{7*7}}${7*7}<%= 7*7 %></pre></script></textarea></title>--><!--",
    "\u{1b}]8;;javascript:alert(1)\u{7}x\u{1b}[2J\u{1b}]0;t\u{7}&lt;b&gt;&#x3c;i&#x3e;",
    "\u{202e}txt.exe\u{200b}\u{feff}<a href=//evil.test>",
];

/// Elements with the names of their attributes, in order, and the addresses that they name.
fn skeleton(html: &str) -> (Vec<String>, Vec<String>) {
    let page = Html::parse_document(html);
    let (mut all, mut addresses) = (Vec::new(), Vec::new());
    for node in page.tree.nodes() {
        if let Node::Element(e) = node.value() {
            let mut names: Vec<&str> = e.attrs().map(|(name, _)| name).collect();
            names.sort_unstable();
            all.push(format!("{} {}", e.name(), names.join(" ")));
            for name in ["href", "src", "action", "data-load", "data-events"] {
                addresses.extend(e.attr(name).map(str::to_string));
            }
        }
    }
    (all, addresses)
}

/// A run with `text` wherever text from outside may stand.
async fn seeded(store: &Store, text: &str) -> i64 {
    let held = running(store, &trigger((1, "acme/invoicer"), 41, text, text)).await;
    let about =
        json!({"outcome": "failed", "reason": text, "command": text, "what": text}).to_string();
    let failed = |id, parent, kind, name: &str| StoredSpan {
        input: text.into(),
        output: text.into(),
        attributes: about.clone(),
        end: Some(mend::domain::SpanEnd::Failed),
        ..span(id, parent, kind, name)
    };
    let setup = json!({"steps": [text], "from_cache": false, "duration_ms": 1,
        "traffic": {"reached": [], "refused": [{"host": text, "why": text, "by_policy": true, "times": 1}], "more_refused": 0, "received_bytes": 0, "sent_bytes": 0},
        "failed": {"command": text, "how": text, "tail": text}});
    let all = [
        failed(1, None, SpanKind::Step, text),
        span(2, None, SpanKind::Task, "solve_task"),
        failed(3, Some(2), SpanKind::Check, "base_check"),
        failed(4, Some(3), SpanKind::Check, "command"),
        failed(5, Some(2), SpanKind::Check, "trial"),
        StoredSpan {
            output: setup.to_string(),
            ..span(6, Some(2), SpanKind::Step, "set_up")
        },
        model(7, text, 10, 10),
        tool(8, text, json!({"path": text, "x": text}), text),
        tool(
            9,
            "edit_file",
            json!({"path": text, "edits": [{"old": text, "new": text}], "summary": text}),
            text,
        ),
        tool(
            10,
            "write_file",
            json!({"path": text, "content": text}),
            text,
        ),
        StoredSpan {
            input: text.into(),
            ..tool(11, "search", Value::Null, text)
        },
        failed(12, Some(2), SpanKind::Model, "model_call"),
    ];
    store.put_spans(held, &all).await.unwrap();
    store
        .put_fired(held.id, &[(text.to_string(), 8)])
        .await
        .unwrap();
    let run = json!({"command": text, "exit": {"code": 1}, "duration_ms": 1, "outcome": "didnt_start", "kind": null, "tests": null,
        "failed_names": [text], "failing": [], "reason": text, "named_files": [text], "blames_change": false, "narrowed": false, "runner": text, "evidence": [text]});
    let result = json!({
        "verdict": "draft", "reason": Reason::Contradiction, "model": text, "summary": text, "error": text, "warnings": [text],
        "checks": [{"command": text, "base": run, "after": run, "comparison": {"fixed": [text], "newly_broken": [text], "already_failing": [text], "vanished": [text], "flaky": [text]}}],
        "contradictions": [{"test": text, "file": text, "line": 1, "expected": text, "report_requires": text, "why": text}],
        "reproductions": [{"file": text, "command": text, "base": "failed", "after": "failed", "reason": text, "red_to_green": false, "because": text}],
        "weaknesses": [{"kind": "harness", "path": text, "what": text}],
        "review": {"model": text, "sent_back": [], "open": [{"path": text, "line": 1, "severity": "must_fix", "text": text}], "unplaced": 0, "failed": text},
        "diff": format!("diff --git a/{text} b/{text}\n@@ -1 +1 @@ {text}\n-{text}\n+{text}\n {text}\n\\{text}\n"),
        "pull_request": {"number": 3, "title": text, "draft": true, "head": text, "base": text},
    });
    finish(store, held, Verdict::Draft, &result).await.0
}

#[tokio::test(flavor = "multi_thread")]
async fn db_01_hostile_text_in_every_field_is_text() {
    let paths = |id: i64| {
        [
            "/".to_string(),
            "/search?q=acme/invoicer".to_string(),
            "/repos/acme/invoicer".to_string(),
            format!("/runs/{id}"),
            format!("/runs/{id}/spans/4"),
            format!("/runs/{id}/spans/8/output.html"),
        ]
    };
    for evil in EVIL {
        // One run in each store, so that nothing but the text differs.
        let (plain, hostile) = (
            Rig::sqlite(SystemClock::shared()).await,
            Rig::sqlite(SystemClock::shared()).await,
        );
        let id = seeded(&plain.store, "text").await;
        assert_eq!(seeded(&hostile.store, evil).await, id);
        for path in paths(id) {
            let answer = hostile.browser.get(&path).await;
            assert_eq!(answer.status(), 200, "{path}");
            let policy = answer.headers()["content-security-policy"]
                .to_str()
                .unwrap();
            for part in [
                "default-src 'none'",
                "script-src 'self'",
                "style-src 'self'",
                "frame-ancestors 'none'",
            ] {
                assert!(policy.contains(part), "{path}: {policy}");
            }
            assert!(!policy.contains("unsafe"), "{policy}");
            for (name, value) in [
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "no-referrer"),
                ("cache-control", "no-store"),
            ] {
                assert_eq!(answer.headers()[name], value, "{path}");
            }
            let (theirs, addresses) = skeleton(&answer.text().await.unwrap());
            let (ours, _) = skeleton(&plain.browser.page(&path).await);
            assert_eq!(theirs, ours, "{path} with {evil:?}");
            let fine = |a: &String| {
                a.starts_with('/') && !a.starts_with("//")
                    || a.starts_with("https://github.test/")
                    || a.starts_with('#')
            };
            let odd: Vec<_> = addresses.into_iter().filter(|a| !fine(a)).collect();
            assert!(odd.is_empty(), "{path} with {evil:?}: {odd:?}");
        }
        // What is no page is plain text, and no browser takes it for more.
        for path in [
            format!("/runs/{id}/log"),
            format!("/runs/{id}/diff"),
            format!("/runs/{id}/spans/8/output"),
        ] {
            let answer = hostile.browser.get(&path).await;
            assert_eq!(
                answer.headers()["content-type"],
                "text/plain; charset=utf-8",
                "{path}"
            );
            assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn db_01_nothing_is_loaded_from_elsewhere_and_nothing_is_inline() {
    let rig = Rig::sqlite(SystemClock::shared()).await;
    let id = super::seed::ready(
        &rig.store,
        &trigger((1, "acme/invoicer"), 41, "Totals", "ada"),
    )
    .await;
    for path in ["/".to_string(), format!("/runs/{id}")] {
        let text = rig.browser.page(&path).await;
        let page = Html::parse_document(&text);
        for node in page.tree.nodes() {
            let Node::Element(e) = node.value() else {
                continue;
            };
            assert!(
                e.attr("style").is_none() && e.name() != "style",
                "{path}: {e:?}"
            );
            assert!(
                e.attrs().all(|(name, _)| !name.starts_with("on")),
                "{path}: {e:?}"
            );
            if e.name() == "script" {
                assert!(e.attr("src").unwrap().starts_with("/static/"), "{e:?}");
            }
            for load in ["src", "data-load"] {
                assert!(
                    e.attr(load)
                        .is_none_or(|a| a.starts_with('/') && !a.starts_with("//")),
                    "{e:?}"
                );
            }
            if e.name() == "link" {
                let address = e.attr("href").unwrap();
                assert_eq!(rig.browser.status(address).await, 200, "{address}");
            }
        }
    }
}
