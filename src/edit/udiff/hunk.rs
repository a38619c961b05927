//! One hunk of a diff.

/// One line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'r> {
    /// ` `, `-` or `+`.
    pub sign: char,
    pub text: &'r str,
    /// An empty line without its blank in front.
    pub bare: bool,
    /// `\ No newline at end of file` follows.
    pub open: bool,
}

/// A hunk as it stands in the reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hunk<'r> {
    /// Line of its header in the reply, from 1.
    pub line: usize,
    /// First line on the old and on the new side, as stated.
    pub stated: Option<(usize, usize)>,
    pub counts: Option<(usize, usize)>,
    pub lines: Vec<Line<'r>>,
    /// Lines so far on the old and on the new side.
    pub seen: (usize, usize),
}

impl<'r> Hunk<'r> {
    pub fn push(&mut self, line: Line<'r>) {
        self.seen.0 += usize::from(line.sign != '+');
        self.seen.1 += usize::from(line.sign != '-');
        self.lines.push(line);
    }

    /// Lines on the old and the new side that the counts say are still to come; `None` without
    /// counts or when there are more already.
    pub fn left(&self) -> Option<(usize, usize)> {
        let (old, new) = self.counts?;
        Some((old.checked_sub(self.seen.0)?, new.checked_sub(self.seen.1)?))
    }

    /// Empty lines at the end are layout unless the counts ask for them.
    pub fn drop_layout(&mut self) {
        while self.lines.last().is_some_and(|l| l.bare) && self.left() != Some((0, 0)) {
            let asked = self.left().is_some();
            self.lines.pop();
            // A bare line stands on both sides.
            self.seen = (self.seen.0 - 1, self.seen.1 - 1);
            if asked {
                // Fewer lines than stated: the counts are wrong and say nothing.
                self.counts = None;
            }
        }
    }
}

type Two = (usize, usize);

/// Starts and counts out of `@@ -1,2 +3,4 @@`; a count left out is one.
pub(super) fn numbers(line: &str) -> (Option<Two>, Option<Two>) {
    let mut words = line.trim_start_matches('@').split_whitespace();
    let mut read = |sign: char| -> Option<Two> {
        let word = words.next()?.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    match (read('-'), read('+')) {
        (Some(old), Some(new)) => (Some((old.0, new.0)), Some((old.1, new.1))),
        _ => (None, None),
    }
}
