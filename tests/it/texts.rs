//! Every text that a maintainer reads, whole.

use mend::domain::{
    Basis, CheckPair, CheckRun, Classification, Comparison, Contradiction, Counts, Exit, Kind,
    Outcome, Reason, Reproduction, Review, ReviewPoint, SetUpFailure, SetUpReport, Severity,
    StopCause, StopReason, TaskId, Usage, Verdict, Weakness, WeaknessKind,
};
use mend::render::{self, Begun, Ending, Live, PullRequest};

fn run(outcome: Outcome, passed: u64, failed: u64, names: &[&str], reason: &str) -> CheckRun {
    CheckRun {
        command: "python3 -m pytest".into(),
        exit: match outcome {
            Outcome::Passed => Exit::Code(0),
            Outcome::TimedOut => Exit::TimedOut,
            Outcome::DidntStart => Exit::Code(2),
            Outcome::Failed => Exit::Code(1),
        },
        duration_ms: 14_200,
        output: format!("some output\n{reason}\n"),
        classification: Classification {
            outcome,
            kind: (outcome == Outcome::DidntStart).then_some(Kind::MissingDependency),
            tests: matches!(outcome, Outcome::Passed | Outcome::Failed).then_some(Counts {
                passed: Some(passed),
                failed: Some(failed),
                errors: None,
                skipped: None,
            }),
            failed_names: names.iter().map(ToString::to_string).collect(),
            failing: vec![],
            reason: reason.into(),
            named_files: vec![],
            blames_change: false,
            narrowed: false,
            runner: Some("pytest".into()),
            flaky: vec![],
            evidence: vec![],
        },
    }
}

fn pair(
    base: CheckRun,
    after: CheckRun,
    fixed: &[&str],
    broken: &[&str],
    old: &[&str],
) -> CheckPair {
    let list = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    CheckPair {
        command: "python3 -m pytest".into(),
        base: Some(base),
        after: Some(after),
        comparison: Comparison {
            fixed: list(fixed),
            newly_broken: list(broken),
            already_failing: list(old),
            basis: Basis::Names,
            ..Comparison::default()
        },
    }
}

const ONCE: &str = "tests/test_invoice.py::test_rounds_once";

const NET30: &str = "tests/test_terms.py::test_net_30";

fn green() -> CheckPair {
    let base = run(Outcome::Failed, 212, 1, &[ONCE], "assert 1 == 2.");
    pair(
        base,
        run(Outcome::Passed, 213, 0, &[], ""),
        &[ONCE],
        &[],
        &[],
    )
}

/// What the harness and the reviewer found beside the check.
#[derive(Default)]
struct Beside {
    reproductions: Vec<Reproduction>,
    weaknesses: Vec<Weakness>,
    review: Option<Review>,
}

fn body(
    reason: Reason,
    verdict: Verdict,
    checks: &[CheckPair],
    contradictions: &[Contradiction],
) -> String {
    whole(reason, verdict, checks, contradictions, &Beside::default())
}

fn whole(
    reason: Reason,
    verdict: Verdict,
    checks: &[CheckPair],
    contradictions: &[Contradiction],
    beside: &Beside,
) -> String {
    rendered(
        reason,
        verdict,
        checks,
        contradictions,
        beside,
        render::body,
    )
}

