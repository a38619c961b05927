//! A unified diff as `git apply` takes it, computed from content (rule E6).

use super::FileChange;
use super::content::{Change, align};
use memchr::{memchr, memchr_iter, memrchr};
use std::fmt::Write;
use std::ops::Range;

/// Lines around a change.
const CONTEXT: usize = 3;

/// Renders the changes in the order given: git's extended headers with modes, `/dev/null` for new
/// and deleted files, `\ No newline at end of file`. Content that is not UTF-8 or holds a NUL is
/// shown as "Binary files … differ", which cannot be applied; the engine never makes such changes.
pub fn unified_diff(changes: &[FileChange]) -> String {
    let mut out = String::new();
    for change in changes {
        one_file(change, &mut out);
    }
    out
}

fn one_file(change: &FileChange, out: &mut String) {
    let (old, new) = (
        change.before.as_deref().unwrap_or_default(),
        change.after.as_deref().unwrap_or_default(),
    );
    let (a, b) = (quoted("a/", &change.path), quoted("b/", &change.path));
    let (old_mode, mode) = (git_mode(change.old_mode), git_mode(change.mode));
    let _ = writeln!(out, "diff --git {a} {b}");
    match (&change.before, &change.after) {
        (None, _) => {
            let _ = writeln!(out, "new file mode {mode}");
        }
        (_, None) => {
            let _ = writeln!(out, "deleted file mode {old_mode}");
        }
        _ if old_mode != mode => {
            let _ = writeln!(out, "old mode {old_mode}\nnew mode {mode}");
        }
        _ => {}
    }
    if old == new {
        return;
    }
    let side = |there: bool, name: &str| match there {
        false => "/dev/null".to_string(),
        // Git ends a name that holds a blank with a tab, so that readers see where it ends.
        true if name.contains(' ') && !name.starts_with('"') => format!("{name}\t"),
        true => name.to_string(),
    };
    let (from, to) = (
        side(change.before.is_some(), &a),
        side(change.after.is_some(), &b),
    );
    match (text(old), text(new)) {
        (Some(old), Some(new)) => {
            let _ = writeln!(out, "--- {from}\n+++ {to}");
            hunks(old, new, out);
        }
        _ => {
            let _ = writeln!(
                out,
                "Binary files {} and {} differ",
                from.trim_end(),
                to.trim_end()
            );
        }
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.contains('\0')).then_some(text)
}

fn git_mode(mode: u32) -> &'static str {
    if mode & 0o100 != 0 {
        "100755"
    } else {
        "100644"
    }
}

/// A name as git writes it: in quotes with C escapes when it holds a quote, a back-slash or a
/// control character.
fn quoted(prefix: &str, path: &str) -> String {
    if !path
        .chars()
        .any(|c| c.is_ascii_control() || matches!(c, '"' | '\\'))
    {
        return format!("{prefix}{path}");
    }
    let mut out = format!("\"{prefix}");
    for c in path.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            c if c.is_ascii_control() => {
                let _ = write!(out, "\\{:03o}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The part of two texts that differs, in whole lines with [`CONTEXT`] lines around.
struct Middle<'t> {
    /// Lines before it.
    skipped: usize,
    old: Vec<&'t str>,
    new: Vec<&'t str>,
}

fn hunks(old: &str, new: &str, out: &mut String) {
    let middle = middle(old, new);
    let changes = align(&middle.old, &middle.new);
    let mut group: Vec<Change> = Vec::new();
    for change in changes {
        if let Some(last) = group.last()
            && change.old.start - last.old.end > 2 * CONTEXT
        {
            hunk(&middle, &group, out);
            group.clear();
        }
        group.push(change);
    }
    hunk(&middle, &group, out);
}

fn hunk(middle: &Middle<'_>, group: &[Change], out: &mut String) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return;
    };
    let before = CONTEXT.min(first.old.start);
    let after = CONTEXT.min(middle.old.len() - last.old.end);
    let old = first.old.start - before..last.old.end + after;
    let new = first.new.start - before..last.new.end + after;
    let _ = writeln!(
        out,
        "@@ -{} +{} @@",
        span(middle.skipped, &old),
        span(middle.skipped, &new)
    );
    let mut at = old.start;
    for change in group {
        put(' ', &middle.old[at..change.old.start], out);
        put('-', &middle.old[change.old.clone()], out);
        put('+', &middle.new[change.new.clone()], out);
        at = change.old.end;
    }
    put(' ', &middle.old[at..old.end], out);
}

/// `start,count` of a hunk header; an empty side names the line above, one line needs no count.
fn span(skipped: usize, range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", skipped + range.start),
        1 => format!("{}", skipped + range.start + 1),
        n => format!("{},{n}", skipped + range.start + 1),
    }
}

