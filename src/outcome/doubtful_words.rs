//! Words that speak against a green run where no runner is known to have printed them.

use super::counts::{self, Tally};
use regex::Regex;
use std::sync::LazyLock;

/// A longer line gives no test's result, in bytes.
const LONGEST: usize = 400;

type Pattern = LazyLock<Option<Regex>>;

fn is(pattern: &Pattern, line: &str) -> bool {
    pattern.as_ref().is_some_and(|re| re.is_match(line))
}

static NOT_OK: Pattern = LazyLock::new(|| Regex::new(r"^\s*not\s{2,}ok\b").ok());

/// A red line of TAP that no reader of TAP takes for one.
pub(super) fn is_not_ok(line: &str) -> bool {
    is(&NOT_OK, line)
}

static FAIL_LINE: Pattern = LazyLock::new(|| {
    Regex::new(r"^\W*(?:FAIL|FAILED|FAILURE|FAILURES|BUILD FAILED|NOT OK)\W*$|^\s*\[?(?:FAIL|FAILED|FAILURE)\]?:?\s+[\w./'\x22<(]|^[^\s#][^.!?]*(?:\s|:|\.{2,}\s*|\|)\[?(?:FAIL|FAILED)\]?!?(?:\s*\([^()]*\)|\s*\[[^\[\]]*\])?$|^\s*not ok\b|^\S+:[0-9]+:\S+:FAIL\b").ok()
});
static FAIL_NONE: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*\[?(?:FAIL|FAILED|FAILURES?)\]?\s*[:=|]?\s*(?:0|none|\[\])\b|\b(?:0|no|none|expected|x)[ -]?fail|# *(?:todo|skip)\b").ok()
});

/// A line that calls something failed.
pub(super) fn is_fail_line(line: &str) -> bool {
    let word = ["FAIL", "not ok", "NOT OK"]
        .iter()
        .any(|w| line.contains(w));
    word && line.len() < LONGEST && is(&FAIL_LINE, line) && !is(&FAIL_NONE, line)
}

static DENIED: Pattern = LazyLock::new(|| {
    Regex::new(
        r#"(?ix)
        ^\W* not\ (?:all|every|any)\b .* \b(?:tests?|checks?|specs?|examples?|scenarios?|cases?)\b
        | \b(?:tests?|checks?|specs?)\ (?:(?:have|has|did|do|does|were|was|are)\ )? (?:not|n't)\ (?:all\ )?(?:pass|ok|succe)
        | \b(?:some|none|few|most)\ (?:of\ )?(?:the\ )?(?:tests?|checks?|specs?)\b .* \b(?:pass|ok|succe)
        | \ball\ but\b
        | ^npm\ (?:ERR!|error)\ (?:Test\ failed|Lifecycle\ script)
        | \bpass(?:ed)?,?\ (?:except|apart\ from|but|save\ for|excluding|with\ the\ exception)\b
        | \b(?:pass(?:ed)?|passing|success(?:ful)?|succeeded|ok)"?\s* (?:[:=?]|\?\s*:)+ \s*"?(?:false|no|nope|never)\b
        | \bfailed\ (?:tests?|checks?|specs?|suites?|files?)\b [\s:=(]* [1-9]
        | ^\W*(?:suite|test|spec|check|module)\b .* :\s*(?:crashed|aborted|hung|killed|broken|died)\W*$
        | \b[1-9][0-9]*\ (?:known\ |new\ |other\ )?(?:crash(?:es)?|hangs?|leaks?)\b
        | ^\s*(?:💥|💔)\s*\S
        | \bunhandled\ (?:errors?|exceptions?|rejections?)\b
        | ^\W* (?:errors?|failures?|failed) [\s:=]+ [1-9][0-9]*\W*$
        | \b(?:[0-9]|[1-9][0-9])(?:\.[0-9]+)?\s?% \s (?:of\ )?(?:the\ )?(?:all\ )?(?:tests?\ )?(?:pass|ok\b|succe|green)
        | \b(?:pass|success)\ rate\b [\s:=]* (?:[0-9]|[1-9][0-9])(?:\.[0-9]+)?\s?%
        "#,
    )
    .ok()
});

static FOREIGN: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:fehlgeschlagen\w*|fehler|gescheitert|échecs?|échoué\w*|erreurs?|fallid[oa]s?|falló|fallaron|falh\w+|fallit[oi]|mislukt|провал\w*|ошиб\w*|не прой\w*)\b|失败|失敗|不合格|실패").ok()
});
static NONE: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|[^0-9.,])0(?:[^0-9.,]|$)|\b(?:keine?|aucune?|sans|sin|ning[uú]n|nessun|senza|geen|sem|без|нет)\b|没有|無し|なし").ok()
});

/// A sentence that takes the green back, or a red word of another language.
pub(super) fn is_denied(line: &str) -> bool {
    is(&DENIED, line) || is(&FOREIGN, line) && !is(&NONE, line) || red_count(line)
}

static ERROR: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:error|fatal(?: error)?|panic|uncaught \w+): *\S").ok()
});

/// An error that stands below a summary.
pub(super) fn is_error(line: &str) -> bool {
    is(&ERROR, line) && !is(&NONE, line)
}

static COUNT: Pattern =
    LazyLock::new(|| Regex::new(r"(?:^|[^\w.])(?P<n>[0-9]+)\s+(?P<w>\p{L}+)").ok());
static LABEL: Pattern =
    LazyLock::new(|| Regex::new(r"(?P<w>\p{L}+)\s*[:=]\s*(?P<n>[0-9]+)(?:$|[^\w.])").ok());

