//! The pull request: its title and its body.

use super::checks::{cell, check_table, check_words, flaky_left, newly_broken};
use super::proof;
use super::setup::set_up;
use super::words::{count, duration, thousands};
use crate::domain::{
    CheckPair, CheckRun, Contradiction, Kind, Outcome, Reason, Reproduction, Review, SetUpReport,
    StopReason, Usage, Verdict, Weakness, WeaknessKind,
};
use crate::text::{bound, clip_words, code_span, neutralise, one_line, visible};

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
}

/// The title: the report's, as a fix.
pub fn title(report_title: &str) -> String {
    titled("Fix: {title}", report_title, 0)
}

/// The title by a pattern with `{title}` and `{number}`, in that many characters.
pub fn titled(pattern: &str, report_title: &str, number: u64) -> String {
    let text = one_line(&visible(report_title));
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
    let summary = bound(&neutralise(pr.summary.trim()), SUMMARY_BYTES);
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
        parts.push(contradictions(pr.contradictions));
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
    parts.push(details(pr));
    if pr.issue.is_some() {
        parts.push(
            "Comment `/mend retry` with what should be different to have it done again."
                .to_string(),
        );
    }
    bound(&parts.join("\n\n"), BODY_BYTES)
}

/// What a maintainer has to know before anything else; empty when the change is simply ready.
fn headline(pr: &PullRequest<'_>) -> String {
    match pr.reason {
        Reason::Fixed
        | Reason::Reproduced
        | Reason::NoChange
        | Reason::Question
        | Reason::Answer => String::new(),
        Reason::FixedOthersFailBefore => {
            "What still fails failed before this change too; see the list below.".to_string()
        }
        Reason::Contradiction => {
            let confirmed = pr.contradictions.iter().filter(|c| c.confirmed).count();
            let n = pr.contradictions.len();
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
        Reason::NoBase => format!(
            "**No comparison**: the check was not run on the untouched code{}, so what fails below may have failed before.",
            pr.no_base
                .map(|why| format!(" ({})", one_line(&visible(why))))
                .unwrap_or_default()
        ),
        Reason::LimitReached => format!(
            "**Unfinished: {}.** What there is stands here.",
            limit(pr.stop, pr.turns)
        ),
        Reason::ModelUnreachable => {
            "**Unfinished: the model gave no further answer.** What there is stands here."
                .to_string()
        }
        Reason::Stopped => "**Stopped, as somebody asked.** What there is stands here.".to_string(),
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
    use WeaknessKind::{Deaf, Harness, InSource, Lost};
    let headline = match pr.reason {
        Reason::CheckIsDeaf => Some(Deaf),
        Reason::HarnessChanged => Some(Harness),
        Reason::TestsLost => Some(Lost),
        Reason::TestsInSourceChanged => Some(InSource),
        _ => None,
    };
    let kinds = [Deaf, Harness, Lost, InSource].into_iter();
    kinds
        .filter(|kind| Some(*kind) != headline)
        .map(|kind| proof::weaknesses(pr.weaknesses, kind))
        .filter(|text| !text.is_empty())
        .collect()
}

/// Why the loop ended, where a limit ended it.
pub(super) fn limit(stop: StopReason, turns: u32) -> String {
    match stop {
        StopReason::TurnLimit => format!("stopped after {turns} turns, the limit"),
        StopReason::TimeLimit => "stopped at the limit of time".to_string(),
        StopReason::TokenLimit => "stopped at the limit of input tokens".to_string(),
        StopReason::MoneyLimit => "stopped at the limit of spend".to_string(),
        StopReason::CheckTimedOut => {
            "the check ran into its time limit again after an edit".to_string()
        }
        StopReason::InvalidCalls => {
            "stopped after three tool calls in a row that cannot be carried out".to_string()
        }
        StopReason::RepeatedCall => {
            "stopped after the same failing tool call for the third time".to_string()
        }
        StopReason::ModelError => "the model gave no further answer".to_string(),
        StopReason::Stopped => "stopped as asked".to_string(),
        _ => "ended early".to_string(),
    }
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
    let advice = match c.kind {
        Some(Kind::MissingDependency | Kind::MissingRunner) => {
            "\nTo have it tested, make what is missing available where mend runs its checks, or name another command in `.github/mend.toml` \
             (`check = \"…\"`), then comment `/mend retry`."
        }
        Some(Kind::Setup) if pr.setup.is_some_and(|s| s.failed.is_some()) => {
            "\nTo have it tested, name the set-up in `.github/mend.toml` (`setup = [\"…\"]`), or have the operator allow the hosts that it needs, then comment `/mend retry`."
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
        .filter_map(|p| p.after.as_ref())
        .filter(|run| run.classification.outcome != Outcome::Passed)
        .map(|run| {
            format!(
                "{} still says {}.",
                code_span(&run.command),
                check_words(run)
            )
        })
        .collect::<Vec<_>>()
        .join(" ")
}

fn contradictions(named: &[Contradiction]) -> String {
    let text = |t: Option<&str>| {
        let line = one_line(t.unwrap_or_default());
        neutralise(&clip_words(&line, 400)).replace('|', "\\|")
    };
    let mut out = String::from("| test | expects | the report requires |\n|---|---|---|\n");
    for c in named {
        let place = match (&c.file, c.line) {
            (Some(file), Some(line)) => format!("{} ", cell(&format!("{file}:{line}"))),
            (Some(file), None) => format!("{} ", cell(file)),
            _ => String::new(),
        };
        // A runner that names tests by their file would say the file twice.
        let test = match &c.file {
            Some(file) => c
                .test
                .strip_prefix(file.as_str())
                .unwrap_or(&c.test)
                .trim_start_matches(':'),
            None => &c.test,
        };
        let unconfirmed = if c.confirmed {
            ""
        } else {
            " (not confirmed by the check)"
        };
        out.push_str(&format!(
            "| {place}{}{unconfirmed} | {} | {} |\n",
            cell(test),
            text(c.expected.as_deref()),
            text(c.report_requires.as_deref().or(c.why.as_deref()))
        ));
    }
    out.push_str(
        "\nThe code follows the report. If the test is right, comment `/mend retry` with the rule that it follows; if the report is \
         right, correct the test, or comment `/mend fix allow-tests`.",
    );
    out
}

fn details(pr: &PullRequest<'_>) -> String {
    let mut lines = Vec::new();
    let spend = pr
        .usage
        .dollars
        .map_or(", price unknown".to_string(), |d| format!(", ${d:.2}"));
    lines.push(format!(
        "{}{}, {} tokens in, {} out{spend} ({}); {}, of which checks {}.",
        if pr.follow_up { "The last run: " } else { "" },
        count(pr.turns as usize, "turn", "turns"),
        thousands(pr.usage.input_tokens),
        thousands(pr.usage.output_tokens),
        code_span(pr.model),
        duration(pr.elapsed_ms),
        duration(pr.checks_ms),
    ));
    if let Some(setup) = pr.setup {
        lines.push(format!("Set-up: {}.", set_up(setup)));
    }
    if !pr.changed.is_empty() {
        let files: Vec<String> = pr
            .changed
            .iter()
            .take(30)
            .map(|(path, plus, minus)| match minus {
                0 => format!("{} (+{plus})", code_span(path)),
                _ => format!("{} (+{plus} −{minus})", code_span(path)),
            })
            .collect();
        let more = match pr.changed.len().saturating_sub(30) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        lines.push(format!("Changed: {}{more}.", files.join(", ")));
    }
    lines.extend(pr.review.and_then(proof::reviewed));
    format!(
        "<details><summary>How this was made</summary>\n\n{}\n\n</details>",
        lines.join("\n")
    )
}

fn quoted(text: &str) -> String {
    format!("“{}”", neutralise(&clip_words(&one_line(text), 500)))
}
