//! Source in the first message: what the failing check and the report point to.

use super::{Case, SUMS, case, finish, turn};
use mend::domain::Report;

/// The source that stands in the first message.
async fn shown(mut case: Case, bytes: usize, title: &str, body: &str) -> String {
    case.agent.evidence_bytes = bytes;
    case.report = Report {
        title: title.into(),
        body: body.into(),
    };
    let (_, model) = case.run(vec![turn("", &[finish("nothing")])]).await;
    let first = model.told(1);
    let source = first.split_once("do not read it again):\n");
    let source = source.filter(|(before, _)| before.ends_with("(already read for you; "));
    source.map_or(String::new(), |(_, source)| source.to_string())
}

fn project(files: &[(&str, &str)]) -> Case {
    case(&[SUMS, files].concat())
}

/// `SUMS` without its bug.
fn green(files: &[(&str, &str)]) -> Case {
    let case = project(files);
    let path = case.project().join("adder/sums.py");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, text.replace("a - b", "a + b")).unwrap();
    case
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_failing_test_imports_and_is_called_after_is_shown() {
    let with = [("adder/other.py", "def other():\n    return 1\n")];
    let source = shown(project(&with), 24_000, "wrong", "It gives -1.").await;
    assert!(source.starts_with("adder/sums.py:\n"), "{source}");
    assert!(source.contains("return a - b") && !source.contains("other"));
    let source = shown(project(&with), 0, "wrong", "It gives -1.").await;
    assert_eq!(source, "", "the setting is off");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_passed_on_lead_to_where_they_are_made() {
    let case = project(&[
        (
            "adder/__init__.py",
            "from .sums import add, double\nfrom .far import away\n",
        ),
        ("adder/far.py", "def away():\n    return 1\n"),
        (
            "tests/test_sums.py",
            "import unittest\n\nfrom adder import add\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
        ),
    ]);
    let source = shown(case, 24_000, "wrong", "It gives -1.").await;
    assert!(source.contains("adder/sums.py:\n"), "{source}");
    assert!(!source.contains("far.py"), "no test uses it: {source}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_points_by_names_words_and_quoted_texts() {
    let files = [
        (
            "adder/parsing.py",
            "def split(line):\n    raise ValueError('line %d: the quote is not closed' % 3)\n",
        ),
        ("adder/roundings.py", "def cents(a):\n    return a\n"),
        ("adder/more.py", "def first_of_month(a):\n    return a\n"),
        ("adder/none.py", "X = 1\n"),
        (
            "tests/test_roundings.py",
            "import unittest\n\n\nclass R(unittest.TestCase):\n    def test_cents(self):\n        self.assertEqual(1, 1)\n",
        ),
    ];
    for (title, body, file) in [
        (
            "Stops",
            "With my file it says\n\n    line 7: the quote is not closed",
            "adder/parsing.py",
        ),
        ("Wrong rounding", "A cent is lost.", "adder/roundings.py"),
        ("Wrong", "`first_of_month` is the second.", "adder/more.py"),
        ("Wrong", "See adder/none.py.", "adder/none.py"),
    ] {
        let source = shown(green(&files), 24_000, title, body).await;
        assert!(
            source.starts_with(&format!("{file}:\n")),
            "{body}: {source}"
        );
    }
    let source = shown(green(&files), 24_000, "Wrong rounding", "A cent is lost.").await;
    assert!(
        source.contains("tests/test_roundings.py:\n"),
        "one that passes may pin what was reported: {source}"
    );
    let source = shown(green(&files), 24_000, "Broken", "Nothing works any more.").await;
    assert_eq!(source, "", "nothing is pointed at");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_large_file_the_lines_around_the_place_are_shown_within_the_room() {
    let filler: String = (0..900).map(|n| format!("VALUE_{n} = {n}\n")).collect();
    let large = format!("{filler}\n\ndef last_day(a):\n    return a\n\n\n{filler}");
    let files = [("adder/large.py", large.as_str())];
    let source = shown(green(&files), 24_000, "Wrong", "`last_day` is the first.").await;
    assert!(
        source.starts_with("adder/large.py, lines 863 to 943 of 1806:\n"),
        "{source}"
    );
    assert!(source.contains("def last_day(a):") && !source.contains("more lines"));
    let source = shown(green(&files), 1000, "Wrong", "`last_day` is the first.").await;
    assert_eq!(source, "", "no room");
    let mut small = green(&files);
    small.agent.context_tokens = Some(1000);
    let source = shown(small, 24_000, "Wrong", "`last_day` is the first.").await;
    assert_eq!(source, "", "a model that takes little is shown little");
}
