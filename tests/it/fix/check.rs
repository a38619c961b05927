//! What goes to the model and what to the person when a check cannot speak (rules C3, C5).

use super::{SUMS, case, edit, finish, fixes_add, turn};
use mend::domain::{Outcome, Reason, StopReason, Verdict};

#[tokio::test(flavor = "multi_thread")]
async fn c3_a_check_that_cannot_run_here_is_told_once_and_not_repeated() {
    let mut missing = case(SUMS);
    missing.commands = vec!["python3 -c 'import a_package_that_nobody_has'".into()];
    let (fixed, model) = missing
        .run(vec![turn("", &[fixes_add()]), turn("", &[finish("Adds.")])])
        .await;
    assert!(
        model.told(1).contains("DIDN'T START") && model.told(1).contains("cannot run here"),
        "{}",
        model.told(1)
    );
    assert!(
        !model.told(2).contains("Automatic full check"),
        "{}",
        model.told(2)
    );
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::CheckDidntStart)
    );
    let after = fixed.pairs[0]
        .after
        .as_ref()
        .expect("it is checked once, at the end");
    assert_eq!(after.classification.outcome, Outcome::DidntStart);
    assert!(
        after
            .classification
            .reason
            .contains("a_package_that_nobody_has")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c3_a_syntax_error_of_an_edit_goes_back_to_the_model() {
    let broken = edit("adder/sums.py", "return a - b", "return a + ) b");
    let mended = edit("adder/sums.py", "return a + ) b", "return a + b");
    let (fixed, model) = case(SUMS)
        .run(vec![turn("", &[broken]), turn("", &[mended])])
        .await;
    let told = model.told(2);
    assert!(
        told.contains("SyntaxError") && told.contains("your change"),
        "{told}"
    );
    assert!(
        !told.contains("work out by hand"),
        "a run that didn't start proves nothing about a test: {told}"
    );
    assert_eq!(
        (fixed.stop, fixed.verdict),
        (StopReason::SuitePassed, Verdict::Ready)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c3_a_report_of_a_syntax_error_starts_from_a_base_that_did_not_start() {
    let mut files = SUMS.to_vec();
    files[1].1 = "def add(a, b)\n    return a + b\n\n\ndef double(a):\n    return a * 2\n";
    let mended = edit("adder/sums.py", "def add(a, b)\n", "def add(a, b):\n");
    let (fixed, model) = case(&files).run(vec![turn("", &[mended])]).await;
    assert!(
        !model.told(1).contains("cannot run here"),
        "{}",
        model.told(1)
    );
    assert_eq!(
        (fixed.stop, fixed.verdict),
        (StopReason::SuitePassed, Verdict::Ready)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_w10_a_hang_is_never_called_a_failure_and_a_second_one_ends_it() {
    let mut hang = case(SUMS);
    hang.limits.check_s = 2;
    let one = edit("adder/sums.py", "return a - b", "while True: pass");
    let two = edit("adder/sums.py", "while True: pass", "while 1: pass");
    let (fixed, model) = hang.run(vec![turn("", &[one]), turn("", &[two])]).await;
    let told = model.told(2);
    assert!(
        told.contains("TIMED OUT") && told.contains("doesn't say whether the change works"),
        "{told}"
    );
    assert!(!told.contains("FAILED\n"), "{told}");
    assert_eq!(
        (fixed.stop, fixed.verdict, fixed.reason),
        (
            StopReason::CheckTimedOut,
            Verdict::Draft,
            Reason::CheckTimedOut
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn b7_what_a_check_leaves_behind_is_in_no_change_and_in_no_later_check() {
    let mut dirty = case(SUMS);
    // The second run in the same tree would fail on the folder that the first one made.
    dirty.commands = vec![
        "mkdir left && echo x >> adder/sums.py && echo '1 passed, 0 failed' && test -d left".into(),
    ];
    let (fixed, _) = dirty
        .run(vec![turn("", &[fixes_add()]), turn("", &[finish("Adds.")])])
        .await;
    let paths: Vec<&str> = fixed.changes.iter().map(|c| c.path.as_str()).collect();
    assert_eq!(paths, ["adder/sums.py"]);
    assert!(!fixed.diff.contains("+x"), "{}", fixed.diff);
    assert_eq!(
        fixed.pairs[0]
            .after
            .as_ref()
            .unwrap()
            .classification
            .outcome,
        Outcome::Passed
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_check_the_work_goes_on_and_says_so() {
    let files = [("notes.txt", "teh cat\n")];
    let (fixed, model) = case(&files)
        .run(vec![
            turn("", &[edit("notes.txt", "teh", "the")]),
            turn("", &[finish("Spelling.")]),
        ])
        .await;
    assert!(
        model.told(1).contains("no check found"),
        "{}",
        model.told(1)
    );
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::NotChecked)
    );
    assert!(fixed.pairs.is_empty() && fixed.no_base.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn w6_the_base_check_can_be_switched_off() {
    let mut off = case(SUMS);
    off.base_check = false;
    let (fixed, model) = off
        .run(vec![turn("", &[fixes_add()]), turn("", &[finish("Adds.")])])
        .await;
    assert!(
        model.told(1).contains("no base to compare with"),
        "{}",
        model.told(1)
    );
    assert_eq!(
        (fixed.verdict, fixed.reason),
        (Verdict::Draft, Reason::NoBase)
    );
    assert!(fixed.pairs[0].base.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_named_commands_exit_code_counts_and_a_runner_that_ran_nothing_does_not() {
    let mut named = case(SUMS);
    named.commands =
        vec!["python3 -c 'from adder.sums import add; assert add(2, 3) == 5' && echo fine".into()];
    let (fixed, _) = named.run(vec![turn("", &[fixes_add()])]).await;
    assert_eq!(
        (fixed.verdict, fixed.stop),
        (Verdict::Ready, StopReason::SuitePassed)
    );
    assert!(fixed.pairs[0].comparison.newly_broken.is_empty());
    named.commands = vec!["echo 'Ran 0 tests in 0.000s'; echo; echo OK".into()];
    let (fixed, _) = named
        .run(vec![turn("", &[fixes_add()]), turn("", &[finish("Adds.")])])
        .await;
    assert_eq!(
        fixed.pairs[0]
            .after
            .as_ref()
            .unwrap()
            .classification
            .outcome,
        Outcome::DidntStart
    );
}
