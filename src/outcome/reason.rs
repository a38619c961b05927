//! The most telling line of an output (rule C4): one line, at most 240 characters, one full stop.

use super::counts;
use super::decide::{Cause, Verdict};
use super::facts::Facts;
use super::places::is_neutral;
use super::sentence::{finish, joined};
use super::severe;
use super::shapes::{self, Class, Shape};
use super::text::Text;
use crate::domain::{Exit, Kind, Outcome};

pub(super) fn reason(
    verdict: &Verdict,
    exit: Exit,
    text: &Text,
    facts: &Facts,
    shapes: &[Shape],
    roots: &[String],
) -> String {
    if verdict.outcome == Outcome::Passed {
        return String::new();
    }
    let sentence = |line: usize| joined(text, line);
    let found = match verdict.cause {
        Cause::Deadline => Some("the time limit ended the run".to_string()),
        Cause::Green => None,
        Cause::Crash => Some(crashed(text, facts)),
        Cause::Zero => zero(text, facts)
            .map(sentence)
            .or_else(|| telling(facts).map(sentence)),
        Cause::Stopped => stopped(text, facts, shapes).map(sentence),
        Cause::Red => match &facts.said {
            Some(said) => Some(said.clone()),
            None => red(text, facts, shapes).map(sentence),
        },
        Cause::Beside => beside(text, facts, shapes).map(sentence),
        Cause::Doubt(at) => Some(sentence(at)),
        Cause::Cut => cut(text, facts, shapes, exit),
        Cause::ExitOnly => last_line(text).map(sentence),
        Cause::Silent if text.is_blank() => {
            Some("exit code 0 and no output: nothing shows that a test ran".to_string())
        }
        Cause::Silent => {
            Some("exit code 0, but nothing in the output shows that a test ran".to_string())
        }
    };
    let found = found.filter(|f| !f.trim().is_empty());
    finish(
        &found.unwrap_or_else(|| fallback(verdict, exit, facts)),
        roots,
    )
}

fn fallback(verdict: &Verdict, exit: Exit, facts: &Facts) -> String {
    let code = match exit {
        Exit::Code(code) => format!("exit code {code}"),
        Exit::Signal(signal) => format!("signal {signal}"),
        Exit::TimedOut => "the time limit".to_string(),
    };
    match verdict.cause {
        Cause::Red => match facts.failing.first() {
            Some(failing) => format!("{} failed", failing.name),
            None => format!("{} tests failed", facts.reds()),
        },
        Cause::Beside => format!("{code} with no failing test"),
        Cause::ExitOnly => format!("{code} and no output"),
        _ => format!("{code} before any test"),
    }
}

fn telling(facts: &Facts) -> Option<usize> {
    facts.outside.iter().find(|o| o.telling).map(|o| o.at)
}

/// The line that says that nothing ran: the plainest one.
fn zero(text: &Text, facts: &Facts) -> Option<usize> {
    let plain = |at: &&usize| text.line(**at).chars().any(char::is_alphabetic);
    let words = facts.zero.iter().rev().filter(plain).max_by_key(|at| {
        let line = text.line(**at).trim_start().to_lowercase();
        match () {
            () if line.starts_with("no ") || line.contains("no test") => 2,
            () if line.contains("nothing") || line.contains(" 0 ") => 1,
            () => 0,
        }
    });
    words
        .copied()
        .or(facts.zero.first().copied())
        .or(facts.summaries.last().map(|s| s.0))
}

fn first(shapes: &[Shape], class: Class) -> Option<usize> {
    shapes.iter().find(|s| s.class == class).map(|s| s.at)
}

fn last(shapes: &[Shape], class: Class) -> Option<usize> {
    shapes.iter().rfind(|s| s.class == class).map(|s| s.at)
}

/// Why a run stopped before its first test: the root cause before what follows from it.
pub(super) fn stopped(text: &Text, facts: &Facts, shapes: &[Shape]) -> Option<usize> {
    first(shapes, Class::Python)
        .or_else(|| mismatch(text))
        .or_else(|| telling(facts))
        .or_else(|| last(shapes, Class::Traceback))
        .or_else(|| first(shapes, Class::Compiler))
        .or_else(|| first(shapes, Class::Exception))
        .or_else(|| first(shapes, Class::Missing))
        .or_else(|| first(shapes, Class::Lint))
        .or_else(|| stand_in(text, facts))
        .or_else(|| zero(text, facts))
        .or_else(|| first(shapes, Class::Complaint))
        .or_else(|| last_line(text))
}

