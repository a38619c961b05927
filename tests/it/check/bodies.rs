//! What the pull request says of the checks of odd projects, made by real runs.

use crate::fix::{Case, SUMS, case, edit, finish, fixes_add, turn};
use mend::domain::Verdict;
use mend::fix::About;
use mend::model::Turn;
use mend::render;

/// The turns of a model that mends `add`.
pub fn adds() -> Vec<Turn> {
    let done = || turn("", &[finish("`add` adds again.")]);
    vec![turn("", &[fixes_add()]), done(), done()]
}

/// The verdict, and the body without what differs from run to run.
pub async fn body(case: Case, turns: Vec<Turn>) -> (Verdict, String) {
    let (fixed, _) = case.run(turns).await;
    let about = About {
        follow_up: false,
        issue: Some(41),
        relates_only: false,
        commit: Some("4c1d2e9"),
        model: "a-model",
        changed: &[("adder/sums.py".to_string(), 1, 1)],
    };
    let text = render::body(&fixed.pull_request(&about));
    let times = regex::Regex::new(r"\d+(\.\d+)?(&nbsp;| )?(ms|s|min)\b").unwrap();
    let logs = regex::Regex::new(r"[\dT_-]+Z-debug-\d+").unwrap();
    let text = times.replace_all(&text, "N s");
    (fixed.verdict, logs.replace_all(&text, "DATE").into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_monorepo() {
    let mut files = vec![
        ("adder/pyproject.toml", "[tool.ruff]\n"),
        (
            "adder/test_sums.py",
            "import unittest\nfrom sums import add\n\nclass Sums(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
        ),
        (
            "web/package.json",
            r#"{"scripts": {"test": "node --test"}}"#,
        ),
        (
            "web/test/a.test.js",
            "require('node:test')('shows', () => {});\n",
        ),
    ];
    files.push(("adder/sums.py", "def add(a, b):\n    return a - b\n"));
    let (verdict, text) = body(case(&files), adds()).await;
    assert_eq!(verdict, Verdict::Ready, "{text}");
    insta::assert_snapshot!("body_monorepo", text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flaky_test() {
    let mut files = SUMS.to_vec();
    files.push(("tests/test_clock.py", "import os, unittest\n\nclass Clock(unittest.TestCase):\n    def test_ticks(self):\n        if '+' in open('adder/sums.py').read() and not os.path.exists('seen'):\n            open('seen', 'w').close()\n            self.fail('too slow')\n"));
    let (verdict, text) = body(case(&files), adds()).await;
    assert_eq!(verdict, Verdict::Draft, "{text}");
    assert!(
        text.contains("newly broken: none") && text.contains("flaky: "),
        "{text}"
    );
    insta::assert_snapshot!("body_flaky", text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suite_with_old_failures() {
    let mut files = SUMS.to_vec();
    files.push(("tests/test_old.py", "import unittest\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(1, 2)\n"));
    let (verdict, text) = body(case(&files), adds()).await;
    assert_eq!(verdict, Verdict::Ready, "{text}");
    insta::assert_snapshot!("body_old_failures", text);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_tests_at_all() {
    let files: Vec<_> = SUMS
        .iter()
        .filter(|(f, _)| f.starts_with("adder/"))
        .copied()
        .collect();
    let (verdict, text) = body(case(&files), adds()).await;
    assert_eq!(verdict, Verdict::Draft, "{text}");
    insta::assert_snapshot!("body_no_tests", text);
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_paths_are_not_edited() {
    let mut files = SUMS.to_vec();
    files.push((".github/mend.toml", "protected_paths = ['adder/']\n"));
    let (fixed, model) = case(&files)
        .run(vec![
            turn("", &[edit("adder/sums.py", "return a - b", "return a + b")]),
            turn("", &[finish("It may not be changed.")]),
        ])
        .await;
    assert!(fixed.changes.is_empty(), "{}", fixed.diff);
    assert!(model.told(2).contains("adder/sums.py"), "{}", model.told(2));
}
