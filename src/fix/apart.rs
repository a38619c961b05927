//! The files that a change adds among the tests, told apart from the rest of it: they must neither
//! hide that other tests are gone, nor be what turns the check green.

use super::Input;
use crate::check::{self, Prover, Runs};
use crate::domain::{
    CheckPair, CheckRun, Counts, Kind, Outcome, Reproduction, Weakness, WeaknessKind,
};
use crate::text::{clip_words, one_line};

/// Tests that ran to a result, where the runner counts.
fn total(run: &CheckRun) -> Option<u64> {
    let tests: Counts = run.classification.tests?;
    let ran = [tests.passed, tests.failed, tests.errors];
    Some(ran.iter().map(|n| n.unwrap_or(0)).sum())
}

fn reds(run: &CheckRun) -> Option<u64> {
    let tests = run.classification.tests?;
    Some(tests.failed.unwrap_or(0) + tests.errors.unwrap_or(0))
}

fn weakness(kind: WeaknessKind, what: String) -> Weakness {
    Weakness {
        kind,
        path: String::new(),
        lines: None,
        what,
    }
}

/// Failing tests of the added files break nothing that passed before. A file with such a test does
/// not show the bug: with the others it is not green.
pub(super) fn added_failing(pairs: &mut [CheckPair], proofs: &mut [Reproduction]) {
    for proof in proofs {
        let name = proof.file.rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let is_its = |test: &String| {
            test.contains(&proof.file) || test.split(|c| !word(c)).any(|part| part == stem)
        };
        let mut fails = false;
        for pair in pairs.iter_mut() {
            let c = &mut pair.comparison;
            fails |= c.flaky.iter().any(is_its);
            let broken = std::mem::take(&mut c.newly_broken);
            let (its, others) = broken.into_iter().partition::<Vec<_>, _>(is_its);
            fails |= !its.is_empty();
            c.newly_broken = others;
            c.added_failing.extend(its);
        }
        if fails && proof.red_to_green {
            proof.red_to_green = false;
            let why = "it passes alone and fails when the whole check runs";
            proof.because = Some(why.to_string());
        }
    }
}

/// Tests that ran on the untouched code and do not run any more, and a fix that is none without the
/// added files. Names of which it is not known that they ran are taken from what was fixed.
pub(super) async fn look(
    input: &Input<'_>,
    prover: &Prover<'_>,
    runs: Runs<'_>,
    pairs: &mut [CheckPair],
    proofs: &[Reproduction],
) -> Vec<Weakness> {
    let alone = proofs
        .iter()
        .filter(|p| pairs.iter().all(|pair| pair.command != p.command));
    let added: u64 = alone.filter_map(|p| p.tests).sum();
    let mut names = Vec::new();
    let (mut suspicious, mut worth) = (false, true);
    for pair in pairs.iter() {
        let (Some(base), Some(after)) = (&pair.base, &pair.after) else {
            worth = false;
            continue;
        };
        // A runner that counts decides: names may only be told in another way.
        let fewer = match (total(base), total(after)) {
            (Some(before), Some(now)) => now < before + added,
            _ => true,
        };
        suspicious |= fewer && added > 0;
        worth &= pair.comparison.newly_broken.is_empty();
        if fewer {
            names.extend(pair.comparison.vanished.iter().cloned());
        }
    }
    let mut found: Vec<Weakness> = Vec::new();
    let red = runs.base.map(check::overall) != Some(Outcome::Passed);
    if worth && !pairs.is_empty() && (red || suspicious) {
        let made = prover
            .without_added(runs, input.cancel, input.journal)
            .await;
        match made {
            Ok(Some(made)) => {
                let added = Some(added).filter(|_| pairs.len() == 1);
                let (fewer, worse) = compared(runs, &made, pairs, added);
                names.extend(fewer.filter(|_| names.is_empty()));
                found.extend(worse.map(|what| weakness(WeaknessKind::ByTests, what)));
            }
            Ok(None) => {}
            Err(error) if error.is_cancelled() => {}
            Err(error) => {
                tracing::warn!(%error, "the change could not be checked without its added tests")
            }
        }
    }
    let lost = names.into_iter();
    found.extend(lost.map(|name| weakness(WeaknessKind::Lost, name)));
    found
}

/// What the check says without the added files: how many tests they hide, and whether something is
/// fixed by them alone.
fn compared(
    runs: Runs<'_>,
    without: &[CheckRun],
    pairs: &mut [CheckPair],
    added: Option<u64>,
) -> (Option<String>, Option<String>) {
    let (mut fewer, mut worse) = (None, None);
    for (pair, rest) in pairs.iter_mut().zip(check::pairs(runs.base, without)) {
        let (Some(base), Some(after), Some(rest_run)) = (&pair.base, &pair.after, &rest.after)
        else {
            continue;
        };
        if let (Some(added), Some(before), Some(now), Some(alone)) =
            (added, total(base), total(after), total(rest_run))
        {
            let gone = (before.max(alone) + added).saturating_sub(now);
            // Without names, what is gone from the failing tests may not have run.
            if gone > 0 && pair.comparison.fixed.len() as u64 <= gone {
                let unseen = std::mem::take(&mut pair.comparison.fixed);
                pair.comparison.vanished.extend(unseen);
            }
            fewer = match gone {
                0 => fewer,
                1 => Some("1 test fewer ran, the added ones left out".to_string()),
                n => Some(format!("{n} tests fewer ran, the added ones left out")),
            };
        }
        let c = &rest_run.classification;
        let is_red = |run: &CheckRun| run.classification.outcome != Outcome::Passed;
        // Fewer tests cover less.
        let coverage = c.kind == Some(Kind::Coverage) && c.failed_names.is_empty();
        let fixed = &pair.comparison.fixed;
        let still = fixed
            .iter()
            .any(|n| rest.comparison.already_failing.contains(n));
        let more = matches!((reds(rest_run), reds(after)), (Some(a), Some(b)) if a > b);
        if is_red(rest_run) && !coverage && (!is_red(after) || still || more) {
            worse = Some(clip_words(&one_line(&c.reason), 200));
        }
    }
    (fewer, worse)
}
