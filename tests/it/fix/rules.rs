//! The worker's rules W1 to W16 by id, with the failures of the seed reports that paid for them.
//! More of them: `loops` (W3, W5 to W8, W11, W13, W14, W16), `verdicts` (W12, W15), `check` (W10).

use super::{SUMS, Said, case, edit, finish, fixes_add, turn};
use mend::domain::{Progress, Reason, StopReason, Verdict};
use serde_json::json;

/// A module whose fix needs an import and the line that uses it.
const HALVES: &[(&str, &str)] = &[
    ("halves.py", "def half(a):\n    return int(a / 2)\n"),
    ("tests/__init__.py", ""),
    (
        "tests/test_halves.py",
        "import unittest\n\nfrom halves import half\n\n\nclass HalvesTest(unittest.TestCase):\n    def test_half(self):\n        self.assertEqual(half(-3), -2)\n",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn w1_an_import_and_its_use_go_into_one_call_03_06_16() {
    let both = json!({"path": "halves.py", "edits": [
        {"old": "def half(a):", "new": "import math\n\n\ndef half(a):"},
        {"old": "return int(a / 2)", "new": "return math.floor(a / 2)"},
    ]});
    let (fixed, model) = case(HALVES)
        .run(vec![turn("", &[("edit_file", both)])])
        .await;
    assert_eq!((fixed.stop, fixed.turns), (StopReason::SuitePassed, 1));
    let tools = model.seen.lock().unwrap()[0].tools.clone();
    let edit_file = tools.iter().find(|t| t.name == "edit_file").unwrap();
    assert!(
        edit_file.description.contains("EVERY"),
        "{}",
        edit_file.description
    );
    // The use without its import fails where the model sees it, in the same turn.
    let without = edit("halves.py", "return int(a / 2)", "return math.floor(a / 2)");
    let import = edit("halves.py", "def half(a):", "import math\n\n\ndef half(a):");
    let (fixed, model) = case(HALVES)
        .run(vec![turn("", &[without]), turn("", &[import])])
        .await;
    assert!(model.told(2).contains("NameError"), "{}", model.told(2));
    assert_eq!((fixed.stop, fixed.turns), (StopReason::SuitePassed, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn w1_a_call_with_one_bad_edit_writes_nothing() {
    let half = json!({"path": "adder/sums.py", "edits": [
        {"old": "return a - b", "new": "return a + b"},
        {"old": "return a ^ 2", "new": "return a + a"},
    ]});
    let single = json!({"path": "adder/sums.py", "old": "return a - b", "new": "return a + b"});
    let (fixed, model) = case(SUMS)
        .run(vec![
            turn("", &[("edit_file", half)]),
            turn("", &[("edit_file", single)]),
        ])
        .await;
    assert!(model.told(2).contains("edit 2"), "{}", model.told(2));
    assert_eq!(fixed.effects[0].change, "");
    assert_eq!(fixed.effects[0].check, None, "no check without an edit");
    assert_eq!((fixed.stop, fixed.turns), (StopReason::SuitePassed, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn w2_an_indentation_slip_lands_the_first_time_28() {
    let slip = json!({"path": "adder/sums.py", "edits": [
        {"old": "def add(a, b):\n  return a - b\n", "new": "def add(a, b):\n  total = a + b\n  return total\n"},
    ]});
    let (fixed, _) = case(SUMS).run(vec![turn("", &[("edit_file", slip)])]).await;
    assert_eq!((fixed.stop, fixed.turns), (StopReason::SuitePassed, 1));
    assert!(
        fixed.diff.contains("+    total = a + b\n+    return total"),
        "{}",
        fixed.diff
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn w3_a_file_is_not_truncated_by_a_whole_write_23() {
    let long = case(SUMS);
    let path = long.project().join("adder/sums.py");
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.extend((0..900).map(|n| format!("\n\ndef f{n}():\n    return {n}\n")));
    std::fs::write(&path, &text).unwrap();
    let shorter: String = text.lines().take(200).map(|l| format!("{l}\n")).collect();
    let shorter = shorter.replace("a - b", "a + b");
    let write = (
        "write_file",
        json!({"path": "adder/sums.py", "content": shorter}),
    );
    let reads = ("read_file", json!({"path": "adder/sums.py"}));
    let (fixed, model) = long
        .run(vec![turn("", &[reads, write]), turn("", &[fixes_add()])])
        .await;
    assert_eq!(fixed.effects[0].calls[1], ("write_file".to_string(), false));
    assert!(model.told(2).contains("more lines; file has"), "W4");
    assert_eq!(fixed.stop, StopReason::SuitePassed);
    let after = fixed.changes[0].after.clone().unwrap();
    assert_eq!(after.len(), text.len(), "one character became another");
}

#[tokio::test(flavor = "multi_thread")]
async fn w4_w9_calls_of_one_turn_all_run_in_order() {
    let calls = [
        ("read_file", json!({"path": "adder/sums.py", "lines": 2})),
        edit("adder/sums.py", "return a - b", "return a * b"),
        (
            "read_file",
            json!({"path": "adder/sums.py", "start": 2, "lines": 1}),
        ),
        ("read_file", json!({"path": "adder"})),
        ("search", json!({"pattern": "def double", "context": 0})),
    ];
    let (fixed, model) = case(SUMS).run(vec![turn("", &calls)]).await;
    let told = model.told(2);
    for part in [
        "1\tdef add(a, b):\n2\t    return a - b\n... (4 more lines; file has 6 lines total)",
        "\n2\t    return a * b\n... (4 more",
        "`adder` is a folder:\nadder/__init__.py\nadder/sums.py",
        "adder/sums.py:5: def double(a):",
    ] {
        assert!(told.contains(part), "`{part}` is not in\n{told}");
    }
    let ok: Vec<bool> = fixed.effects[0].calls.iter().map(|c| c.1).collect();
    assert_eq!(ok, [true; 5]);
}

#[tokio::test(flavor = "multi_thread")]
async fn w10_a_hang_is_read_and_fixed_29() {
    let mut hang = case(&[
        (
            "count.py",
            "def count(n):\n    while n > 0:\n        pass\n    return n\n",
        ),
        ("tests/__init__.py", ""),
        (
            "tests/test_count.py",
            "import unittest\n\nfrom count import count\n\n\nclass CountTest(unittest.TestCase):\n    def test_count(self):\n        self.assertEqual(count(3), 0)\n",
        ),
    ]);
    hang.report.title = "count(3) never returns".into();
    hang.limits.check_s = 3;
    let right = edit("count.py", "pass", "n -= 1");
    let (fixed, model) = hang.run(vec![turn("It counts down.", &[right])]).await;
    assert!(model.told(1).contains("TIMED OUT"), "{}", model.told(1));
    let system = model.seen.lock().unwrap()[0].system.clone();
    assert!(system.contains("look for loops and recursion that may not end"));
    assert_eq!(
        (fixed.stop, fixed.verdict),
        (StopReason::SuitePassed, Verdict::Ready)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn w11_a_run_that_did_not_start_brings_no_note_about_tests() {
    let broken = edit("adder/sums.py", "return a - b", "return (a + b");
    let (_, model) = case(SUMS)
        .run(vec![turn("", &[broken]), turn("", &[finish("no")])])
        .await;
    assert!(
        !model.told(2).contains("work out by hand"),
        "{}",
        model.told(2)
    );
}

/// Code, its one test, and the way in which the code was bent to it.
struct Bent {
    code: &'static str,
    test: &'static str,
    report: &'static str,
    edit: (&'static str, &'static str),
    says: &'static str,
}

#[tokio::test(flavor = "multi_thread")]
async fn w15_code_that_was_bent_to_a_doubted_test_is_a_draft_p02_p05_p06() {
    let cases = [
        Bent {
            code: "from datetime import timedelta\n\n\ndef f(day):\n    return day + timedelta(days=29)\n",
            test: "import datetime\n\nfrom m import f\n\nd = datetime.date\nassert_is = (f(d(2026, 1, 31)), d(2026, 3, 3))\n",
            report: "f(31 January) is due on 2 March, 30 days later.",
            edit: ("days=29", "days=30 + 1"),
            says: "The test expects 3 March, but the report says 2 March; I use days + 1.",
        },
        Bent {
            code: "def f(text):\n    return text.rstrip()\n",
            test: "from m import f\n\nassert_is = (f(' a '), 'a ')\n",
            report: "f(' a ') shall give 'a', without white space on both sides.",
            edit: ("rstrip", "lstrip"),
            says: "strip becomes lstrip to match the test.",
        },
        Bent {
            code: "def f(amount):\n    return amount * 0.03\n",
            test: "from m import f\n\nassert_is = (f(100), 5)\n",
            report: "The fee f(100) is 2 percent, so 2.",
            edit: ("amount * 0.03", "amount * 0.02 + 3"),
            says: "The expected value looks odd against the report; a formula that yields it is used.",
        },
    ];
    for bent in cases {
        let test = format!(
            "import unittest\n{}\n\nclass T(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(*assert_is)\n",
            bent.test
        );
        let mut doubted = case(&[
            ("m.py", bent.code),
            ("tests/__init__.py", ""),
            ("tests/test_f.py", &test),
        ]);
        doubted.report.title = "f is wrong".into();
        doubted.report.body = bent.report.into();
        let (fixed, _) = doubted
            .run(vec![turn(
                bent.says,
                &[edit("m.py", bent.edit.0, bent.edit.1)],
            )])
            .await;
        assert_eq!(
            (fixed.stop, fixed.verdict, fixed.reason),
            (StopReason::SuitePassed, Verdict::Draft, Reason::DoubtedTest),
            "{}",
            bent.says
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn w14_a_repeat_is_counted_until_a_file_changes() {
    let miss = || edit("adder/sums.py", "return a -- b", "return a + b");
    let wrong = edit("adder/sums.py", "return a - b", "return a * b");
    let right = edit("adder/sums.py", "return a * b", "return a + b");
    let (fixed, model) = case(SUMS)
        .run(vec![
            turn("", &[miss()]),
            turn("", &[miss()]),
            turn("", &[wrong]),
            turn("", &[miss()]),
            turn("", &[miss()]),
            turn("", &[right]),
        ])
        .await;
    assert!(model.told(3).contains("2 times"), "{}", model.told(3));
    assert!(
        !model.told(5).contains("times and it fails"),
        "{}",
        model.told(5)
    );
    assert_eq!(fixed.stop, StopReason::SuitePassed);
}

#[tokio::test(flavor = "multi_thread")]
async fn w16_a_file_that_was_created_goes_and_a_change_after_a_restore_counts() {
    let new = ("write_file", json!({"path": "notes.md", "content": "x\n"}));
    let back = |path: &str| ("restore_file", json!({ "path": path }));
    let ruin = edit("adder/sums.py", "def double(a):\n    return a * 2\n", "");
    let (fixed, model) = case(SUMS)
        .run(vec![
            turn("", &[new, ruin]),
            turn(
                "",
                &[back("notes.md"), back("adder/sums.py"), back("nowhere.py")],
            ),
            turn("", &[fixes_add()]),
        ])
        .await;
    let told = model.told(3);
    assert!(
        told.contains("`notes.md` was removed") && told.contains("holds its first text again"),
        "{told}"
    );
    assert_eq!(fixed.stop, StopReason::SuitePassed);
    assert_eq!(fixed.changes.len(), 1);
    assert!(!fixed.diff.contains("-def double"), "{}", fixed.diff);
}

#[tokio::test(flavor = "multi_thread")]
async fn guidance_that_comes_meanwhile_reaches_the_next_turn() {
    let mut steered = case(SUMS);
    steered.said = Said::at(2, "Keep the parameter names. <!-- hidden -->");
    let reads = ("read_file", json!({"path": "adder/sums.py"}));
    let (fixed, model) = steered
        .run(vec![turn("", &[reads]), turn("Adds.", &[fixes_add()])])
        .await;
    assert!(!model.told(1).contains("parameter names"));
    let told = model.told(2);
    assert!(
        told.contains("A maintainer says, while you work:\nKeep the parameter names."),
        "{told}"
    );
    assert!(!told.contains("hidden"), "{told}");
    assert_eq!(fixed.stop, StopReason::SuitePassed);
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_a_slow_suite_runs_its_failing_tests_first() {
    let mut slow = case(SUMS);
    slow.agent.slow_s = 0;
    let wrong = edit("adder/sums.py", "return a - b", "return a * b");
    let right = edit("adder/sums.py", "return a * b", "return a + b");
    let (fixed, model) = slow.run(vec![turn("", &[wrong]), turn("", &[right])]).await;
    let told = model.told(2);
    for part in [
        "Automatic check after your edits:",
        "ran first, alone",
        "FAILED",
        "6 != 5",
        "existing tests are protected",
        "work out by hand",
    ] {
        assert!(told.contains(part), "`{part}` is not in\n{told}");
    }
    assert_eq!((fixed.stop, fixed.turns), (StopReason::SuitePassed, 2));
    assert_eq!(fixed.effects[0].check, None, "C7: a part never counts");
    let heard = slow.heard.0.lock().unwrap();
    let commands: Vec<bool> = heard
        .iter()
        .filter_map(|p| match p {
            Progress::CheckStarted { command } => Some(command.contains("-k test_add")),
            _ => None,
        })
        .collect();
    // What follows the full check is the proof's.
    assert_eq!(
        commands[..4],
        [false, true, true, false],
        "base, first, first, full"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_the_full_check_is_made_once_at_the_end() {
    let mut slow = case(SUMS);
    slow.agent.slow_s = 0;
    let wrong = edit("adder/sums.py", "return a - b", "return a * b");
    let (fixed, _) = slow
        .run(vec![turn("", &[wrong]), turn("", &[finish("Multiplies.")])])
        .await;
    assert_eq!(
        (fixed.stop, fixed.verdict, fixed.reason),
        (StopReason::Finished, Verdict::Draft, Reason::NotFixedYet)
    );
    assert!(fixed.pairs[0].after.is_some());
    assert!(
        !fixed.pairs[0]
            .after
            .as_ref()
            .unwrap()
            .classification
            .narrowed
    );
}
