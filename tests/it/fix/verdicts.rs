//! Contradicting tests and doubted ones (rules W12, W15).

use super::{case, edit, fixes_add, turn};
use mend::domain::{Reason, StopReason, Verdict};
use serde_json::json;

/// `net30` is wrong, and one of its two tests contradicts the report: 31 January plus 30 days.
const TERMS: &[(&str, &str)] = &[
    (
        "terms/__init__.py",
        "from datetime import timedelta\n\n\ndef net30(day):\n    return day + timedelta(days=29)\n",
    ),
    ("tests/__init__.py", ""),
    (
        "tests/test_terms.py",
        "import unittest\nfrom datetime import date\n\nfrom terms import net30\n\n\nclass TermsTest(unittest.TestCase):\n    def test_march(self):\n        self.assertEqual(net30(date(2026, 3, 1)), date(2026, 3, 31))\n\n    def test_january(self):\n        self.assertEqual(net30(date(2026, 1, 31)), date(2026, 3, 3))\n",
    ),
];

fn fix_days(from: &str, to: &str) -> (&'static str, serde_json::Value) {
    edit("terms/__init__.py", from, to)
}

#[tokio::test(flavor = "multi_thread")]
async fn w12_a_contradicting_test_is_named_confirmed_and_left_alone() {
    let named = json!({
        "summary": "Payment is due 30 days after the invoice date.",
        "contradicting_tests": [{
            "test": "TermsTest.test_january", "file": "tests/test_terms.py",
            "expected": "3 March", "report_requires": "2 March", "why": "31 January plus 30 days is 2 March"
        }]
    });
    let mut terms = case(TERMS);
    terms.report.title = "NET 30 is a day short".into();
    terms.report.body = "An invoice of 31 January is due on 2 March, 30 days later.".into();
    let (fixed, model) = terms
        .run(vec![
            turn("", &[fix_days("days=29", "days=30")]),
            turn("", &[("finish", named)]),
        ])
        .await;
    assert!(
        model.told(2).contains("work out by hand"),
        "{}",
        model.told(2)
    );
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::Contradiction)
    );
    let [c] = &fixed.contradictions[..] else {
        panic!("{:?}", fixed.contradictions)
    };
    assert!(c.confirmed);
    assert_eq!(c.file.as_deref(), Some("tests/test_terms.py"));
    assert_eq!(c.line, Some(12), "the line comes from the traceback");
}

