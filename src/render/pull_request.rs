//! The pull request: its title and its body.

use super::checks::{check_table, check_words, flaky_left, newly_broken};
use super::said::{quoted_block, said};
use super::words::{count, duration, fitting, limit};
use super::{details, proof};
use crate::domain::{
    CheckPair, CheckRun, Contradiction, Kind, Outcome, Reason, Reproduction, Review, SetUpReport,
    StopReason, Usage, Verdict, Weakness, WeaknessKind,
};
use crate::text::{bound, clip_words, code_span, inert_line, neutralise, one_line};

/// GitHub refuses bodies over 65,536 characters.
const BODY_BYTES: usize = 60_000;
pub(super) const SUMMARY_BYTES: usize = 4_000;

/// Everything that the body says.
pub struct PullRequest<'a> {
    /// Whether earlier runs stand on the same branch.
    pub follow_up: bool,
    /// The issue that it answers; `None` for a fix without GitHub.
    pub issue: Option<u64>,
    /// Whether the issue is left for people to close.
    pub relates_only: bool,
    pub verdict: Verdict,
    pub reason: Reason,
    pub stop: StopReason,
    /// The model's words about the change.
    pub summary: &'a str,
    pub doubted: Option<&'a str>,
    pub contradictions: &'a [Contradiction],
    pub reproductions: &'a [Reproduction],
    pub weaknesses: &'a [Weakness],
    pub review: Option<&'a Review>,
    pub checks: &'a [CheckPair],
    /// Why there is no base, where there is none.
    pub no_base: Option<&'a str>,
    /// Abbreviated id of the commit that was tested.
    pub commit: Option<&'a str>,
    /// Path, lines added, lines removed.
    pub changed: &'a [(String, usize, usize)],
    pub turns: u32,
    pub usage: Usage,
    pub model: &'a str,
    pub elapsed_ms: u64,
    pub checks_ms: u64,
    pub warnings: &'a [String],
    pub setup: Option<&'a SetUpReport>,
    /// What went wrong, in one line, where something did.
    pub error: Option<&'a str>,
}

/// The title: the report's, as a fix.
pub fn title(report_title: &str) -> String {
    titled("Fix: {title}", report_title, 0)
}

/// The title by a pattern with `{title}` and `{number}`, in that many characters.
pub fn titled(pattern: &str, report_title: &str, number: u64) -> String {
    let text = inert_line(report_title);
    let text = if text.is_empty() {
        "reported bug"
    } else {
        &text
    };
    let rest = pattern.replace("{number}", &number.to_string());
    let room = 107usize.saturating_sub(rest.chars().count()).max(20);
    one_line(&rest.replace("{title}", &clip_words(text, room)))
}

/// The body, within GitHub's limit.
pub fn body(pr: &PullRequest<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(n) = pr.issue {
        let settles = pr.verdict == Verdict::Ready || pr.reason == Reason::Contradiction;
        let closes = settles && !pr.relates_only;
        parts.push(format!(
            "{} #{n}",
            if closes { "Closes" } else { "Relates to" }
        ));
    }
    let summary = summary(pr);
    let headline = headline(pr);
    // What was done comes first where it is the news; otherwise what stands in its way does.
    let summary_first = matches!(
        pr.reason,
        Reason::Contradiction | Reason::Fixed | Reason::FixedOthersFailBefore | Reason::Reproduced
    );
    let order = if summary_first {
        [summary, headline]
    } else {
        [headline, summary]
    };
    parts.extend(order.into_iter().filter(|p| !p.is_empty()));
    if !pr.contradictions.is_empty() {
        let changed = !pr.changed.is_empty();
        parts.push(proof::contradictions(pr.contradictions, changed));
    }
    parts.extend(other_weaknesses(pr));
    let proofs = proof::reproductions(pr.reproductions);
    if !proofs.is_empty() && pr.reason != Reason::NotReproduced {
        parts.push(proofs);
    }
    let named: Vec<String> = pr.contradictions.iter().map(|c| c.test.clone()).collect();
    if !pr.checks.is_empty() {
        let table = check_table(pr.checks, pr.commit, &named);
        parts.push(table.trim_end().to_string());
    }
    let review = pr.review.map(proof::review).unwrap_or_default();
    if !review.is_empty() {
        parts.push(review);
    }
    for warning in pr.warnings {
        parts.push(format!("> {}", neutralise(&one_line(warning))));
    }
    parts.push(details::details(pr));
    if pr.reason == Reason::Question && pr.issue.is_none() {
        parts.push(
            "To answer, add it to the report or give it with `--guidance`, and run again."
                .to_string(),
        );
    }
    if pr.issue.is_some() {
        parts.push(
            "Comment `/mend retry` with what should be different to have it done again."
                .to_string(),
        );
    }
    fitting(&parts, BODY_BYTES)
}