fn put(sign: char, lines: &[&str], out: &mut String) {
    for line in lines {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// Skips what is the same at both ends by bytes, so that a small change in a large file costs a
/// comparison of memory and no more.
fn middle<'t>(old: &'t str, new: &'t str) -> Middle<'t> {
    let (a, b) = (old.as_bytes(), new.as_bytes());
    let same = common_prefix(a, b);
    let mut start = memrchr(b'\n', &a[..same]).map_or(0, |at| at + 1);
    for _ in 0..CONTEXT {
        start = start
            .checked_sub(1)
            .map_or(0, |end| memrchr(b'\n', &a[..end]).map_or(0, |at| at + 1));
    }
    let tail = common_suffix(&a[same..], &b[same..]);
    let mut end = a.len() - tail;
    // To the end of the line that differs, and further by the context.
    for _ in 0..=CONTEXT {
        end = memchr(b'\n', &a[end..]).map_or(a.len(), |at| end + at + 1);
    }
    let new_end = b.len() - (a.len() - end);
    Middle {
        skipped: memchr_iter(b'\n', &a[..start]).count(),
        old: old[start..end].split_inclusive('\n').collect(),
        new: new[start..new_end].split_inclusive('\n').collect(),
    }
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 4096;
    let most = a.len().min(b.len());
    let mut n = 0;
    while n + STEP <= most && a[n..n + STEP] == b[n..n + STEP] {
        n += STEP;
    }
    n + a[n..most]
        .iter()
        .zip(&b[n..most])
        .take_while(|(x, y)| x == y)
        .count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 4096;
    let most = a.len().min(b.len());
    let mut n = 0;
    while n + STEP <= most
        && a[a.len() - n - STEP..a.len() - n] == b[b.len() - n - STEP..b.len() - n]
    {
        n += STEP;
    }
    let (x, y) = (
        &a[a.len() - most..a.len() - n],
        &b[b.len() - most..b.len() - n],
    );
    n + x
        .iter()
        .rev()
        .zip(y.iter().rev())
        .take_while(|(x, y)| x == y)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str) -> String {
        let mut out = String::new();
        hunks(old, new, &mut out);
        out
    }

    #[test]
    fn hunks_have_context_and_counts() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        assert_eq!(
            diff(old, &old.replace('5', "five")),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
        assert_eq!(diff("", "a\n"), "@@ -0,0 +1 @@\n+a\n");
        assert_eq!(diff("a\n", ""), "@@ -1 +0,0 @@\n-a\n");
        assert_eq!(
            diff("a\nb", "a\nb\n"),
            "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
        );
        assert_eq!(
            diff("a\r\nb\n", "a\nb\n"),
            "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n"
        );
    }

    #[test]
    fn far_changes_are_hunks_of_their_own() {
        let old: String = (0..40).map(|n| format!("{n}\n")).collect();
        let new = old.replace("\n5\n", "\nx\n").replace("\n30\n", "\n");
        assert_eq!(diff(&old, &new).matches("@@ -").count(), 2);
        let new = old.replace("\n5\n", "\nx\n").replace("\n12\n", "\n");
        assert_eq!(diff(&old, &new).matches("@@ -").count(), 1);
    }

    #[test]
    fn odd_names_are_quoted() {
        assert_eq!(quoted("a/", "x\"y\n\u{1}.txt"), "\"a/x\\\"y\\n\\001.txt\"");
        assert_eq!(quoted("a/", "é b"), "a/é b");
    }
}