/// Any text of a pull request.
fn rendered(
    reason: Reason,
    verdict: Verdict,
    checks: &[CheckPair],
    contradictions: &[Contradiction],
    beside: &Beside,
    text: impl FnOnce(&PullRequest<'_>) -> String,
) -> String {
    let changed = [
        ("invoicer/invoice.py".to_string(), 3, 4),
        ("tests/test_new.py".to_string(), 9, 0),
    ];
    text(&PullRequest {
        follow_up: false,
        issue: Some(41),
        relates_only: false,
        verdict,
        reason,
        stop: match reason {
            Reason::LimitReached => StopReason::TurnLimit,
            _ => StopReason::Finished,
        },
        summary: "`line_total` rounded each unit price before multiplying. It now rounds once; see @ada and #7.",
        doubted: (reason == Reason::DoubtedTest)
            .then_some("The test expects 50, but the report says 100."),
        contradictions,
        reproductions: &beside.reproductions,
        weaknesses: &beside.weaknesses,
        review: beside.review.as_ref(),
        checks,
        no_base: (reason == Reason::NoBase).then_some("switched off"),
        commit: Some("4c1d2e9"),
        changed: match reason {
            Reason::NoChange => &[],
            _ => &changed,
        },
        turns: 2,
        usage: Usage {
            input_tokens: 11_480,
            output_tokens: 640,
            cached_tokens: 0,
            dollars: Some(0.04),
        },
        model: "a-model",
        elapsed_ms: 48_000,
        checks_ms: 29_000,
        warnings: &[],
        setup: None,
        error: (reason == Reason::ModelUnreachable)
            .then_some("the model refused the request: status 401, invalid x-api-key"),
    })
}

#[test]
fn pull_requests() {
    let ready = body(Reason::Fixed, Verdict::Ready, &[green()], &[]);
    insta::assert_snapshot!("ready", ready);
    let named = Contradiction {
        test: NET30.into(),
        file: Some("tests/test_terms.py".into()),
        line: Some(44),
        expected: Some("3 March".into()),
        report_requires: Some("2 March: \"due 30 days after the invoice date\"".into()),
        why: None,
        confirmed: true,
    };
    let base = run(Outcome::Failed, 211, 2, &[ONCE, NET30], "assert 1 == 2.");
    let one_left = run(Outcome::Failed, 212, 1, &[NET30], "assert 3 == 2.");
    let checks = [pair(base.clone(), one_left.clone(), &[ONCE], &[], &[NET30])];
    insta::assert_snapshot!(
        "contradiction",
        body(
            Reason::Contradiction,
            Verdict::Draft,
            &checks,
            std::slice::from_ref(&named)
        )
    );
    let unconfirmed = Contradiction {
        confirmed: false,
        file: None,
        line: None,
        ..named.clone()
    };
    insta::assert_snapshot!(
        "contradiction_not_confirmed",
        body(
            Reason::Contradiction,
            Verdict::Draft,
            &[green()],
            &[unconfirmed]
        )
    );
    insta::assert_snapshot!(
        "others_fail_before",
        body(Reason::FixedOthersFailBefore, Verdict::Ready, &checks, &[])
    );
}

#[test]
fn contradictions_of_which_little_is_known() {
    let named = |test: &str, requires: Option<&str>, why: Option<&str>, confirmed| Contradiction {
        test: test.into(),
        file: None,
        line: None,
        expected: None,
        report_requires: requires.map(str::to_string),
        why: why.map(str::to_string),
        confirmed,
    };
    let why = Some("February has 28 days, so the 30th day is in March.");
    let all = [
        named("test_a", Some("2 March"), why, true),
        named("test_b", None, why, false),
        named("test_c", None, Some(" "), false),
    ];
    insta::assert_snapshot!(
        "contradictions_with_gaps",
        body(Reason::Contradiction, Verdict::Draft, &[green()], &all)
    );
}

#[test]
fn changes_that_stay_out_of_a_pull_request() {
    let diff = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n";
    let proposal = render::proposal(&body(Reason::Fixed, Verdict::Ready, &[green()], &[]), diff);
    let told = |verdict, reason, proposal, pull_request, error| {
        render::ending(&Ending {
            task: TaskId(7),
            asked: None,
            verdict,
            reason,
            stop: StopReason::Finished,
            stopped: None,
            turns: 2,
            pull_request,
            proposal,
            rival: None,
            summary: "`a` is `y` now.",
            discarded: &[],
            check: None,
            base: None,
            error,
            elapsed_ms: 48_000,
        })
    };
    let moved = "`mend/issue-1` moved while I worked, and I replace nobody's commits. My change does not fit on top: `a.py`.";
    let texts = [
        told(Verdict::Ready, Reason::Fixed, Some(&*proposal), None, None),
        told(
            Verdict::Draft,
            Reason::NotFixedYet,
            Some("(as above)"),
            None,
            None,
        ),
        told(
            Verdict::NotPublished,
            Reason::Fixed,
            None,
            Some((2, false)),
            Some(moved),
        ),
        told(
            Verdict::NotPublished,
            Reason::Fixed,
            None,
            None,
            Some(
                "it is larger than the operator takes (files: 101 of at most 100, lines: 9 of at most 5000).",
            ),
        ),
    ];
    insta::assert_snapshot!("unpublished", texts.join("\n\n=====\n\n"));
    insta::assert_snapshot!(
        "model_refused",
        body(Reason::ModelUnreachable, Verdict::Draft, &[green()], &[])
    );
}

#[test]
fn pull_requests_that_are_not_ready() {
    let base = run(Outcome::Failed, 211, 2, &[ONCE, NET30], "assert 1 == 2.");
    let stopped = run(
        Outcome::DidntStart,
        0,
        0,
        &[],
        "No module named 'freezegun'.",
    );
    let checks = [pair(stopped.clone(), stopped, &[], &[], &[])];
    insta::assert_snapshot!(
        "didnt_start",
        body(Reason::CheckDidntStart, Verdict::Draft, &checks, &[])
    );
    let checks = [pair(
        base.clone(),
        run(Outcome::TimedOut, 0, 0, &[], ""),
        &[],
        &[],
        &[],
    )];
    insta::assert_snapshot!(
        "timed_out",
        body(Reason::CheckTimedOut, Verdict::Draft, &checks, &[])
    );
    let broken = run(
        Outcome::Failed,
        212,
        1,
        &["tests/test_a.py::test_b"],
        "KeyError: 'x'.",
    );
    let checks = [pair(
        base.clone(),
        broken,
        &[ONCE, NET30],
        &["tests/test_a.py::test_b"],
        &[],
    )];
    insta::assert_snapshot!(
        "newly_broken",
        body(Reason::NewlyBroken, Verdict::Draft, &checks, &[])
    );
    let checks = [pair(base.clone(), base, &[], &[], &[ONCE, NET30])];
    insta::assert_snapshot!(
        "not_fixed",
        body(Reason::NotFixedYet, Verdict::Draft, &checks, &[])
    );
    insta::assert_snapshot!(
        "limit",
        body(Reason::LimitReached, Verdict::Draft, &checks, &[])
    );
    let all = run(Outcome::Passed, 213, 0, &[], "");
    let checks = [pair(all.clone(), all.clone(), &[], &[], &[])];
    insta::assert_snapshot!(
        "not_reproduced",
        body(Reason::NotReproduced, Verdict::Draft, &checks, &[])
    );
    let checks = [CheckPair {
        base: None,
        comparison: Comparison::default(),
        ..pair(all.clone(), all, &[], &[], &[])
    }];
    insta::assert_snapshot!(
        "no_base",
        body(Reason::NoBase, Verdict::Draft, &checks, &[])
    );
    insta::assert_snapshot!(
        "doubted",
        body(Reason::DoubtedTest, Verdict::Draft, &[green()], &[])
    );
    insta::assert_snapshot!(
        "not_checked",
        body(Reason::NotChecked, Verdict::Draft, &[], &[])
    );
}

fn proof(red_to_green: bool) -> Reproduction {
    Reproduction {
        file: "tests/test_new.py".into(),
        command: "python3 -m pytest tests/test_new.py".into(),
        base: Some(match red_to_green {
            true => Outcome::Failed,
            false => Outcome::Passed,
        }),
        after: Some(Outcome::Passed),
        reason: match red_to_green {
            true => "AssertionError: 5 != -1.".into(),
            false => String::new(),
        },
        missing: None,
        red_to_green,
        because: (!red_to_green).then(|| "it passes without this change too".into()),
        tests: Some(1),
    }
}

#[test]
fn pull_requests_with_an_added_test() {
    let all = run(Outcome::Passed, 213, 0, &[], "");
    let more = run(Outcome::Passed, 214, 0, &[], "");
    let checks = [pair(all, more, &[], &[], &[])];
    let with = |reason, verdict, reproductions: &[Reproduction]| {
        let beside = Beside {
            reproductions: reproductions.to_vec(),
            ..Beside::default()
        };
        whole(reason, verdict, &checks, &[], &beside)
    };
    insta::assert_snapshot!(
        "reproduced",
        with(Reason::Reproduced, Verdict::Ready, &[proof(true)])
    );
    insta::assert_snapshot!(
        "not_reproduced_by_the_added_test",
        with(Reason::NotReproduced, Verdict::Draft, &[proof(false)])
    );
    let missing = Reproduction {
        base: Some(Outcome::DidntStart),
        reason: "ImportError: cannot import name 'triple'.".into(),
        missing: Some("triple".into()),
        ..proof(true)
    };
    let lines: Vec<String> = [missing, proof(false)]
        .iter()
        .map(|r| {
            let body = with(Reason::Reproduced, Verdict::Ready, std::slice::from_ref(r));
            let line = body.lines().find(|l| l.contains("eproduced"));
            line.unwrap_or_default().to_string()
        })
        .collect();
    insta::assert_snapshot!("reproduction_lines", lines.join("\n"));
}

#[test]
fn pull_requests_whose_green_says_less() {
    let weakness = |kind, path: &str, lines, what: &str| Weakness {
        kind,
        path: path.into(),
        lines,
        what: what.into(),
    };
    let of = |reason, weaknesses: Vec<Weakness>| {
        let beside = Beside {
            weaknesses,
            ..Beside::default()
        };
        whole(reason, Verdict::Draft, &[green()], &[], &beside)
    };
    use WeaknessKind::{ByTests, Deaf, Harness, InSource, Lost, OnlyTests, TestsChanged};
    insta::assert_snapshot!(
        "only_tests",
        of(
            Reason::OnlyTestsChanged,
            vec![
                weakness(OnlyTests, "tests/test_a.py", None, "a test is changed"),
                weakness(TestsChanged, "tests/test_a.py", None, "it is changed"),
            ]
        )
    );
    insta::assert_snapshot!(
        "fixed_by_test_files",
        of(
            Reason::FixedByTestFiles,
            vec![weakness(ByTests, "", None, "AssertionError: 2 != 3.")]
        )
    );
    insta::assert_snapshot!(
        "nothing_changed",
        whole(
            Reason::NoChange,
            Verdict::NoChange,
            &[],
            &[],
            &Beside::default()
        )
    );
    insta::assert_snapshot!(
        "vanished",
        of(
            Reason::TestsLost,
            vec![
                weakness(Lost, "", None, "tests/test_a.py::test_gone"),
                weakness(Lost, "", None, "2 tests fewer ran, the added ones left out"),
            ]
        )
    );
    insta::assert_snapshot!(
        "harness",
        of(
            Reason::HarnessChanged,
            vec![
                weakness(
                    Harness,
                    "conftest.py",
                    None,
                    "pytest loads it before the tests"
                ),
                weakness(InSource, "src/lib.rs", Some((40, 52)), "it touches tests"),
                weakness(InSource, "src/a.rs", Some((7, 7)), "it touches tests"),
            ]
        )
    );
    insta::assert_snapshot!(
        "deaf",
        of(
            Reason::CheckIsDeaf,
            vec![weakness(Deaf, "", None, "python3 -m pytest")]
        )
    );
}

#[test]
fn a_pull_request_with_a_reviewers_points() {
    let point = |line, severity, text: &str| ReviewPoint {
        path: "invoicer/invoice.py".into(),
        line,
        severity,
        text: text.into(),
    };
    let mut beside = Beside {
        review: Some(Review {
            model: "another-model".into(),
            sent_back: vec![point(Some(3), Severity::MustFix, "x")],
            open: vec![
                point(
                    Some(12),
                    Severity::ShouldFix,
                    "Negative prices round away from zero, @ada; see #7.",
                ),
                point(None, Severity::Note, "The old name stays exported."),
            ],
            unplaced: 1,
            failed: None,
        }),
        ..Beside::default()
    };
    let of = |beside: &Beside| whole(Reason::Fixed, Verdict::Ready, &[green()], &[], beside);
    insta::assert_snapshot!("reviewed", of(&beside));
    beside.review = Some(Review {
        model: "another-model".into(),
        failed: Some("no answer in 300 s".into()),
        ..Review::default()
    });
    let text = of(&beside);
    let line = text.lines().find(|l| l.contains("no review"));
    assert_eq!(
        line,
        Some("There is no review of this change: no answer in 300 s.")
    );
}

#[test]
fn a_body_stays_within_githubs_limit() {
    let mut huge = green();
    huge.after.as_mut().unwrap().output = "x".repeat(400_000);
    huge.comparison.fixed = (0..5000)
        .map(|n| format!("tests/test_{n}.py::test_{n}"))
        .collect();
    let text = body(Reason::Fixed, Verdict::Ready, &vec![huge; 40], &[]);
    assert!(text.len() <= 60_000, "{}", text.len());
}

#[test]
fn status_comments() {
    let steps = [
        ("Prepare", "cloned `main` at `1f0c2aa`".to_string()),
        ("Base check", "failed: 212 passed, 1 failed".to_string()),
        (
            "Fix",
            "turn 2 of at most 25: editing invoicer/invoice.py".to_string(),
        ),
        ("Publish", String::new()),
    ];
    let live = Live {
        begun: begun(None, None),
        elapsed_ms: 72_000,
        steps: &steps,
        current: 2,
        tokens: 8_120,
        dollars: None,
        warning: "",
    };
    let paid = Live {
        begun: begun(Some("round half up"), Some("https://mend.acme.test/runs/7")),
        dollars: Some(0.314),
        ..live
    };
    let just_begun = Live {
        begun: begun(None, None),
        elapsed_ms: 400,
        current: 0,
        tokens: 0,
        ..paid
    };
    let warned = Live {
        begun: begun(None, None),
        warning: "84 % of today's budget of this repository is used; 80 % of this task's budget is used",
        ..just_begun
    };
    let all = [&live, &paid, &just_begun, &warned].map(render::live);
    insta::assert_snapshot!("live", all.join("\n\n=====\n\n"));
}

fn begun<'a>(asked: Option<&'a str>, page: Option<&'a str>) -> Begun<'a> {
    Begun {
        task: TaskId(7),
        by: "ada",
        trigger: "label",
        asked,
        at: 1_796_051_648,
        page,
    }
}

#[test]
fn waiting_for_its_turn() {
    let page = Some("https://mend.acme.test/runs/7");
    let told = [
        render::queued(&begun(None, None), 0),
        render::queued(&begun(Some("round half up"), page), 1),
        render::queued(&begun(None, None), 1_204),
    ];
    insta::assert_snapshot!("queued", told.join("\n\n=====\n\n"));
}

type Case = (
    Verdict,
    Reason,
    StopReason,
    Option<(u64, bool)>,
    Option<&'static str>,
);

#[test]
fn endings() {
    let finished = StopReason::Finished;
    let turns = StopReason::TurnLimit;
    let (opened, updated) = (Some((66, true)), Some((66, false)));
    let cases: [Case; 10] = [
        (Verdict::Ready, Reason::Fixed, finished, opened, None),
        (Verdict::Ready, Reason::Fixed, finished, updated, None),
        (
            Verdict::Draft,
            Reason::Contradiction,
            finished,
            opened,
            None,
        ),
        (Verdict::Draft, Reason::LimitReached, turns, opened, None),
        (Verdict::NoChange, Reason::NoChange, finished, None, None),
        (Verdict::NoChange, Reason::NoChange, finished, updated, None),
        (
            Verdict::Stopped,
            Reason::Stopped,
            StopReason::Stopped,
            None,
            None,
        ),
        (
            Verdict::LimitReached,
            Reason::LimitReached,
            turns,
            None,
            None,
        ),
        (
            Verdict::DidntStart,
            Reason::ModelUnreachable,
            StopReason::ModelError,
            None,
            Some("the model cannot be reached."),
        ),
        (
            Verdict::Crashed,
            Reason::NotChecked,
            finished,
            None,
            Some("the change could not be published."),
        ),
    ];
    let told = cases.map(|(verdict, reason, stop, pull_request, error)| {
        render::ending(&Ending {
            task: TaskId(7),
            asked: None,
            verdict,
            reason,
            stop,
            stopped: None,
            turns: 25,
            pull_request,
            rival: None,
            proposal: None,
            summary: "The call returns what the report asks for.",
            discarded: &[],
            check: Some("`python3 -m pytest` passed: 213 passed".into()),
            base: Some(("main", "1f0c2aa")),
            error,
            elapsed_ms: 48_000,
        })
    });
    insta::assert_snapshot!("endings", told.join("\n\n=====\n\n"));
}

/// A question is answered; what was tried on the way is not kept, and that is said.
#[test]
fn answers() {
    let many: Vec<String> = (1..=12).map(|n| format!("src/a{n}.py")).collect();
    let told = [&many[..0], &many[..1], &many[..]].map(|discarded| {
        render::ending(&Ending {
            task: TaskId(7),
            asked: Some("does it round half up?"),
            verdict: Verdict::Answer,
            reason: Reason::Answer,
            stop: StopReason::Answer,
            stopped: None,
            turns: 1,
            pull_request: None,
            rival: None,
            proposal: None,
            summary: "It rounds half to even, as @ada suspects.",
            discarded,
            check: None,
            base: None,
            error: None,
            elapsed_ms: 4_000,
        })
    });
    insta::assert_snapshot!("answers", told.join("\n\n=====\n\n"));
}

#[test]
fn what_stops_a_run() {
    let told = StopCause::ALL.map(|cause| {
        render::ending(&Ending {
            task: TaskId(7),
            asked: None,
            verdict: Verdict::Stopped,
            reason: Reason::Stopped,
            stop: StopReason::Stopped,
            stopped: Some(cause),
            turns: 1,
            pull_request: None,
            rival: None,
            proposal: None,
            summary: "",
            discarded: &[],
            check: None,
            base: None,
            error: None,
            elapsed_ms: 4_000,
        })
    });
    insta::assert_snapshot!("stopped", told.join("\n\n=====\n\n"));
}

fn standing(state: &'static str, verdict: Option<Verdict>, waits_until: Option<i64>) -> String {
    let standing = render::Standing {
        task: 7,
        state,
        verdict,
        pull_request: matches!(verdict, Some(Verdict::Ready)).then_some(12),
        waits_until,
        before: (state == "queued" && waits_until.is_none()).then_some(3),
    };
    render::status(Some(standing), 1_796_050_000)
}

#[test]
fn waiting_for_the_model() {
    let now = 1_796_051_648;
    let told = [30, 3600, 10 * 3600, 3 * 86_400].map(|wait| {
        let why = "the model is busy: status 429, slow down, @ada, after 5 attempts";
        render::waiting(TaskId(7), now + wait, now, why)
    });
    insta::assert_snapshot!("waiting", told.join("\n\n=====\n\n"));
}

#[test]
fn short_answers() {
    let all = [
        render::not_allowed("write"),
        render::help("mend"),
        render::hint("/mend retyr @all", "did you mean `retry`?"),
        render::not_served(),
        render::too_many("you asked for", 20),
        render::stopping(0),
        render::stopping(1),
        render::status(None, 0),
        standing("running", None, None),
        standing("done", Some(Verdict::NoChange), None),
        standing("done", Some(Verdict::Ready), None),
        standing("queued", None, Some(1_796_051_648)),
        standing("queued", None, None),
        render::left_out(5, 1),
        render::left_out(5, 2),
        render::not_ours(),
        render::fork(),
        render::thread_answer(
            Some("0123456789abcdef"),
            Verdict::Ready,
            "`add` adds now, @ada.",
        ),
        render::thread_answer(None, Verdict::Draft, "It is right as it is."),
        render::thread_answer(None, Verdict::Answer, "Yes, since 2.1."),
        render::nothing_held("mend/issue-41"),
        render::no_held_pull(),
        render::ci_released("mend/issue-41", "0123456789abcdef"),
        render::release_refused("mend/issue-41", "it moved meanwhile"),
        render::release_message("ada", "0123456789abcdef"),
        render::same_files_title("0123456789abcdef"),
        render::same_files(
            "0123456789abcdef",
            "https://github.com/acme/invoicer/runs/7",
        ),
        render::same_files("0123456789abcdef", ""),
        render::held_up("secondary rate limit", 1_796_051_648),
        render::title("Totals drift\nby a cent"),
        render::commit_message(
            "Totals drift",
            "`total` rounds once, as @ada asks in #4. It rounded each line.",
            41,
            false,
            &["Co-authored-by: ada <7+ada@users.noreply.github.com>".into()],
        ),
        render::commit_message(
            "Totals drift",
            "`total` rounds once.",
            41,
            false,
            &[
                "Co-authored-by: ada <7+ada@users.noreply.github.com>".into(),
                render::HOLDS_CI.into(),
            ],
        ),
        render::commit_message(
            "Totals drift",
            "Adds `tests/test_lines.py`, with 2.5 lines. It fails without the fix.",
            41,
            true,
            &[],
        ),
    ];
    insta::assert_snapshot!("short", all.join("\n\n=====\n\n"));
}

#[test]
fn a_question_about_somebodys_pull_request() {
    let told = render::ending(&Ending {
        task: TaskId(7),
        asked: Some("existing tests may be changed"),
        verdict: Verdict::Question,
        reason: Reason::Question,
        stop: StopReason::Question,
        stopped: None,
        turns: 0,
        pull_request: None,
        proposal: None,
        rival: Some(12),
        summary: "",
        discarded: &[],
        check: None,
        base: None,
        error: None,
        elapsed_ms: 900,
    });
    insta::assert_snapshot!("rival", told);
}

/// Title and summary of the check run on the head commit, and the remarks at tests.
#[test]
fn check_runs() {
    let base = run(Outcome::Failed, 211, 2, &[ONCE, NET30], "assert 1 == 2.");
    let one_left = run(Outcome::Failed, 212, 1, &[NET30], "assert 3 == 2.");
    let stuck = run(
        Outcome::DidntStart,
        0,
        0,
        &[],
        "No module named 'freezegun'.",
    );
    let named = Contradiction {
        test: NET30.into(),
        file: Some("tests/test_terms.py".into()),
        line: Some(44),
        expected: Some("3 March".into()),
        report_requires: Some("2 March: \"due 30 days after the invoice date\"".into()),
        why: None,
        confirmed: true,
    };
    let bare = Contradiction {
        expected: None,
        report_requires: None,
        ..named.clone()
    };
    let doubted = Contradiction {
        confirmed: false,
        ..named.clone()
    };
    let old = [pair(base, one_left, &[ONCE], &[], &[NET30])];
    let stuck = [pair(stuck.clone(), stuck, &[], &[], &[])];
    let limit = Reason::LimitReached;
    let cases: [(Reason, Verdict, &[CheckPair]); 6] = [
        (Reason::Fixed, Verdict::Ready, &[green()]),
        (Reason::FixedOthersFailBefore, Verdict::Ready, &old),
        (Reason::Contradiction, Verdict::Draft, &old),
        (Reason::CheckDidntStart, Verdict::Draft, &stuck),
        (limit, Verdict::Draft, &[green()]),
        (Reason::NotChecked, Verdict::Draft, &[]),
    ];
    let mut all = Vec::new();
    for (reason, verdict, checks) in cases {
        let contradicting = reason == Reason::Contradiction;
        let named = contradicting.then(|| named.clone());
        let text = |pr: &PullRequest<'_>| {
            format!(
                "# {}\n\n{}",
                render::check_run_title(pr),
                render::check_run_summary(pr)
            )
        };
        let (named, beside) = (named.as_slice(), Beside::default());
        all.push(rendered(reason, verdict, checks, named, &beside, text));
    }
    all.extend([&named, &doubted, &bare].map(render::contradiction_remark));
    insta::assert_snapshot!("check_runs", all.join("\n\n=====\n\n"));
}

