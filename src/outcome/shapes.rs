//! The shapes that errors have, by language, whatever runner printed them.

use super::lineset::LineSet;
use super::text::Text;
use crate::domain::Kind;
use regex::Regex;
use std::sync::LazyLock;

/// What a shape is a sign of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// pytest's own `E   ` lines.
    Python,
    /// The last line of a Python traceback.
    Traceback,
    /// A compiler, a linker, a syntax checker, a package manager.
    Compiler,
    /// An exception of another language.
    Exception,
    /// A module, package or file that isn't there.
    Missing,
    /// A finding of a linter.
    Lint,
    /// A tool says what it lacks or does not understand.
    Complaint,
    /// A failed assertion: tests ran, whatever else is unknown.
    Assertion,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) class: Class,
    pub(super) at: usize,
}

/// Compilers and what else stops before tests; the order is of no meaning.
const COMPILER: &[&str] = &[
    r"^\S.*?:[0-9]+(?::[0-9]+)?: (?:fatal )?error: ",
    r"^error(?:\[E[0-9]+\])?: \S",
    r"^\S+\.go:[0-9]+(?::[0-9]+)?: ",
    r"\berror TS[0-9]+: ",
    r"^TS[0-9]+ \[ERROR\]: ",
    r"^\[ERROR\] \S+:\[[0-9]+,[0-9]+\] ",
    r"^\[error\] \S+:[0-9]+(?::[0-9]+)?: ",
    r"^\*\* \([A-Z]\w*(?:\.\w+)*Error\) ",
    r"^(?:PHP )?(?:Parse|Fatal) error: ",
    r"^syntax error at \S+ line [0-9]+",
    r"^Can't locate \S+ in @INC|^Can't locate object method",
    r": error CS[0-9]+: |: error (?:MSB|NETSDK|FS|BC|NU)[0-9]+: ",
    r"^CMake Error",
    r"\bundefined reference to ",
    r"^\S+: .*: syntax error\b|^\S+:[0-9]+:(?:[0-9]+:)? syntax error\b",
    r"^\S*sh: .*[Ss]yntax error|^\S+: [0-9]+: Syntax error: |^\S+: line [0-9]+: syntax error",
    r"^\S+: (?:line )?[0-9]+: \S+: (?:parameter not set|unbound variable)",
    r"^\S+\([0-9]+(?:, ?[0-9]+)?\):? (?:[Ee]rror|fatal error)(?:[: ]|$)",
    r"^\[[A-Z_]+_ERROR\] ",
    r"^(?:ERROR: )?(?:No matching distribution found|Could not find a version that satisfies)",
    r"^ERROR: ",
    r"^e: \S+\.kts?",
    r"^(?:\S+/)?ld(?:\.\w+)?: |^collect2: error",
    r"^\S+:[0-9]+:[0-9]+: Error: ",
    r"^Error: .*\bat \S+:[0-9]+",
    r"^(?:E|Error): \S",
    r"^lua[0-9.]*: \S",
    r"^\S+\.erl:[0-9]+:(?:[0-9]+:)? ",
    r"^rake aborted!$",
];

/// Lines that only follow from an error printed elsewhere.
const FOLLOWERS: &[&str] = &[
    r"^error: (?:could not compile|test failed, to rerun|[0-9]+ targets? failed|doctest failed|build failed|aborting due to|test run failed|command `|script \x22|failed to run custom build command)",
    r"^g?make(?:\[[0-9]+\])?: ",
    r"^npm (?:error|ERR!)",
    r"^error: (?:Test|Type checking) failed",
    r"^error: Recipe |^error Command failed",
    r"^\[ERROR\] (?:Failed to execute goal|\[Help|Re-run|To see the full|For more information|->|After correcting|COMPILATION ERROR)",
    r"^(?:ERROR: )?usage: ",
    r"^collect2: error",
    r"^compilation terminated",
    r"^CMake Error: .*(?:Configuring incomplete)",
    r"^rake aborted!$",
    r"^Error: Process completed",
    r"^ERROR: (?:test_|[\w.]+ \()",
    r"^error: process didn't exit successfully",
];

const EXCEPTION: &[&str] = &[
    // JavaScript, Python without a traceback, Java, C#, Dart.
    r"^(?:[\s#>|]|│)*(?:Exception during run: |Uncaught (?:exception: )?|error: |Unhandled exception[.:]? |Caused by: |Exception in thread \x22[^\x22]*\x22 )?(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception|Failure)\b(?: \[\w+\])?: \S",
    // Ruby: `file:1:in 'x': message (LoadError)`.
    r": .* \((?:\w+::)*\w+(?:Error|Exception|Exit)\)$",
    // RSpec puts the class on a line of its own.
    r"^\s*(?:\w+::)*[A-Z]\w*(?:Error|Exception):$",
    r"^\*\* \((?:\w+\.)*\w+\) ",
    r"^\s+\*\* \((?:\w+\.)*\w+\) ",
    r"^panic: ",
    r"^\s*thread '.*' (?:\([0-9]+\) )?panicked at ",
    r"^terminate called after throwing",
    r"^Fatal error: exception ",
    r"^Error: \S|^\s+Error: \S",
    r"^error: \S",
    r"^Uncaught ",
];

