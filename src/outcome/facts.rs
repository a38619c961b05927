//! What all runners saw, put together.

use super::begun;
use super::called;
use super::counts::Tally;
use super::found::{Failing, Found, Outside};
use super::generic;
use super::runners;
use super::text::Text;
use crate::domain::Exit;
use std::collections::HashSet;

/// A process that was ended by a signal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crash {
    pub(super) signal: Option<i32>,
    /// The line that says so.
    pub(super) at: Option<usize>,
}

/// Facts about one run. Lines are counted from 0.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The runner that the output shows, wrappers only where there is nothing else.
    pub(super) runner: Option<&'static str>,
    /// Every summary that counts, with the runner that printed it.
    pub(super) summaries: Vec<(usize, &'static str, Tally)>,
    pub(super) failing: Vec<Failing>,
    pub(super) passing: Vec<String>,
    pub(super) outside: Vec<Outside>,
    pub(super) zero: Vec<usize>,
    /// First line that shows that a test began.
    pub(super) began: Option<usize>,
    pub(super) dots: Option<usize>,
    /// Result lines, whatever their colour.
    pub(super) results: u64,
    /// Result lines that are red.
    pub(super) red_lines: u64,
    /// Lines that close a green run without counting it.
    pub(super) green: Vec<usize>,
    pub(super) cut: Option<usize>,
    /// The last of results that nothing announced and nothing sums up: all of a run only if the
    /// output is known to be whole.
    pub(super) unplanned: Option<usize>,
    pub(super) flaky: Vec<String>,
    pub(super) narrowed: bool,
    pub(super) crash: Option<Crash>,
    /// What the first failing test of a JSON report says.
    pub(super) said: Option<String>,
    /// No runner with rules of its own was recognised.
    pub(super) generic: bool,
}

/// Rules that wrap other runners or belong to none.
const WRAPPERS: &[&str] = &["common", "npm", "make", "tox", "nox", "rake"];

impl Facts {
    /// Reads everything; rules of the runners in `held` stay off.
    pub(super) fn read(
        text: &Text,
        command: &str,
        exit: Exit,
        held: &[&str],
        names: bool,
    ) -> Facts {
        let mut all = runners::scan(text, command, held, names);
        drop_printed_tap(&mut all);
        settle(&mut all);
        let known = all.iter().any(|f| {
            let stopped = !f.zero.is_empty() || f.outside.iter().any(|o| o.red);
            is_closed(f) || stopped && !WRAPPERS.contains(&f.runner)
        });
        let named = all.iter().any(|f| !f.failing.is_empty());
        let mut unplanned = None;
        if !known {
            let mut found = generic::read(text, names);
            let marked = found.summaries.is_empty() && found.fails == 0;
            if marked && !called::sums_up(text, command, held) && !generic::is_short(text, &found) {
                // No runner that is known to sum up its run: the marks are all there is. Ticks are
                // those of runners that end with a summary.
                let last = found.marks.last().map(|m| m.0);
                let ticked = |at: &usize| text.line(*at).trim_start().starts_with(TICKS);
                unplanned = last.filter(|at| !ticked(at));
                found.green.extend(unplanned);
            }
            if named {
                found.failing.clear();
            }
            all.push(found);
        }
        let shown = shown_name(&all);
        let mut facts = Facts::merge(all);
        // Marks of progress alone are those of many runners: the call tells which one it is.
        facts.runner = shown.or_else(|| called::name(text, command, held));
        facts.generic = !known && !named;
        let echoed = |at: &usize| is_echo(text.line(*at));
        let silent = facts.green.last().copied().filter(echoed);
        facts.unplanned = unplanned.or(silent).filter(|_| facts.summaries.is_empty());
        facts.crash = crash(text, exit);
        facts
    }

    fn merge(all: Vec<Found>) -> Facts {
        let mut facts = Facts::default();
        let (mut lines, mut names) = (HashSet::new(), HashSet::new());
        for found in all {
            let runner = found.runner;
            for summary in found.summaries {
                if lines.insert(summary.at) {
                    facts.summaries.push((summary.at, runner, summary.tally));
                }
            }
            for failing in found.failing {
                if names.insert(failing.name.clone()) {
                    facts.failing.push(failing);
                }
            }
            facts.outside.extend(found.outside);
            facts.zero.extend(found.zero);
            facts.passing.extend(found.passing);
            facts.flaky.extend(found.flaky);
            facts.green.extend(found.green);
            facts.began = earliest(facts.began, found.began);
            facts.dots = earliest(facts.dots, found.dots);
            facts.cut = earliest(facts.cut, found.cut);
            facts.results += found.passes + found.fails + found.skips;
            facts.red_lines += found.fails;
            facts.narrowed |= found.narrowed;
        }
        facts.summaries.sort_by_key(|s| s.0);
        facts.failing.sort_by_key(|f| f.at);
        facts.outside.sort_by_key(|o| o.at);
        facts.zero.sort_unstable();
        facts.green.sort_unstable();
        facts
    }

    /// Stand-ins for tests that could not be loaded.
    pub(super) fn stand_ins(&self) -> u64 {
        self.failing.iter().filter(|f| f.stand_in).count() as u64
    }

    /// Tests that really ran by the summaries.
    pub(super) fn ran(&self) -> u64 {
        // QUnit's word for what went wrong outside every test; it may count more than once.
        let global = self
            .failing
            .iter()
            .any(|f| f.stand_in && f.name == "global failure");
        if global && self.summaries.iter().all(|s| s.2.passes() == 0) {
            return 0;
        }
        let counted: u64 = self.summaries.iter().map(|s| s.2.ran()).sum();
        counted.saturating_sub(self.stand_ins())
    }

    pub(super) fn reds(&self) -> u64 {
        self.summaries.iter().map(|s| s.2.reds()).sum()
    }

