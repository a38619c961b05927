//! Base × after → verdict, row by row.

use Outcome::{DidntStart, Failed, Passed, TimedOut};
use mend::domain::{
    CheckPair, CheckRun, Classification, Comparison, Contradiction, Exit, Outcome, Reason,
    StopReason, Verdict, Weakness, WeaknessKind,
};
use mend::fix::{Facts, verdict};

fn run(outcome: Outcome) -> CheckRun {
    CheckRun {
        command: "check".into(),
        exit: Exit::Code(i32::from(outcome != Passed)),
        duration_ms: 1,
        output: String::new(),
        classification: Classification {
            outcome,
            kind: None,
            tests: None,
            failed_names: vec![],
            failing: vec![],
            reason: String::new(),
            named_files: vec![],
            blames_change: false,
            narrowed: false,
            runner: None,
            flaky: vec![],
            evidence: vec![],
        },
    }
}

fn pair(
    base: Option<Outcome>,
    after: Option<Outcome>,
    fixed: bool,
    broken: bool,
    old: bool,
) -> CheckPair {
    let names = |on: bool| if on { vec!["t".to_string()] } else { vec![] };
    CheckPair {
        command: "check".into(),
        base: base.map(run),
        after: after.map(run),
        comparison: Comparison {
            fixed: names(fixed),
            newly_broken: names(broken),
            already_failing: names(old),
            ..Comparison::default()
        },
    }
}

fn of(stop: StopReason, changed: bool, pairs: &[CheckPair]) -> (Verdict, Reason) {
    verdict(&Facts {
        changed,
        stop,
        turns: 2,
        contradictions: &[],
        doubted: false,
        pairs,
        reproduced: false,
        weaknesses: &[],
    })
}

#[test]
fn the_table_row_by_row() {
    use StopReason::{Finished, ModelError, Stopped, SuitePassed, TurnLimit};
    let (ready, draft) = (Verdict::Ready, Verdict::Draft);
    let green = [pair(Some(Failed), Some(Passed), true, false, false)];
    assert_eq!(
        of(Finished, false, &green),
        (Verdict::NoChange, Reason::NoChange)
    );
    assert_eq!(
        of(TurnLimit, false, &green),
        (Verdict::LimitReached, Reason::LimitReached)
    );
    assert_eq!(
        of(ModelError, false, &green),
        (Verdict::Crashed, Reason::ModelUnreachable)
    );
    assert_eq!(of(TurnLimit, true, &green), (draft, Reason::LimitReached));
    assert_eq!(
        of(Stopped, true, &green),
        (Verdict::Stopped, Reason::Stopped)
    );
    assert_eq!(of(SuitePassed, true, &green), (ready, Reason::Fixed));
    for base in [DidntStart, TimedOut] {
        assert_eq!(
            of(
                SuitePassed,
                true,
                &[pair(Some(base), Some(Passed), false, false, false)]
            ),
            (ready, Reason::Fixed)
        );
    }
}

#[test]
fn what_the_check_said_decides_the_rest() {
    use StopReason::{CheckTimedOut, Finished};
    let (ready, draft) = (Verdict::Ready, Verdict::Draft);
    let cases = [
        (
            pair(Some(Failed), Some(DidntStart), false, false, false),
            draft,
            Reason::CheckDidntStart,
        ),
        (
            pair(Some(Failed), Some(TimedOut), false, false, false),
            draft,
            Reason::CheckTimedOut,
        ),
        (
            pair(Some(Passed), Some(Failed), false, true, false),
            draft,
            Reason::NewlyBroken,
        ),
        (
            pair(Some(Failed), Some(Failed), false, false, true),
            draft,
            Reason::NotFixedYet,
        ),
        (
            pair(Some(DidntStart), Some(Failed), false, false, false),
            draft,
            Reason::NotFixedYet,
        ),
        (
            pair(Some(Failed), Some(Failed), true, false, true),
            ready,
            Reason::FixedOthersFailBefore,
        ),
        (
            pair(Some(Failed), Some(Failed), true, true, true),
            draft,
            Reason::NewlyBroken,
        ),
        (
            pair(Some(Passed), Some(Passed), false, false, false),
            draft,
            Reason::NotReproduced,
        ),
        (
            pair(None, Some(Passed), false, false, false),
            draft,
            Reason::NoBase,
        ),
        (
            pair(None, Some(Failed), false, false, false),
            draft,
            Reason::NoBase,
        ),
        (
            pair(Some(Failed), None, false, false, false),
            draft,
            Reason::NotChecked,
        ),
    ];
    for (p, v, r) in cases {
        assert_eq!(
            of(Finished, true, std::slice::from_ref(&p)),
            (v, r),
            "{p:?}"
        );
    }
    let hung = [pair(Some(Failed), Some(TimedOut), false, false, false)];
    assert_eq!(
        of(CheckTimedOut, true, &hung),
        (draft, Reason::CheckTimedOut)
    );
}

