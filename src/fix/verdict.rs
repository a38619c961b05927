//! Base × after → verdict: the table of behaviours.md, "What the loop concludes". The first row
//! that holds decides.

use crate::domain::{CheckPair, Contradiction, Outcome, Reason, StopReason, Verdict};

/// What the verdict is drawn from.
pub struct Facts<'a> {
    pub changed: bool,
    pub stop: StopReason,
    /// Whether the model could be asked at all.
    pub turns: u32,
    pub contradictions: &'a [Contradiction],
    /// The run ended green after the model called a test wrong (rule W15).
    pub doubted: bool,
    pub pairs: &'a [CheckPair],
}

/// The verdict and its reason.
pub fn verdict(facts: &Facts<'_>) -> (Verdict, Reason) {
    if facts.stop == StopReason::Stopped {
        return (Verdict::Stopped, Reason::Stopped);
    }
    if !facts.changed {
        return without_change(facts);
    }
    if facts.stop == StopReason::ModelError {
        return (Verdict::Draft, Reason::ModelUnreachable);
    }
    if facts.stop.is_limit() && facts.stop != StopReason::CheckTimedOut {
        return (Verdict::Draft, Reason::LimitReached);
    }
    if !facts.contradictions.is_empty() {
        return (Verdict::Draft, Reason::Contradiction);
    }
    let after = worst(
        facts
            .pairs
            .iter()
            .map(|p| p.after.as_ref().map(|r| r.classification.outcome)),
    );
    if facts.doubted && after == Some(Outcome::Passed) {
        return (Verdict::Draft, Reason::DoubtedTest);
    }
    let broken = facts
        .pairs
        .iter()
        .any(|p| !p.comparison.newly_broken.is_empty());
    match after {
        None => (Verdict::Draft, Reason::NotChecked),
        Some(Outcome::DidntStart) => (Verdict::Draft, Reason::CheckDidntStart),
        Some(Outcome::TimedOut) => (Verdict::Draft, Reason::CheckTimedOut),
        _ if broken => (Verdict::Draft, Reason::NewlyBroken),
        Some(Outcome::Failed) => failed(facts),
        Some(Outcome::Passed) => passed(facts),
    }
}

fn without_change(facts: &Facts<'_>) -> (Verdict, Reason) {
    match facts.stop {
        StopReason::ModelError if facts.turns == 0 => {
            (Verdict::DidntStart, Reason::ModelUnreachable)
        }
        StopReason::ModelError => (Verdict::Crashed, Reason::ModelUnreachable),
        stop if stop.is_limit() => (Verdict::LimitReached, Reason::LimitReached),
        StopReason::Question => (Verdict::Question, Reason::Question),
        StopReason::Answer => (Verdict::Answer, Reason::Answer),
        _ => (Verdict::NoChange, Reason::NoChange),
    }
}

fn failed(facts: &Facts<'_>) -> (Verdict, Reason) {
    if facts.pairs.iter().all(|p| p.base.is_none()) {
        return (Verdict::Draft, Reason::NoBase);
    }
    // A red command counts as explained only where the comparison shows that the rest is old.
    let explained = facts.pairs.iter().all(|p| {
        let red = p
            .after
            .as_ref()
            .is_none_or(|r| r.classification.outcome != Outcome::Passed);
        !red || (p
            .base
            .as_ref()
            .is_some_and(|b| b.classification.outcome == Outcome::Failed)
            && !p.comparison.already_failing.is_empty())
    });
    if explained && facts.pairs.iter().any(|p| !p.comparison.fixed.is_empty()) {
        (Verdict::Ready, Reason::FixedOthersFailBefore)
    } else {
        (Verdict::Draft, Reason::NotFixedYet)
    }
}

fn passed(facts: &Facts<'_>) -> (Verdict, Reason) {
    let base = worst(
        facts
            .pairs
            .iter()
            .map(|p| p.base.as_ref().map(|r| r.classification.outcome)),
    );
    match base {
        None => (Verdict::Draft, Reason::NoBase),
        Some(Outcome::Passed) => (Verdict::Draft, Reason::NotReproduced),
        Some(_) => (Verdict::Ready, Reason::Fixed),
    }
}

/// The outcome that decides over several commands: the first that is not passed; `None` where a
/// command has none.
fn worst(outcomes: impl Iterator<Item = Option<Outcome>>) -> Option<Outcome> {
    let mut all = None;
    for outcome in outcomes {
        match outcome? {
            Outcome::Passed => all = all.or(Some(Outcome::Passed)),
            other if all.is_none_or(|o| o == Outcome::Passed) => all = Some(other),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{CheckRun, Classification, Comparison, Exit};
    use Outcome::{DidntStart, Failed, Passed, TimedOut};

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
        };
        assert_eq!(verdict(&facts), (Verdict::Draft, Reason::Contradiction));
        facts.contradictions = &[];
        facts.doubted = true;
        assert_eq!(verdict(&facts), (Verdict::Draft, Reason::DoubtedTest));
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
}