/// What stands below the heading of a file that could not be loaded.
fn stand_in(text: &Text, facts: &Facts) -> Option<usize> {
    let failing = facts.failing.iter().find(|f| f.stand_in)?;
    message(text, failing.at).filter(|at| at - failing.at <= 4)
}

/// pytest explains a module that was collected twice in prose.
fn mismatch(text: &Text) -> Option<usize> {
    let mut lines = text.lines();
    lines
        .find(|(_, line)| *line == "import file mismatch:")
        .map(|(at, _)| at)
}

/// Why tests are red: what the first red test says, or what kept a file from loading.
fn red(text: &Text, facts: &Facts, shapes: &[Shape]) -> Option<usize> {
    let only_stand_ins = facts.failing.iter().all(|f| f.stand_in);
    if let Some(telling) = facts.outside.iter().find(|o| o.telling && o.red) {
        return Some(telling.at);
    }
    if let Some(python) = first(shapes, Class::Python) {
        return Some(python);
    }
    let from = facts.failing.first().map_or(0, |f| f.at);
    let after = |classes: &[Class]| {
        let mut shapes = shapes.iter();
        shapes
            .find(|s| s.at >= from && classes.contains(&s.class))
            .map(|s| s.at)
    };
    let before = |classes: &[Class]| {
        let mut shapes = shapes.iter();
        shapes
            .rfind(|s| s.at < from && classes.contains(&s.class))
            .map(|s| s.at)
    };
    let errors = [Class::Traceback, Class::Exception, Class::Compiler];
    if only_stand_ins {
        let all = [
            Class::Traceback,
            Class::Exception,
            Class::Compiler,
            Class::Missing,
        ];
        return after(&all)
            .or_else(|| before(&all))
            .or_else(|| telling(facts));
    }
    after(&errors)
        .or_else(|| after(&[Class::Assertion, Class::Missing]))
        .or_else(|| telling(facts))
        .or_else(|| before(&errors))
        .or_else(|| logged(text, from))
        .or_else(|| message(text, from))
}

/// What the lines below the heading of a failing test say: the message of a TAP diagnosis (a block of
/// YAML), else the first plain line.
fn message(text: &Text, from: usize) -> Option<usize> {
    const SAYS: [&str; 2] = ["error:", "message:"];
    const DETAILS: [&str; 8] = [
        "duration_ms:",
        "type:",
        "location:",
        "failureType:",
        "code:",
        "severity:",
        "stack:",
        "name:",
    ];
    let starts = |line: &str, keys: &[&str]| {
        let line = line.trim_start();
        keys.iter().any(|key| {
            line.strip_prefix(key)
                .is_some_and(|rest| rest.starts_with(' '))
        })
    };
    let mut below = text.between(from + 1, from + 12);
    if let Some((at, _)) = below.find(|(_, line)| starts(line, &SAYS)) {
        return Some(at);
    }
    let mut below = text.between(from + 1, from + 12).filter(|(_, line)| {
        let plain = line.trim();
        plain.len() > 3
            && plain.chars().any(char::is_alphanumeric)
            && !is_noise(plain)
            && !is_neutral(plain)
            && !is_place(plain)
            && !plain.starts_with('─')
            && counts::tally(plain).is_empty()
            && !starts(line, &DETAILS)
    });
    below.next().map(|(at, _)| at)
}

/// Only where a test stands, as ExUnit writes below its name, or the call that meson made of it.
fn is_place(line: &str) -> bool {
    let numbered = line.rsplit_once(':').is_some_and(|(file, number)| {
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) && file.contains('.')
    });
    (numbered && !line.contains(' ')) || line.starts_with(">>> ")
}

