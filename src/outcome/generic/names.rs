//! Which of the things that look like names of failing tests are.

use crate::outcome::found::{Found, is_file};
use crate::outcome::lineset::LineSet;
use crate::outcome::text::Text;
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// More names are noise.
const MOST: usize = 2_000;
/// A longer text is no name.
const LONGEST: usize = 200;

/// Headings of failures, each way a list of its own: `1) name`, `FAIL: name`, `● name`, `___ name ___`.
const HEADINGS: &[&str] = &[
    r"^\s*(?P<k>[0-9]+)\) (?P<n>\S.*?):?$",
    r"^(?:FAIL|ERROR|Failure|Error|FAILURE|Failed)(?: in)?: (?P<n>\S.*)$",
    r"^\s*●\s+(?P<n>\S.*)$",
    r"^_{3,} (?:ERROR at \w+ of )?(?P<n>\S.*?) _{3,}$",
    r"^\s+[0-9]+ - (?P<n>\S.*?) \(.*\)$",
    r"^(?:\S+ )?\S+[:\[][0-9]+\]? # (?P<n>\S.*)$",
    r"^\S+:[0-9]+:(?P<n>\w+):FAIL(?::|$)",
];

static SET: LazyLock<Option<LineSet>> = LazyLock::new(|| LineSet::new(HEADINGS.iter().copied()));

static PATTERNS: LazyLock<Vec<Option<Regex>>> =
    LazyLock::new(|| HEADINGS.iter().map(|p| Regex::new(p).ok()).collect());

/// One thing that may be a name.
struct Candidate {
    name: String,
    at: usize,
    /// The number in front; the same number again replaces it.
    number: Option<u64>,
}

/// Candidates by the way they are printed; the first lists are those of red marks.
#[derive(Default)]
pub(super) struct Lists {
    marked: Vec<Vec<Candidate>>,
    headed: Vec<Vec<Candidate>>,
}

fn push(lists: &mut Vec<Vec<Candidate>>, list: usize, candidate: Candidate) {
    if lists.len() <= list {
        lists.resize_with(list + 1, Vec::new);
    }
    let names = &mut lists[list];
    if candidate.name.is_empty() || candidate.name.len() >= LONGEST || names.len() >= MOST {
        return;
    }
    // A number again heads the same failure again; other names are told apart later.
    let last = names.len();
    let again = candidate
        .number
        .and_then(|n| usize::try_from(n).ok())
        .and_then(|n| n.checked_sub(1));
    match again.filter(|n| *n < last).and_then(|n| names.get_mut(n)) {
        Some(known) if known.number == candidate.number => *known = candidate,
        _ => names.push(candidate),
    }
}

impl Lists {
    /// A line with a red mark of this kind.
    pub(super) fn mark(&mut self, kind: usize, name: &str, at: usize) {
        let candidate = Candidate {
            name: clean(name).to_string(),
            at,
            number: None,
        };
        push(&mut self.marked, kind, candidate);
    }

    /// A line that may head a failure.
    pub(super) fn head(&mut self, text: &Text, at: usize, line: &str) {
        let Some(hits) = SET.as_ref().and_then(|set| set.matches(line)) else {
            return;
        };
        for kind in hits.iter() {
            let pattern = PATTERNS.get(kind).and_then(Option::as_ref);
            let Some(caps) = pattern.and_then(|p| p.captures(line)) else {
                continue;
            };
            let Some(name) = caps.name("n") else { continue };
            let number = caps.name("k").and_then(|k| k.as_str().parse().ok());
            let name = full(text, at, line, name.as_str());
            push(&mut self.headed, kind, Candidate { name, at, number });
        }
    }
}

/// The whole name of a heading: titles go on below, down to a colon; a bare word such as `Failure`
/// stands before the name.
fn full(text: &Text, at: usize, line: &str, name: &str) -> String {
    let word = matches!(
        name.to_lowercase().as_str(),
        "failure" | "error" | "failed" | "fail" | "errored"
    );
    if word {
        let next = text.line(at + 1).trim().trim_end_matches(':');
        return clean(next.split(" [").next().unwrap_or(next)).to_string();
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut name = clean(name).to_string();
    if line.ends_with(':') {
        return name;
    }
    let below: Vec<&str> = text
        .between(at + 1, at + 4)
        .map(|(_, below)| below)
        .take_while(|below| indent(below) > indent(line) && !below.trim().is_empty())
        .take_while(|below| !below.contains("Error") && !below.contains("Failure"))
        .collect();
    if let Some(end) = below.iter().position(|below| below.ends_with(':')) {
        for title in &below[..=end] {
            name.push(' ');
            name.push_str(clean(title));
        }
    }
    name
}

/// The list with as many names as the summary counts failures; else the lines with red marks.
pub(super) fn choose(lists: Lists, found: &mut Found) {
    let counted = !found.summaries.is_empty();
    let reds = found.reds();
    if counted && reds == 0 {
        // Beside a green summary red words are text that tests printed.
        found.fails = 0;
        return;
    }
    let distinct = |names: &Vec<Candidate>| {
        let names: HashSet<&str> = names.iter().map(|c| c.name.as_str()).collect();
        names.len() as u64
    };
    let fits = |names: &&Vec<Candidate>| distinct(names) == reds;
    let fitting = || lists.marked.iter().chain(&lists.headed).find(fits);
    let chosen: Vec<&Candidate> = match counted.then(fitting).flatten() {
        Some(names) => names.iter().collect(),
        None if !counted => lists.marked.iter().flatten().collect(),
        None => Vec::new(),
    };
    let mut seen = HashSet::new();
    for candidate in chosen {
        if !seen.insert(&candidate.name) {
            continue;
        }
        if is_file(&candidate.name) {
            found.stand_in(&candidate.name, candidate.at);
        } else {
            found.fails(&candidate.name, candidate.at);
        }
    }
}

static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[ \t]+[\[(]?(?:[0-9.]+ ?(?:ms|s|µs|m|sec|seconds?|min|%)?)[\])]?$").ok()
});

/// A name without its number, its time and the marks around it.
pub(super) fn clean(name: &str) -> &str {
    let number = |c: char| c.is_ascii_digit() || "-.)# ".contains(c);
    let name = name.trim();
    let bare = name.trim_start_matches(number);
    let name = if bare.is_empty() { name } else { bare };
    let end = TIME
        .as_ref()
        .and_then(|re| re.find(name))
        .map_or(name.len(), |m| m.start());
    let name = name[..end].split(" - ").next().unwrap_or(name);
    name.trim_matches(|c: char| " \t'\"`:.│─━═".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_numbers_and_times() {
        assert!(SET.is_some() && PATTERNS.iter().all(Option::is_some));
        assert_eq!(clean("adds (12ms)"), "adds");
        assert_eq!(clean("adds (22 ms)"), "adds");
        assert_eq!(clean(" 3) calc adds:"), "calc adds");
        assert_eq!(clean("example.com/calc\t0.004s"), "example.com/calc");
        assert_eq!(clean("12"), "12");
    }

    #[test]
    fn headings_take_what_belongs_to_them() {
        let text = Text::new(b"  1) adds\n\n  1) calc\n       adds:\n     Error: x\n  2) Failure:\nCalcTest#test_b [t.rb:6]:");
        let mut lists = Lists::default();
        for (at, line) in text.lines() {
            lists.head(&text, at, line);
        }
        let names: Vec<_> = lists.headed[0].iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["calc adds", "CalcTest#test_b"]);
    }
}
