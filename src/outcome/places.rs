//! What in a line could be a path, and which lines name files only in passing.

use super::lineset::LineSet;
use super::text::Text;

use std::sync::LazyLock;

/// Something that could be a path.
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// The number after it.
    pub(super) line: Option<u64>,
    /// A number or an end of quotation follows.
    pub(super) placed: bool,
}

/// Bytes that paths are made of; all beyond ASCII count.
const fn is_part(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' | b'@' | b'+' | b'-' | b'/' | b'\\' | b'~' | b'$')
        || byte >= 0x80
}

/// Runs of characters that paths are made of.
pub(super) fn tokens(line: &str) -> impl Iterator<Item = Token<'_>> {
    let bytes = line.as_bytes();
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let start = rest + bytes[rest..].iter().position(|b| is_part(*b))?;
            let length = bytes[start..].iter().position(|b| !is_part(*b));
            let end = length.map_or(bytes.len(), |n| start + n);
            rest = end;
            if end - start < 2 {
                continue;
            }
            // Quotation marks and arrows beyond ASCII are no part of a path.
            let text =
                line[start..end].trim_matches(|c: char| !c.is_ascii() && !c.is_alphanumeric());
            let text = text.trim_end_matches(['.', '-', '/']);
            let text = text.strip_prefix("./").unwrap_or(text);
            if text.len() < 2 {
                continue;
            }
            return Some(placed(text, &line[end..]));
        }
    })
}

/// The token with the number that follows it.
fn placed<'a>(text: &'a str, after: &str) -> Token<'a> {
    let number = after
        .trim_start_matches(['\'', '"', '`', ')'])
        .trim_start_matches(", line ")
        .trim_start_matches(" line ")
        .trim_start_matches([':', '(', '[', ',', '#']);
    let digits = number
        .bytes()
        .take(9)
        .take_while(u8::is_ascii_digit)
        .count();
    let directly = number.len() < after.len();
    Token {
        text,
        line: number[..digits].parse().ok().filter(|_| directly),
        placed: directly && digits > 0 || after.starts_with(['\'', '"', '`']),
    }
}

/// Which extensions occur: a quick look before a line is taken apart.
#[derive(Default)]
pub(super) struct Extensions(Vec<[u8; 2]>);

impl Extensions {
    pub(super) fn add(&mut self, base: &str) {
        let Some((_, extension)) = base.rsplit_once('.') else {
            return;
        };
        let mut bytes = extension.bytes();
        let key = [bytes.next().unwrap_or(0), bytes.next().unwrap_or(0)];
        if !self.0.contains(&key) {
            self.0.push(key);
        }
    }

    /// Whether the line has a dot with the beginning of a known extension behind it.
    pub(super) fn occur(&self, line: &str) -> bool {
        let bytes = line.as_bytes();
        memchr::memchr_iter(b'.', bytes).any(|at| {
            let first = bytes.get(at + 1).copied().unwrap_or(0);
            let second = bytes.get(at + 2).copied().unwrap_or(0);
            self.0
                .iter()
                .any(|[one, two]| *one == first && (*two == second || *two == 0))
        })
    }
}