/// What a test of go logged, which stands above its verdict when every test is listed.
fn logged(text: &Text, from: usize) -> Option<usize> {
    if !text.line(from).trim_start().starts_with("--- FAIL: ") {
        return None;
    }
    let above = (from.saturating_sub(200)..from).rev();
    let mut own = above.take_while(|at| !text.line(*at).trim_start().starts_with("=== RUN"));
    own.find(|at| {
        let line = text.line(*at).trim_start();
        line.split_once(".go:")
            .is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// What is red beside green tests.
pub(super) fn beside(text: &Text, facts: &Facts, shapes: &[Shape]) -> Option<usize> {
    let red = facts
        .outside
        .iter()
        .find(|o| o.telling && o.red)
        .map(|o| o.at);
    let coverage = facts
        .outside
        .iter()
        .find(|o| o.kind == Kind::Coverage)
        .map(|o| o.at);
    let sign = facts.outside.iter().find(|o| o.red).map(|o| o.at);
    let summary = facts.summaries.last().map_or(0, |s| s.0);
    let error = |s: &&Shape| s.class <= Class::Exception;
    coverage
        .or(red)
        .or_else(|| {
            // What a runner counts beside its tests stands near the sign of it.
            sign.and_then(|_| shapes.iter().find(error)).map(|s| s.at)
        })
        .or_else(|| telling(facts))
        .or_else(|| {
            shapes
                .iter()
                .find(|s| s.at > summary && s.class <= Class::Lint)
                .map(|s| s.at)
        })
        .or_else(|| sign.filter(|at| *at > summary && !text.line(*at).is_empty()))
}

fn cut(text: &Text, facts: &Facts, shapes: &[Shape], exit: Exit) -> Option<String> {
    let error = telling(facts).or_else(|| {
        let began = facts.began.unwrap_or(0);
        let errors = |s: &&Shape| s.at > began && s.class <= Class::Exception;
        shapes.iter().rfind(errors).map(|s| s.at)
    });
    if let (Some(at), false) = (error, exit == Exit::Code(0)) {
        return Some(joined(text, at));
    }
    let code = match exit {
        Exit::Code(code) => code,
        _ => 0,
    };
    let within = text.len().checked_sub(1).is_some_and(|at| text.is_cut(at));
    let place = if within && code == 0 && facts.ran() > 0 {
        "within a line of its output"
    } else {
        "before its summary"
    };
    Some(format!("the run ended with exit code {code} {place}"))
}

fn crashed(text: &Text, facts: &Facts) -> String {
    let Some(crash) = facts.crash else {
        return String::new();
    };
    if let Some(fatal) = text
        .lines()
        .find(|(_, l)| l.contains("Fatal Python error: "))
    {
        return fatal
            .1
            .split("Fatal Python error: ")
            .last()
            .map(|e| format!("Fatal Python error: {e}"))
            .unwrap_or_default();
    }
    if let Some(said) = text.lines().rev().find(|(_, l)| severe::is_c_assertion(l)) {
        return joined(text, said.0);
    }
    let word = crash.at.map(|at| crash_word(text.line(at)).to_string());
    let signal = crash
        .signal
        .map(|n| format!("signal {n}{}", signal_name(n)));
    let results = facts.results.max(facts.ran());
    let after = if results > 0 {
        format!(" after {results} results")
    } else {
        String::new()
    };
    match (word, signal) {
        (Some(word), Some(signal)) => format!("{word}: stopped by {signal}{after}"),
        (Some(word), None) => format!("{word}{after}"),
        (None, Some(signal)) => format!("stopped by {signal}{after}"),
        (None, None) => "the process died".to_string(),
    }
}

/// `Segmentation fault` out of `test_x ... Segmentation fault (core dumped)`.
fn crash_word(line: &str) -> &str {
    let known = [
        "Segmentation fault",
        "Aborted",
        "Killed",
        "Bus error",
        "Illegal instruction",
        "Floating point exception",
        "Terminated",
    ];
    known.into_iter().find(|k| line.contains(k)).unwrap_or(line)
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// The last line that says something.
fn last_line(text: &Text) -> Option<usize> {
    let mut lines = text.lines().rev();
    lines
        .find(|(_, line)| {
            let line = line.trim();
            line.len() > 1
                && line.chars().any(char::is_alphanumeric)
                && !is_noise(line)
                && !shapes::is_follower(line)
        })
        .map(|(at, _)| at)
}

/// Separators, help links and words of wrappers.
fn is_noise(line: &str) -> bool {
    let starts = [
        "npm error",
        "npm ERR!",
        "make: ***",
        "gmake: ***",
        "[Help 1]",
        "BUILD FAILURE",
        "FAIL\t",
        "[INFO]",
        "at ",
        "See ",
        "(See ",
        "Run with",
        "For more",
        "* Try",
        "* Get more",
        "Exited",
        "error Command failed",
        "Tasks: TOP",
        "Command failed with status",
        "Node.js v",
        "note: ",
        "help: ",
        "Try ",
        "^",
        "~",
        "|",
        "---",
        "===",
    ];
    line == "FAIL" || line.contains("://") || starts.iter().any(|s| line.starts_with(s))
}
