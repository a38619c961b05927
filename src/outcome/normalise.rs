//! What differs between two runs of the same thing is taken out of a line.

use crate::text::{one_line, strip_ansi};
use regex::Regex;
use std::sync::LazyLock;

/// Patterns and what stands for them, in this order.
const CHANGES: &[(&str, &str)] = &[
    // Dates and times of day.
    (
        r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.,]+(?:Z|[+-][0-9:]+)?)?",
        "<date>",
    ),
    (r"\b[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\b", "<time>"),
    // Identifiers and hashes.
    (
        r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
        "<id>",
    ),
    (r"\b0x[0-9a-fA-F]+\b", "<address>"),
    (r"-[0-9a-f]{16}\b", "-<hash>"),
    (r"\b[0-9a-f]{32,64}\b", "<hash>"),
    // Temporary names.
    (
        r"/(?:private/)?(?:tmp|var/folders|var/tmp)/[^\s'\x22:,)]+",
        "<temporary>",
    ),
    (r"\bpytest-of-\w+/pytest-[0-9]+\b", "<temporary>"),
    (r"\btmp[a-z0-9_]{6,}\b", "<temporary>"),
    // Processes, threads, workers, ports.
    (r"(?i)\bpid[ =:]*[0-9]+\b", "<pid>"),
    (r"(?i)\bthread '([^']*)' \([0-9]+\)", "thread '$1'"),
    (r"\(node:[0-9]+\)", "(node)"),
    (r"\[gw[0-9]+\]", "[gw]"),
    (r"(?i)\b(goroutine|worker|thread)[ #-]+[0-9]+\b", "$1"),
    (
        r"\b(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):[0-9]{2,5}\b",
        "$1:<port>",
    ),
    // Seeds.
    (r"(?i)\b(seed)([ =:]+)[0-9]+\b", "$1$2<seed>"),
    // Durations.
    (
        r"\b[0-9]+(?:\.[0-9]+)? ?(?:ms|µs|us|ns|s|secs?|seconds?|mins?|minutes?)\b",
        "<duration>",
    ),
    (r"\b(?:duration_ms|time|elapsed)[:= ]+[0-9.]+", "<duration>"),
    (r"\[ *[0-9]+%\]", ""),
    (r"\(line [0-9]+\)", "(line)"),
];

static RULES: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let compiled = CHANGES
        .iter()
        .map(|(p, with)| Some((Regex::new(p).ok()?, *with)));
    compiled.flatten().collect()
});

/// A line without escapes, times, process ids, addresses, temporary names, ports and seeds, its
/// white space folded: equal for two runs that differ in nothing else.
pub fn normalise_line(line: &str) -> String {
    let mut line = one_line(&strip_ansi(line));
    for (pattern, with) in RULES.iter() {
        if pattern.is_match(&line) {
            line = pattern.replace_all(&line, *with).into_owned();
        }
    }
    line.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_goes() {
        assert_eq!(RULES.len(), CHANGES.len());
        for (one, other) in [
            ("3 passed in 4.63s", "3 passed in 0.12s"),
            (
                "thread 'tests::adds' (21760) panicked at src/lib.rs:18:9",
                "thread 'tests::adds' (9) panicked at src/lib.rs:18:9",
            ),
            (
                "\x1b[31mRandomized with seed 746526\x1b[0m",
                "Randomized with seed 1",
            ),
            (
                "Running unittests src/lib.rs (target/debug/deps/calc-c6626fb655a8d231)",
                "Running unittests src/lib.rs (target/debug/deps/calc-0123456789abcdef)",
            ),
            ("<Object at 0x7f13ce2b25b8>", "<Object at 0x55>"),
            (
                "open /tmp/tmpab12cd/x.db failed",
                "open /tmp/tmpzz99/x.db failed",
            ),
            (
                "connect 127.0.0.1:43567 pid 12",
                "connect 127.0.0.1:80 pid 9999",
            ),
            (
                "2026-11-30T12:30:59.956Z error",
                "2025-01-02T01:02:03Z error",
            ),
        ] {
            assert_eq!(normalise_line(one), normalise_line(other));
        }
    }

    #[test]
    fn what_counts_stays() {
        assert_ne!(
            normalise_line("assert 3 == 4"),
            normalise_line("assert 3 == 5")
        );
        assert_ne!(
            normalise_line("src/a.rs:18:9"),
            normalise_line("src/a.rs:19:9")
        );
        assert_eq!(normalise_line("  a\t b "), "a b");
    }
}
