//! What is shown of the files that the evidence points to, within the room that there is.

use super::{Found, STRONG};
use crate::agent::Work;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a file that is shown whole.
const WHOLE: usize = 12 * 1024;
/// Lines around a place in a larger file.
const AROUND: u64 = 40;
/// Bytes of all files that are shown though little speaks for them.
const LITTLE: usize = 8 * 1024;

/// The files, the strongest first, as long as there is room: small ones whole, of others what lies
/// around their lines. Then tests.
pub(super) fn shown(
    work: &Work<'_>,
    files: BTreeMap<String, Found>,
    tests: &[String],
    budget: usize,
) -> String {
    let mut files: Vec<(String, Found)> = files.into_iter().collect();
    files.sort_by_key(|(_, f)| (std::cmp::Reverse(f.weight()), f.order));
    let (mut text, mut left) = (String::new(), LITTLE);
    for (path, found) in files {
        let Some(whole) = work.workspace.text(&path) else {
            continue;
        };
        // What little speaks for is worth little room.
        let weak = found.weight() < STRONG;
        if weak && whole.len() > left {
            continue;
        }
        let all = whole.lines().count() as u64;
        let parts = match (whole.len() <= WHOLE, found.lines.is_empty()) {
            (true, _) => vec![(1, all)],
            (false, true) => continue,
            (false, false) => windows(&found.lines, all),
        };
        show(work, (&path, &whole), &parts, budget, &mut text);
        if weak {
            left -= whole.len();
        }
    }
    // They are read for what they expect of the source above; without it they say nothing.
    let none = text.is_empty();
    for path in tests.iter().filter(|_| !none) {
        if let Some(whole) = work.workspace.text(path).filter(|t| t.len() <= WHOLE) {
            let all = whole.lines().count() as u64;
            show(work, (path, &whole), &[(1, all)], budget, &mut text);
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Adds parts of a file, where there is room.
fn show(
    work: &Work<'_>,
    (path, whole): (&str, &str),
    parts: &[(u64, u64)],
    budget: usize,
    text: &mut String,
) {
    // A line costs its number too.
    let all = whole.lines().count().max(1) as f64;
    let per_line = whole.len() as f64 / all + 7.0;
    let lines: u64 = parts.iter().map(|(_, n)| *n).sum();
    if text.len() + (lines as f64 * per_line) as usize > budget {
        return;
    }
    for (start, lines) in parts {
        let read = work.workspace.read_file(path, Some(*start), Some(*lines));
        if read.error {
            continue;
        }
        let end = start + lines - 1;
        let place = match (*start, end as f64 >= all) {
            (1, true) => String::new(),
            _ => format!(", lines {start} to {end} of {all}"),
        };
        let rest = read.text.trim_end().rsplit_once('\n');
        let body = match rest {
            Some((body, last)) if last.contains("more lines; file has") => body.trim_end(),
            _ => read.text.trim_end(),
        };
        text.push_str(&format!("{path}{place}:\n{body}\n\n"));
    }
}

/// Ranges of lines around places: start and number of lines; neighbours are one.
fn windows(lines: &BTreeSet<u64>, all: u64) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for line in lines {
        let (from, to) = (line.saturating_sub(AROUND).max(1), (line + AROUND).min(all));
        match ranges.last_mut() {
            Some((_, end)) if from <= *end + 1 => *end = to,
            _ => ranges.push((from, to)),
        }
    }
    ranges
        .into_iter()
        .map(|(from, to)| (from, (to + 1).saturating_sub(from)))
        .collect()
}