    /// The summaries added up; `None` without any.
    pub(super) fn total(&self) -> Option<Tally> {
        let mut sum = Tally::default();
        for (_, _, tally) in &self.summaries {
            use super::counts::Field::{Errors, Failed, Passed, Skipped};
            sum.add(Passed, tally.passes());
            sum.add(Failed, tally.failed.unwrap_or(0));
            sum.add(Errors, tally.errors.unwrap_or(0));
            sum.add(Skipped, tally.skipped.unwrap_or(0));
        }
        (!self.summaries.is_empty()).then_some(sum)
    }
}

/// The echo of a program's call, which is all that is seen of one that is silent when all is well.
pub(super) fn is_echo(line: &str) -> bool {
    line.contains('/') && !line.contains(' ')
}

fn earliest(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

const TICKS: [char; 5] = ['✓', '✔', '√', '✅', '🟢'];

fn is_closed(found: &Found) -> bool {
    !found.summaries.is_empty() || !found.green.is_empty() || found.cut.is_some()
}

/// Runners whose names of failing tests are sure signs of them even without a summary.
const SURE_NAMES: &[&str] = &[
    "pytest",
    "trial",
    "zope.testrunner",
    "unittest",
    "django",
    "cargo test",
    "go test",
    "gtest",
    "maven",
    "gradle",
];

/// TAP without a plan, all of it above another runner's summary, is text that tests printed; so is
/// what stands below the summary of a runner that prints on standard error.
fn drop_printed_tap(all: &mut [Found]) {
    let others = all.iter().filter(|f| f.runner != "tap");
    let last = others.flat_map(|f| &f.summaries).map(|s| s.at).max();
    let Some(mut last) = last else { return };
    let late = all
        .iter()
        .any(|f| !f.summaries.is_empty() && begun::BUFFERED.contains(&f.runner));
    if late {
        last = usize::MAX;
    }
    for found in all.iter_mut().filter(|f| f.runner == "tap") {
        let planned = found.marks.iter().any(|m| m.1 >= 2);
        if !planned && found.last.is_some_and(|at| at < last) {
            *found = Found::new(found.runner);
        }
    }
}

/// What is a part of another runner's output doesn't count beside it.
fn settle(all: &mut Vec<Found>) {
    let covering: Vec<(&'static str, bool)> = all
        .iter()
        .filter(|f| !f.summaries.is_empty() || f.cut.is_some())
        .flat_map(|f| {
            // A green summary leaves no name of a failing test.
            let named = !f.failing.is_empty() || !f.summaries.is_empty() && f.reds() == 0;
            let table = runners::ALL.iter().find(|r| r.name == f.runner);
            table
                .map_or(&[][..], |r| r.covers)
                .iter()
                .map(move |c| (*c, named))
        })
        .collect();
    for found in all.iter_mut() {
        let Some(&(_, named)) = covering.iter().find(|(name, _)| *name == found.runner) else {
            continue;
        };
        found.summaries.clear();
        found.zero.clear();
        found.green.clear();
        found.cut = None;
        found.outside.clear();
        (found.passes, found.fails, found.skips) = (0, 0, 0);
        if named {
            found.failing.clear();
        }
    }
    for found in all.iter_mut() {
        let sign =
            is_closed(found) || !found.zero.is_empty() || found.outside.iter().any(|o| o.red);
        let covered = covering.iter().any(|(name, _)| *name == found.runner);
        if !sign && !covered && !SURE_NAMES.contains(&found.runner) {
            // Marks that many runners share say nothing about this one.
            found.failing.clear();
            (found.passes, found.fails, found.skips) = (0, 0, 0);
        }
    }
    all.retain(|f| !f.is_empty());
}

/// The runner that shows itself by more than marks of progress.
fn shown_name(all: &[Found]) -> Option<&'static str> {
    let weight = |f: &Found| {
        let wrapper = WRAPPERS.contains(&f.runner);
        let silent = f.summaries.is_empty() && f.zero.is_empty() && f.green.is_empty();
        let weak = f.began.is_none() && f.outside.is_empty() && f.failing.is_empty();
        (wrapper, silent, weak, f.first())
    };
    let best = all
        .iter()
        .filter(|f| f.runner != "common")
        .min_by_key(|f| weight(f))?;
    let shows = best.first() != usize::MAX || best.cut.is_some();
    (shows && best.runner != generic::NAME).then_some(best.runner)
}

/// Whether a signal ended the run: the exit says so, or one of the last lines does.
fn crash(text: &Text, exit: Exit) -> Option<Crash> {
    let signal = match exit {
        Exit::Signal(signal) => Some(signal),
        Exit::Code(code) if (129..=159).contains(&code) => Some(code - 128),
        _ => None,
    };
    if signal.is_none() && matches!(exit, Exit::Code(0) | Exit::TimedOut) {
        return None;
    }
    let last = text
        .lines()
        .rev()
        .filter(|(_, line)| !line.is_empty())
        .take(6);
    let at = last
        .filter(|(_, line)| !line.ends_with("(ignored)"))
        .find(|(_, line)| {
            let line = line.trim_end_matches(" (core dumped)");
            CRASHES.iter().any(|word| line.ends_with(word))
        })
        .map(|(n, _)| n);
    let interrupted = matches!(signal, Some(2));
    (at.is_some() || signal.is_some() && !interrupted).then_some(Crash { signal, at })
}

/// What shells print about a child that a signal ended (signal(7), strsignal(3)).
const CRASHES: &[&str] = &[
    "Segmentation fault",
    "Aborted",
    "Killed",
    "Bus error",
    "Illegal instruction",
    "Floating point exception",
    "Trace/breakpoint trap",
    "core dumped",
    "Terminated",
];
