//! One decision from the facts. The table is that of the reference beside the recorded cases, with
//! one correction: `passed` always needs two witnesses, exit code 0 and a green summary of tests
//! that ran.

use super::Input;
use super::doubt::Doubt;
use super::facts::Facts;
use super::reason;
use super::severe;
use super::shapes::{self, Class, Shape};
use super::text::Text;
use crate::domain::{Exit, Kind, Outcome};

/// What decided; the reason is looked for accordingly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Deadline,
    /// Tests are red.
    Red,
    /// Nothing ran and the output says so.
    Zero,
    /// Something stopped the run before its first test.
    Stopped,
    Crash,
    Green,
    /// Green tests, and something else is red.
    Beside,
    /// The run would be green, but for this line.
    Doubt(usize),
    /// Tests ran, and no summary came.
    Cut,
    /// Nothing but the exit code is known.
    ExitOnly,
    /// Nothing shows that a test ran.
    Silent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) outcome: Outcome,
    pub(super) cause: Cause,
    pub(super) kind: Option<Kind>,
}

impl Verdict {
    fn new(outcome: Outcome, cause: Cause, kind: Option<Kind>) -> Verdict {
        Verdict {
            outcome,
            cause,
            kind,
        }
    }
}

/// The verdict on a run that would be green without this doubt.
pub(super) fn doubted(doubt: Doubt) -> Verdict {
    let cause = if doubt.cut {
        Cause::Cut
    } else {
        Cause::Doubt(doubt.at)
    };
    Verdict::new(Outcome::Failed, cause, Some(doubt.kind))
}

/// Whether the exit code says that the check's own `timeout` ended it (timeout(1): 124, or 137
/// after its `--kill-after`).
fn own_timeout(input: &Input<'_>) -> bool {
    let code = match input.exit {
        Exit::TimedOut => return true,
        Exit::Code(code) => code,
        Exit::Signal(9) => 137,
        Exit::Signal(_) => return false,
    };
    let wrapped = input
        .command
        .split(|c: char| c.is_whitespace() || ";&|()".contains(c))
        .any(|word| word == "timeout" || word.ends_with("/timeout") || word == "gtimeout");
    wrapped && matches!(code, 124 | 137)
}

pub(super) fn decide(input: &Input<'_>, text: &Text, facts: &Facts, shapes: &[Shape]) -> Verdict {
    use Outcome::{DidntStart, Failed, TimedOut};
    if own_timeout(input) {
        return Verdict::new(TimedOut, Cause::Deadline, None);
    }
    let ok = input.exit == Exit::Code(0);
    let names = facts.failing.iter().filter(|f| !f.stand_in).count();
    let stand_ins = facts.stand_ins();
    let counted = !facts.summaries.is_empty();
    // Progress shows that tests ran unless a summary denies it.
    let denied = counted && facts.ran() == 0 || !counted && !facts.zero.is_empty() && names == 0;
    let began = facts.began.is_some() || !facts.green.is_empty();
    let started = facts.ran() > 0 || !denied && (began || names > 0);
    let red = facts.reds() > 0 || names > 0 || facts.red_lines > 0 && !counted;
    if started && facts.generic && only_load_errors(text, facts, shapes) {
        return Verdict::new(DidntStart, Cause::Stopped, Some(Kind::Build));
    }
    if started && (red || stand_ins > 0) {
        return Verdict::new(Failed, Cause::Red, Some(red_kind(text, facts)));
    }
    if let Some(crash) = facts.crash {
        let kind = if crash.signal == Some(9) {
            Kind::Killed
        } else {
            Kind::Crash
        };
        // A line of marks is proof enough when nothing else explains the end.
        let marks = facts.dots.is_some() || text.lines().any(|(_, line)| shapes::is_result(line));
        let marks = marks && !counted;
        // So is the assertion of the program that it ended.
        let asserts = || text.lines().any(|(_, line)| severe::is_c_assertion(line));
        return if started || marks || asserts() {
            Verdict::new(Failed, Cause::Crash, Some(kind))
        } else {
            Verdict::new(DidntStart, Cause::Crash, Some(kind))
        };
    }
    if started {
        return ran_green(text, facts, shapes, ok);
    }
    not_started(input, text, facts, shapes, ok)
}

/// Runners without rules of their own may count a file that does not load as a failing test.
fn only_load_errors(text: &Text, facts: &Facts, shapes: &[Shape]) -> bool {
    let passes: u64 = facts.summaries.iter().map(|s| s.2.passes()).sum();
    let asserts = shapes.iter().any(|s| s.class == Class::Assertion);
    let loads = shapes
        .iter()
        .any(|s| s.class <= Class::Missing && shapes::is_load(text.line(s.at)));
    !facts.summaries.is_empty() && passes == 0 && loads && !asserts
}

/// Tests ran and none of them is red.
fn ran_green(text: &Text, facts: &Facts, shapes: &[Shape], ok: bool) -> Verdict {
    use Outcome::{Failed, Passed};
    let summed =
        facts.ran() > 0 && facts.cut.is_none() || facts.ran() == 0 && !facts.green.is_empty();
    let beside = facts.outside.iter().find(|o| o.red);
    match (ok, beside) {
        (true, None) if summed => Verdict::new(Passed, Cause::Green, None),
        (_, Some(_)) => {
            let at = reason::beside(text, facts, shapes);
            let kind = kind_at(at, text, facts, shapes);
            Verdict::new(Failed, Cause::Beside, Some(kind))
        }
        (true, None) => Verdict::new(Failed, Cause::Cut, Some(Kind::Crash)),
        (false, None) if facts.cut.is_some() || !summed => {
            Verdict::new(Failed, Cause::Cut, Some(Kind::Crash))
        }
        (false, None) => {
            let at = reason::beside(text, facts, shapes);
            let kind = at.map(|at| kind_at(Some(at), text, facts, shapes));
            Verdict::new(Failed, Cause::Beside, kind)
        }
    }
}

