//! Base × after → verdict: the table of behaviours.md, "What the loop concludes". The first row
//! that holds decides.

use crate::domain::{
    CheckPair, Contradiction, Outcome, Reason, StopReason, Verdict, Weakness, WeaknessKind,
};

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
    /// An added test was seen red on base and green now.
    pub reproduced: bool,
    pub weaknesses: &'a [Weakness],
}

/// The verdict and its reason. What weakens a green run keeps it from being ready.
pub fn verdict(facts: &Facts<'_>) -> (Verdict, Reason) {
    let by_table = table(facts);
    let kinds = facts.weaknesses.iter().map(|w| w.kind);
    let gravest = kinds.filter(|kind| kind.holds_back()).min();
    match (by_table.0, gravest) {
        (Verdict::Ready, Some(kind)) => (
            Verdict::Draft,
            match kind {
                WeaknessKind::Deaf => Reason::CheckIsDeaf,
                WeaknessKind::Harness => Reason::HarnessChanged,
                WeaknessKind::Lost => Reason::TestsLost,
                WeaknessKind::InSource => Reason::TestsInSourceChanged,
                WeaknessKind::OnlyTests => Reason::OnlyTestsChanged,
                WeaknessKind::ByTests | WeaknessKind::TestsChanged | WeaknessKind::Sensitive => {
                    Reason::FixedByTestFiles
                }
            },
        ),
        _ => by_table,
    }
}

fn table(facts: &Facts<'_>) -> (Verdict, Reason) {
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
    // A red command counts as explained only where the comparison shows that the rest is old, or
    // passed when it ran again alone.
    let red = |p: &&CheckPair| {
        p.after
            .as_ref()
            .is_none_or(|r| r.classification.outcome != Outcome::Passed)
    };
    let is_old = |p: &CheckPair| {
        p.base
            .as_ref()
            .is_some_and(|b| b.classification.outcome == Outcome::Failed)
            && !p.comparison.already_failing.is_empty()
            && p.comparison.added_failing.is_empty()
    };
    let is_flaky = |p: &CheckPair| !p.comparison.flaky.is_empty();
    let all_red = || facts.pairs.iter().filter(red);
    let explained = all_red().all(|p| is_old(p) && !is_flaky(p));
    let flaky_left = all_red().all(|p| is_old(p) || is_flaky(p));
    // A reproduction is something fixed, also where no test of the project showed it.
    let fixed = facts.reproduced || facts.pairs.iter().any(|p| !p.comparison.fixed.is_empty());
    if explained && fixed {
        (Verdict::Ready, Reason::FixedOthersFailBefore)
    } else if flaky_left && fixed {
        (Verdict::Draft, Reason::FlakyLeft)
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
        Some(Outcome::Passed) if facts.reproduced => (Verdict::Ready, Reason::Reproduced),
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