/// What is said of a set-up, and what the house's template and people's edits make of a body.
#[test]
fn set_ups_and_houses() {
    let steps = |n: usize| (0..n).map(|n| format!("make deps-{n}")).collect();
    let pip = "pip install -e .[test]".to_string();
    let failed = SetUpFailure {
        command: pip.clone(),
        how: "exit 1".into(),
        tail: "No matching distribution\n".into(),
    };
    let reports = [
        SetUpReport {
            steps: vec![pip.clone()],
            ..SetUpReport::default()
        },
        SetUpReport {
            steps: steps(7),
            from_cache: true,
            ..SetUpReport::default()
        },
        SetUpReport {
            steps: vec![pip],
            failed: Some(failed),
            ..SetUpReport::default()
        },
    ];
    let mut all: Vec<String> = reports.iter().map(render::set_up).collect();
    let part = render::disclosed("Closes #41\n\n`add` adds.", "Made by mend with a model.");
    let template = "## What\n<!-- mend -->\n\n## Checklist\n- [ ] changelog\n";
    let framed = render::framed(&part, Some(template));
    all.push(framed.clone());
    all.push(render::reframed(
        &framed.replace("- [ ]", "- [x]"),
        "Closes #41\n\nMore.",
    ));
    all.push(render::titled("[{number}] {title}", "Totals drift", 41));
    all.push(render::stopping(3));
    insta::assert_snapshot!("set_ups_and_houses", all.join("\n\n=====\n\n"));
}