/// The model's words; where nothing was changed, as a quotation, so that they claim nothing.
fn summary(pr: &PullRequest<'_>) -> String {
    let text = said(&bound(pr.summary.trim(), SUMMARY_BYTES));
    match (pr.reason, text.is_empty()) {
        (Reason::NoChange, false) => quoted_block(&text),
        _ => text,
    }
}

/// What a maintainer has to know before anything else; empty when the change is simply ready.
fn headline(pr: &PullRequest<'_>) -> String {
    match pr.reason {
        Reason::Fixed
        | Reason::Reproduced
        | Reason::Answer => String::new(),
        Reason::NoChange => match pr.summary.trim().is_empty() {
            true => "**Nothing was changed.**".to_string(),
            false => "**Nothing was changed.** The model's words:".to_string(),
        },
        Reason::Question => match pr.issue {
            Some(_) => "**Nothing was changed: one answer is needed.** Reply in the issue, and mend goes on from it.".to_string(),
            None => "**Nothing was changed: one answer is needed.** Write it into the report and run mend again.".to_string(),
        },
        Reason::FixedOthersFailBefore => {
            "What still fails failed before this change too; see the list below.".to_string()
        }
        Reason::Contradiction => contradicting(pr),
        Reason::DoubtedTest => format!(
            "**The check passes, but the code may have been bent to a test.** While working, the model wrote: {} \
             Please compare the change with the report before you merge.",
            quoted(pr.doubted.unwrap_or_default())
        ),
        Reason::CheckDidntStart => didnt_start(pr),
        Reason::CheckTimedOut => timed_out(pr),
        Reason::NotChecked => match pr.no_base.filter(|_| pr.checks.is_empty()) {
            Some(why) => format!(
                "**This change was not checked:** {}.",
                neutralise(&one_line(why))
            ),
            None => "**This change was not checked**: no check was made with it.".to_string(),
        },
        Reason::NewlyBroken => newly_broken(pr.checks),
        Reason::FlakyLeft => flaky_left(pr.checks),
        Reason::NotFixedYet => format!("**Not fixed yet.** {}", still_failing(pr.checks)),
        Reason::NotReproduced => not_reproduced(pr),
        Reason::CheckIsDeaf => proof::weaknesses(pr.weaknesses, WeaknessKind::Deaf),
        Reason::HarnessChanged => proof::weaknesses(pr.weaknesses, WeaknessKind::Harness),
        Reason::TestsLost => proof::weaknesses(pr.weaknesses, WeaknessKind::Lost),
        Reason::TestsInSourceChanged => proof::weaknesses(pr.weaknesses, WeaknessKind::InSource),
        Reason::OnlyTestsChanged => proof::weaknesses(pr.weaknesses, WeaknessKind::OnlyTests),
        Reason::FixedByTestFiles => proof::weaknesses(pr.weaknesses, WeaknessKind::ByTests),
        Reason::NoBase => format!(
            "**No comparison**: the check was not run on the untouched code{}, so {}.",
            pr.no_base
                .map(|why| format!(" ({})", neutralise(&one_line(why))))
                .unwrap_or_default(),
            match first_not_passed(pr.checks, Outcome::Failed) {
                Some(_) => "what fails below may have failed before",
                None => "it may have passed before too",
            }
        ),
        Reason::LimitReached => format!(
            "**Unfinished: {}.** {}",
            limit(pr.stop, pr.turns),
            stands(pr)
        ),
        Reason::ModelUnreachable => format!(
            "**Unfinished: the model gave no further answer.** {}{}",
            cause(pr),
            stands(pr)
        ),
        Reason::Stopped => format!("**Stopped, as somebody asked.** {}", stands(pr)),
    }
}

/// How many tests contradict the report, as far as the check shows it.
fn contradicting(pr: &PullRequest<'_>) -> String {
    let confirmed = pr.contradictions.iter().filter(|c| c.confirmed).count();
    let n = match confirmed {
        0 => pr.contradictions.len(),
        some => some,
    };
    let (verb, them) = if n == 1 {
        ("contradicts", "a test")
    } else {
        ("contradict", "tests")
    };
    match confirmed {
        0 => format!(
            "**The model says that {them} {verb} the report; the check does not confirm it.** Please compare."
        ),
        _ => format!(
            "**{} {verb} the report, and I left both alone.**",
            super::words::capital(&count(n, "test", "tests"))
        ),
    }
}

/// What the model's endpoint said; a sentence, or nothing.
fn cause(pr: &PullRequest<'_>) -> String {
    let told = pr.error.map(|e| neutralise(&clip_words(&one_line(e), 300)));
    told.map_or(String::new(), |told| {
        format!("{}. ", super::words::capital(told.trim_end_matches('.')))
    })
}

