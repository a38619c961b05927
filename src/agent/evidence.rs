//! The source that the evidence points to, for the first message: what a failing check names, what
//! the failing tests import, the files and symbols that the report names. A turn saved on each task
//! is worth tokens; how many is a setting.

use super::Work;
use crate::domain::CheckRun;
use crate::text::strip_ansi;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

mod imports;

/// Bytes of a file that is shown whole.
const WHOLE: usize = 12 * 1024;
/// Lines around a place in a larger file.
const AROUND: u64 = 40;
/// Places of one file that count.
const PLACES: usize = 6;
/// A symbol with more definitions than this names nothing.
const DEFINITIONS: usize = 3;

/// What speaks for a file, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    /// A failing check names it.
    Named,
    /// The report names it.
    Reported,
    /// It defines what the report names.
    Defines,
    /// A failing test imports it.
    Imported,
    /// A file of the evidence imports it.
    Near,
}

/// A file with what speaks for it and the lines that matter, from 1.
struct Found {
    why: Why,
    order: usize,
    lines: BTreeSet<u64>,
}

/// Source for the first message, in the form of `read_file`; empty where nothing is pointed at or
/// the setting is off.
pub(super) fn source(work: &Work<'_>) -> String {
    let budget = work.settings.evidence_bytes;
    if budget == 0 {
        return String::new();
    }
    let paths = work.workspace.paths();
    let mut found = Gathered {
        work,
        sources: paths
            .iter()
            .filter(|p| imports::is_source(p))
            .cloned()
            .collect(),
        files: BTreeMap::new(),
    };
    let runs = work.base.runs().unwrap_or_default();
    for run in runs.iter().chain(work.head.iter().flatten()) {
        found.of_check(run);
    }
    found.of_report();
    found.of_tests(runs);
    found.near();
    shown(work, found.files, budget)
}

struct Gathered<'a, 'w> {
    work: &'a Work<'w>,
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
            why,
            order,
            lines: BTreeSet::new(),
        });
        found.why = found.why.min(why);
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

    /// Files and symbols that the report names.
    fn of_report(&mut self) {
        let report = &self.work.report;
        let text = format!(
            "{}\n{}\n{}",
            report.title,
            report.body,
            self.work.guidance.join("\n")
        );
        for path in self.sources.clone() {
            let name = path.rsplit('/').next().unwrap_or(&path);
            let unique = self
                .sources
                .iter()
                .filter(|p| p.ends_with(&format!("/{name}")))
                .count()
                < 2;
            if text.contains(&path) || unique && word(&text, name) {
                self.add(&path, Why::Reported, None);
            }
        }
        let symbols = symbols(&text);
        let mut defined: BTreeMap<String, Vec<(String, u64)>> = BTreeMap::new();
        for path in &self.sources {
            if self.work.workspace.is_test(path) {
                continue;
            }
            let Some(text) = self.work.workspace.text(path) else {
                continue;
            };
            for (n, line) in text.lines().enumerate() {
                if let Some(name) = imports::defined(line).filter(|name| symbols.contains(*name)) {
                    let at = defined.entry(name.to_string()).or_default();
                    at.push((path.clone(), n as u64 + 1));
                }
            }
        }
        for places in defined.into_values().filter(|p| p.len() <= DEFINITIONS) {
            for (path, line) in places {
                self.add(&path, Why::Defines, Some(line));
            }
        }
    }

    /// What the failing tests import.
    fn of_tests(&mut self, runs: &[CheckRun]) {
        let tests: BTreeSet<&String> = runs
            .iter()
            .flat_map(|r| &r.classification.failing)
            .filter_map(|f| f.file.as_ref())
            .collect();
        for test in tests {
            self.imported(test, Why::Imported);
        }
    }

    /// One step further from what speaks strongest.
    fn near(&mut self) {
        let strong = self.files.iter().filter(|(_, f)| f.why <= Why::Defines);
        for path in strong.map(|(p, _)| p.clone()).collect::<Vec<_>>() {
            self.imported(&path, Why::Near);
        }
    }

    fn imported(&mut self, path: &str, why: Why) {
        let Some(text) = self.work.workspace.text(path) else {
            return;
        };
        for import in imports::of(path, &text, &self.sources) {
            self.add(&import, why, None);
        }
    }
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

/// The files, the strongest first, as long as there is room: small ones whole, of others what lies
/// around their lines.
fn shown(work: &Work<'_>, files: BTreeMap<String, Found>, budget: usize) -> String {
    let mut files: Vec<(String, Found)> = files.into_iter().collect();
    files.sort_by_key(|(_, f)| (f.why, f.order));
    let mut text = String::new();
    for (path, found) in files {
        let Some(whole) = work.workspace.text(&path) else {
            continue;
        };
        let parts: Vec<(u64, Option<u64>)> = match (whole.len() <= WHOLE, found.lines.is_empty()) {
            (true, _) => vec![(1, Some(whole.lines().count() as u64))],
            (false, true) => continue,
            (false, false) => windows(&found.lines),
        };
        // A line costs its number too.
        let per_line = 1.1 + 7.0 * whole.lines().count() as f64 / whole.len().max(1) as f64;
        let lines: u64 = parts.iter().filter_map(|(_, n)| *n).sum();
        let share = (lines as f64 / whole.lines().count().max(1) as f64).min(1.0);
        let cost = (whole.len() as f64 * per_line * share) as usize;
        if text.len() + cost > budget {
            continue;
        }
        for (start, lines) in parts {
            let read = work.workspace.read_file(&path, Some(start), lines);
            if !read.error {
                text.push_str(&format!("{path}:\n{}\n", read.text.trim_end()));
            }
        }
    }
    text
}

/// Ranges of lines around places: start and number of lines; neighbours are one.
fn windows(lines: &BTreeSet<u64>) -> Vec<(u64, Option<u64>)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for line in lines {
        let (from, to) = (line.saturating_sub(AROUND).max(1), line + AROUND);
        match ranges.last_mut() {
            Some((_, end)) if from <= *end + 1 => *end = to,
            _ => ranges.push((from, to)),
        }
    }
    ranges
        .into_iter()
        .map(|(from, to)| (from, Some(to - from + 1)))
        .collect()
}
