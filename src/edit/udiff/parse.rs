//! Unified diffs in a reply, in fences or bare. Counts are hints: they tell where a hunk may end,
//! never what it holds.

use super::header::{Header, Side, git_names, side};
use super::hunk::{Hunk, Line, numbers};
use crate::edit::MOST_EDITS;
use crate::edit::blocks::reply_lines;
use crate::edit::error::{EditError, ErrorKind};

/// One file's part of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileDiff<'r> {
    pub header: Header,
    pub hunks: Vec<Hunk<'r>>,
}

/// All diffs of a reply.
///
/// # Errors
/// `malformed` with the reply's line for what looks like a diff and cannot be read as one.
pub(super) fn parse(reply: &str) -> Result<Vec<FileDiff<'_>>, EditError> {
    let all = reply_lines(reply);
    let mut reader = Reader {
        other_form: all.iter().any(|l| {
            l.starts_with("<<<<<<<") && l.contains("SEARCH") || l.trim_end() == "*** Begin Patch"
        }),
        all,
        at: 0,
        fence: None,
        files: Vec::new(),
        hunks: 0,
    };
    while reader.at < reader.all.len() {
        reader.outside()?;
    }
    Ok(reader.files)
}

struct Reader<'r> {
    all: Vec<&'r str>,
    at: usize,
    /// Ticks of the fence that is open, and whether it says that it holds a diff.
    fence: Option<(usize, bool)>,
    files: Vec<FileDiff<'r>>,
    hunks: usize,
    /// Whether the reply holds SEARCH/REPLACE blocks or a patch of another form.
    other_form: bool,
}

impl<'r> Reader<'r> {
    /// One line that is not in a hunk.
    fn outside(&mut self) -> Result<(), EditError> {
        let line = self.all[self.at];
        if self.is_file_start(self.at) {
            return self.file();
        }
        if let Some(ticks) = ticks(line) {
            let says_diff = matches!(
                line.trim_start_matches('`').trim(),
                "diff" | "patch" | "udiff"
            );
            self.fence = match self.fence {
                Some((open, _)) if ticks >= open => None,
                Some(open) => Some(open),
                None => Some((ticks, says_diff)),
            };
        } else if is_binary(line) {
            return Err(self.binary());
        } else if self.fence.is_some_and(|(_, diff)| diff)
            && (line.starts_with("@@") || is_change(line))
            || self.is_orphan(self.at)
        {
            return Err(EditError::malformed(format!(
                "the diff at line {} of the reply names no path: put `--- a/PATH` and `+++ b/PATH` \
                 above its hunks",
                self.at + 1
            )));
        }
        self.at += 1;
        Ok(())
    }

    /// Changes below `@@` or `+++` for which no file is named; passing over them would lose them.
    /// In a reply of another form they are that form's.
    fn is_orphan(&self, at: usize) -> bool {
        let line = self.all[at];
        let mut below = self.all[at + 1..].iter().copied();
        let changes = match () {
            () if self.other_form => false,
            () if line.starts_with("@@") => below
                .take_while(|l| is_hunk_line(l) && !l.is_empty())
                .any(is_change),
            () if line.starts_with("+++ ") => below.next().is_some_and(is_change),
            () => false,
        };
        changes && !self.is_file_start(at)
    }

    fn binary(&self) -> EditError {
        EditError::malformed(format!(
            "line {} of the reply: a binary patch is not accepted; only text files are edited",
            self.at + 1
        ))
    }

    /// `--- old` with `+++ new` below, or `diff --git`.
    fn is_file_start(&self, at: usize) -> bool {
        let line = self.all[at];
        line.starts_with("diff --git ") || self.is_name_pair(at)
    }

    fn is_name_pair(&self, at: usize) -> bool {
        let next = self.all.get(at + 1).copied().unwrap_or_default();
        self.all[at].starts_with("--- ") && next.starts_with("+++ ")
    }

