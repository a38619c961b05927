//! Tests that stand inside source files (Rust's `#[cfg(test)]` and doctests, Python's doctests,
//! vitest's in-source tests): no path protects them, so a hunk that touches them is listed.

use super::Changed;
use crate::domain::{Weakness, WeaknessKind};
use similar::{DiffOp, TextDiff};

/// The hunks that touch such tests. A new file's tests were nobody's before.
pub fn touched_tests(changes: &[Changed<'_>]) -> Vec<Weakness> {
    let mut found = Vec::new();
    for change in changes {
        let Some(before) = change.before else {
            continue;
        };
        let old = String::from_utf8_lossy(before);
        let new = String::from_utf8_lossy(change.after.unwrap_or_default());
        let (Some(was), Some(is)) = (marks(change.path, &old), marks(change.path, &new)) else {
            continue;
        };
        let diff = TextDiff::from_lines(old.as_ref(), new.as_ref());
        let mut lines: Option<(usize, usize)> = None;
        for op in diff.ops() {
            let (DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. }) = op
            else {
                continue;
            };
            let (from, to) = (op.old_range(), op.new_range());
            let hit = was[from].contains(&true) || is[to.clone()].contains(&true);
            if hit {
                let (first, last) = (to.start + 1, to.end.max(to.start + 1));
                lines = Some(lines.map_or((first, last), |(a, b)| (a.min(first), b.max(last))));
            }
        }
        found.extend(lines.map(|lines| Weakness {
            kind: WeaknessKind::InSource,
            path: change.path.to_string(),
            lines: Some(lines).filter(|_| change.after.is_some()),
            what: match change.after {
                Some(_) => "it touches tests inside the source".to_string(),
                None => "it removes tests inside the source".to_string(),
            },
        }));
    }
    found
}

/// Which lines are tests; `None` for files whose source holds none by custom.
fn marks(path: &str, text: &str) -> Option<Vec<bool>> {
    let lines: Vec<&str> = text.lines().collect();
    match path.rsplit('.').next()? {
        "rs" => Some(rust(&lines)),
        "py" | "pyi" => Some(python(&lines)),
        "js" | "mjs" | "ts" | "mts" | "jsx" | "tsx" => Some(script(&lines)),
        _ => None,
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Marks from `from` to the end of the block that begins there: the next line of the same or a
/// lower depth that closes it.
fn block(lines: &[&str], from: usize, marks: &mut [bool]) -> usize {
    let depth = indent(lines[from]);
    let mut open = false;
    for (at, line) in lines.iter().enumerate().skip(from) {
        marks[at] = true;
        let text = line.trim();
        open |= text.contains('{');
        let closes = open && indent(line) <= depth && text.starts_with('}');
        let one_line = text.ends_with(';') && !open
            || open && text.ends_with('}') && at > from && indent(line) <= depth;
        if closes || one_line {
            return at;
        }
    }
    lines.len()
}

fn rust(lines: &[&str]) -> Vec<bool> {
    let mut marks = vec![false; lines.len()];
    let (mut at, mut fenced) = (0, false);
    while at < lines.len() {
        let text = lines[at].trim_start();
        if let Some(doc) = text
            .strip_prefix("///")
            .or_else(|| text.strip_prefix("//!"))
        {
            let fence = doc.trim_start().starts_with("```");
            marks[at] = fenced || fence;
            fenced ^= fence;
            at += 1;
            continue;
        }
        fenced = false;
        let attribute = text.starts_with("#[cfg(test)]")
            || text.starts_with("#[cfg(all(test")
            || text.starts_with("#[test]")
            || text.starts_with("#[") && text.contains("::test")
            || text.starts_with("#[rstest")
            || text.starts_with("#[test_case");
        at = match attribute {
            true => block(lines, at, &mut marks) + 1,
            false => at + 1,
        };
    }
    marks
}

fn python(lines: &[&str]) -> Vec<bool> {
    let mut marks = vec![false; lines.len()];
    let mut inside = false;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim_start();
        if text.starts_with(">>>") {
            inside = true;
        } else if text.is_empty() || text.starts_with("\"\"\"") || text.starts_with("'''") {
            inside = false;
        }
        marks[at] = inside;
    }
    marks
}

fn script(lines: &[&str]) -> Vec<bool> {
    let mut marks = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        at = match lines[at].contains("import.meta.vitest") {
            true => block(lines, at, &mut marks) + 1,
            false => at + 1,
        };
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n/// ```\n/// assert_eq!(x::two(), 2);\n/// ```\npub fn two() -> i32 {\n    2\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(2, 3), 5);\n    }\n}\n\npub fn last() {}\n";

    fn of(path: &str, before: &str, after: &str) -> Option<(usize, usize)> {
        let change = Changed {
            path,
            before: Some(before.as_bytes()),
            after: Some(after.as_bytes()),
        };
        touched_tests(&[change]).first().and_then(|w| w.lines)
    }

    #[test]
    fn hunks_in_rusts_tests_are_told_from_those_in_code() {
        assert_eq!(of("src/lib.rs", LIB, &LIB.replace("a - b", "a + b")), None);
        assert_eq!(
            of("src/lib.rs", LIB, &LIB.replace("last()", "newest()")),
            None
        );
        assert_eq!(
            of("src/lib.rs", LIB, &LIB.replace("3), 5)", "3), -1)")),
            Some((18, 18))
        );
        assert_eq!(
            of(
                "src/lib.rs",
                LIB,
                &LIB.replace("    #[test]\n", "    #[test]\n    #[ignore]\n")
            ),
            Some((17, 17))
        );
        assert_eq!(
            of("src/lib.rs", LIB, &LIB.replace("two(), 2)", "two(), 3)")),
            Some((6, 6))
        );
        let without = &LIB[..LIB.find("#[cfg").unwrap()];
        assert!(of("src/lib.rs", LIB, without).is_some());
        let lone = "#[cfg(test)]\nuse a::b;\n\nfn c() {\n    1;\n}\n";
        assert_eq!(of("a.rs", lone, &lone.replace("1;", "2;")), None);
    }

    #[test]
    fn doctests_of_python_and_in_source_tests_of_vitest() {
        let py = "def two():\n    \"\"\"Two.\n\n    >>> two()\n    2\n    \"\"\"\n    return 2\n";
        assert_eq!(
            of("a.py", py, &py.replace("    2\n", "    3\n")),
            Some((5, 5))
        );
        assert_eq!(
            of("a.py", py, &py.replace("return 2", "return 1 + 1")),
            None
        );
        let js = "export const a = 1\n\nif (import.meta.vitest) {\n  it('a', () => {})\n}\nconst b = 2\n";
        assert_eq!(
            of("a.ts", js, &js.replace("it('a'", "it.skip('a'")),
            Some((4, 4))
        );
        assert_eq!(of("a.ts", js, &js.replace("b = 2", "b = 3")), None);
        let gone = Changed {
            path: "a.py",
            before: Some(py.as_bytes()),
            after: None,
        };
        assert_eq!(touched_tests(&[gone])[0].lines, None);
    }
}
