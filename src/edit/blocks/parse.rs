//! SEARCH/REPLACE blocks in a reply. Markers stand at column 0; opening, divider and closing have
//! the same length, seven or more.

use crate::edit::MOST_EDITS;
use crate::edit::content::lines;
use crate::edit::error::{EditError, ErrorKind};

/// Shortest marker.
const LEAST: usize = 7;
/// A run of this many that goes on like a marker is a slip, not prose.
const ALMOST: usize = 4;

/// One block as it stands in the reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block<'r> {
    /// Line of the opening marker in the reply, from 1.
    pub line: usize,
    /// The nearest line above that is neither blank nor a fence, unless another block ends first.
    pub above: Option<Above<'r>>,
    /// What the nearest fence above says behind its ticks.
    pub info: Option<&'r str>,
    /// All between opening and closing.
    pub lines: Vec<&'r str>,
    /// Which of these lines are dividers; at least one.
    pub dividers: Vec<usize>,
}

/// A line above a block or a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::edit) struct Above<'r> {
    /// In the reply, from 1.
    pub line: usize,
    pub text: &'r str,
}

/// The reply's lines; the CR before an LF is transport.
pub(in crate::edit) fn reply_lines(reply: &str) -> Vec<&str> {
    lines(reply.strip_prefix('\u{FEFF}').unwrap_or(reply))
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .collect()
}

/// All blocks of a reply, in order.
///
/// # Errors
/// `malformed` with the reply's line for a block that is not closed, holds another or has no
/// divider, and for a marker without its block; `limit` for too many.
pub(super) fn parse(reply: &str) -> Result<Vec<Block<'_>>, EditError> {
    let all = reply_lines(reply);
    let mut blocks = Vec::new();
    let mut free = 0; // first line after the last block
    let mut at = 0;
    while at < all.len() {
        let Some(length) = opening(all[at]) else {
            stray(all[at], at)?;
            at += 1;
            continue;
        };
        let end = closing_of(&all, at, length)?;
        let inner = &all[at + 1..end];
        let dividers: Vec<usize> = (0..inner.len())
            .filter(|n| is_divider(inner[*n], length))
            .collect();
        if dividers.is_empty() {
            return Err(EditError::malformed(format!(
                "the block at line {} of the reply has no line `{}` between its SEARCH and its REPLACE part",
                at + 1,
                "=".repeat(length)
            ))
            .in_edit(blocks.len() + 1));
        }
        let (above, info) = above(&all, free, at);
        blocks.push(Block {
            line: at + 1,
            above,
            info,
            lines: inner.to_vec(),
            dividers,
        });
        if blocks.len() > MOST_EDITS {
            return Err(EditError::new(
                ErrorKind::Limit,
                format!("the reply holds more than {MOST_EDITS} blocks"),
            ));
        }
        at = end + 1;
        free = at;
    }
    Ok(blocks)
}

/// The lines of a reply outside of its blocks; after a block that is not closed there are none.
pub fn plain_lines(reply: &str) -> Vec<&str> {
    parted(reply).0
}

/// The lines of a reply that are its blocks, markers included: two replies with the same edits have
/// the same, whatever else they say.
pub fn edit_lines(reply: &str) -> String {
    parted(reply).1.join("\n")
}

fn parted(reply: &str) -> (Vec<&str>, Vec<&str>) {
    let all = reply_lines(reply);
    let (mut plain, mut blocks) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < all.len() {
        let end = match opening(all[at]) {
            Some(length) => closing_of(&all, at, length).unwrap_or(all.len() - 1),
            None => {
                plain.push(all[at]);
                at += 1;
                continue;
            }
        };
        blocks.extend_from_slice(&all[at..=end]);
        at = end + 1;
    }
    (plain, blocks)
}

/// The closing marker of the block that opens at line `at`.
fn closing_of(all: &[&str], at: usize, length: usize) -> Result<usize, EditError> {
    for (n, line) in all.iter().enumerate().skip(at + 1) {
        if opening(line) == Some(length) {
            return Err(EditError::malformed(format!(
                "the block at line {} of the reply is not closed by `{} REPLACE` before the next one \
                 opens at line {}; if the file's text itself holds such markers, use longer ones \
                 for opening, divider and closing",
                at + 1,
                ">".repeat(length),
                n + 1
            )));
        }
        if is_closing(line, length) {
            return Ok(n);
        }
    }
    Err(EditError::malformed(format!(
        "the block at line {} of the reply is not closed by `{} REPLACE`; was the reply cut off?",
        at + 1,
        ">".repeat(length)
    )))
}