    fn file(&mut self) -> Result<(), EditError> {
        let mut header = Header {
            line: self.at + 1,
            ..Header::default()
        };
        if let Some(rest) = self.all[self.at].strip_prefix("diff --git ") {
            header.git = git_names(rest);
            self.at += 1;
            while let Some(line) = self.all.get(self.at) {
                if is_binary(line) {
                    return Err(self.binary());
                }
                if !header.extend(line)? {
                    break;
                }
                self.at += 1;
            }
        }
        if self.at < self.all.len() && self.is_name_pair(self.at) {
            header.old = Some(side(&self.all[self.at][4..]));
            header.new = Some(side(&self.all[self.at + 1][4..]));
            self.at += 2;
        }
        let mut file = FileDiff {
            header,
            hunks: Vec::new(),
        };
        while let Some(line) = self.all.get(self.at).copied() {
            let follows = line.starts_with("@@")
                || file.hunks.is_empty()
                    && file.header.new.is_some()
                    && is_hunk_line(line)
                    && !line.is_empty();
            if !follows || self.is_file_start(self.at) {
                break;
            }
            let hunk = self.hunk()?;
            file.hunks.push(hunk);
            self.hunks += 1;
            if self.hunks > MOST_EDITS {
                return Err(EditError::new(
                    ErrorKind::Limit,
                    format!("the diff has more than {MOST_EDITS} hunks"),
                ));
            }
        }
        self.files.push(file);
        Ok(())
    }

    fn hunk(&mut self) -> Result<Hunk<'r>, EditError> {
        let mut hunk = Hunk {
            line: self.at + 1,
            ..Hunk::default()
        };
        let first = self.all[self.at];
        if first.starts_with("@@@") {
            return Err(EditError::malformed(format!(
                "line {} of the reply: a combined diff (`@@@`) is not applied; give a plain one",
                self.at + 1
            )));
        }
        if first.starts_with("@@") {
            (hunk.stated, hunk.counts) = numbers(first);
            self.at += 1;
        }
        while let Some(line) = self.all.get(self.at).copied() {
            if line.starts_with("@@") || self.ends_hunk(&hunk) {
                break;
            }
            if let Some(rest) = line.strip_prefix('\\') {
                if let Some(last) = hunk.lines.last_mut()
                    && rest
                        .trim_start()
                        .to_ascii_lowercase()
                        .starts_with("no newline")
                {
                    last.open = true;
                }
            } else if is_hunk_line(line) {
                hunk.push(Line {
                    sign: line.chars().next().unwrap_or(' '),
                    text: line.get(1..).unwrap_or_default(),
                    bare: line.is_empty(),
                    open: false,
                });
            } else {
                self.check_end(&hunk)?;
                break;
            }
            self.at += 1;
        }
        hunk.drop_layout();
        Ok(hunk)
    }

    /// Whether the line here belongs to what follows the hunk though it could be a part of it.
    fn ends_hunk(&self, hunk: &Hunk<'_>) -> bool {
        let line = self.all[self.at];
        let left = hunk.left();
        if line.starts_with("diff --git ") {
            return true;
        }
        // The end of a mailed patch.
        if line == "-- " || line == "--" {
            let last = self.all[self.at + 1..]
                .iter()
                .take(3)
                .all(|l| l.trim().len() < 24);
            return left.is_none_or(|left| left == (0, 0)) && last;
        }
        if !self.is_name_pair(self.at) {
            return false;
        }
        let (old, new) = (side(&line[4..]), side(&self.all[self.at + 1][4..]));
        let git = matches!((&old, &new), (Side::File(a), Side::File(b)) if a.starts_with("a/") && b.starts_with("b/"))
            || old == Side::Nothing
            || new == Side::Nothing;
        // Otherwise it may be content: a removed `-- x` and an added `++ y`. The counts tell, and
        // that a header has a hunk below it.
        let below = self
            .all
            .get(self.at + 2)
            .is_some_and(|l| l.starts_with("@@"));
        let content = match left {
            Some((1, 1)) => true,
            Some((0, _) | (_, 0)) => false,
            Some(_) => !below,
            None => false,
        };
        git || !content
    }

    /// A line that no hunk has ends it; inside a fence, or with changes below, it is a mistake that
    /// would lose those changes.
    fn check_end(&self, hunk: &Hunk<'_>) -> Result<(), EditError> {
        let line = self.all[self.at];
        let closes = match (self.fence, ticks(line)) {
            (Some((open, _)), Some(ticks)) => {
                ticks >= open && line.trim_matches('`').trim().is_empty()
            }
            _ => false,
        };
        if closes {
            return Ok(());
        }
        let complete = hunk.left() == Some((0, 0));
        let blank_above = hunk.lines.last().is_some_and(|l| l.bare);
        if self.fence.is_none() && (complete || blank_above) {
            return Ok(());
        }
        Err(EditError::malformed(format!(
            "line {} of the reply is in a hunk but begins neither with a blank nor with `-` or `+`: \
             {}",
            self.at + 1,
            crate::text::clip_words(&crate::text::visible(line), 80)
        )))
    }
}

