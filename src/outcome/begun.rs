//! What begins below the last summary: another run, of which no summary came.
//!
//! Below a summary programs print what they like, so a line counts only where nobody but a runner
//! prints it, where the runner that summed up prints it too, or beside another sign of one runner.

use super::facts::Facts;
use super::lineset::LineSet;
use super::text::Text;
use super::unfinished::last_close;
use regex::Regex;
use std::sync::LazyLock;

/// Lines that only runners print.
static SURE: LazyLock<Option<LineSet>> = LazyLock::new(|| {
    LineSet::new([
        // pytest
        r"^=+ test session starts =+$|^Test session starts \(platform",
        r"^(?:collecting \.\.\. )?collected [1-9][0-9]* items?\b",
        r"^[\w./-]+\.py(?:::\S+ (?:PASSED|FAILED|ERROR)| [.FEsxXRpf]+) +\[ *[0-9]+%\]$",
        // libtest, cargo, nextest
        r"^running [0-9]+ tests?$",
        r"^ +(?:Running .*\(\S+\)|Doc-tests \S+)$",
        r"^ +Starting [0-9]+ tests? across",
        // TAP
        r"^TAP version [0-9]+$|^# Subtest: ",
        // go
        r"^=== RUN |^ *--- (?:PASS|FAIL|SKIP): |^FAIL\t",
        // JavaScript
        r"^ *RUN +v[0-9]+\.[0-9]|^Determining test suites to run|^Suites: +[0-9]+ pass ",
        r"^(?:bun test v|running [0-9]+ tests? from )|^> \S+@\S+ test$",
        // C and C++
        r"^\[=+\] Running [0-9]+|^\[ RUN      \] ",
        // Ruby, PHP, Erlang, Elixir
        r"^# Running:$|^Run options: .*--seed|^Loaded suite |^PHPUnit [0-9.]+ by ",
        r"^Running (?:ExUnit )?with seed|^===> Performing EUnit",
        // the JVM
        r"^(?:\[INFO\] )? *T E S T S$|^\[INFO\] Running \S|^> Task :(?:\S+:)?test\b",
    ])
});

/// A runner by the names of its rules, lines that count below its own summary, and lines that count
/// only together.
struct Family {
    names: &'static [&'static str],
    own: &'static [&'static str],
    faint: &'static [&'static str],
}

const FAMILIES: &[Family] = &[
    Family {
        names: &["pytest"],
        own: &[
            r"^[.FEsxXRpfu]+ +\[ *[0-9]+%\]$",
            r"^[\w./-]+\.py(?:::\S+)?(?: [.FEsxXRpf]+| PASSED| FAILED| ERROR)$",
        ],
        faint: &[],
    },
    Family {
        names: &["unittest", "django", "zope.testrunner", "trial"],
        own: &[],
        faint: &[
            r"^\w+ \([\w.]+\) ?\.\.\.(?: |$)",
            r"^={70}$",
            r"^(?:FAIL|ERROR): \w+ \([\w.]+\)",
        ],
    },
    Family {
        names: &["cargo test", "nextest"],
        own: &[r"^test \S+ \.\.\."],
        faint: &[],
    },
    Family {
        names: &["tap", "tap summary", "node --test", "node-tap", "bats"],
        own: &[r"^\S+\.bats$"],
        faint: &[r"^(?:not )?ok [0-9]+\b", r"^1\.\.[0-9]+$"],
    },
    Family {
        names: &["prove"],
        own: &[r"^\S+\.t \.{2,} "],
        faint: &[],
    },
    Family {
        names: &["jest"],
        own: &[r"^ ?(?:PASS|FAIL|RUNS) +\S+\.[cm]?[jt]sx?\b"],
        faint: &[],
    },
    Family {
        names: &["ctest"],
        own: &[r"^ +Start +[0-9]+: "],
        faint: &[],
    },
    Family {
        names: &["behave", "cucumber"],
        own: &[],
        faint: &[
            r"^Feature: \S",
            r"^  Scenario(?: Outline)?: \S",
            r"^    (?:Given|When|Then) ",
        ],
    },
    Family {
        names: &["jasmine"],
        own: &[],
        faint: &[r"^Started$", r"^[.F*]+$"],
    },
];

