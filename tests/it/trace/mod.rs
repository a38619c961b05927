//! Traces: what a real fix tells, put together as spans, kept as JSON lines, read by guards.

use crate::fix::{SUMS, case, edit, finish, fixes_add, turn};
use mend::domain::{Clock, Journal, SpanEnd, SpanKind, SystemClock};
use mend::text::Redactor;
use mend::trace::{self, Guard, Recorder, Span};
use serde_json::json;
use std::sync::Arc;

/// The spans of what a journal heard; the last told of each.
fn spans(heard: &crate::fix::Heard, redactor: Redactor) -> Vec<Span> {
    let (to, mut told) = tokio::sync::mpsc::unbounded_channel();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let recorder = Recorder::new(redactor, clock, 0, to);
    for event in heard.0.lock().unwrap().iter() {
        recorder.tell(event.clone());
    }
    drop(recorder);
    let mut file = Vec::new();
    while let Ok(span) = told.try_recv() {
        trace::write(&mut file, &span).unwrap();
    }
    trace::read(&mut file.as_slice()).unwrap()
}

fn shape(spans: &[Span]) -> Vec<(&str, u32)> {
    spans
        .iter()
        .map(|s| (s.name.as_str(), s.parent.unwrap_or_default()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_is_a_tree_of_spans() {
    let case = case(SUMS);
    let wrong = edit("adder/sums.py", "return a - b", "return b - a");
    let right = edit("adder/sums.py", "return b - a", "return a + b");
    let (fixed, _) = case
        .run(vec![
            turn(
                "",
                &[("read_file", json!({"path": "tests/test_sums.py"})), wrong],
            ),
            turn("the test expects 5", &[right]),
        ])
        .await;
    let redactor = Redactor::new();
    redactor.know("return a * 2");
    let spans = spans(&case.heard, redactor);
    assert_eq!(
        shape(&spans),
        [
            ("solve_task", 0),
            ("base_check", 1),
            ("command", 2),
            ("model_call", 1),
            ("read_file", 1),
            ("edit_file", 1),
            ("auto_check", 1),
            ("command", 7),
            ("model_call", 1),
            ("edit_file", 1),
            ("auto_check", 1),
            ("command", 11),
            ("trial", 1),
        ]
    );
    assert!(
        spans
            .iter()
            .all(|s| s.end.is_some() && s.duration_ms.is_some())
    );
    let task = &spans[0];
    assert_eq!((task.kind, task.end), (SpanKind::Task, Some(SpanEnd::Ok)));
    assert!(
        task.output
            .starts_with(r#"{"stop":"suite_passed","turns":2,"summary":"#),
        "{}",
        task.output
    );
    assert_eq!(task.attributes["mend.verdict"], json!(fixed.verdict));
    assert!(
        spans[1].output.starts_with("FAILED\n"),
        "{}",
        spans[1].output
    );
    let (first, second) = (&spans[3], &spans[8]);
    assert!(first.input.contains("add subtracts") && first.input.contains("\"system\""));
    assert!(!second.input.contains("\"system\""), "only what is new");
    assert_eq!(first.attributes["gen_ai.usage.input_tokens"], json!(100));
    assert_eq!(spans[9].attributes["edits"], json!("edits_parsed"));
    assert_eq!(spans[7].attributes["outcome"], json!("failed"));
    let all = serde_json::to_string(&spans).unwrap();
    assert!(!all.contains("return a * 2"), "what is secret is redacted");

    let fired = |guards: Vec<Guard>| -> Vec<String> {
        let fired = guards.iter().flat_map(|g| g.check(&spans));
        fired.map(|f| format!("{} {}", f.guard, f.span)).collect()
    };
    assert_eq!(
        fired(trace::shipped().unwrap()),
        [
            "read a test file 5",
            "passed after fitting code to a test it doubted 1",
            "test-fitting after a conflict with the report 1"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_that_does_nothing_fires_no_guard() {
    let case = case(SUMS);
    case.run(vec![turn("", &[fixes_add()]), turn("", &[finish("done")])])
        .await;
    let spans = spans(&case.heard, Redactor::new());
    for guard in trace::shipped().unwrap() {
        assert_eq!(guard.check(&spans), [], "{}", guard.name());
    }
}

#[test]
fn what_is_dropped_was_interrupted_with_everything_inside() {
    use mend::domain::OpenSpan;
    let heard = crate::fix::Heard::default();
    {
        let open = |name: &str| OpenSpan::open(&heard, SpanKind::Step, name, "in", vec![]);
        let outer = open("outer");
        std::mem::forget(open("inner"));
        drop(outer);
        open("next").close(SpanEnd::Ok, "out", vec![("n", json!(1))]);
    }
    let spans = spans(&heard, Redactor::new());
    let ends: Vec<_> = spans
        .iter()
        .map(|s| (s.name.as_str(), s.parent, s.end))
        .collect();
    assert_eq!(
        ends,
        [
            ("outer", None, Some(SpanEnd::Interrupted)),
            ("inner", Some(1), Some(SpanEnd::Interrupted)),
            ("next", None, Some(SpanEnd::Ok)),
        ]
    );
}

#[test]
fn a_torn_last_line_is_left_out_and_another_is_named() {
    let span = json!({"id": 1, "parent": null, "kind": "tool", "name": "x", "started_ms": 0,
        "duration_ms": null, "end": null, "input": "", "output": ""})
    .to_string();
    let torn = format!("{span}\n{}", &span[..20]);
    assert_eq!(trace::read(&mut torn.as_bytes()).unwrap().len(), 1);
    let wrong = format!("{span}\n{{}}\n{span}\n");
    let error = trace::read(&mut wrong.as_bytes()).unwrap_err().to_string();
    assert!(error.starts_with("line 2 is no span"), "{error}");
}

#[test]
fn wrong_guards_are_named() {
    let guard = |name: &str, pattern: &str| {
        format!(
            "[[guard]]\nname = {name:?}\nspan = \"x\"\npattern = {pattern:?}\nflags = \"\"\nwhy = \"\"\n"
        )
    };
    let error = Guard::read(&guard("open", "(")).unwrap_err().to_string();
    assert!(
        error.starts_with("the expression of guard \"open\" cannot be used"),
        "{error}"
    );
    let twice = format!("{}{}", guard("a", "b"), guard("a", "c"));
    assert_eq!(
        Guard::read(&twice).unwrap_err().to_string(),
        "two guards are named \"a\""
    );
    let error = Guard::read("[[guard]]\nnane = 1").unwrap_err().to_string();
    assert!(error.contains("nane"), "{error}");
}
