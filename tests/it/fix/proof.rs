//! Red to green, and what the harness does not let itself be bent by: with real runners.

use super::{SUMS, case, edit, finish, fixes_add, turn};
use mend::domain::{Outcome, Reason, StopReason, Verdict, WeaknessKind};
use mend::fix::Fixed;
use serde_json::{Value, json};

/// `add` is wrong for negative numbers and no test shows it: the base is green.
const GREEN: &[(&str, &str)] = &[
    ("adder/__init__.py", ""),
    (
        "adder/sums.py",
        "def add(a, b):\n    return a + abs(b)\n\n\ndef double(a):\n    return a * 2\n",
    ),
    ("tests/__init__.py", ""),
    (
        "tests/test_sums.py",
        "import unittest\n\nfrom adder.sums import add, double\n\n\nclass SumsTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n\n    def test_double(self):\n        self.assertEqual(double(4), 8)\n",
    ),
];

fn fixes() -> (&'static str, Value) {
    edit("adder/sums.py", "return a + abs(b)", "return a + b")
}

pub fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({"path": path, "content": content}))
}

fn shows(call: &str, expected: &str) -> String {
    format!(
        "import unittest\n\nfrom adder import sums\n\n\nclass NewTest(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(sums.{call}, {expected})\n"
    )
}

async fn run(
    files: &[(&str, &str)],
    report: (&str, &str),
    turns: Vec<Vec<(&str, Value)>>,
) -> (Fixed, super::Scripted) {
    let mut case = case(files);
    case.report.title = report.0.into();
    case.report.body = report.1.into();
    let turns = turns.iter().map(|calls| turn("", calls)).collect();
    case.run(turns).await
}

const NEGATIVE: (&str, &str) = (
    "add ignores signs",
    "`add(2, -3)` gives 5; it should give -1.",
);

