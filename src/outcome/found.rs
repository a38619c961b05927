//! What the rules of one runner saw in an output.

use super::counts::{Field, Tally};
use crate::domain::Kind;
use std::collections::HashMap;

/// A summary that a runner printed.
#[derive(Debug, Clone)]
pub(super) struct Summary {
    pub(super) at: usize,
    /// Its last line, where it takes several.
    pub(super) end: usize,
    pub(super) tally: Tally,
}

/// A failing test, or a runner's stand-in for tests that it could not load.
#[derive(Debug, Clone)]
pub(super) struct Failing {
    pub(super) name: String,
    /// As printed; resolved against the project's files later.
    pub(super) file: Option<String>,
    pub(super) line: Option<u64>,
    pub(super) at: usize,
    pub(super) stand_in: bool,
}

/// Something outside any test that went wrong.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outside {
    pub(super) kind: Kind,
    pub(super) at: usize,
    /// The line itself is the reason, not only a sign that there is one.
    pub(super) telling: bool,
    /// It makes a run red even beside green tests and exit code 0.
    pub(super) red: bool,
}

/// Everything that one runner's rules saw. Lines are counted from 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    pub(super) runner: &'static str,
    pub(super) summaries: Vec<Summary>,
    pub(super) failing: Vec<Failing>,
    /// Where each name stands in `failing`.
    known: HashMap<String, usize>,
    pub(super) outside: Vec<Outside>,
    /// Lines that say that nothing ran.
    pub(super) zero: Vec<usize>,
    /// Result lines by colour.
    pub(super) passes: u64,
    pub(super) fails: u64,
    pub(super) skips: u64,
    /// Names on result lines of passing tests; only filled for a comparison, when they are wanted.
    pub(super) passing: Vec<String>,
    pub(super) wants_passing: bool,
    /// First line that shows that a test began.
    pub(super) began: Option<usize>,
    /// Last line that gives a test's result; only kept where a runner's rules need it.
    pub(super) last: Option<usize>,
    /// A line of progress marks that other text could look like too.
    pub(super) dots: Option<usize>,
    /// Lines that close a green run without counting it.
    pub(super) green: Vec<usize>,
    /// Lines at which a run of this runner begins.
    pub(super) sessions: Vec<usize>,
    /// A run that began here was never summed up.
    pub(super) cut: Option<usize>,
    pub(super) flaky: Vec<String>,
    /// The output says that tests were filtered.
    pub(super) narrowed: bool,
    /// Last line of the summary that is being put together from pieces.
    pub(super) open: Option<usize>,
    /// Scratch of a runner's own rules: line, number.
    pub(super) marks: Vec<(usize, u64)>,
}

/// Names that are kept; what a runner counts beyond them stays counted.
const MOST_NAMES: usize = 20_000;

/// Pieces of one summary stand at most this many lines apart.
const PIECES_APART: usize = 4;

impl Found {
    pub(super) fn new(runner: &'static str) -> Found {
        Found {
            runner,
            ..Found::default()
        }
    }

    pub(super) fn summary(&mut self, at: usize, tally: Tally) {
        self.open = None;
        self.summaries.push(Summary { at, end: at, tally });
    }

    /// Adds one column of a summary that is spread over several lines.
    pub(super) fn piece(&mut self, at: usize, field: Field, count: u64) {
        let same = self.open.is_some_and(|open| at - open <= PIECES_APART);
        let last = self.summaries.last_mut().filter(|_| same);
        match last.filter(|last| last.tally.get(field).is_none()) {
            Some(last) => {
                last.tally.add(field, count);
                last.end = at;
            }
            None => {
                let mut tally = Tally::default();
                tally.add(field, count);
                self.summaries.push(Summary { at, end: at, tally });
            }
        }
        self.open = Some(at);
    }

    /// A summary in pieces that has no number of failures yet is not whole.
    pub(super) fn drop_cut_pieces(&mut self) {
        let whole = |s: &Summary| s.tally.failed.is_some();
        if let Some(cut) = self.summaries.iter().find(|s| !whole(s)) {
            self.cut = Some(cut.at);
        }
        self.summaries.retain(whole);
    }

    /// Notes a failing test once; the first place that a name is given wins.
    pub(super) fn fails(&mut self, name: &str, at: usize) -> Option<&mut Failing> {
        self.named(name, at, false)
    }

    /// Notes what stands for tests that could not be loaded.
    pub(super) fn stand_in(&mut self, name: &str, at: usize) {
        self.named(name, at, true);
    }

    fn named(&mut self, name: &str, at: usize, stand_in: bool) -> Option<&mut Failing> {
        let name = name.trim();
        if name.is_empty() {
            return None;
        }
        // An index is stale when a rule took names away.
        let fresh = |known: &HashMap<String, usize>, failing: &[Failing]| {
            let index = known.get(name).copied()?;
            failing.get(index).filter(|f| f.name == name).map(|_| index)
        };
        let index = match fresh(&self.known, &self.failing) {
            Some(index) => index,
            None if self.failing.len() >= MOST_NAMES => return None,
            None => {
                self.known.insert(name.to_string(), self.failing.len());
                self.failing.push(Failing {
                    name: name.to_string(),
                    file: None,
                    line: None,
                    at,
                    stand_in,
                });
                self.failing.len() - 1
            }
        };
        self.failing.get_mut(index)
    }

    pub(super) fn outside(&mut self, kind: Kind, at: usize, telling: bool, red: bool) {
        self.outside.push(Outside {
            kind,
            at,
            telling,
            red,
        });
    }

    pub(super) fn begins(&mut self, at: usize) {
        self.began.get_or_insert(at);
    }

    /// Whether the rules saw anything of this runner.
    pub(super) fn is_empty(&self) -> bool {
        self.summaries.is_empty()
            && self.failing.is_empty()
            && self.outside.is_empty()
            && self.zero.is_empty()
            && self.passes + self.fails + self.skips == 0
            && self.began.is_none()
            && self.dots.is_none()
            && self.green.is_empty()
            && self.sessions.is_empty()
            && self.cut.is_none()
    }

    /// The first line on which a rule of this runner matched something that counts.
    pub(super) fn first(&self) -> usize {
        let all = [
            self.summaries.first().map(|s| s.at),
            self.failing.first().map(|f| f.at),
            self.outside.first().map(|o| o.at),
            self.zero.first().copied(),
            self.began,
            self.sessions.first().copied(),
            self.green.first().copied(),
        ];
        all.into_iter().flatten().min().unwrap_or(usize::MAX)
    }

    /// Tests that really ran by the summaries, stand-ins left out.
    pub(super) fn ran(&self) -> u64 {
        let counted: u64 = self.summaries.iter().map(|s| s.tally.ran()).sum();
        let stand_ins = self.failing.iter().filter(|f| f.stand_in).count() as u64;
        counted.saturating_sub(stand_ins)
    }

    pub(super) fn reds(&self) -> u64 {
        self.summaries.iter().map(|s| s.tally.reds()).sum()
    }
}

/// Whether a failing test's name is that of a source file: what stands for tests that could not be
/// loaded. A suffix in brackets may follow.
pub(super) fn is_file(name: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        "js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx", "py", "rb", "go", "rs", "php", "lua",
        "ex", "exs", "pl", "java", "kt", "c", "cc", "cpp",
    ];
    let first = name.split_whitespace().next().unwrap_or(name);
    let rest = name.get(first.len()..).unwrap_or("").trim_start();
    let extension = first.rsplit_once('.').map(|(_, e)| e);
    extension.is_some_and(|e| EXTENSIONS.contains(&e)) && (rest.is_empty() || rest.starts_with('['))
}
