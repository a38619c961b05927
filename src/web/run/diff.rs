//! A unified diff, coloured, a file at a time.

use crate::text::visible;
use maud::{Markup, html};

/// Lines of a file's diff that a page shows; the whole is behind a link.
const MOST_LINES: usize = 2000;
/// A file with more lines than this is folded.
const OPEN_LINES: usize = 200;

struct FileDiff<'a> {
    path: &'a str,
    lines: Vec<&'a str>,
    added: usize,
    removed: usize,
}

fn files(diff: &str) -> Vec<FileDiff<'_>> {
    let mut all: Vec<FileDiff<'_>> = Vec::new();
    let mut in_hunk = false;
    for line in diff.lines() {
        if let Some(rest) = line.strip_prefix("diff --git ") {
            in_hunk = false;
            let path = rest.rsplit_once(" b/").map_or(rest, |(_, path)| path);
            all.push(FileDiff {
                path,
                lines: Vec::new(),
                added: 0,
                removed: 0,
            });
            continue;
        }
        let Some(file) = all.last_mut() else { continue };
        in_hunk |= line.starts_with("@@ ");
        let header = ["index ", "--- ", "+++ "]
            .iter()
            .any(|h| line.starts_with(h));
        if !in_hunk && header {
            continue;
        }
        if in_hunk {
            file.added += usize::from(line.starts_with('+'));
            file.removed += usize::from(line.starts_with('-'));
        }
        file.lines.push(line);
    }
    all
}

/// The whole change; `path` is the run's.
pub(super) fn show(diff: &str, path: &str) -> Markup {
    let files = files(diff);
    let (added, removed) = files
        .iter()
        .fold((0, 0), |(a, r), f| (a + f.added, r + f.removed));
    html! {
        section #change.card aria-labelledby="h-change" {
            h2 #h-change {
                "Change" span.count { (files.len()) @if files.len() == 1 { " file, " } @else { " files, " } (counts(added, removed)) }
                a.side href={ (path) "/diff" } { "as text" }
            }
            @for (n, file) in files.iter().enumerate() {
                details.file id={ "f-" (n) } open[file.lines.len() <= OPEN_LINES && n < 10] {
                    summary { code { (visible(file.path)) } " " (counts(file.added, file.removed)) }
                    (body(&file.lines))
                }
            }
        }
    }
}

fn counts(added: usize, removed: usize) -> Markup {
    html! { span.plus { "+" (added) } " " span.minus { "−" (removed) } }
}

/// Lines with their numbers on both sides.
fn body(lines: &[&str]) -> Markup {
    let (mut old, mut new) = (0u64, 0u64);
    html! {
        div.scroll role="region" aria-label="Lines of the change" tabindex="0" {
            table.diff {
                @for line in lines.iter().take(MOST_LINES) {
                    @if let Some(rest) = line.strip_prefix("@@ ") {
                        @let () = (old, new) = starts(rest);
                        tr.hunk { td {} td {} td { (visible(line)) } }
                    } @else if line.starts_with('+') {
                        tr.add { td {} td { (new) } td { (visible(line)) } }
                        @let () = new += 1;
                    } @else if line.starts_with('-') {
                        tr.del { td { (old) } td {} td { (visible(line)) } }
                        @let () = old += 1;
                    } @else if line.starts_with(' ') {
                        tr { td { (old) } td { (new) } td { (visible(line)) } }
                        @let () = (old, new) = (old + 1, new + 1);
                    } @else {
                        tr.about { td {} td {} td { (visible(line)) } }
                    }
                }
                @if lines.len() > MOST_LINES {
                    tr.about { td {} td {} td { (lines.len() - MOST_LINES) " more lines: see the change as text" } }
                }
            }
        }
    }
}

/// The first lines of `-12,3 +14,5 @@ …`.
fn starts(hunk: &str) -> (u64, u64) {
    let mut sides = hunk.split(' ').map(|side| {
        let first = side.trim_start_matches(['-', '+']).split(',').next();
        first.and_then(|n| n.parse().ok()).unwrap_or(0)
    });
    (sides.next().unwrap_or(0), sides.next().unwrap_or(0))
}

/// What an edit takes away and puts there, without its place in the file.
pub(super) fn edit(old: &str, new: &str) -> Markup {
    let lines = |text: &str, sign: char| -> Vec<String> {
        text.lines().map(|l| format!("{sign}{l}")).collect()
    };
    html! {
        div.scroll role="region" aria-label="Lines of the edit" tabindex="0" {
            table.diff {
                @for line in lines(old, '-').iter().take(MOST_LINES) { tr.del { td { (visible(line)) } } }
                @for line in lines(new, '+').iter().take(MOST_LINES) { tr.add { td { (visible(line)) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_counted() {
        let diff = "diff --git a/x y.py b/x y.py\nindex 1..2 100644\n--- a/x y.py\n+++ b/x y.py\n@@ -3,2 +3,3 @@ def a\n one\n-two\n+<b>\n+three\n";
        let found = files(diff);
        assert_eq!(
            (found[0].path, found[0].added, found[0].removed),
            ("x y.py", 2, 1)
        );
        let html = show(diff, "/runs/1").into_string();
        assert!(
            html.contains("<tr><td>3</td><td>3</td><td> one</td></tr>"),
            "{html}"
        );
        assert!(
            html.contains("<tr class=\"del\"><td>4</td><td></td><td>-two</td></tr>"),
            "{html}"
        );
        assert!(
            html.contains("<tr class=\"add\"><td></td><td>5</td><td>+three</td></tr>"),
            "{html}"
        );
        assert!(
            html.contains("+&lt;b&gt;") && !html.contains("<b>"),
            "{html}"
        );
    }
}