#[tokio::test(flavor = "multi_thread")]
async fn w8_a_reproduction_that_was_seen_red_and_green_ends_the_loop_and_is_ready() {
    let test = write("tests/test_signs.py", &shows("add(2, -3)", "-1"));
    let (fixed, model) = run(GREEN, NEGATIVE, vec![vec![fixes(), test]]).await;
    assert_eq!(
        (fixed.stop, fixed.verdict, fixed.reason),
        (StopReason::SuitePassed, Verdict::Ready, Reason::Reproduced),
        "{:?} {:?}",
        fixed.reproductions,
        fixed.weaknesses
    );
    assert_eq!(model.asked(), 1);
    let [r] = &fixed.reproductions[..] else {
        panic!("{:?}", fixed.reproductions)
    };
    assert_eq!(
        (r.base, r.after, r.red_to_green),
        (Some(Outcome::Failed), Some(Outcome::Passed), true)
    );
    assert!(r.reason.contains("5 != -1"), "{}", r.reason);
    assert!(fixed.weaknesses.is_empty(), "{:?}", fixed.weaknesses);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_that_passes_on_base_too_reproduces_nothing_and_the_model_is_told() {
    let test = write("tests/test_signs.py", &shows("add(2, 3)", "5"));
    let turns = vec![vec![fixes(), test], vec![finish("Adds.")]];
    let (fixed, model) = run(GREEN, NEGATIVE, turns).await;
    assert_eq!(
        (fixed.stop, fixed.verdict, fixed.reason),
        (StopReason::Finished, Verdict::Draft, Reason::NotReproduced)
    );
    let told = model.told(2);
    assert!(
        told.contains("`tests/test_signs.py` does not reproduce the report: it passes without"),
        "{told}"
    );
    assert!(!fixed.reproductions[0].red_to_green);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_helper_that_the_change_adds_makes_no_red_but_a_name_that_the_report_asks_for_does() {
    let adds = || {
        vec![
            edit(
                "adder/sums.py",
                "def double",
                "def triple(a):\n    return a * 3\n\n\ndef double",
            ),
            write(
                "tests/test_triple.py",
                &shows("triple(2)", "6")
                    .replace("from adder import sums", "from adder.sums import triple")
                    .replace("sums.triple", "triple"),
            ),
        ]
    };
    let turns = || vec![adds(), vec![finish("Adds triple.")]];
    let (fixed, _) = run(GREEN, NEGATIVE, turns()).await;
    assert_eq!(fixed.reason, Reason::NotReproduced);
    let because = fixed.reproductions[0].because.clone().unwrap_or_default();
    assert!(because.contains("`triple` is missing"), "{because}");
    let asked = ("there is no triple", "`adder.sums` lacks `triple(a)`.");
    let (fixed, _) = run(GREEN, asked, turns()).await;
    assert_eq!(
        (fixed.verdict, fixed.reason, fixed.stop),
        (Verdict::Ready, Reason::Reproduced, StopReason::SuitePassed),
        "{:?}",
        fixed.reproductions
    );
    assert_eq!(fixed.reproductions[0].missing.as_deref(), Some("triple"));
    assert_eq!(fixed.reproductions[0].base, Some(Outcome::DidntStart));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_command_is_compared_by_the_whole_check() {
    let mut files = GREEN.to_vec();
    files.push((
        "run.sh",
        "set -e\npython3 -m unittest discover -s tests -t . -v\n",
    ));
    let mut script = case(&files);
    script.commands = vec!["sh ./run.sh".into()];
    script.report.body = NEGATIVE.1.into();
    let test = write("tests/test_signs.py", &shows("add(2, -3)", "-1"));
    let (fixed, _) = script.run(vec![turn("", &[fixes(), test])]).await;
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Ready, Reason::Reproduced),
        "{:?} {:?}",
        fixed.reproductions,
        fixed.weaknesses
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn new_tests_can_be_switched_off() {
    let mut files = GREEN.to_vec();
    files.push((".github/mend.toml", "new_tests = false\n"));
    let test = write("tests/test_signs.py", &shows("add(2, -3)", "-1"));
    let turns = vec![vec![fixes(), test], vec![finish("Adds.")]];
    let (fixed, model) = run(&files, NEGATIVE, turns).await;
    assert_eq!(fixed.reason, Reason::NotReproduced);
    assert!(fixed.changes.iter().all(|c| c.path == "adder/sums.py"));
    let system = model.seen.lock().unwrap()[0].system.clone();
    assert!(!system.contains("new test file"), "{system}");
}

/// What a package's script names lies in the package's folder.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_a_packages_script_runs_is_a_part_of_the_harness() {
    let files: &[(&str, &str)] = &[
        ("README.md", "Two parts.\n"),
        ("web/sums.js", "exports.add = (a, b) => a - b\n"),
        (
            "web/tools/run.js",
            "const { add } = require('../sums.js')\nconst ok = add(2, 3) === 5\nconsole.log(ok ? '1 passed, 0 failed' : '0 passed, 1 failed')\nprocess.exit(ok ? 0 : 1)\n",
        ),
        (
            "web/package.json",
            r#"{"name": "web", "scripts": {"test": "node tools/run.js"}}"#,
        ),
        (
            ".github/mend.toml",
            "[packages.web]\ncheck = \"npm test\"\n",
        ),
    ];
    let turns = vec![vec![
        edit("web/sums.js", "a - b", "a + b"),
        edit(
            "web/tools/run.js",
            "const ok = add(2, 3) === 5",
            "const ok = true",
        ),
    ]];
    let (fixed, _) = run(files, NEGATIVE, turns).await;
    let named: Vec<&str> = fixed.weaknesses.iter().map(|w| w.path.as_str()).collect();
    assert_eq!(
        (fixed.verdict, fixed.reason, named),
        (
            Verdict::Draft,
            Reason::HarnessChanged,
            vec!["web/tools/run.js"]
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn node_and_cargo_prove_in_their_own_way() {
    let node: &[(&str, &str)] = &[
        ("sums.js", "exports.add = (a, b) => a + Math.abs(b)\n"),
        (
            "test/sums.test.js",
            "const test = require('node:test')\nconst assert = require('node:assert')\nconst { add } = require('../sums.js')\ntest('adds', () => assert.strictEqual(add(2, 3), 5))\n",
        ),
        (
            "package.json",
            r#"{"name": "sums", "scripts": {"test": "node --test test/"}}"#,
        ),
    ];
    let turns = vec![vec![
        edit("sums.js", "a + Math.abs(b)", "a + b"),
        write(
            "test/signs.test.js",
            "const test = require('node:test')\nconst assert = require('node:assert')\nconst { add } = require('../sums.js')\ntest('signs', () => assert.strictEqual(add(2, -3), -1))\n",
        ),
    ]];
    if crate::host::has(
        "node",
        std::process::Command::new("node")
            .arg("-v")
            .output()
            .is_ok(),
    ) {
        let (fixed, _) = run(node, NEGATIVE, turns).await;
        assert_eq!(
            (fixed.verdict, fixed.reason),
            (Verdict::Ready, Reason::Reproduced),
            "{:?} {:?}",
            fixed.reproductions,
            fixed.weaknesses
        );
        assert!(
            fixed.reproductions[0]
                .command
                .contains("node --test test/signs.test.js")
        );
    }
    let cargo: &[(&str, &str)] = &[
        (
            "Cargo.toml",
            "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        (
            "src/lib.rs",
            "pub fn add(a: i32, b: i32) -> i32 {\n    a + b.abs()\n}\n",
        ),
        (
            "tests/sums.rs",
            "#[test]\nfn adds() {\n    assert_eq!(sums::add(2, 3), 5);\n}\n",
        ),
    ];
    let turns = vec![vec![
        edit("src/lib.rs", "a + b.abs()", "a + b"),
        write(
            "tests/signs.rs",
            "#[test]\nfn signs() {\n    assert_eq!(sums::add(2, -3), -1);\n}\n",
        ),
    ]];
    let (fixed, _) = run(cargo, NEGATIVE, turns).await;
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Ready, Reason::Reproduced),
        "{:?} {:?}",
        fixed.reproductions,
        fixed.weaknesses
    );
    assert_eq!(
        fixed.reproductions[0].command,
        "cargo test --no-fail-fast --test signs"
    );
}

/// The weakness and the reason of a change to `SUMS`, whose check was red before.
async fn bent(calls: Vec<(&str, Value)>) -> (Fixed, Vec<WeaknessKind>) {
    let report = ("add subtracts", "`add(2, 3)` gives -1; it should give 5.");
    let turns = vec![calls, vec![finish("Adds.")]];
    let (fixed, _) = run(SUMS, report, turns).await;
    let kinds = fixed.weaknesses.iter().map(|w| w.kind).collect();
    (fixed, kinds)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stand_in_for_the_runner_is_a_draft_that_names_it() {
    let fake = "class TestCase:\n    pass\n\n\ndef main(*_, **__):\n    print('..')\n    print('-' * 70)\n    print('Ran 2 tests in 0.001s')\n    print()\n    print('OK')\n\n\nif __name__ == '__main__':\n    main()\n";
    let (fixed, kinds) = bent(vec![
        write("unittest.py", fake),
        edit("adder/sums.py", "return a - b", "return b - a"),
    ])
    .await;
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::HarnessChanged)
    );
    assert_eq!(kinds, [WeaknessKind::Harness]);
    assert_eq!(fixed.weaknesses[0].path, "unittest.py");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_interpreter_loads_unasked_is_refused_at_the_edit() {
    for path in [
        "sitecustomize.py",
        "usercustomize.py",
        "evil.pth",
        "node_modules/x.js",
    ] {
        let (fixed, _) = bent(vec![write(path, "x = 1\n"), fixes_add()]).await;
        assert_eq!(
            fixed.effects[0].calls[0],
            ("write_file".to_string(), false),
            "{path}"
        );
        assert_eq!(fixed.verdict, Verdict::Ready);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_that_the_code_under_test_prints_before_it_ends_the_run_is_a_draft() {
    // Not by one of the words that the gate knows: the harness finds out by itself.
    let prints = "import sys\n\n\ndef add(a, b):\n    getattr(sys, 'stderr').write('..\\n' + '-' * 70 + '\\nRan 2 tests in 0.001s\\n\\nOK\\n')\n    getattr(sys, 'stderr').flush()\n    getattr(__import__('os'), '_ex' + 'it')(0)\n";
    let (fixed, kinds) = bent(vec![edit(
        "adder/sums.py",
        "def add(a, b):\n    return a - b\n",
        prints,
    )])
    .await;
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::CheckIsDeaf),
        "{:?}",
        fixed.weaknesses
    );
    assert_eq!(kinds, [WeaknessKind::Deaf]);
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_the_runner_and_code_that_looks_at_it_are_drafts() {
    for call in [
        write(
            "conftest.py",
            "def pytest_collection_modifyitems(items):\n    items.clear()\n",
        ),
        write("setup.cfg", "[tool:pytest]\naddopts = -k nothing\n"),
        write(
            "adder/extra.py",
            "import sys\n\nTESTED = 'unittest' in sys.modules\n",
        ),
    ] {
        let (fixed, kinds) = bent(vec![call.clone(), fixes_add()]).await;
        assert_eq!(
            (fixed.verdict, fixed.reason, &kinds[..]),
            (
                Verdict::Draft,
                Reason::HarnessChanged,
                &[WeaknessKind::Harness][..]
            ),
            "{call:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c8_tests_that_vanish_make_a_draft_also_when_new_ones_make_up_for_the_count() {
    // The suite is built from what the code names, so the code can lose a test.
    let files: &[(&str, &str)] = &[
        (
            "adder/__init__.py",
            "CASES = [(1, 1), (2, 2), (3, 4)]\n\n\ndef same(a):\n    return a\n",
        ),
        ("tests/__init__.py", ""),
        (
            "tests/test_all.py",
            "import unittest\n\nfrom adder import CASES, same\n\n\nclass AllTest(unittest.TestCase):\n    pass\n\n\nfor a, b in CASES:\n    def test(self, a=a, b=b):\n        self.assertEqual(same(a), b)\n\n    setattr(AllTest, f'test_{a}', test)\n",
        ),
    ];
    let report = ("same(3) is wrong", "It should pass its tests.");
    let drop = edit("adder/__init__.py", ", (3, 4)]", "]");
    let (fixed, _) = run(files, report, vec![vec![drop.clone()]]).await;
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::TestsLost),
        "{:?}",
        fixed.pairs[0].comparison
    );
    let more = write(
        "tests/test_more.py",
        "import unittest\n\n\nclass More(unittest.TestCase):\n    def test_one(self):\n        pass\n\n    def test_two(self):\n        pass\n",
    );
    let (fixed, _) = run(files, report, vec![vec![drop, more]]).await;
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::TestsLost),
        "{:?}",
        fixed.weaknesses
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn w5_a_hunk_in_tests_inside_the_source_is_listed_and_a_draft() {
    let files: &[(&str, &str)] = &[
        (
            "Cargo.toml",
            "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        (
            "src/lib.rs",
            "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(2, 3), 5);\n    }\n}\n",
        ),
    ];
    let report = ("add subtracts", "`add(2, 3)` gives -1; it should give 5.");
    let bend = edit("src/lib.rs", "3), 5)", "3), -1)");
    let (fixed, _) = run(files, report, vec![vec![bend]]).await;
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::TestsInSourceChanged)
    );
    assert_eq!(fixed.weaknesses[0].lines, Some((11, 11)));
    let honest = edit("src/lib.rs", "a - b", "a + b");
    let (fixed, _) = run(files, report, vec![vec![honest]]).await;
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Ready, Reason::Fixed)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pytest_proves_a_file_alone_whatever_the_check_selects() {
    let mut files = GREEN.to_vec();
    files[3].1 = "from adder.sums import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n";
    let mut pytest = case(&files);
    // The system's own Python has pytest, as in the tests of the check.
    pytest.commands = vec!["/usr/bin/python3 -m pytest -q tests -p no:cacheprovider".into()];
    pytest.report.body = NEGATIVE.1.into();
    let test = write(
        "tests/test_signs.py",
        "from adder.sums import add\n\n\ndef test_signs():\n    assert add(2, -3) == -1\n",
    );
    let (fixed, _) = pytest.run(vec![turn("", &[fixes(), test])]).await;
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Ready, Reason::Reproduced),
        "{:?} {:?}",
        fixed.reproductions,
        fixed.weaknesses
    );
    assert_eq!(
        fixed.reproductions[0].command,
        "/usr/bin/python3 -m pytest -q -p no:cacheprovider tests/test_signs.py"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_of_an_earlier_run_on_the_branch_still_counts() {
    let mut follow = case(GREEN);
    follow.report.body = NEGATIVE.1.into();
    follow.guidance = vec!["Add a comment.".into()];
    follow.start = Some(vec![
        (
            "adder/sums.py",
            "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return a * 2\n",
        ),
        (
            "tests/test_signs.py",
            "import unittest\n\nfrom adder import sums\n\n\nclass NewTest(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(sums.add(2, -3), -1)\n",
        ),
    ]);
    let comment = edit("adder/sums.py", "def double", "# Twice.\ndef double");
    let turns = vec![turn("", &[comment]), turn("", &[finish("A comment.")])];
    let (fixed, _) = follow.run(turns).await;
    assert_eq!(
        fixed.stop,
        StopReason::Finished,
        "a follow-up ends by its own word"
    );
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Ready, Reason::Reproduced),
        "{:?} {:?}",
        fixed.reproductions,
        fixed.weaknesses
    );
    assert_eq!(fixed.reproductions[0].file, "tests/test_signs.py");
}
