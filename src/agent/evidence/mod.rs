//! The source that the evidence points to, for the first message: what a failing check names, what
//! the failing tests import, the files and symbols that the report names. A turn saved on each task
//! is worth tokens; how many is a setting.

use super::Work;
use crate::domain::{CheckRun, Outcome};
use crate::text::strip_ansi;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

mod imports;
mod shown;

use shown::shown;

/// Places of one file that count.
const PLACES: usize = 6;
/// Weight from which a file counts as spoken for.
const STRONG: u32 = 4;
/// A symbol with more definitions than this names nothing.
const DEFINITIONS: usize = 3;

/// What speaks for a file, and how much each weighs: a file may have several of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    /// A failing check names it.
    Named,
    /// The report names it.
    Reported,
    /// The report quotes a text of it.
    Says,
    /// It defines what the report writes as code.
    Defines,
    /// A failing test is called after it.
    Tested,
    /// A failing test imports it.
    Imported,
    /// Its name is a word of the report.
    Hinted,
    /// It defines what is a word of the report.
    Called,
    /// A file that is spoken for imports it.
    Near,
}

impl Why {
    fn weight(self) -> u32 {
        match self {
            Why::Named | Why::Reported => 8,
            Why::Says => 7,
            Why::Defines | Why::Tested => 6,
            Why::Imported | Why::Hinted => 4,
            Why::Called => 3,
            Why::Near => 1,
        }
    }
}

/// A file with what speaks for it and the lines that matter, from 1.
struct Found {
    why: BTreeSet<Why>,
    order: usize,
    lines: BTreeSet<u64>,
}

impl Found {
    fn weight(&self) -> u32 {
        self.why.iter().map(|why| why.weight()).sum()
    }
}

/// Source for the first message, in the form of `read_file`; empty where nothing is pointed at or
/// the setting is off.
pub(super) fn source(work: &Work<'_>) -> String {
    // A quarter of what the model takes at most, at four bytes a token.
    let most = work
        .settings
        .context_tokens
        .map_or(usize::MAX, |most| most as usize);
    let budget = work.settings.evidence_bytes.min(most);
    if budget == 0 {
        return String::new();
    }
    let report = &work.report;
    let said = [&report.title, &report.body].map(String::as_str);
    let said = [
        &said[..],
        &work.guidance.iter().map(String::as_str).collect::<Vec<_>>(),
    ]
    .concat();
    let paths = work.workspace.paths();
    let mut found = Gathered {
        work,
        report: said.join("\n"),
        sources: paths
            .into_iter()
            .filter(|p| imports::is_source(p))
            .collect(),
        files: BTreeMap::new(),
    };
    let runs = work.base.runs().unwrap_or_default();
    for run in runs.iter().chain(work.head.iter().flatten()) {
        found.of_check(run);
    }
    found.of_report();
    found.of_texts();
    found.of_tests(runs);
    found.near();
    let green = runs
        .iter()
        .all(|r| r.classification.outcome == Outcome::Passed);
    let tests = if green { found.tests() } else { Vec::new() };
    shown(work, found.files, &tests, budget)
}

struct Gathered<'a, 'w> {
    work: &'a Work<'w>,
    /// What people said: the report, then what they asked for later.
    report: String,
    sources: Vec<String>,
    files: BTreeMap<String, Found>,
}

impl Gathered<'_, '_> {
    fn add(&mut self, path: &str, why: Why, line: Option<u64>) {
        if self.work.workspace.is_test(path) || !self.sources.iter().any(|p| p == path) {
            return;
        }
        let order = self.files.len();
        let found = self.files.entry(path.to_string()).or_insert(Found {
            why: BTreeSet::new(),
            order,
            lines: BTreeSet::new(),
        });
        found.why.insert(why);
        if found.lines.len() < PLACES {
            found.lines.extend(line);
        }
    }