struct Tables {
    set: LineSet,
    /// Family and whether the line counts on its own, by the number of the pattern.
    rows: Vec<(usize, bool)>,
}

static TABLES: LazyLock<Option<Tables>> = LazyLock::new(|| {
    let families = FAMILIES.iter().enumerate();
    let all: Vec<(&str, usize, bool)> = families
        .flat_map(|(n, f)| {
            let own = f.own.iter().map(move |p| (*p, n, true));
            own.chain(f.faint.iter().map(move |p| (*p, n, false)))
        })
        .collect();
    Some(Tables {
        set: LineSet::new(all.iter().map(|row| row.0))?,
        rows: all.iter().map(|row| (row.1, row.2)).collect(),
    })
});

/// Two signs stand together within this many lines.
const TOGETHER: usize = 6;

/// Runners that print on standard error: what a test printed waits in a buffer and stands below the
/// summary.
pub(super) const BUFFERED: &[&str] = &["unittest", "django", "zope.testrunner", "trial"];

/// Whether a runner that prints on standard error summed up this run.
pub(super) fn is_buffered(facts: &Facts) -> bool {
    facts.summaries.iter().any(|s| BUFFERED.contains(&s.1))
}

/// A beginning in common words, as no text that a test printed may be.
static ANNOUNCED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:running|executing|starting) [1-9][0-9]* (?:tests?|specs?|examples?|scenarios?|checks?)(?: (?:in|from|using|across|with)\b.*|\.*)$").ok()
});

static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:> |\$ |\+ )?(?:npx |yarn |pnpm |bundle exec )?(?:(?:\S*/)?python[0-9.]* -m )?(?:\S*/)?(?:(?:pytest|unittest|nose2|jest|vitest|mocha|ava|jasmine|phpunit|rspec|ctest|behave|robot|busted|prove|bats)(?: [^:]*)?|(?:go|cargo|deno|bun|mix|npm|yarn|pnpm) test(?: [^:]*)?|node --test(?: [^:]*)?)$").ok()
});

/// The echo of a command that runs tests.
fn is_call(line: &str) -> bool {
    line.len() < 300 && CALL.as_ref().is_some_and(|re| re.is_match(line))
}

/// The first line below the last summary at which another run begins.
pub(super) fn find(text: &Text, facts: &Facts) -> Option<usize> {
    let last = last_close(text, facts)?;
    let (sure, tables) = (SURE.as_ref()?, TABLES.as_ref()?);
    let announced = ANNOUNCED.as_ref().filter(|_| !is_buffered(facts));
    let summed = |family: usize| {
        let names = FAMILIES[family].names;
        facts.summaries.iter().any(|s| names.contains(&s.1))
    };
    // Of each family the last sign: its pattern and its line.
    let mut seen: Vec<Option<(usize, usize)>> = vec![None; FAMILIES.len()];
    for (at, line) in text.between(last + 1, text.len()) {
        if line.is_empty() {
            continue;
        }
        if sure.is_match(line) || is_call(line) || announced.is_some_and(|re| re.is_match(line)) {
            return Some(at);
        }
        let hits = tables.set.matches(line);
        for hit in hits.iter().flat_map(|hits| hits.iter()) {
            let Some(&(family, own)) = tables.rows.get(hit) else {
                continue;
            };
            if own && summed(family) {
                return Some(at);
            }
            if let Some((other, above)) = seen[family]
                && other != hit
                && at - above <= TOGETHER
            {
                return Some(above);
            }
            seen[family] = Some((hit, at));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(SURE.is_some() && TABLES.is_some() && ANNOUNCED.is_some() && CALL.is_some());
    }
}