const MISSING: &[&str] = &[
    r"^[\w ./-]+: error: (?:unrecognized arguments|the following arguments are required|argument \S+:|ambiguous option|no such option)",
    r"Cannot find (?:module|package) ['\x22]",
    r"Could not (?:resolve|find|locate) ",
    r"\bno required module provides package ",
    r"\bcannot load such file -- ",
    r"\bNo module named ",
    r"\bNo such file or directory",
    r"\bfile not found\b",
    r"\bnot installed\b",
    r"\bNo space left on device",
    r"\bPermission denied\b",
    r"\bConnection refused\b",
    r"\bdoes not exist\b",
    r"(?i)\bdirectory .* does not contain\b",
    r"\bnot found\b",
];

const COMPLAINT: &[&str] = &[
    r"(?i)\b(?:no rule to make|no such|could not|couldn(?:.|’)t|cannot|can(?:.|’)t|unable to|failed to|does not exist|doesn(?:.|’)t exist)\b",
    r"(?i)\b(?:missing|unknown|unrecogni[sz]ed|invalid|unsupported|malformed|required|denied|refused|not allowed|must (?:be|have|specify))\b",
    r"(?i)\bno (?:\S+ ){1,4}(?:found|specified|given|available|configured|defined|in this directory)\b|\bno value for\b",
    r"(?i)\bnot (?:found|installed|available|supported|recogni[sz]ed|configured|a valid)\b",
];

const LINT: &[&str] = &[
    r"^\s+[0-9]+:[0-9]+\s+error\s+\S",
    r"^\S+\.\w+:[0-9]+:(?:[0-9]+:)? [A-Z]{1,4}[0-9]{2,5}\b",
    r"^[A-Z]{1,4}[0-9]{2,5} (?:\[\*\] )?\S",
    r"^would reformat |^\S+ would be reformatted",
    r"^error: (?:this|unused|called|redundant|you|the) .*",
    r"^\S+\.py:[0-9]+: error: .*\[[\w-]+\]$",
    r"^Diff in \S+:[0-9]+",
    r"^\[warn\] \S",
];

const ASSERTION: &[&str] = &[
    r"\bAssertionError\b",
    r"^\S+: \S+:[0-9]+: .*: Assertion .* failed\.$",
    r"^Assertion failed: ",
    r"\b[Aa]ssertion (?:[`'].*['`] )?failed\b",
    r"\bAssertionFailedError\b|\bExpectationNotMet",
];

struct Tables {
    set: LineSet,
    classes: Vec<Class>,
    followers: LineSet,
}

static TABLES: LazyLock<Option<Tables>> = LazyLock::new(|| {
    let all = [
        (Class::Compiler, COMPILER),
        (Class::Exception, EXCEPTION),
        (Class::Missing, MISSING),
        (Class::Lint, LINT),
        (Class::Complaint, COMPLAINT),
        (Class::Assertion, ASSERTION),
    ];
    let classes = all
        .iter()
        .flat_map(|(class, list)| vec![*class; list.len()])
        .collect();
    let patterns = all.iter().flat_map(|(_, list)| list.iter());
    Some(Tables {
        set: LineSet::new(patterns.copied())?,
        classes,
        followers: LineSet::new(FOLLOWERS.iter().copied())?,
    })
});

/// Whether an error kept a file from loading, rather than a test from passing.
pub(super) fn is_load(line: &str) -> bool {
    let words = [
        "SyntaxError",
        "ImportError",
        "ModuleNotFoundError",
        "LoadError",
        "ParseError",
        "PARSE_ERROR",
        "syntax error",
        "Cannot find module",
        "Cannot find package",
        "cannot load such file",
        "No module named",
        "ModuleNotFound",
        "Failed to load",
        "failed to import",
        "Failed to import",
        "Transform failed",
    ];
    words.iter().any(|w| line.contains(w))
}

static RESULT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*[\w./:-]+ (?:ok|OK|pass|passed|PASS|PASSED)$").ok());

/// A name and a green word: a weak sign of a test, which counts beside a crash.
pub(super) fn is_result(line: &str) -> bool {
    RESULT.as_ref().is_some_and(|re| re.is_match(line))
}

/// Whether a line only follows from an error printed elsewhere.
pub(super) fn is_follower(line: &str) -> bool {
    TABLES.as_ref().is_some_and(|t| t.followers.is_match(line))
}

/// All errors of a text in the order of its lines.
pub(super) fn read(text: &Text) -> Vec<Shape> {
    let mut shapes = Vec::new();
    let Some(tables) = TABLES.as_ref() else {
        return shapes;
    };
    for (at, line) in text.lines() {
        if line.is_empty() {
            continue;
        }
        let Some(hits) = tables.set.matches(line) else {
            continue;
        };
        if tables.followers.is_match(line) {
            let complains = |h: usize| tables.classes.get(h) == Some(&Class::Complaint);
            if hits.iter().any(complains) {
                let class = Class::Complaint;
                shapes.push(Shape { class, at });
            }
            continue;
        }
        let mut last = None;
        for class in hits.iter().filter_map(|h| tables.classes.get(h).copied()) {
            if last != Some(class) {
                shapes.push(Shape { class, at });
            }
            last = Some(class);
        }
    }
    shapes.extend(pytest_errors(text).map(|at| Shape {
        class: Class::Python,
        at,
    }));
    shapes.extend(tracebacks(text).into_iter().map(|at| Shape {
        class: Class::Traceback,
        at,
    }));
    shapes.sort_by_key(|s| s.at);
    shapes
}

