//! Numbers and the words that say what they count, in whatever order a runner puts them.

/// What one summary counts. `None`: the summary does not speak of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) passed: Option<u64>,
    pub(super) failed: Option<u64>,
    pub(super) errors: Option<u64>,
    pub(super) skipped: Option<u64>,
    pub(super) total: Option<u64>,
    /// Tests that ran and count in none of the above (expected failures, for example).
    pub(super) other: Option<u64>,
}

/// The columns of a [`Tally`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Passed,
    Failed,
    Errors,
    Skipped,
    Total,
    Other,
}

impl Tally {
    pub(super) fn get(mut self, field: Field) -> Option<u64> {
        *self.slot(field)
    }

    fn slot(&mut self, field: Field) -> &mut Option<u64> {
        match field {
            Field::Passed => &mut self.passed,
            Field::Failed => &mut self.failed,
            Field::Errors => &mut self.errors,
            Field::Skipped => &mut self.skipped,
            Field::Total => &mut self.total,
            Field::Other => &mut self.other,
        }
    }

    /// Adds to a column.
    pub(super) fn add(&mut self, field: Field, count: u64) {
        let slot = self.slot(field);
        *slot = Some(slot.unwrap_or(0).saturating_add(count));
    }

    /// Tests that passed, derived from the total where the summary gives no number.
    pub(super) fn passes(&self) -> u64 {
        self.passed.unwrap_or_else(|| {
            let rest = [self.failed, self.errors, self.skipped, self.other];
            let rest: u64 = rest.iter().map(|n| n.unwrap_or(0)).sum();
            self.total.unwrap_or(0).saturating_sub(rest)
        })
    }

    pub(super) fn reds(&self) -> u64 {
        self.failed
            .unwrap_or(0)
            .saturating_add(self.errors.unwrap_or(0))
    }

    /// Tests that really ran, whatever came of it.
    pub(super) fn ran(&self) -> u64 {
        // Errors beside no test at all are errors outside tests.
        if self.total == Some(0) && self.passed.unwrap_or(0) == 0 {
            return 0;
        }
        self.passes()
            .saturating_add(self.reds())
            .saturating_add(self.other.unwrap_or(0))
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Tally::default()
    }
}

/// Whether a word, in lower case, says what a number counts.
pub(super) fn is_known(word: &str) -> bool {
    field(word).is_some()
}

/// What a word beside a number counts.
fn field(word: &str) -> Option<Field> {
    Some(match word {
        "passed" | "pass" | "passes" | "passing" | "success" | "successes" | "successful"
        | "successfully" | "succeeded" | "ok" | "tests complete" => Field::Passed,
        "failed" | "fail" | "fails" | "failing" | "failure" | "failures" | "unsuccessful"
        | "timed out" | "timeout" | "timeouts" | "cancelled" | "exec failed" | "not ok" => {
            Field::Failed
        }
        "error" | "errors" | "errored" | "erroring" | "crashed" | "crashing" | "crashes"
        | "invalid" | "aborted" | "broken" | "exceptions" | "undefined" => Field::Errors,
        "skipped" | "skip" | "skips" | "ignored" | "pending" | "pendings" | "omitted"
        | "omissions" | "disabled" | "inactive" | "not run" | "excluded" => Field::Skipped,
        "test" | "tests" | "tests run" | "test run" | "tests ran" | "spec" | "specs"
        | "example" | "examples" | "scenario" | "scenarios" | "case" | "cases" | "test case"
        | "test cases" | "testcase" | "testcases" | "check" | "checks" | "total"
        | "total tests" | "tests total" | "runs" | "tested" | "tests executed"
        | "tests completed" => Field::Total,
        "xfailed" | "xpassed" | "flaky" | "expected failures" | "expected failure" => Field::Other,
        _ => return None,
    })
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(u64),
    Word(String),
    /// Ends what belongs together: a comma, a bar, a slash, a semicolon, a bracket, a full stop.
    Break,
    /// Binds a word to the number after it.
    Bind,
    /// The number before it is a share of the number after it: `1/2`, `1 of 2`.
    Of,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let mut end = start + c.len_utf8();
        let digits = c.is_ascii_digit();
        if digits || c.is_alphabetic() {
            // A decimal (a time, a percentage, a version) counts nothing.
            let mut decimal = false;
            while let Some((i, n)) = chars.peek().copied() {
                // A decimal, or a dotted name (`tests.test_calc`).
                let inner = n == '.'
                    && text[i + 1..].starts_with(|d: char| {
                        if digits {
                            d.is_ascii_digit()
                        } else {
                            d.is_alphabetic() || d == '_'
                        }
                    });
                if !(n.is_alphanumeric() || n == '_' || inner) {
                    break;
                }
                decimal |= !n.is_ascii_digit();
                end = i + n.len_utf8();
                chars.next();
            }
            let percent = chars.peek().is_some_and(|(_, n)| *n == '%');
            let word = &text[start..end];
            match word.parse() {
                Ok(number) if digits && !percent => out.push(Token::Number(number)),
                _ if digits && (decimal || percent) => out.push(Token::Break),
                _ if word.eq_ignore_ascii_case("of") && of_numbers(&out, &text[end..]) => {
                    out.retain(|t| *t != Token::Word("out".to_string()));
                    out.push(Token::Of);
                }
                _ => out.push(Token::Word(word.to_lowercase())),
            }
        } else {
            match c {
                ':' => out.push(Token::Bind),
                '/' if of_numbers(&out, &text[end..]) => out.push(Token::Of),
                '=' if text[end..].starts_with(|n: char| n.is_ascii_digit())
                    && text[..start].ends_with(char::is_alphabetic) =>
                {
                    out.push(Token::Bind);
                }
                '=' | ',' | '|' | '/' | ';' | '(' | ')' | '[' | ']' | '.' | '─' | '-' | '·'
                | '•' => {
                    out.push(Token::Break);
                }
                _ => {}
            }
        }
    }
    out
}

