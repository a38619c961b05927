//! What a check's output and exit mean; how two runs compare. Pure.
//!
//! The way of one output: bytes → lines without terminal control ([`text`]) → what every runner's
//! rules see in them ([`runners`], or [`generic`] words where no runner is known) → one set of
//! facts ([`facts`]) → one decision ([`decide`]) → the reason ([`reason`]), the files that are named
//! ([`paths`]) and whether they blame the change ([`blame`]).
//!
//! Two things decide together: the exit code and what the output says. `passed` needs both, and
//! neither overrules the other's red; what else speaks against a green run ([`doubt`]) withholds it. Runners are recognised by what they print, so a runner behind
//! `make`, `npm` or `tox` needs nothing of its own.

mod begun;
mod below;
mod blame;
mod called;
mod compare;
mod counts;
mod decide;
mod doubt;
mod doubtful_words;
mod facts;
mod found;
mod generic;
mod json_report;
mod lineset;
mod narrow;
mod narrow_options;
mod normalise;
mod paths;
mod places;
mod reason;
mod report;
mod roots;
mod runners;
mod sentence;
mod severe;
mod shapes;
mod text;
mod unfinished;

pub use compare::{RunView, compare};
pub use normalise::normalise_line;

use crate::domain::{Classification, Counts, Exit, FailingTest, Outcome};
use blame::Blame;
use decide::{Cause, Verdict};
use doubt::Doubt;
use facts::Facts;
use paths::{Context, Named, Project};
use text::Text;

/// The evidence of a run that ended with code 0 and shows no test either way.
pub const NO_SIGN: &str = "no sign of a test";

/// What is known about one run of a check.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The command, as a shell would read it.
    pub command: &'a str,
    pub exit: Exit,
    /// Standard output and standard error together, in any encoding, whole or with a middle left
    /// out.
    pub output: &'a [u8],
    /// The project's files, relative to its root, `/` between components.
    pub files: &'a [String],
    /// Files that the change edited, added, deleted or renamed, in the same form.
    pub changed: &'a [String],
    /// Whether the same check started without the change; `None` where that is not known.
    pub base_started: Option<bool>,
    /// Whether the output is known to be whole at its end, because the process was seen to exit.
    /// Without that a last line that has no end, or results that nothing sums up, may be all that
    /// is left of a longer run.
    pub whole: bool,
    /// A structured report that the runner wrote during this run. It only adds names and counts.
    pub report: Option<&'a [u8]>,
}

/// What one run means. Never fails: any bytes make an outcome.
pub fn classify(input: &Input<'_>) -> Classification {
    classify_without(input, &[])
}

/// [`classify`] with the rules of some runners switched off, which is how runners that have no rules
/// are measured. The names are those in [`Classification::runner`].
pub fn classify_without(input: &Input<'_>, held: &[&str]) -> Classification {
    let text = Text::new(input.output);
    let mut facts = Facts::read(&text, input.command, input.exit, held, false);
    if let Some(report) = input.report {
        report::add(report, &mut facts);
    }
    if facts.generic && report::is_one(&text) {
        report::read(input.output, &text, &mut facts);
    }
    if facts.generic {
        json_report::add(input.output, &text, &mut facts);
    }
    let green = input.exit == Exit::Code(0) && facts.reds() == 0;
    let shapes = if green && facts.ran() > 0 && facts.outside.is_empty() && facts.cut.is_none() {
        Vec::new()
    } else {
        shapes::read(&text)
    };
    let mut verdict = decide::decide(input, &text, &facts, &shapes);
    let green = verdict.outcome == Outcome::Passed;
    let doubt = green.then(|| doubt::find(input, &text, &facts));
    let doubt = doubt
        .flatten()
        .or_else(|| cut_within(input, held, &text, green));
    if let Some(doubt) = doubt {
        verdict = decide::doubted(doubt);
    }
    let files = input.files.iter().chain(input.changed);
    let project = Project::new(files.map(String::as_str), &text);
    let places = match verdict.outcome {
        Outcome::Failed | Outcome::DidntStart => project.named(&text, input.command),
        Outcome::Passed | Outcome::TimedOut => Vec::new(),
    };
    let named_files = distinct(&places);
    let reason = reason::reason(&verdict, input.exit, &text, &facts, &shapes, &project.roots);
    let failing = failing(&verdict, &facts, &project, &places);
    let blamed = blame::blame(
        &Blame {
            outcome: verdict.outcome,
            kind: verdict.kind,
            changed: input.changed,
            named: &named_files,
            base_started: input.base_started,
            shapes: &shapes,
        },
        &text,
        &project,
    );
    let chosen = narrow::narrowed(input.command, input.files);
    let narrowed = chosen.is_some() || facts.narrowed;
    let tests = facts.total().map(|t| Counts {
        passed: t.passed,
        failed: t.failed,
        errors: t.errors,
        skipped: t.skipped,
    });
    Classification {
        outcome: verdict.outcome,
        kind: verdict.kind,
        tests,
        failed_names: failing.iter().map(|f| f.name.clone()).collect(),
        evidence: evidence(
            input,
            &text,
            &facts,
            &verdict,
            blamed.as_deref(),
            chosen.as_deref(),
        ),
        failing,
        reason,
        named_files,
        blames_change: blamed.is_some(),
        narrowed,
        runner: facts.runner.map(str::to_string),
        flaky: Vec::new(),
    }
}