fn is_hunk_line(line: &str) -> bool {
    line.is_empty() || line.starts_with([' ', '-', '+', '\\'])
}

fn is_change(line: &str) -> bool {
    line.starts_with(['-', '+']) && line.trim_start_matches(['-', '+']).trim() != ""
}

fn is_binary(line: &str) -> bool {
    line == "GIT binary patch" || line.starts_with("Binary files ") && line.ends_with(" differ")
}

/// Length of the run of back-ticks that opens or closes a fence.
fn ticks(line: &str) -> Option<usize> {
    let n = line.len() - line.trim_start_matches('`').len();
    (n >= 3).then_some(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(reply: &str) -> Vec<String> {
        parse(reply)
            .unwrap()
            .iter()
            .flat_map(|f| &f.hunks)
            .map(|h| h.lines.iter().map(|l| l.sign).collect())
            .collect()
    }

    #[test]
    fn a_removed_comment_is_no_header() {
        let head = "--- a/q.sql\n+++ b/q.sql\n";
        assert_eq!(
            signs(&format!("{head}@@ -1,2 +1,2 @@\n--- old\n+-- new\n x\n")),
            ["-+ "]
        );
        assert_eq!(
            signs(&format!("{head}@@ -1,2 +1,2 @@\n x\n--- old\n+++ new\n")),
            [" -+"]
        );
        assert_eq!(
            signs(&format!(
                "{head}@@ -1 +1 @@\n-x\n+y\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n"
            )),
            ["-+", "-+"]
        );
        assert_eq!(
            signs(&format!(
                "{head}@@ -1,9 +1,9 @@\n-x\n+y\n--- a/b\n+++ b/b\n@@\n-x\n+y\n"
            )),
            ["-+", "-+"]
        );
    }

    #[test]
    fn layout_is_dropped_and_context_kept() {
        let head = "```diff\n--- a/q\n+++ b/q\n";
        assert_eq!(
            signs(&format!("{head}@@ -1,2 +1,2 @@\n a\n-b\n+c\n\n```\n")),
            [" -+"]
        );
        assert_eq!(
            signs(&format!("{head}@@ -1,3 +1,3 @@\n a\n-b\n+c\n\n```\n")),
            [" -+ "]
        );
        assert_eq!(
            signs(&format!("{head}@@ @@\n a\n\n-b\n+c\n\n\n```\n")),
            ["  -+"]
        );
        assert_eq!(
            signs("--- q\n+++ q\n@@ -1 +1 @@\n-b\n+c\n\nThat is all.\n- x\n"),
            ["-+"]
        );
        assert_eq!(
            signs("--- q\n+++ q\n@@ -1 +1 @@\n-b\n+c\n-- \n2.39.1\n"),
            ["-+"]
        );
        assert_eq!(signs("--- q\n+++ q\n-b\n+c\n"), ["-+"]);
    }

    #[test]
    fn what_would_lose_changes_is_refused() {
        for reply in [
            "```diff\n--- a/q\n+++ b/q\n@@ -1,3 +1,3 @@\nfn x() {\n-a\n+b\n```\n",
            "```diff\n@@ -1 +1 @@\n-a\n+b\n```\n",
            "```diff\n-a\n+b\n```\n",
            "@@ -1 +1 @@\n-a\n+b\n",
            "Text\n@@ x @@\n a\n-b\n",
            "+++ b/q\n@@ -1 +1 @@\n-a\n+b\n",
            "+++ b/q\n-a\n+b\n",
            "--- a/q\n+++ b/q\n@@ -1,9 +1,9 @@\n-a\n+b\nx\n-c\n",
            "diff --git a/x b/x\nGIT binary patch\nliteral 3\n",
            "diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n",
            "--- a/q\n+++ b/q\n@@@ -1 -1 +1 @@@\n- a\n",
        ] {
            assert_eq!(
                parse(reply).unwrap_err().kind,
                ErrorKind::Malformed,
                "{reply}"
            );
        }
    }

    #[test]
    fn prose_is_no_diff() {
        for reply in [
            "--- \n",
            "a\n---\n+++ b\n",
            "- one\n+ two\n",
            "@@ -1 +1 @@\n",
            "```\n-a\n```\n",
        ] {
            assert_eq!(parse(reply), Ok(Vec::new()), "{reply}");
        }
    }
}