/// Whether `of` or a slash stands between two numbers.
fn of_numbers(before: &[Token], after: &str) -> bool {
    let number = matches!(before, [.., Token::Number(_)])
        || matches!(before, [.., Token::Number(_), Token::Word(out)] if out == "out");
    number && after.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

/// What a line counts, over every pair of number and known word. Understands `2 passed, 1 failed`,
/// `Passed: 2, Failed: 1`, `Total 2 Passed 1 Failed 1`, `passed=2`, `Tests: 1 failed, 2 total`.
pub(super) fn tally(line: &str) -> Tally {
    let tokens = tokens(line);
    let mut tally = Tally::default();
    for part in tokens.split(|t| *t == Token::Break) {
        let known = |t: Option<&Token>| matches!(t, Some(Token::Word(w)) if field(w).is_some());
        let first = part
            .iter()
            .position(|t| matches!(t, Token::Number(_)))
            .unwrap_or(0);
        let ends = matches!(part.last(), Some(Token::Number(_)));
        let led = first > 0 && known(part.get(first - 1));
        let bound = part
            .windows(2)
            .any(|w| matches!(w, [Token::Bind, Token::Number(_)]));
        let flips = ends && led || bound && !known(part.last());
        for (at, token) in part.iter().enumerate() {
            let Token::Number(number) = token else {
                continue;
            };
            // `1 of 2 tests failed`: the words belong to the first, the second is the total.
            if at > 1 && part[at - 1] == Token::Of {
                if shared(part, at - 2).is_some() {
                    tally.total = tally.total.or(Some(*number));
                }
                continue;
            }
            if part.get(at + 1) == Some(&Token::Of) {
                if let Some(found) = shared(part, at).filter(|f| *f != Field::Total) {
                    tally.add(found, *number);
                }
                continue;
            }
            let found = if flips {
                before(part, at).or_else(|| after(part, at).filter(|_| !labels(part, at)))
            } else {
                after(part, at).or_else(|| before(part, at))
            };
            match found {
                // Of several totals the first is that of the tests.
                Some(Field::Total) => tally.total = tally.total.or(Some(*number)),
                Some(found) => tally.add(found, *number),
                None => {}
            }
        }
    }
    tally
}

fn words(part: &[Token]) -> Vec<&str> {
    part.iter()
        .map_while(|t| match t {
            Token::Word(w) => Some(w.as_str()),
            _ => None,
        })
        .collect()
}

/// Whether the word after a number labels the next one: `Tried: 2 Errors: 0`.
fn labels(part: &[Token], at: usize) -> bool {
    matches!(
        part.get(at + 1..at + 3),
        Some([Token::Word(_), Token::Bind])
    )
}

/// What the first number of a share counts.
fn shared(part: &[Token], at: usize) -> Option<Field> {
    after(part, at + 2).or_else(|| before(part, at))
}

fn after(part: &[Token], at: usize) -> Option<Field> {
    let words = words(part.get(at + 1..).unwrap_or_default());
    if let [first, second, ..] = words[..]
        && let Some(found) = field(&format!("{first} {second}"))
    {
        return Some(found);
    }
    let found = field(words.first()?)?;
    // `2 tests passed` counts passes, `3 tests failed` failures.
    match (found, words.get(1).and_then(|w| field(w))) {
        (Field::Total, Some(finer)) => Some(finer),
        _ => Some(found),
    }
}

fn before(part: &[Token], at: usize) -> Option<Field> {
    let mut end = at;
    while end > 0 && part[end - 1] == Token::Bind {
        end -= 1;
    }
    let start = part[..end]
        .iter()
        .rposition(|t| !matches!(t, Token::Word(_)))
        .map_or(0, |i| i + 1);
    let words = words(&part[start..end]);
    let [.., last] = words[..] else { return None };
    if let [.., "out", "of"] = words[..] {
        return Some(Field::Total);
    }
    if let [.., one, two] = words[..]
        && let Some(found) = field(&format!("{one} {two}"))
    {
        return Some(found);
    }
    field(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> [Option<u64>; 5] {
        let t = tally(line);
        [t.passed, t.failed, t.errors, t.skipped, t.total]
    }

    #[test]
    fn every_order_of_number_and_word() {
        let none = None;
        for (line, want) in [
            (
                "1 failed, 2 passed, 1 xfailed in 3.4s",
                [Some(2), Some(1), none, none, none],
            ),
            (
                "Tests:       2 failed, 3 passed, 5 total",
                [Some(3), Some(2), none, none, Some(5)],
            ),
            ("Passed: 2, Failed: 1", [Some(2), Some(1), none, none, none]),
            (
                "Total 4 Passed 2 Skipped 1 Failed 1",
                [Some(2), Some(1), none, Some(1), Some(4)],
            ),
            (
                "1 success / 1 failure / 0 errors / 0 pending : 0.005 seconds",
                [Some(1), Some(1), Some(0), Some(0), none],
            ),
            (
                "50%: Checks: 2, Failures: 1, Errors: 0",
                [none, Some(1), Some(0), none, Some(2)],
            ),
            (
                "FAILED (failures=1, errors=2)",
                [none, Some(1), Some(2), none, none],
            ),
            (
                "test cases: 3 | 2 passed | 1 failed",
                [Some(2), Some(1), none, none, Some(3)],
            ),
            (
                "5 tests run: 4 passed, 1 timed out, 0 skipped",
                [Some(4), Some(1), none, Some(0), Some(5)],
            ),
            (
                "100% tests passed, 0 tests failed out of 2",
                [none, Some(0), none, none, Some(2)],
            ),
            (
                "1 out of 2 tests failed (0.00s)",
                [none, Some(1), none, none, Some(2)],
            ),
            ("3/4 tests passed", [Some(3), none, none, none, Some(4)]),
            ("Ran 1 of 2 specs", [none, none, none, none, Some(2)]),
            ("All 2 tests passed.", [Some(2), none, none, none, none]),
            (
                "RESULTS    : PASS 1 | ERROR 0 | FAIL 2 | SKIP 0",
                [Some(1), Some(2), Some(0), Some(0), none],
            ),
            ("Ran 3 tests in 0.057s", [none, none, none, none, Some(3)]),
            (
                "[ FAIL 1 | WARN 0 | SKIP 0 | PASS 3 ]",
                [Some(3), Some(1), none, Some(0), none],
            ),
            ("version 1.2.3 of 4 things", [none; 5]),
            (
                "all.tcl: Total 3 Passed 1 Skipped 0 Failed 2",
                [Some(1), Some(2), none, Some(0), Some(3)],
            ),
            ("2 tests complete", [Some(2), none, none, none, none]),
            ("    1 / 0", [none; 5]),
            ("1 / 0.5", [none; 5]),
            ("{0} tests.test_calc.CalcTest ... FAILED", [none; 5]),
            ("1 test_add", [none; 5]),
        ] {
            assert_eq!(of(line), want, "{line}");
        }
    }

    #[test]
    fn passes_come_from_the_total() {
        let t = tally("2 examples, 1 failure");
        assert_eq!((t.passes(), t.reds(), t.ran()), (1, 1, 2));
    }
}