/// Words that count red tests in some runner or other.
const RED: &[&str] = &[
    "ko",
    "nok",
    "unexpected",
    "interrupted",
    "incomplete",
    "panicked",
    "unresolved",
    "mismatch",
    "mismatches",
    "mismatched",
    "regression",
    "regressions",
    "hung",
    "leaked",
    "wrong",
    "incorrect",
    "bad",
    "fatal",
    "killed",
    "aborted",
];

fn red_count(line: &str) -> bool {
    [&COUNT, &LABEL]
        .into_iter()
        .flat_map(|p| counted(p, line))
        .any(|(n, word)| n > 0 && RED.contains(&word.as_str()))
}

fn counted(pattern: &Pattern, line: &str) -> Vec<(u64, String)> {
    let Some(pattern) = pattern.as_ref() else {
        return Vec::new();
    };
    let all = pattern
        .captures_iter(line)
        .filter_map(|caps| Some((caps["n"].parse().ok()?, caps["w"].to_lowercase())));
    all.collect()
}

/// Words after a number that say nothing of red tests: units, parts, little words.
const HARMLESS: &[&str] = &[
    "honored",
    "in",
    "of",
    "out",
    "on",
    "with",
    "using",
    "across",
    "from",
    "and",
    "at",
    "for",
    "by",
    "to",
    "s",
    "ms",
    "us",
    "ns",
    "m",
    "h",
    "sec",
    "secs",
    "min",
    "mins",
    "ran",
    "run",
    "were",
    "was",
    "are",
    "have",
    "has",
    "todo",
    "todos",
    "slow",
    "measured",
    "filtered",
    "deselected",
    "selected",
    "unit",
    "integration",
    "regression",
    "doc",
    "subtests",
    "rerun",
    "reruns",
    "retries",
    "retried",
    "expected",
    "x",
    "encountered",
    "fixtures",
    "benchmarks",
    "completed",
    "complete",
    "executed",
    "finished",
    "more",
    "other",
    "different",
    "cores",
    "cpus",
    "jobs",
    "new",
    "obsolete",
    "written",
    "updated",
    "properties",
    "iterations",
    "rows",
    "lines",
];
const HARMLESS_STEMS: &[&str] = &[
    "second",
    "minute",
    "hour",
    "milli",
    "micro",
    "assert",
    "expect",
    "suite",
    "file",
    "module",
    "process",
    "worker",
    "thread",
    "package",
    "class",
    "step",
    "feature",
    "scenario",
    "test",
    "group",
    "page",
    "warning",
    "snapshot",
    "rule",
    "target",
    "project",
    "browser",
    "spec",
    "program",
    "binar",
    "script",
    "director",
    "folder",
    "propert",
    "seed",
    "random",
    "parallel",
    "method",
    "function",
    "fixture",
    "sample",
    "quickcheck",
    "generat",
];

/// Whether something that no word is known for is counted beside the green tests.
pub(super) fn counts_unknown(line: &str) -> bool {
    let harmless = |word: &str| {
        counts::is_known(word)
            || HARMLESS.contains(&word)
            || HARMLESS_STEMS.iter().any(|stem| word.starts_with(stem))
            || word == "not" && line.to_lowercase().contains("not run")
    };
    let counts = counted(&COUNT, line);
    counts.iter().any(|(n, word)| *n > 0 && !harmless(word))
}

/// Words that count tests which neither ran nor failed.
const ASIDE: &[&str] = &[
    "todo",
    "todos",
    "filtered",
    "deselected",
    "measured",
    "xfail",
    "xpass",
];

/// Whether the line counts more tests than those of which it says what became of them, or tests
/// that passed only when they were run again.
pub(super) fn is_unaccounted(line: &str, tally: &Tally) -> bool {
    let counts = counted(&COUNT, line);
    let of = |words: &[&str]| -> u64 {
        let of = counts.iter().filter(|(_, w)| words.contains(&w.as_str()));
        of.map(|(n, _)| n).sum()
    };
    let rest = tally.skipped.unwrap_or(0) + of(ASIDE);
    let known = tally.passes() + tally.reds() + tally.other.unwrap_or(0) + rest;
    let fails = line.contains("expected fail");
    let expected = if fails { 0 } else { of(&["expected"]) };
    tally.total.unwrap_or(0).max(expected) > known || of(&["flaky"]) > 0
}

static SHARE: Pattern = LazyLock::new(|| {
    Regex::new(r"(?:^|[^\w./-])(?P<a>[0-9]+)\s*(?:/|\b(?:out of|of|von|de|sur|di|van|av|из|z)\b)\s*(?P<b>[0-9]+)(?:$|[^\w./-])").ok()
});
static PERCENT: Pattern = LazyLock::new(|| Regex::new(r"(?P<n>[0-9]+(?:\.[0-9]+)?)\s?%").ok());

/// Whether the line gives less than the whole, more than was skipped aside.
pub(super) fn is_share(line: &str, skipped: u64) -> bool {
    let (Some(share), Some(percent)) = (SHARE.as_ref(), PERCENT.as_ref()) else {
        return true;
    };
    let part = share.captures_iter(line).any(|caps| {
        let number = |g: &str| caps[g].parse::<u64>().unwrap_or(0);
        number("b").saturating_sub(number("a")) > skipped
    });
    let covers = line.to_lowercase().contains("cover");
    let less = percent.captures_iter(line).any(|caps| {
        let number = caps["n"].parse::<f64>().unwrap_or(0.0);
        number > 0.0 && number < 100.0
    });
    part || less && skipped == 0 && !covers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        let all = [
            &NOT_OK, &ERROR, &FAIL_LINE, &FAIL_NONE, &DENIED, &FOREIGN, &NONE, &COUNT, &LABEL,
            &SHARE, &PERCENT,
        ];
        assert!(all.iter().all(|p| p.is_some()));
    }
}