static NAMED_ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^E +(?:\w+\.)*[A-Za-z]\w*(?:Error|Exception|Exit|Warning|Interrupt|Failed|Skipped)?: \S",
    )
    .ok()
});

/// One line for each block of `E` lines: the last `Class: message`, else the first.
fn pytest_errors(text: &Text) -> impl Iterator<Item = usize> {
    let is_e = |line: &str| line.starts_with("E  ");
    let mut blocks = Vec::new();
    let mut start = None;
    for at in 0..=text.len() {
        match (is_e(text.line(at)), start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                let named = (first..at).rev().find(|&n| {
                    NAMED_ERROR
                        .as_ref()
                        .is_some_and(|re| re.is_match(text.line(n)))
                });
                blocks.push(named.unwrap_or(first));
                start = None;
            }
            _ => {}
        }
    }
    blocks.into_iter()
}

/// A class, alone or with a message; code and file lines look different.
static EXCEPTION_LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:[A-Za-z_][0-9A-Za-z_]*\.)*[A-Za-z_][0-9A-Za-z_]*(?::(?: .*)?)?$").ok()
});

/// Line of the exception of each chain of tracebacks.
pub(super) fn tracebacks(text: &Text) -> Vec<usize> {
    const HEAD: &str = "Traceback (most recent call last):";
    let mut ends: Vec<usize> = Vec::new();
    let mut chained = false;
    for (at, line) in text.lines() {
        if line.contains("During handling of the above exception")
            || line.contains("was the direct cause of the following")
        {
            chained = true;
            continue;
        }
        let Some(column) = line.find(HEAD) else {
            continue;
        };
        let prefix = &line[..column];
        let end = text.between(at + 1, at + 3000).find(|(_, below)| {
            let rest = below.strip_prefix(prefix).unwrap_or("");
            EXCEPTION_LINE.as_ref().is_some_and(|re| re.is_match(rest))
        });
        let Some((end, _)) = end else { continue };
        if chained && !ends.is_empty() {
            ends.pop();
        }
        chained = false;
        ends.push(end);
    }
    ends
}

/// The finer cause that a line of text tells.
pub(super) fn kind_of(line: &str, class: Option<Class>) -> Kind {
    let has = |words: &[&str]| words.iter().any(|w| line.contains(w));
    let relative = has(&["module '.", "module \".", "package '.", "package \"."]);
    if !relative
        && has(&[
            "No module named",
            "Cannot find module",
            "Cannot find package",
            "cannot load such file",
            "no required module provides",
            "no matching package",
            "Could not resolve dependencies",
            "No matching distribution",
            "Could not find a version",
            "Can't locate",
            "unresolved import",
            "unlinked crate",
            "UNRESOLVED_IMPORT",
            "NoClassDefFound",
            "ClassNotFound",
            "Hex, which is needed",
            "Could not find gem",
            "not installed",
            "DistributionNotFound",
            "PackageNotFound",
        ])
    {
        return Kind::MissingDependency;
    }
    if line.contains("fatal error: ") && line.contains("No such file") {
        return Kind::MissingDependency;
    }
    if has(&[
        "ImproperlyConfigured",
        "settings are not configured",
        "Could not find a package configuration",
    ]) {
        return Kind::Config;
    }
    if has(&["No space left", "Connection refused", "Permission denied"]) {
        return Kind::Setup;
    }
    match class {
        Some(Class::Lint) => Kind::Lint,
        Some(Class::Assertion) => Kind::Assertion,
        Some(Class::Compiler | Class::Python | Class::Traceback) | None => Kind::Build,
        Some(Class::Exception) => Kind::Build,
        Some(Class::Missing | Class::Complaint) => Kind::Config,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(TABLES.is_some() && NAMED_ERROR.is_some() && EXCEPTION_LINE.is_some());
    }

    #[test]
    fn a_chain_ends_with_its_last_exception() {
        let text = Text::new(
            b"Traceback (most recent call last):\n  File \"a\", line 1\nKeyError: 1\n\n\
              During handling of the above exception, another exception occurred:\n\n\
              Traceback (most recent call last):\n  File \"b\", line 1\na.B: two\nx",
        );
        assert_eq!(tracebacks(&text), [8]);
    }

    #[test]
    fn of_pytests_lines_the_class_is_taken() {
        let text = Text::new(b"E     File \"x\", line 1\nE       ^\nE   SyntaxError: never closed\n\nE       assert 1 == 2\nE        +  where");
        assert_eq!(pytest_errors(&text).collect::<Vec<_>>(), [2, 4]);
    }
}
