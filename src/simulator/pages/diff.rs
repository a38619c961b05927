//! Changed files, coloured.

use super::super::git::{Change, ChangedFile};
use maud::{Markup, html};

/// All files of a change.
pub(super) fn files(all: &[ChangedFile]) -> Markup {
    let additions: usize = all.iter().map(|f| f.additions).sum();
    let deletions: usize = all.iter().map(|f| f.deletions).sum();
    html! {
        p.dim {
            (all.len()) @if all.len() == 1 { " file" } @else { " files" } " changed, "
            span.plus { "+" (additions) } " " span.minus { "−" (deletions) }
        }
        @for file in all { (one(file)) }
    }
}

fn one(file: &ChangedFile) -> Markup {
    let word = match file.change {
        Change::Added => "added",
        Change::Removed => "removed",
        Change::Modified => "changed",
        Change::Renamed => "renamed",
    };
    html! {
        details.file open {
            summary {
                @if let Some(before) = &file.before { code { (before) } " → " }
                code { (file.path) } " " span.dim { (word) } " "
                span.plus { "+" (file.additions) } " " span.minus { "−" (file.deletions) }
            }
            @match &file.patch {
                Some(patch) => (table(patch)),
                None => p.body.dim { "Binary file, or no change of content." },
            }
        }
    }
}

/// One row of a patch: class, old and new line number, text.
#[derive(Debug, PartialEq)]
struct Row<'a> {
    class: &'static str,
    old: Option<usize>,
    new: Option<usize>,
    text: &'a str,
}

fn rows(patch: &str) -> Vec<Row<'_>> {
    let (mut old, mut new) = (0, 0);
    let mut rows = Vec::new();
    for text in patch.lines() {
        let row = |class, old, new| Row {
            class,
            old,
            new,
            text,
        };
        match text.as_bytes().first() {
            Some(b'@') => {
                (old, new) = starts(text);
                rows.push(row("hunk", None, None));
            }
            Some(b'+') => {
                rows.push(row("add", None, Some(new)));
                new += 1;
            }
            Some(b'-') => {
                rows.push(row("del", Some(old), None));
                old += 1;
            }
            Some(b'\\') => rows.push(row("hunk", None, None)),
            _ => {
                rows.push(row("", Some(old), Some(new)));
                old += 1;
                new += 1;
            }
        }
    }
    rows
}

/// The first line numbers of `@@ -a,b +c,d @@`.
fn starts(head: &str) -> (usize, usize) {
    let number = |sign: char| {
        let word = head.split(' ').find_map(|w| w.strip_prefix(sign));
        word.and_then(|w| w.split(',').next()?.parse().ok())
            .unwrap_or(0)
    };
    (number('-'), number('+'))
}

fn table(patch: &str) -> Markup {
    html! {
        table.diff {
            @for row in rows(patch) {
                tr class=(row.class) {
                    td.n { @if let Some(n) = row.old { (n) } }
                    td.n { @if let Some(n) = row.new { (n) } }
                    td { (row.text) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_on_both_sides() {
        let patch = "@@ -3,2 +3,2 @@ def f():\n a\n-b\n+c\n\\ No newline at end of file";
        let numbers: Vec<_> = rows(patch)
            .iter()
            .map(|r| (r.class, r.old, r.new))
            .collect();
        assert_eq!(
            numbers,
            [
                ("hunk", None, None),
                ("", Some(3), Some(3)),
                ("del", Some(4), None),
                ("add", None, Some(4)),
                ("hunk", None, None)
            ]
        );
    }
}