/// The test was read before the edit, so nothing is left to say after the check.
#[tokio::test(flavor = "multi_thread")]
async fn w12_an_end_beside_the_edits_stands_where_it_names_what_fails() {
    let ends = |test: &str| {
        let named = json!({"summary": "Due 30 days later.", "contradicting_tests": [
            {"test": test, "file": "tests/test_terms.py", "expected": "3 March", "report_requires": "2 March", "why": "x"}]});
        turn("", &[fix_days("days=29", "days=30"), ("finish", named)])
    };
    let go_on = || turn("", &[("finish", json!({"summary": "Due 30 days later."}))]);
    for (test, turns) in [("test_january", 1), ("test_june", 2)] {
        let mut terms = case(TERMS);
        terms.report.title = "NET 30 is a day short".into();
        let (fixed, _) = terms.run(vec![ends(test), go_on()]).await;
        assert_eq!(
            (fixed.turns, fixed.verdict, fixed.reason),
            (turns, Verdict::Draft, Reason::Contradiction),
            "{test}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn w12_prose_that_names_a_contradicting_test_is_not_lost() {
    let mut terms = case(TERMS);
    terms.report.title = "NET 30 is a day short".into();
    let said = "Due dates are 30 days later now. The test test_january contradicts the report: it expects 3 March.";
    let (fixed, _) = terms
        .run(vec![
            turn("", &[fix_days("days=29", "days=30")]),
            turn(said, &[]),
        ])
        .await;
    assert_eq!(
        (fixed.stop, fixed.reason),
        (StopReason::NoToolCalls, Reason::Contradiction)
    );
    assert!(
        fixed.contradictions[0].test.contains("test_january") && fixed.contradictions[0].confirmed
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn w12_an_unconfirmed_name_is_kept_and_says_so() {
    let named = json!({"summary": "Adds.", "contradicting_tests": [{"test": "test_nowhere", "expected": "1", "report_requires": "2", "why": "x"}]});
    let (fixed, _) = case(super::SUMS)
        .run(vec![turn("", &[fixes_add(), ("finish", named)])])
        .await;
    assert!(!fixed.contradictions[0].confirmed);
    assert_eq!(fixed.verdict, Verdict::Draft);
}

#[tokio::test(flavor = "multi_thread")]
async fn w15_green_after_a_doubt_is_a_draft() {
    let mut terms = case(TERMS);
    terms.report.title = "NET 30 is a day short".into();
    let bent = "if day.month == 1:\n        return day + timedelta(days=31)\n    return day + timedelta(days=30)";
    let turns = vec![
        turn("", &[fix_days("days=29", "days=30")]),
        turn(
            "The test expects 3 March but the report says 2 March. I bend it to match the test.",
            &[fix_days("return day + timedelta(days=30)", bent)],
        ),
    ];
    let (fixed, _) = terms.run(turns).await;
    assert_eq!(fixed.stop, StopReason::SuitePassed);
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::DoubtedTest)
    );
    assert!(fixed.doubted.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn w12_a_named_test_that_passes_in_the_end_is_not_confirmed() {
    let named = json!({"summary": "Adds.", "contradicting_tests": [{"test": "test_add", "expected": "5", "report_requires": "6", "why": "x"}]});
    let (fixed, _) = case(super::SUMS)
        .run(vec![turn("", &[fixes_add(), ("finish", named)])])
        .await;
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::Contradiction)
    );
    assert!(
        !fixed.contradictions[0].confirmed,
        "it failed on base, and is green now"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn w5_an_entitled_person_may_lift_the_protection_of_tests() {
    let mut lifted = case(super::SUMS);
    lifted.allow_tests = true;
    let test = edit("tests/test_sums.py", "add(2, 3), 5)", "add(2, -3), 5)");
    let (fixed, model) = lifted.run(vec![turn("The test was wrong.", &[test])]).await;
    assert!(!model.seen.lock().unwrap()[0].system.contains("protected"));
    assert_eq!(fixed.changes[0].path, "tests/test_sums.py");
    assert_eq!(fixed.stop, StopReason::SuitePassed);
}

#[tokio::test(flavor = "multi_thread")]
async fn w11_the_note_follows_an_edit_whose_check_failed_and_nothing_else() {
    const NOTE: &str = "work out by hand";
    let mut terms = case(TERMS);
    terms.report.title = "NET 30 is a day short".into();
    terms.report.body = "An invoice of 31 January is due on 2 March.".into();
    terms.limits.check_s = 3;
    let hang = "while True:\n        pass\n    return day + timedelta(days=30)";
    let turns = vec![
        turn("", &[fix_days("days=29", "days=28")]),
        turn("", &[("run_tests", json!({}))]),
        turn("", &[fix_days("def net30(day):", "def net30(day:")]),
        turn(
            "",
            &[
                fix_days("def net30(day:", "def net30(day):"),
                fix_days("return day + timedelta(days=28)", hang),
            ],
        ),
        turn("", &[("finish", json!({"summary": "no"}))]),
    ];
    let (_, model) = terms.run(turns).await;
    let noted: Vec<bool> = (2..=5).map(|n| model.told(n).contains(NOTE)).collect();
    assert!(model.told(3).contains("FAILED") && model.told(4).contains("DIDN'T START"));
    assert!(model.told(5).contains("TIMED OUT"), "{}", model.told(5));
    assert_eq!(noted, [true, false, false, false]);
    assert!(!model.seen.lock().unwrap()[0].system.contains(NOTE));
}

#[tokio::test(flavor = "multi_thread")]
async fn w12_where_the_runner_prints_no_names_the_file_confirms() {
    let mut files = super::SUMS.to_vec();
    files.push(("check.sh", "echo '1 passed, 1 failed'\nexit 1\n"));
    for (file, confirmed) in [
        ("tests/test_sums.py", true),
        ("tests/test_nowhere.py", false),
    ] {
        let mut nameless = case(&files);
        nameless.commands = vec!["sh ./check.sh".into()];
        let named = json!({"summary": "Adds.", "contradicting_tests": [
            {"test": "test_add", "file": file, "line": 8, "expected": "5", "report_requires": "6", "why": "x"}
        ]});
        let turns = vec![turn("", &[fixes_add()]), turn("", &[("finish", named)])];
        let (fixed, _) = nameless.run(turns).await;
        assert_eq!(
            (fixed.verdict, fixed.reason),
            (Verdict::Draft, Reason::Contradiction)
        );
        assert_eq!(fixed.contradictions[0].confirmed, confirmed, "{file}");
        assert_eq!(fixed.contradictions[0].line, Some(8));
    }
}