/// A line outside every block that looks as if it belonged to one.
fn stray(line: &str, at: usize) -> Result<(), EditError> {
    let (opens, rest) = run(line, '<');
    let slip = opens >= ALMOST
        && rest
            .trim_start()
            .get(..6)
            .is_some_and(|w| w.eq_ignore_ascii_case("SEARCH"));
    if slip {
        return Err(EditError::malformed(format!(
            "line {} of the reply is almost an opening marker; it must be `<<<<<<< SEARCH` alone, \
             with the path on the line above",
            at + 1
        )));
    }
    let (closes, rest) = run(line, '>');
    if closes >= LEAST && rest.trim() == "REPLACE" {
        return Err(EditError::malformed(format!(
            "the closing marker at line {} of the reply has no opening one; if the file's text \
             itself holds such markers, use longer ones for opening, divider and closing",
            at + 1
        )));
    }
    Ok(())
}

/// The length of an opening marker; a stray `>` at its end leaves no doubt.
fn opening(line: &str) -> Option<usize> {
    let (length, rest) = run(line, '<');
    let word = rest.trim().trim_end_matches('>');
    (length >= LEAST && word == "SEARCH").then_some(length)
}

fn is_divider(line: &str, length: usize) -> bool {
    let (n, rest) = run(line, '=');
    n == length && rest.trim().is_empty()
}

fn is_closing(line: &str, length: usize) -> bool {
    let (n, rest) = run(line, '>');
    n == length && rest.trim() == "REPLACE"
}

fn run(line: &str, mark: char) -> (usize, &str) {
    let rest = line.trim_start_matches(mark);
    (line.len() - rest.len(), rest)
}

/// The nearest line above line `at`, back to line `free`, and the fence that was passed over.
pub(in crate::edit) fn above<'r>(
    all: &[&'r str],
    free: usize,
    at: usize,
) -> (Option<Above<'r>>, Option<&'r str>) {
    let mut info = None;
    for n in (free..at).rev() {
        let text = all[n].trim();
        if let Some(word) = fence(text) {
            info = info.or(Some(word));
        } else if !text.is_empty() {
            return (Some(Above { line: n + 1, text }), info);
        }
    }
    (None, info)
}

/// What stands behind the ticks of a fence.
pub(in crate::edit) fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ['`', '~'].into_iter().find_map(|mark| {
        let (n, rest) = run(line, mark);
        (n >= 3 && !rest.contains('`')).then(|| rest.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(reply: &str) -> String {
        let error = parse(reply).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed);
        error.message
    }

    #[test]
    fn markers_of_one_length_belong_together() {
        let reply = "x\n<<<<<<<<< SEARCH\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n=========\n>>>>>>>>> REPLACE\n";
        let blocks = parse(reply).unwrap();
        assert_eq!((blocks.len(), blocks[0].lines.len()), (1, 4));
        assert_eq!(blocks[0].dividers, [3]);
    }

    #[test]
    fn broken_blocks_are_named_by_line() {
        assert!(wrong("a\n<<<<<<< SEARCH\nx\n=======\n").contains("line 2"));
        assert!(
            wrong("<<<<<<< SEARCH\nx\n=======\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE")
                .contains("line 4")
        );
        assert!(wrong("<<<<<<< SEARCH\nx\n>>>>>>> REPLACE").contains("======="));
        assert!(
            wrong("<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n>>>>>>> REPLACE").contains("line 4")
        );
        assert!(wrong("<<<<<< SEARCH\nx").contains("almost"));
        assert!(wrong("<<<<<<< SEARCH a.py\nx").contains("almost"));
        assert!(wrong("<<<<<<< SEARCH\n====\n>>>>>>> REPLACE").contains("no line `=======`"));
    }

    #[test]
    fn the_line_above_skips_fences_and_blank_lines() {
        let reply = "a.py\n\n```python\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n```\n\n```\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n";
        let blocks = parse(reply).unwrap();
        assert_eq!(
            blocks[0].above,
            Some(Above {
                line: 1,
                text: "a.py"
            })
        );
        assert_eq!(blocks[0].info, Some("python"));
        assert_eq!(blocks[1].above, None);
    }

    #[test]
    fn prose_and_indented_examples_are_no_blocks() {
        for reply in [
            "",
            "    <<<<<<< SEARCH\n    =======\n",
            "a <<<<<<< SEARCH",
            "=======\n",
            "<<<<<<< HEAD\n",
        ] {
            assert_eq!(parse(reply), Ok(Vec::new()), "{reply:?}");
        }
    }
}
