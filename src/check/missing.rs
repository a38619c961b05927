//! Whether a test is red on the untouched code only because it uses a name or a file that the
//! change adds. That shows the bug where the report asks for that name, and nothing otherwise.

use regex::Regex;
use std::sync::LazyLock;

/// How runners and compilers say that a name is not there. The first group that matched is the name.
static MISSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        &[
            r"cannot import name '([\w.]+)'",
            r"No module named '?([\w.]+)'?",
            r"(?:module|object|type|class) '[\w. ]+' has no attribute '(\w+)'",
            r"has no attribute '(\w+)'",
            r"name '(\w+)' is not defined",
            r"got an unexpected keyword argument '(\w+)'",
            r"does not provide an export named '?(\w+)'?",
            r"Cannot find module '([^']+)'",
            r"(\w+) is not (?:a function|defined|a constructor)",
            r"cannot find (?:\w+ )*`(\w+)` in",
            r"unresolved import `([\w:]+)`",
            r"no (?:\w+ )*(?:named|found for \w+|method named) `(\w+)`",
            r"no `(\w+)` in",
            r"undefined: ([\w.]+)",
            r"has no field or method (\w+)",
            r"has no exported member '?(\w+)'?",
            r"Property '(\w+)' does not exist",
        ]
        .join("|"),
    )
    .ok()
});

/// A file that the change writes, with its text before and after.
pub(super) struct Written {
    pub(super) path: String,
    pub(super) before: String,
    pub(super) after: String,
}

/// The name that `said` misses, where the change is what adds it.
pub(super) fn added_name(said: &str, change: &[Written]) -> Option<String> {
    let found = MISSING.as_ref()?.captures(said)?;
    let whole = found.iter().skip(1).flatten().next()?.as_str();
    let name = whole.rsplit(['.', ':', '/']).find(|part| {
        !part.is_empty() && !matches!(*part, "js" | "mjs" | "cjs" | "ts" | "tsx" | "jsx")
    })?;
    let adds = change.iter().any(|file| {
        let stem = file.path.rsplit('/').next().unwrap_or_default();
        let stem = stem.split('.').next().unwrap_or_default();
        let is_new_file = file.before.is_empty() && (stem == name || in_path(&file.path, name));
        is_new_file || has_word(&file.after, name) && !has_word(&file.before, name)
    });
    adds.then(|| name.to_string())
}

/// Reading a file, or asking whether it is there.
static READS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\bopen\(|read_text|read_bytes|readFile|\.read\(|read_to_string|include_(?:str|bytes)!|ReadFile|getsource|\bexists|is_?file\b|\.stat\(|statSync|accessSync|os\.Stat|File\.read",
    )
    .ok()
});
/// Running or loading a file.
static RUNS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"subprocess|\brun\(|popen|spawn|exec|sys\.executable|Command|cargo_bin|\bimport\b|require\(|runpy|\bmod\b|\bfrom\b|source_file|spec_from",
    )
    .ok()
});
/// Asking only whether a name is there.
static HAS_NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?:hasattr|getattr)\(\s*[\w.]+\s*,\s*['"](\w+)['"]|['"](\w+)['"]\s+in\s+(?:dir|vars)\("#,
    )
    .ok()
});

/// Why a test shows nothing of what the code does, where it reads the text of a file that the
/// change writes, or only asks whether something is there. By its words alone.
pub(super) fn no_behaviour(test: &str, change: &[Written], report: &str) -> Option<String> {
    let (reads, runs) = (READS.as_ref()?, RUNS.as_ref()?);
    let read = change.iter().find(|file| {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let mut lines = test.lines().filter(|line| line.contains(name)).peekable();
        lines.peek().is_some() && reads.is_match(test) && lines.any(|line| !runs.is_match(line))
    });
    if let Some(file) = read {
        return Some(format!(
            "it reads `{}` as a file, which shows nothing of behaviour",
            file.path
        ));
    }
    let inspected = change.iter().any(|f| !f.after.is_empty()) && test.contains("getsource(");
    if inspected {
        return Some("it reads the source, which shows nothing of behaviour".to_string());
    }
    let names = HAS_NAME.as_ref()?.captures_iter(test);
    let mut names = names.filter_map(|c| c.iter().skip(1).flatten().next().map(|m| m.as_str()));
    let name = names.find(|name| {
        let adds = |f: &Written| has_word(&f.after, name) && !has_word(&f.before, name);
        change.iter().any(adds) && !asks_for(report, name)
    })?;
    Some(format!(
        "it asks whether `{name}` is there, which this change adds and the report does not name"
    ))
}