    /// The project's frames of a failing check.
    fn of_check(&mut self, run: &CheckRun) {
        let output = strip_ansi(&run.output);
        for path in &run.classification.named_files {
            let name = regex::escape(path);
            let place = Regex::new(&format!(r#"{name}(?:"?, line |:|\()(\d+)"#));
            let lines: Vec<u64> = place.map_or(Vec::new(), |place| {
                let found = place.captures_iter(&output);
                found.filter_map(|c| c[1].parse().ok()).collect()
            });
            self.add(path, Why::Named, None);
            for line in lines {
                self.add(path, Why::Named, Some(line));
            }
        }
    }

    /// Files that the report names, by path, by name, or by a word.
    fn of_report(&mut self) {
        let words = words(&self.report);
        for path in self.sources.clone() {
            let name = path.rsplit('/').next().unwrap_or(&path);
            let alike = |p: &&String| p.rsplit('/').next() == Some(name);
            let unique = self.sources.iter().filter(alike).count() < 2;
            if self.report.contains(&path) || unique && word(&self.report, name) {
                self.add(&path, Why::Reported, None);
            }
            let stem = stem(&path);
            if stem.len() > 3 && words.contains(singular(&stem)) {
                self.add(&path, Why::Hinted, None);
            }
        }
    }

    /// What the sources define that the report speaks of, and their texts that it quotes.
    fn of_texts(&mut self) {
        let (symbols, words) = (symbols(&self.report), words(&self.report));
        let mut defined: BTreeMap<(Why, String), Vec<(String, u64)>> = BTreeMap::new();
        let mut said = Vec::new();
        for path in &self.sources {
            if self.work.workspace.is_test(path) {
                continue;
            }
            let Some(text) = self.work.workspace.text(path) else {
                continue;
            };
            for (n, line) in (1..).zip(text.lines()) {
                if let Some(name) = imports::defined(line) {
                    let why = match symbols.contains(name) {
                        true => Some(Why::Defines),
                        false
                            if name.len() > 3 && words.contains(singular(&name.to_lowercase())) =>
                        {
                            Some(Why::Called)
                        }
                        false => None,
                    };
                    if let Some(why) = why {
                        let at = defined.entry((why, name.to_string())).or_default();
                        at.push((path.clone(), n));
                    }
                }
                if imports::literals(line).any(|part| self.report.contains(part)) {
                    said.push((path.clone(), n));
                }
            }
        }
        for ((why, _), places) in defined {
            let few = places.len() <= if why == Why::Defines { DEFINITIONS } else { 1 };
            for (path, line) in places.into_iter().filter(|_| few) {
                self.add(&path, why, Some(line));
            }
        }
        if said.len() <= DEFINITIONS {
            for (path, line) in said {
                self.add(&path, Why::Says, Some(line));
            }
        }
    }

    /// What the failing tests are called after, and what they import.
    fn of_tests(&mut self, runs: &[CheckRun]) {
        let tests: BTreeSet<&String> = runs
            .iter()
            .flat_map(|r| &r.classification.failing)
            .filter_map(|f| f.file.as_ref())
            .collect();
        for test in tests {
            let of = imports::tested(&stem(test)).to_string();
            for path in self.sources.clone() {
                if stem(&path) == of {
                    self.add(&path, Why::Tested, None);
                }
            }
            self.imported(test, Why::Imported);
        }
    }

    /// One step further from what speaks strongest.
    fn near(&mut self) {
        let strong = self.files.iter().filter(|(_, f)| f.weight() >= STRONG);
        for path in strong.map(|(p, _)| p.clone()).collect::<Vec<_>>() {
            self.imported(&path, Why::Near);
        }
    }

    fn imported(&mut self, path: &str, why: Why) {
        let Some(text) = self.work.workspace.text(path) else {
            return;
        };
        for import in imports::of(path, &text, &self.sources) {
            match self.passes_on(&import, &text) {
                Some(further) => further.iter().for_each(|path| self.add(path, why, None)),
                None => self.add(&import, why, None),
            }
        }
    }

    /// The files behind one that only passes names on, as `__init__.py` and `index.js` do: those
    /// whose names `user` has.
    fn passes_on(&self, path: &str, user: &str) -> Option<Vec<String>> {
        if !matches!(stem(path).as_str(), "__init__" | "index" | "lib" | "mod") {
            return None;
        }
        let text = self.work.workspace.text(path)?;
        let used: BTreeSet<&str> = user
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|w| w.len() > 2 && !imports::KEYWORDS.contains(w))
            .collect();
        let passed = imports::lines(&text).filter(|line| {
            let mut names = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            names.any(|name| used.contains(name))
        });
        let passed = passed.collect::<Vec<_>>().join("\n");
        let behind = imports::of(path, &passed, &self.sources);
        let only = imports::defines_nothing(&text);
        (only || !behind.is_empty()).then_some(behind)
    }

    /// The tests of what is spoken for, where none of them fails: one may pin what was reported.
    fn tests(&self) -> Vec<String> {
        let of: Vec<String> = self
            .files
            .iter()
            .filter(|(_, f)| f.weight() >= STRONG)
            .map(|(p, _)| stem(p))
            .collect();
        let is = |p: &&String| {
            self.work.workspace.is_test(p) && of.iter().any(|s| imports::tested(&stem(p)) == s)
        };
        self.sources.iter().filter(is).cloned().collect()
    }
}

/// A file's name without its folder and its ending.
fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    stem.to_lowercase()
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

/// The words of a text in small letters and without the `s` of the plural, but for those that
/// every report has.
fn words(text: &str) -> BTreeSet<String> {
    const COMMON: &[&str] = &[
        "this", "that", "when", "then", "with", "file", "line", "test", "main", "from", "have",
        "only", "more", "what", "there", "should", "would", "does", "it", "error", "value", "name",
    ];
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .map(|w| singular(&w.to_lowercase()).to_string())
        .filter(|w| w.len() > 2 && !COMMON.contains(&w.as_str()))
        .collect()
}

/// What the report writes as code: in back ticks, or as a call.
fn symbols(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let patterns = [
        r"`([^`\n]{2,120})`",
        r"\b([A-Za-z_][A-Za-z0-9_.:]{2,80})\(",
        r"\b([a-z]+(?:_[a-z0-9]+)+)\b",
        r"\b([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)\b",
    ];
    for pattern in patterns {
        let Ok(pattern) = Regex::new(pattern) else {
            continue;
        };
        for capture in pattern.captures_iter(text) {
            let names = capture[1].split(|c: char| !c.is_alphanumeric() && c != '_');
            found.extend(names.filter(|n| n.len() > 2).map(String::from));
        }
    }
    found
}

fn word(text: &str, name: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(inside) && !after.is_some_and(inside)
    })
}
