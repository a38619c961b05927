//! What a maintainer reads about proofs, from the label on.

use crate::world::{PROJECT, World, calls};
use mend::domain::Verdict;
use serde_json::json;

/// The project with a bug that no test shows.
fn untested() -> Vec<(&'static str, &'static str)> {
    let mut files = PROJECT.to_vec();
    files[3].1 = "import unittest\n\nfrom adder import double\n\n\nclass SumsTest(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(double(4), 8)\n";
    files
}

fn edit() -> (&'static str, serde_json::Value) {
    (
        "edit_file",
        json!({"path": "adder/sums.py", "edits": [{"old": "return a - b", "new": "return a + b"}], "summary": "`add` adds."}),
    )
}

fn write(path: &str, content: &str) -> (&'static str, serde_json::Value) {
    ("write_file", json!({"path": path, "content": content}))
}

const SHOWS: &str = "import unittest\n\nfrom adder import add\n\n\nclass AddTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n";

#[tokio::test(flavor = "multi_thread")]
async fn an_added_test_that_is_red_on_base_and_green_now_makes_it_ready() {
    let turn = calls(&[edit(), write("tests/test_add.py", SHOWS)]);
    let world = World::with(&[&[turn]], &untested(), |_| {}).await;
    world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let [pull] = &world.pulls()[..] else {
        panic!("one pull request")
    };
    assert!(!pull.draft);
    assert!(
        pull.body.contains(
            "Reproduced: `tests/test_add.py` fails on base (AssertionError: -1 != 5) and passes with this change."
        ),
        "{}",
        pull.body
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_one_it_is_a_draft_and_so_is_a_change_of_what_runs_the_tests() {
    let finish = ("finish", json!({"summary": "`add` adds."}));
    let bent = write("conftest.py", "collect_ignore = ['tests']\n");
    let turn = calls(&[edit(), bent, write("tests/test_add.py", SHOWS), finish]);
    let world = World::with(&[&[turn]], &untested(), |_| {}).await;
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Draft));
    let [pull] = &world.pulls()[..] else {
        panic!("one pull request")
    };
    assert!(pull.draft);
    assert!(
        pull.body
            .contains("**This change reaches what runs the tests**")
            && pull
                .body
                .contains("`conftest.py` (pytest loads it before the tests)"),
        "{}",
        pull.body
    );
    let told = &world.own_comments(issue)[0].body;
    assert!(told.contains("it reaches what runs the tests"), "{told}");
    world.end().await;
}