/// No sign that a test ran.
fn not_started(
    input: &Input<'_>,
    text: &Text,
    facts: &Facts,
    shapes: &[Shape],
    ok: bool,
) -> Verdict {
    use Outcome::{DidntStart, Failed};
    if facts.outside.iter().any(|o| !ok || o.red) || facts.stand_ins() > 0 {
        let kind = stopped_kind(text, facts, shapes);
        return Verdict::new(DidntStart, Cause::Stopped, Some(kind));
    }
    if !facts.zero.is_empty() || !facts.summaries.is_empty() {
        let load = |s: &Shape| s.class <= Class::Missing && shapes::is_load(text.line(s.at));
        let error = !ok
            && shapes
                .iter()
                .any(|s| s.class <= Class::Exception || load(s));
        if error {
            let kind = stopped_kind(text, facts, shapes);
            return Verdict::new(DidntStart, Cause::Stopped, Some(kind));
        }
        return Verdict::new(DidntStart, Cause::Zero, Some(Kind::NoTests));
    }
    if ok {
        if facts.dots.is_some() || facts.cut.is_some() {
            return Verdict::new(Failed, Cause::Cut, Some(Kind::Crash));
        }
        return Verdict::new(DidntStart, Cause::Silent, Some(Kind::NoTests));
    }
    if matches!(input.exit, Exit::Code(126 | 127)) {
        return Verdict::new(DidntStart, Cause::Stopped, Some(Kind::MissingRunner));
    }
    if text.is_blank() {
        return Verdict::new(Failed, Cause::ExitOnly, None);
    }
    let asserts = shapes.iter().any(|s| s.class == Class::Assertion);
    let broken = shapes.iter().find(|s| s.class < Class::Complaint);
    let broken = broken.or_else(|| complaint(text, shapes));
    match broken {
        Some(shape) if !asserts => {
            let kind = shapes::kind_of(text.line(shape.at), Some(shape.class));
            Verdict::new(DidntStart, Cause::Stopped, Some(kind))
        }
        _ if asserts => Verdict::new(Failed, Cause::Red, Some(Kind::Assertion)),
        _ if facts.dots.is_some() => Verdict::new(Failed, Cause::Cut, Some(Kind::Crash)),
        _ => Verdict::new(Failed, Cause::ExitOnly, None),
    }
}

/// The kind of what stopped a run.
fn stopped_kind(text: &Text, facts: &Facts, shapes: &[Shape]) -> Kind {
    kind_at(reason::stopped(text, facts, shapes), text, facts, shapes)
}

/// The kind of what the line says that is the reason.
fn kind_at(at: Option<usize>, text: &Text, facts: &Facts, shapes: &[Shape]) -> Kind {
    let first = facts
        .outside
        .iter()
        .find(|o| o.red)
        .or(facts.outside.first());
    let first = first.map_or(Kind::Build, |o| o.kind);
    let Some(at) = at else {
        return first;
    };
    let outside = facts.outside.iter().find(|o| o.at == at && o.telling);
    let class = shapes.iter().find(|s| s.at == at).map(|s| s.class);
    match (outside.map(|o| o.kind), class) {
        (Some(kind), _) => kind,
        (None, None) => first,
        (None, class) => match shapes::kind_of(text.line(at), class) {
            // The runner's own word is finer than a guess.
            Kind::Build => first,
            kind => kind,
        },
    }
}

/// A tool's complaint counts only near the end: above it is talk.
fn complaint<'a>(text: &Text, shapes: &'a [Shape]) -> Option<&'a Shape> {
    let from = text.len().saturating_sub(40);
    shapes
        .iter()
        .find(|s| s.class == Class::Complaint && s.at >= from)
}

/// The kind of a red run: a test that failed is an assertion, one that could not begin is set-up.
fn red_kind(text: &Text, facts: &Facts) -> Kind {
    let failed: u64 = facts.summaries.iter().filter_map(|s| s.2.failed).sum();
    if failed > 0 || facts.failing.iter().any(|f| !f.stand_in) && facts.summaries.is_empty() {
        return Kind::Assertion;
    }
    if let Some(outside) = facts.outside.iter().find(|o| o.red) {
        return outside.kind;
    }
    // pytest calls errors what happened around tests; elsewhere an exception in a test's own body
    // is one too, and only the traceback tells.
    let around = facts
        .summaries
        .iter()
        .any(|s| s.1 == "pytest" && s.2.reds() > 0);
    let first = facts.failing.first().map_or(0, |f| f.at);
    let mut lines = text.between(first, text.len()).map(|(_, line)| line);
    if facts.reds() > 0 && (around || lines.any(is_set_up)) {
        Kind::Setup
    } else {
        Kind::Assertion
    }
}

/// A frame of a traceback within what prepares a test.
fn is_set_up(line: &str) -> bool {
    const FRAMES: &[&str] = &[
        ", in setUp",
        ", in asyncSetUp",
        ", in tearDown",
        "in `setup'",
        "#setup'",
        "->setUp()",
        ".setUp(",
        "\" hook",
    ];
    FRAMES.iter().any(|frame| line.contains(frame))
}