/// A last line without its end, below lines that are not green by themselves.
fn cut_within(input: &Input<'_>, held: &[&str], text: &Text, green: bool) -> Option<Doubt> {
    let at = unfinished::open_line(text).filter(|_| green && !input.whole)?;
    let end = memchr::memrchr(b'\n', input.output).map_or(0, |n| n + 1);
    let above = Input {
        output: &input.output[..end],
        ..*input
    };
    let outcome = classify_without(&above, held).outcome;
    (outcome != Outcome::Passed).then(|| Doubt::cut(at))
}

fn distinct(places: &[Named<'_>]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for place in places {
        if !files.iter().any(|f| f == place.file) {
            files.push(place.file.to_string());
        }
    }
    files
}

/// The failing tests with their places, root stripped. Files that could not be loaded count only
/// beside tests that ran.
fn failing(
    verdict: &Verdict,
    facts: &Facts,
    project: &Project<'_>,
    places: &[Named<'_>],
) -> Vec<FailingTest> {
    if verdict.outcome != Outcome::Failed && verdict.outcome != Outcome::TimedOut {
        return Vec::new();
    }
    let mut all = Vec::new();
    let mut list = facts.failing.iter().peekable();
    while let Some(failing) = list.next() {
        let until = list.peek().map_or(failing.at + 200, |next| next.at);
        let own = failing
            .file
            .as_deref()
            .and_then(|f| project.resolve(f, &Context::default()));
        let (file, line) = match own {
            Some(file) => (Some(file), failing.line),
            None => {
                let mut block = places.iter().filter(|p| p.at >= failing.at && p.at < until);
                let placed = block.find(|p| p.line.is_some());
                (placed.map(|p| p.file), placed.and_then(|p| p.line))
            }
        };
        let mut name = failing.name.clone();
        for root in &project.roots {
            name = name.replace(&format!("{root}/"), "");
        }
        all.push(FailingTest {
            name,
            file: file.map(str::to_string),
            line,
        });
    }
    all
}

/// The facts that the decision rests on, one short line each.
fn evidence(
    input: &Input<'_>,
    text: &Text,
    facts: &Facts,
    verdict: &Verdict,
    blamed: Option<&str>,
    chosen: Option<&str>,
) -> Vec<String> {
    let mut all = vec![match input.exit {
        Exit::Code(code) => format!("exit code {code}"),
        Exit::Signal(signal) => format!("signal {signal}"),
        Exit::TimedOut => "time limit".to_string(),
    }];
    let mut line = |what: &str, at: usize| {
        let quoted = crate::text::clip_words(&crate::text::visible(text.line(at).trim()), 120);
        all.push(format!("{what}, line {}: {quoted}", at + 1));
    };
    for (at, runner, _) in facts.summaries.iter().take(8).filter(|s| s.0 < text.len()) {
        line(&format!("summary of {runner}"), *at);
    }
    for at in facts.green.iter().take(2) {
        line("green without counts", *at);
    }
    for at in facts.zero.iter().take(2) {
        line("nothing ran", *at);
    }
    for outside in facts.outside.iter().take(4) {
        line("outside tests", outside.at);
    }
    if let Some(at) = facts.cut {
        line("a run without its summary", at);
    }
    if let Cause::Doubt(at) = verdict.cause {
        line("against a green run", at);
    }
    match verdict.cause {
        Cause::ExitOnly => all.push("exit code only".to_string()),
        Cause::Silent => all.push(NO_SIGN.to_string()),
        _ => {}
    }
    if masked(input.command) {
        all.push("the command hides its exit code".to_string());
    }
    all.extend(chosen.map(|c| format!("narrowed by {c}")));
    all.extend(blamed.map(str::to_string));
    all
}

/// Whether the exit code belongs to something behind the check.
fn masked(command: &str) -> bool {
    let piped = command.replace("||", "").contains('|') && !command.contains("pipefail");
    let tail = command.trim_end();
    piped
        || ["|| true", "|| :", "; true", "|| exit 0", "; exit 0"]
            .iter()
            .any(|t| tail.ends_with(t))
}