/// Whether a report names something as code: between back-ticks, called, dotted, in a block of
/// code, or in a form that no word of prose has.
pub(super) fn asks_for(report: &str, name: &str) -> bool {
    let shaped = name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
    if shaped || name.chars().any(|c| c.is_ascii_digit()) {
        return has_word(report, name);
    }
    let mut fenced = false;
    report.lines().any(|line| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return false;
        }
        let code = fenced || line.starts_with("    ") || line.starts_with('\t');
        if code && has_word(line, name) {
            return true;
        }
        let mut in_ticks = line.split('`').skip(1).step_by(2);
        in_ticks.any(|span| has_word(span, name)) || called(line, name)
    })
}

/// `name(` or `.name`, or `name.x`, as code has it.
fn called(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let mut after = line[at + name.len()..].chars();
        let (next, then) = (after.next(), after.next());
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let starts = !before.is_some_and(word);
        let ends = !next.is_some_and(word);
        let dotted = before == Some('.') || next == Some('.') && then.is_some_and(word);
        starts && ends && (next == Some('(') || dotted)
    })
}

fn in_path(path: &str, name: &str) -> bool {
    path.split('/').any(|part| part == name)
}

/// Whether a text holds a word, whole.
fn has_word(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(inside) && !after.is_some_and(inside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_the_change_adds_is_found_in_every_languages_words() {
        let change = [
            Written {
                path: "adder/sums.py".into(),
                before: "def add(a, b): ...".into(),
                after: "def add(a, b): ...\ndef triple(a): ...".into(),
            },
            Written {
                path: "adder/extra.py".into(),
                before: String::new(),
                after: "x = 1".into(),
            },
        ];
        for said in [
            "ImportError: cannot import name 'triple' from 'adder.sums' (/repo/adder/sums.py).",
            "AttributeError: module 'adder.sums' has no attribute 'triple'.",
            "NameError: name 'triple' is not defined",
            "SyntaxError: The requested module '../sums.js' does not provide an export named 'triple'",
            "TypeError: sums.triple is not a function",
            "error[E0425]: cannot find function `triple` in crate `adder`",
            "error[E0432]: unresolved import `adder::triple`",
            "error[E0599]: no method named `triple` found for struct `Sums` in the current scope",
            "./new_test.go:6:5: undefined: adder.triple",
        ] {
            assert_eq!(
                added_name(said, &change).as_deref(),
                Some("triple"),
                "{said}"
            );
        }
        assert_eq!(
            added_name(
                "ModuleNotFoundError: No module named 'adder.extra'",
                &change
            )
            .as_deref(),
            Some("extra")
        );
        for said in [
            "AssertionError: -1 != 5.",
            "ModuleNotFoundError: No module named 'freezegun'.",
            "NameError: name 'add' is not defined",
        ] {
            assert_eq!(added_name(said, &change), None, "{said}");
        }
        assert!(has_word("there is no `triple`.", "triple") && !has_word("tripled", "triple"));
    }

    #[test]
    fn a_report_asks_for_a_name_as_code_and_not_as_a_word() {
        for report in [
            "there is no `count`.",
            "count(3) is missing",
            "calc.count is missing",
            "```\nfrom calc import count\n```",
        ] {
            assert!(asks_for(report, "count"), "{report}");
        }
        for report in ["both ends count", "Count them. I count", "It should count."] {
            assert!(!asks_for(report, "count"), "{report}");
        }
        assert!(asks_for("there is no day_count in it", "day_count"));
    }

    #[test]
    fn a_test_that_reads_what_the_change_writes_shows_no_behaviour() {
        let change = [Written {
            path: "calc.py".into(),
            before: "def days(a): ...".into(),
            after: "def days(a): ...  # fixed\nFIXED = 1\n".into(),
        }];
        for test in [
            "import calc\nassert '# fixed' in open('calc.py').read()",
            "p = Path(__file__).parent / 'calc.py'\nassert 'x' in p.read_text()",
            "import calc, inspect\nassert 'fixed' in inspect.getsource(calc)",
            "import calc\nassert hasattr(calc, 'FIXED')",
        ] {
            assert!(
                no_behaviour(test, &change, "days is wrong").is_some(),
                "{test}"
            );
        }
        for test in [
            "import calc\nassert calc.days(1) == 2",
            "subprocess.run([sys.executable, 'calc.py'])\nopen('out.txt').read()",
            "import calc\nassert hasattr(calc, 'days')",
        ] {
            assert_eq!(no_behaviour(test, &change, "days is wrong"), None, "{test}");
        }
        assert_eq!(
            no_behaviour("hasattr(calc, 'FIXED')", &change, "set `calc.FIXED`"),
            None
        );
    }
}