/// What is answered to a command that is not understood.
#[test]
fn hints() {
    let said = [
        "/mend",
        "/mend retyr",
        "/mend frobnicate",
        "/mend fix up to five dollars",
        "/mend fix allow-test",
        "/mend stop now please",
        "/mend help me",
    ];
    let all = said.map(|text| {
        let told = match mend::directive::parse(text, "mend") {
            Ok(commands) => format!("understood: {commands:?}"),
            Err(other) => render::hint(&other.line, &other.hint),
        };
        format!("{text}\n→ {told}")
    });
    insta::assert_snapshot!("hints", all.join("\n\n"));
}

/// What only a person can settle, whole: what is told where a run could not begin or its change is
/// not published.
#[test]
fn troubles() {
    let told = |verdict, why: &str| {
        render::ending(&Ending {
            task: TaskId(7),
            asked: None,
            verdict,
            reason: Reason::NotChecked,
            stop: StopReason::Finished,
            stopped: None,
            turns: 2,
            pull_request: None,
            rival: None,
            proposal: None,
            summary: "",
            discarded: &[],
            check: None,
            base: None,
            error: Some(why),
            elapsed_ms: 900,
        })
    };
    let mut all: Vec<String> = render::Trouble::all()
        .iter()
        .map(|trouble| told(Verdict::DidntStart, &format!("{trouble}.")))
        .collect();
    let late = render::Trouble::VisibilityChanged.to_string();
    let paths = ["a.py".to_string(), "b`c.py".to_string()];
    let secret = mend::gate::Objection::Secret {
        path: "a.py".into(),
        rule: "aws-access-token".into(),
    };
    let path = mend::gate::Objection::Path(".github/workflows/ci.yml".into());
    let size = mend::gate::Objection::Size {
        files: 1_000,
        bytes: 99_999_999,
    };
    let branch = "mend/issue-41";
    for why in [
        render::kept(&late),
        render::moved(branch, ""),
        render::moved(branch, &render::conflicts(&paths)),
        format!("{path}; {secret}; {size}."),
        format!("{}.", render::too_large((120, 100), (7_000, 5_000))),
    ] {
        all.push(told(Verdict::NotPublished, &why));
    }
    let used = render::budget_used(100, "repository");
    all.push(told(Verdict::LimitReached, &render::unpaid(&used)));
    insta::assert_snapshot!("troubles", all.join("\n\n=====\n\n"));
    let remarks = [
        render::own_budget_used(84),
        render::unpriced(),
        render::went_on_top(),
        render::going_on_top(branch),
    ];
    insta::assert_snapshot!("remarks", remarks.join("\n\n=====\n\n"));
}

/// A pull request whose CI is held, and what is left of that when it is let run.
#[test]
fn held_ci() {
    let held = render::held("Closes #41\n\n`add` adds.\n");
    let whole = render::disclosed(&held, "Made by mend with a model.");
    let released = render::released(&whole).unwrap();
    assert_eq!(render::released(&released), None);
    let message = |trailers: &[String]| render::commit_message("T", "", 1, false, trailers);
    let by = "Co-authored-by: ada <7+ada@users.noreply.github.com>".to_string();
    let holds = message(&[by.clone(), render::HOLDS_CI.into()]);
    assert!(
        holds.ends_with(&format!("\n\n\n{by}\nskip-checks: true\n")),
        "{holds:?}"
    );
    assert!(render::holds_ci(&holds) && !render::holds_ci(&message(&[by])));
    let release = render::release_message("ada", "0123456789abcdef");
    assert!(render::is_release(&release) && !render::holds_ci(&release));
    insta::assert_snapshot!("held_ci", format!("{whole}\n\n=====\n\n{released}"));
}
