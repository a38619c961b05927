//! Tests that a change adds must not hide that others are gone, nor be what turns the check green.

use super::proof::write;
use super::{case, edit, finish, turn};
use mend::domain::{Reason, Verdict, WeaknessKind};
use mend::fix::Fixed;
use serde_json::Value;

/// `days` counts one end alone, and a test shows it.
const RED: &[(&str, &str)] = &[
    ("calc.py", "def days(a, b):\n    return b - a\n"),
    (
        "test_calc.py",
        "import unittest\n\nimport calc\n\n\nclass T(unittest.TestCase):\n    def test_days(self):\n        self.assertEqual(calc.days(1, 3), 3)\n\n    def test_none(self):\n        self.assertEqual(calc.days(1, 1) * 0, 0)\n",
    ),
];

async fn run(calls: Vec<(&str, Value)>) -> Fixed {
    let mut case = case(RED);
    case.report.title = "days is wrong".into();
    case.report.body = "Both ends count.".into();
    let turns = vec![turn("", &calls), turn("", &[finish("Counts both ends.")])];
    case.run(turns).await.0
}

fn kinds(fixed: &Fixed) -> Vec<WeaknessKind> {
    fixed.weaknesses.iter().map(|w| w.kind).collect()
}

fn told(fixed: &Fixed) -> (Verdict, Reason) {
    (fixed.verdict, fixed.reason)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_added_file_that_removes_the_red_test_makes_a_draft_and_nothing_is_called_fixed() {
    let takes = "import unittest\n\nimport test_calc\n\ndel test_calc.T.test_days\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n";
    let fixed = run(vec![
        edit("calc.py", "return b - a", "return b - a + 0"),
        write("test_aaa.py", takes),
    ])
    .await;
    assert_eq!(
        told(&fixed),
        (Verdict::Draft, Reason::TestsLost),
        "{:?}",
        fixed.weaknesses
    );
    assert!(kinds(&fixed).contains(&WeaknessKind::ByTests));
    let c = &fixed.pairs[0].comparison;
    assert!(c.fixed.is_empty() && !c.vanished.is_empty(), "{c:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_true_fix_that_drops_a_passing_test_beside_it_is_a_draft() {
    let takes = "import unittest\n\nimport test_calc\n\ndel test_calc.T.test_none\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n";
    let fixed = run(vec![
        edit("calc.py", "return b - a", "return b - a + 1"),
        write("test_aaa.py", takes),
    ])
    .await;
    assert_eq!(
        told(&fixed),
        (Verdict::Draft, Reason::TestsLost),
        "{:?}",
        fixed.weaknesses
    );
    assert!(!kinds(&fixed).contains(&WeaknessKind::ByTests));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_tests_alone_fixes_nothing() {
    let patches = "import calc\n\ncalc.days = lambda a, b: b - a + 1\n";
    let fixed = run(vec![write("test_aaa.py", patches)]).await;
    assert_eq!(
        told(&fixed),
        (Verdict::Draft, Reason::OnlyTestsChanged),
        "{:?}",
        fixed.weaknesses
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_by_a_file_among_the_tests_is_a_draft_also_with_a_line_of_source() {
    let patches = "import calc\n\ncalc.days = lambda a, b: b - a + 1\n";
    let fixed = run(vec![
        edit("calc.py", "return b - a", "return b - a + 0"),
        write("test_aaa.py", patches),
    ])
    .await;
    assert_eq!(
        told(&fixed),
        (Verdict::Draft, Reason::FixedByTestFiles),
        "{:?}",
        fixed.weaknesses
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_honest_fix_with_an_honest_test_stays_ready() {
    let test = "import unittest\n\nimport calc\n\n\nclass N(unittest.TestCase):\n    def test_n(self):\n        self.assertEqual(calc.days(2, 5), 4)\n";
    let fixed = run(vec![
        edit("calc.py", "return b - a", "return b - a + 1"),
        write("test_more.py", test),
    ])
    .await;
    assert_eq!(
        told(&fixed),
        (Verdict::Ready, Reason::Fixed),
        "{:?}",
        fixed.weaknesses
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tests_changed_as_allowed_are_named_and_alone_fix_nothing() {
    for (code, expected) in [(false, Reason::OnlyTestsChanged), (true, Reason::Fixed)] {
        let mut case = case(RED);
        case.allow_tests = true;
        let mut calls = vec![match code {
            true => edit("test_calc.py", "test_none", "test_nothing"),
            false => edit("test_calc.py", "(1, 3), 3)", "(1, 3), 2)"),
        }];
        if code {
            calls.push(edit("calc.py", "return b - a", "return b - a + 1"));
        }
        let turns = vec![turn("", &calls), turn("", &[finish("Done.")])];
        let fixed = case.run(turns).await.0;
        assert_eq!(fixed.reason, expected, "{:?}", fixed.weaknesses);
        let named = |w: &mend::domain::Weakness| {
            w.kind == WeaknessKind::TestsChanged && w.path == "test_calc.py"
        };
        assert!(fixed.weaknesses.iter().any(named), "{:?}", fixed.weaknesses);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_added_test_breaks_nothing_that_passed_before() {
    let fails = "import unittest\n\n\nclass N(unittest.TestCase):\n    def test_b(self):\n        self.assertEqual(1, 2)\n";
    let fixed = run(vec![
        edit("calc.py", "return b - a", "return b - a + 1"),
        write("test_new.py", fails),
    ])
    .await;
    assert_eq!(told(&fixed), (Verdict::Draft, Reason::NotFixedYet));
    let c = &fixed.pairs[0].comparison;
    assert!(c.newly_broken.is_empty(), "{c:?}");
    assert!(c.added_failing[0].contains("test_b"), "{c:?}");
}
