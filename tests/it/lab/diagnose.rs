//! Diagnoses: an answer that holds becomes a report, a guard and a line of the history; one that
//! does not goes back with what is wrong.

use crate::fix::{Scripted, turn};
use mend::domain::{Cancel, Outcome, SpanEnd, SpanKind, StopReason, Verdict};
use mend::lab::{About, Diagnosing, Entry, Fate, Row, RunFolder, diagnose, report};
use mend::model::Message;
use mend::trace::Span;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

fn span(id: u32, name: &str, output: &str) -> Span {
    Span {
        id,
        parent: (id > 1).then_some(1),
        kind: SpanKind::Tool,
        name: name.into(),
        started_ms: 0,
        duration_ms: Some(1),
        end: Some(SpanEnd::Ok),
        input: "{}".into(),
        output: output.into(),
        attributes: Default::default(),
    }
}

/// A run of three tasks, of which two read a file in pages.
fn run(folder: &Path) -> RunFolder {
    let about = About {
        suite: "suite".into(),
        model: "m".into(),
        version: "0".into(),
        began: 0,
        repeats: 1,
        settings: String::new(),
        note: String::new(),
    };
    let run = RunFolder::begin(folder, &about).unwrap();
    let mut results = std::fs::File::create(folder.join("results.jsonl")).unwrap();
    for (task, turns, page) in [("a", 6, true), ("b", 7, true), ("c", 2, false)] {
        let row = Row {
            task: task.into(),
            repeat: 1,
            language: "python".into(),
            tags: vec![],
            solved: task != "b",
            why: String::new(),
            hidden: Outcome::Passed,
            verdict: Some(Verdict::Ready),
            stop: Some(StopReason::SuitePassed),
            turns,
            input_tokens: 1,
            output_tokens: 1,
            cached_tokens: 0,
            dollars: None,
            seconds: 1.0,
            model_seconds: 0.0,
            check_seconds: 0.0,
            named: vec![],
            error: None,
        };
        writeln!(results, "{}", serde_json::to_string(&row).unwrap()).unwrap();
        let read = match page {
            true => "1\tx\n... (9 more lines; file has 10 lines total)",
            false => "1\tx\n",
        };
        let mut file =
            std::fs::File::create(folder.join(format!("traces/{task}.1.jsonl"))).unwrap();
        for span in [span(1, "solve_task", "{}"), span(2, "read_file", read)] {
            mend::trace::write(&mut file, &span).unwrap();
        }
    }
    run
}

fn answer() -> Value {
    json!({
        "tasks": [
            {"task": "b.1", "span": 2, "step": "turn 1, read_file", "cause": "a page", "weakness": "reads | in pages"},
            {"task": "a.1", "span": 2, "step": "turn 1, read_file", "cause": "a page", "weakness": "reads in pages"}
        ],
        "fix": {"title": "Longer pages", "kind": "tool", "file": "src/workspace/read.rs", "change": "Double it.", "why": "Any file."},
        "guard": {"name": "a page", "span": "read_file", "on": "output", "pattern": "more lines", "flags": "cut reads",
            "why": "a turn each", "fires_on": ["a.1", "b.1"]}
    })
}

async fn ask(answers: Vec<Value>) -> (Result<mend::lab::Diagnosis, String>, Scripted) {
    let folder = tempfile::tempdir().unwrap();
    let run = run(&folder.path().join("run"));
    let turns = answers
        .iter()
        .map(|a| turn(&format!("Here it is:\n```json\n{a:#}\n```"), &[]));
    let model = Scripted::new(turns.collect());
    let history = [Entry {
        title: "Whole files".into(),
        fate: Fate::Reverted,
        kind: "tool".into(),
        file: "src/workspace/read.rs".into(),
        evidence: "cost tokens".into(),
    }];
    let cancel = Cancel::new();
    let asked = Diagnosing {
        model: &model,
        max_output_tokens: 1000,
        source: Path::new(env!("CARGO_MANIFEST_DIR")),
        history: &history,
        most: 2,
        cancel: &cancel,
    };
    let made = diagnose(&run, &asked).await.map_err(|e| e.to_string());
    (made, model)
}

#[tokio::test]
async fn an_answer_that_holds_is_a_report() {
    let (made, model) = ask(vec![answer()]).await;
    let made = made.unwrap();
    insta::assert_snapshot!(report("before", &made));
    let told = model.told(1);
    assert!(
        told.contains("Whole files (reverted, tool): cost tokens"),
        "{told}"
    );
    assert!(
        told.contains("## b.1") && told.contains("## a.1"),
        "the failed and the slowest"
    );
    assert!(!told.contains("## c.1"), "two traces at most");
    assert!(told.contains("[2] read_file"), "{told}");
    let guards = mend::trace::Guard::read(&made.guard.unwrap().toml().unwrap()).unwrap();
    assert_eq!(
        guards[0].check(&[span(7, "read_file", "3 more lines")])[0].span,
        7
    );
}

#[tokio::test]
async fn what_does_not_hold_goes_back_and_is_named() {
    let mut wrong = answer();
    wrong["tasks"][0]["task"] = json!("z.1");
    wrong["tasks"][1]["span"] = json!(99);
    wrong["fix"]["file"] = json!("../etc/passwd");
    wrong["fix"]["title"] = json!("whole files");
    wrong["guard"]["pattern"] = json!("(");
    let mut wide = answer();
    wide["guard"]["pattern"] = json!("x");
    wide["guard"]["fires_on"] = json!(["a.1"]);
    let (made, model) = ask(vec![wrong, wide, answer()]).await;
    assert!(made.is_ok());
    let first = model.told(2);
    for fault in [
        "there is no trace of `z.1`; there are b.1, a.1",
        "the trace of `a.1` has no span 99",
        "`fix.file` is `../etc/passwd`",
        "`Whole files` was proposed before (reverted)",
        "the guard cannot be used",
    ] {
        assert!(first.contains(fault), "{fault} is not in {first}");
    }
    let second = model.told(3);
    assert!(
        second.contains("the guard fires on 2 of 2 other traces: b.1, c.1"),
        "{second}"
    );
    assert!(matches!(
        model.seen.lock().unwrap()[2].messages.last(),
        Some(Message::User(_))
    ));
}

#[tokio::test]
async fn answers_that_never_hold_are_an_error() {
    let (made, model) = ask(vec![json!({"tasks": []}), json!("nothing"), json!({})]).await;
    let error = made.unwrap_err();
    assert!(error.starts_with("the diagnosis does not hold"), "{error}");
    assert_eq!(model.asked(), 3);
}
