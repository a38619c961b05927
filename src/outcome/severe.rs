//! Reports that stand anywhere in an output and are red whatever the tests say: those of sanitizers
//! and memory checkers, and of what started several programs about one that failed. And what a
//! program in C says when it ends itself.

use super::lineset::LineSet;
use super::text::Text;
use regex::Regex;
use std::sync::LazyLock;

static SEVERE: LazyLock<Option<LineSet>> = LazyLock::new(|| {
    LineSet::new([
        r"^=+[0-9]+=+ ?ERROR: \w+Sanitizer\b|^SUMMARY: \w+Sanitizer: |^(?:WARNING|ERROR): \w+Sanitizer: ",
        r"^WARNING: DATA RACE$",
        r"^\S+:[0-9]+:[0-9]+: runtime error: ",
        r"^==[0-9]+== ERROR SUMMARY: [1-9]",
        r"^HOOK-ERROR in ",
    ])
});

/// docker compose names the container, concurrently the command.
static EXITED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:[\w.-]+-[0-9]+|\[[^\]]+\] .{0,200}) exited with code (?P<n>[0-9]+)$").ok()
});

static C_ASSERTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:\S+: )?\S+:[0-9]+: .*: Assertion .* failed\.$").ok());

/// What assert(3) prints before it aborts the program.
pub(super) fn is_c_assertion(line: &str) -> bool {
    line.ends_with(" failed.") && C_ASSERTION.as_ref().is_some_and(|re| re.is_match(line))
}

/// Codes of a service that was stopped because another one had ended: SIGKILL and SIGTERM.
const STOPPED: [&str; 2] = ["137", "143"];

pub(super) fn find(text: &Text) -> Option<usize> {
    let (severe, exited) = (SEVERE.as_ref()?, EXITED.as_ref()?);
    let mut ended = false;
    for (at, line) in text.lines() {
        if line.is_empty() {
            continue;
        }
        if severe.is_match(line) {
            return Some(at);
        }
        let code = line
            .contains(" exited with code ")
            .then(|| exited.captures(line));
        if let Some(code) = code.flatten() {
            let code = &code["n"];
            if code != "0" && !(ended && STOPPED.contains(&code)) {
                return Some(at);
            }
            ended |= code == "0";
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_that_were_stopped_are_not_red() {
        let find = |text: &str| find(&Text::new(text.as_bytes()));
        assert!(SEVERE.is_some() && EXITED.is_some() && C_ASSERTION.is_some());
        assert_eq!(
            find("test-1 exited with code 0\ndb-1 exited with code 137\n"),
            None
        );
        assert_eq!(find("test-1 exited with code 137\n"), Some(0));
        assert_eq!(
            find("[a] x exited with code 0\n[b] node x.js exited with code 1\n"),
            Some(1)
        );
        assert_eq!(find("child exited with code 1\n"), None);
    }
}