/// Lines that name files in passing: progress, echoes of commands, tables, green results.
static NEUTRAL: LazyLock<Option<LineSet>> = LazyLock::new(|| {
    LineSet::new([
        // Progress of runners.
        r"^\S+\.py [.sxXp]+(?: *\[ *[0-9]+%\])?$",
        r"^\S+\.\w+::.+ (?:PASSED|SKIPPED|XFAIL)\b",
        r"^(?:\[gw[0-9]+\] )?\[ *[0-9]+%\] PASSED",
        r"^(?:PASSED|SKIPPED|XFAIL|XPASS) ",
        r"^\s*(?:PASS|RUNS|ok|✓|✔|√|○|↓|\(pass\))\s",
        r"^\s*Running (?:unittests|tests) ",
        r"^running [0-9]+ tests? from ",
        r"^(?:rootdir|configfile|testpaths|cachedir|plugins|platform)\b",
        r"^\S.*\.\.\. (?:ok|skipped|ignored)\b",
        r"^\[[0-9]+/[0-9]+\] \S+:[0-9]+:[0-9]+ › ",
        r"^\s+\S.* # \S+\.(?:py|rb|js|ts|java|feature):[0-9]+$",
        r"^Feature: ",
        // Echoes.
        r"^\s*(?:[>+$] |make\b.* -C )",
        r"^(?:\S*/)?(?:cc|gcc|g\+\+|c\+\+|clang(?:\+\+)?|ar|ld|rustc|javac|go|node|python[0-9.]*|ruby|perl|php|sh|bash|libtool|tsc|npx|cargo)(?:-[0-9.]+)? .*-\w",
        r"^(?:depbase=|mv -f |rm -f |/bin/(?:ba)?sh \./libtool )",
        r"^\[ *[0-9]+(?:%|/[0-9]+)\] (?:Building|Linking|Compiling|Generating|Built|Scanning|Preprocessing|Archiving)",
        r"^\s*(?:Compiling|Checking|Building|Bundling|Check|Copying|Installing|Downloading|Downloaded|Fetching) ",
        r"^ *(?:CC|CXX|LD|AR|CCLD|LINK|GEN) +\S",
        r"^make(?:\[[0-9]+\])?: ",
        r"^gmake(?:\[[0-9]+\])?: ",
        r"^\S+(?: \S+)*: commands\[[0-9]+\]> |^nox > (?:Running|Command|python|Creating)",
        // Tables and help.
        r"^\s*\S+\s+\|\s+[0-9.]+ \|",
        r"^\S+\s+[0-9]+\s+[0-9]+(?:\s+[0-9]+)*\s+[0-9]+%",
        r"^\s*= help: |^help: |^\s*= note: `",
        r": warning: |^warning: |^WARNING: |^DeprecationWarning",
        r"^\s*(?:Did you mean|\(use |hint: )",
        r"^\s*(?:include|exclude|testMatch|testPathIgnorePatterns|testRegex): ",
        r"^\S+: \[(?:INFO|DEBUG)\]|^\[INFO\]|^\[WARNING\]|^(?:INFO|DEBUG)[: ]",
        r"A complete log of this run|Full log written|See the report at|error-context\.md|test-suite\.log",
    ])
});

pub(super) fn is_neutral(line: &str) -> bool {
    NEUTRAL.as_ref().is_some_and(|set| set.is_match(line))
}

/// Package of the place that a base name stands at: Java's frame, Go's package line below.
pub(super) fn package(text: &Text, at: usize, token: &str) -> Option<String> {
    if token.contains('/') {
        return None;
    }
    if token.ends_with(".go") {
        let mut below = text.between(at + 1, at + 3000).map(|(_, l)| l);
        let closes = below.find(|l| l.starts_with("FAIL\t") || l.starts_with("ok  \t"))?;
        return closes
            .split(['\t', ' '])
            .find(|w| w.contains('/'))
            .map(str::to_string);
    }
    let class = text.line(at).split('(').next()?.split_whitespace().last()?;
    let mut parts: Vec<&str> = class.split('.').collect();
    (parts.len() > 2).then(|| {
        parts.truncate(parts.len() - 2);
        parts.join("/")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_path_and_a_number() {
        for (line, path, number) in [
            ("src/a.c:4:17: error", "src/a.c", Some(4)),
            ("src/a.ts(5,14): error", "src/a.ts", Some(5)),
            (
                "  File \"/repo/a.py\", line 12, in x",
                "/repo/a.py",
                Some(12),
            ),
            ("[ERROR] /repo/A.java:[15,29] x", "/repo/A.java", Some(15)),
            ("#   at t/calc.t line 7.", "t/calc.t", Some(7)),
            ("see a.py for 3 reasons", "a.py", None),
        ] {
            let found = tokens(line).find(|t| t.text == path).unwrap();
            assert_eq!(found.line, number, "{line}");
        }
    }

    #[test]
    fn progress_is_neutral_and_errors_are_not() {
        assert!(NEUTRAL.is_some());
        assert!(is_neutral("tests/test_a.py ..."));
        assert!(is_neutral("gcc -Isrc -c src/calc.c -o calc.o"));
        assert!(!is_neutral("src/calc.c:4:17: error: expected"));
        assert!(!is_neutral("tests/test_a.py:4: AssertionError"));
    }
}