fn stands(pr: &PullRequest<'_>) -> &'static str {
    match pr.changed.is_empty() {
        true => "Nothing was changed.",
        false => "What there is stands here.",
    }
}

fn not_reproduced(pr: &PullRequest<'_>) -> String {
    let tried = proof::not_reproduced(pr.reproductions);
    format!(
        "**Not reproduced, because the check passed before this change too** and {tried}. What is green shows that nothing broke, \
         not that the report is fixed."
    )
}

/// The weaknesses that are not the headline already.
fn other_weaknesses(pr: &PullRequest<'_>) -> Vec<String> {
    use WeaknessKind::{
        ByTests, Deaf, Harness, InSource, Lost, OnlyTests, Sensitive, TestsChanged,
    };
    let headline = match pr.reason {
        Reason::CheckIsDeaf => Some(Deaf),
        Reason::HarnessChanged => Some(Harness),
        Reason::TestsLost => Some(Lost),
        Reason::TestsInSourceChanged => Some(InSource),
        Reason::OnlyTestsChanged => Some(OnlyTests),
        Reason::FixedByTestFiles => Some(ByTests),
        _ => None,
    };
    let kinds = [
        Sensitive,
        TestsChanged,
        Deaf,
        Harness,
        Lost,
        InSource,
        OnlyTests,
        ByTests,
    ];
    let kinds = kinds.into_iter();
    kinds
        .filter(|kind| Some(*kind) != headline)
        .map(|kind| proof::weaknesses(pr.weaknesses, kind))
        .filter(|text| !text.is_empty())
        .collect()
}

fn first_not_passed(checks: &[CheckPair], outcome: Outcome) -> Option<(&CheckPair, &CheckRun)> {
    checks
        .iter()
        .filter_map(|p| p.after.as_ref().map(|run| (p, run)))
        .find(|(_, run)| run.classification.outcome == outcome)
}

fn didnt_start(pr: &PullRequest<'_>) -> String {
    let Some((pair, run)) = first_not_passed(pr.checks, Outcome::DidntStart) else {
        return String::new();
    };
    let c = &run.classification;
    let same = pair.base.as_ref().is_some_and(|b| {
        b.classification.outcome == Outcome::DidntStart && b.classification.reason == c.reason
    });
    let mut text = format!(
        "**The check didn't start, so this change is not tested.** {} stopped before its first test: {}",
        code_span(&run.command),
        neutralise(&c.reason)
    );
    if same {
        text.push_str(" It stops the same way without this change.");
    }
    let broke = pair
        .base
        .as_ref()
        .is_some_and(|b| matches!(b.classification.outcome, Outcome::Passed | Outcome::Failed));
    let advice = match c.kind {
        // What the change broke, no setting mends.
        _ if broke => " Without this change it starts.",
        Some(Kind::MissingDependency | Kind::MissingRunner) => {
            "\nTo have it tested, make what is missing available where mend runs its checks, or name another command in `.github/mend.toml` \
             (`check = \"…\"`), then comment `/mend retry`."
        }
        Some(Kind::Setup) if pr.setup.is_some_and(SetUpReport::was_refused) => {
            "\nTo have it tested, have the operator allow the hosts that were refused, or name another set-up in `.github/mend.toml` (`setup = [\"…\"]`), then comment `/mend retry`."
        }
        Some(Kind::Setup) if pr.setup.is_some_and(|s| s.failed.is_some()) => {
            "\nTo have it tested, name a set-up that works in `.github/mend.toml` (`setup = [\"…\"]`), then comment `/mend retry`."
        }
        Some(Kind::Build) if pr.setup.is_some_and(|s| s.failed.is_some()) => {
            "\nTo have it tested, mend what does not compile, then comment `/mend retry`."
        }
        Some(Kind::NoTests) => {
            "\nTo have it tested, name the command that runs the tests in `.github/mend.toml` (`check = \"…\"`), then comment `/mend retry`."
        }
        _ => "",
    };
    text.push_str(advice);
    text
}

fn timed_out(pr: &PullRequest<'_>) -> String {
    let Some((pair, run)) = first_not_passed(pr.checks, Outcome::TimedOut) else {
        return String::new();
    };
    let base = match pair.base.as_ref().map(|b| b.classification.outcome) {
        Some(Outcome::TimedOut) => " It timed out without this change too.",
        Some(_) => " Without this change it came to an end.",
        None => "",
    };
    format!(
        "**The check timed out, so it does not say whether this change works.** {} was ended after {}.{base}",
        code_span(&run.command),
        duration(run.duration_ms)
    )
}

fn still_failing(checks: &[CheckPair]) -> String {
    checks
        .iter()
        .filter_map(|p| p.after.as_ref().map(|run| (p, run)))
        .filter(|(_, run)| run.classification.outcome != Outcome::Passed)
        .map(|(pair, run)| {
            let base = pair.base.as_ref().map(|b| b.classification.outcome);
            let still = match base {
                Some(Outcome::Passed) => "",
                _ => "still ",
            };
            format!(
                "{} {still}says {}.",
                code_span(&run.command),
                check_words(run)
            )
        })
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(text: &str) -> String {
    format!("“{}”", neutralise(&clip_words(&one_line(text), 500)))
}