#[test]
fn a_contradiction_or_a_doubt_is_never_ready() {
    let pairs = [pair(Some(Failed), Some(Passed), true, false, false)];
    let named = Contradiction {
        test: "t".into(),
        file: None,
        line: None,
        expected: None,
        report_requires: None,
        why: None,
        confirmed: true,
    };
    let mut facts = Facts {
        changed: true,
        stop: StopReason::Finished,
        turns: 2,
        contradictions: &[named],
        doubted: false,
        pairs: &pairs,
        reproduced: false,
        weaknesses: &[],
    };
    assert_eq!(verdict(&facts), (Verdict::Draft, Reason::Contradiction));
    facts.contradictions = &[];
    facts.doubted = true;
    assert_eq!(verdict(&facts), (Verdict::Draft, Reason::DoubtedTest));
}

#[test]
fn a_reproduction_makes_a_green_base_ready_and_old_failures_explained() {
    let of = |pair: CheckPair, reproduced, kinds: &[WeaknessKind]| {
        let weaknesses: Vec<Weakness> = kinds
            .iter()
            .map(|kind| Weakness {
                kind: *kind,
                path: String::new(),
                lines: None,
                what: String::new(),
            })
            .collect();
        verdict(&Facts {
            changed: true,
            stop: StopReason::Finished,
            turns: 2,
            contradictions: &[],
            doubted: false,
            pairs: &[pair],
            reproduced,
            weaknesses: &weaknesses,
        })
    };
    let green = || pair(Some(Passed), Some(Passed), false, false, false);
    let old = || pair(Some(Failed), Some(Failed), false, false, true);
    assert_eq!(of(green(), true, &[]), (Verdict::Ready, Reason::Reproduced));
    assert_eq!(
        of(green(), false, &[]),
        (Verdict::Draft, Reason::NotReproduced)
    );
    assert_eq!(
        of(old(), true, &[]),
        (Verdict::Ready, Reason::FixedOthersFailBefore)
    );
    let broken = pair(Some(Passed), Some(Failed), false, true, false);
    assert_eq!(of(broken, true, &[]), (Verdict::Draft, Reason::NewlyBroken));
    // The gravest is named.
    use WeaknessKind::{Deaf, Harness, InSource, Lost};
    for (kinds, reason) in [
        (&[InSource, Deaf][..], Reason::CheckIsDeaf),
        (&[Lost, Harness], Reason::HarnessChanged),
        (&[InSource, Lost], Reason::TestsLost),
        (&[InSource], Reason::TestsInSourceChanged),
    ] {
        assert_eq!(of(green(), true, kinds), (Verdict::Draft, reason));
    }
}

#[test]
fn with_several_commands_the_first_that_is_not_passed_decides() {
    let pairs = [
        pair(Some(Passed), Some(Passed), false, false, false),
        pair(Some(Failed), Some(DidntStart), false, false, false),
    ];
    assert_eq!(
        of(StopReason::Finished, true, &pairs),
        (Verdict::Draft, Reason::CheckDidntStart)
    );
    let pairs = [
        pair(Some(Failed), Some(Passed), true, false, false),
        pair(Some(Passed), Some(Failed), false, true, false),
    ];
    assert_eq!(
        of(StopReason::Finished, true, &pairs),
        (Verdict::Draft, Reason::NewlyBroken)
    );
}
