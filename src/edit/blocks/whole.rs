//! A reply that prints files instead of editing them (rule E12): refused with the reason, because
//! in the seed's experiment whole-file replies put changes in the wrong place.

use super::name::Names;
use super::parse::{above, fence, reply_lines};
use crate::edit::content::{Text, lines, whole_lines};
use crate::edit::error::EditError;
use crate::edit::path::{clean_path, show};
use crate::edit::pending::Pending;
use std::collections::HashSet;

/// Looks at every fenced text under a line that names a file.
pub(super) fn refuse_whole_files(pending: &mut Pending<'_>, reply: &str) -> Result<(), EditError> {
    let all = reply_lines(reply);
    let mut at = 0;
    let mut free = 0;
    while at < all.len() {
        let Some(info) = fence(all[at]) else {
            at += 1;
            continue;
        };
        let ticks = ticks(all[at]);
        let end = (at + 1..all.len())
            .find(|n| fence(all[*n]) == Some("") && ticks_fit(&ticks, all[*n]))
            .unwrap_or(all.len());
        let content = &all[at + 1..end];
        let (line, _) = above(&all, free, at);
        let mut names = Names::new(pending);
        let alone = line
            .and_then(|line| names.named(line, false, None).ok().flatten())
            // A file that is not there is meant only when nothing else stands on the line.
            .filter(|path| names.exists(path) || line.is_some_and(|l| is_one_word(l.text)));
        let passing = line.and_then(|line| names.mentioned(line.text).pop());
        let in_info = names.mentioned(info).pop();
        let certain = in_info.is_some() || line.is_some_and(|l| is_one_word(l.text));
        if let Some(path) = alone.or(in_info).or(passing) {
            check(pending, &path, content, at + 1, certain)?;
        }
        at = end + 1;
        free = at.min(all.len());
    }
    Ok(())
}

fn check(
    pending: &mut Pending<'_>,
    path: &str,
    content: &[&str],
    line: usize,
    certain: bool,
) -> Result<(), EditError> {
    let printed = format!("line {line} of the reply prints {}", show(path));
    if !pending.names_file(path) {
        if clean_path(path).is_ok() && !content.is_empty() {
            return Err(EditError::malformed(format!(
                "{printed}, which is not applied: to create a file, send a block with an empty \
                 SEARCH part and the text as its REPLACE part"
            ))
            .at(path));
        }
        return Ok(());
    }
    let target = pending.open(path)?;
    let Some(text) = pending.text(&target) else {
        return Ok(());
    };
    if is_quote(text, content) || !resembles(text, content, certain) {
        return Ok(());
    }
    Err(EditError::malformed(format!(
        "{printed} instead of editing it; a whole file in a reply is not applied, because lines that \
         it leaves out or moves would change unnoticed: send blocks `<<<<<<< SEARCH`, `=======`, \
         `>>>>>>> REPLACE` with only the lines that change"
    ))
    .at(path))
}

/// Lines that stand in the file just so.
fn is_quote(text: &Text, content: &[&str]) -> bool {
    content.is_empty() || !whole_lines(text, content).0.is_empty()
}

/// Whether the text may be the file: a third of its lines are in it. Under a line that is nothing
/// but the file's name that counts for long files only.
fn resembles(text: &Text, content: &[&str], certain: bool) -> bool {
    const SHORT: usize = 10;
    let file: Vec<&str> = lines(text.body())
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let printed: HashSet<&str> = content.iter().map(|line| line.trim()).collect();
    let shared = file.iter().filter(|line| printed.contains(*line)).count();
    certain && file.len() <= SHORT || shared > 0 && shared * 3 >= file.len()
}

fn is_one_word(line: &str) -> bool {
    line.split_whitespace().count() == 1
}

fn ticks(line: &str) -> String {
    let line = line.trim_start();
    let mark = line.chars().next().unwrap_or('`');
    line.chars().take_while(|c| *c == mark).collect()
}

fn ticks_fit(open: &str, line: &str) -> bool {
    let close = ticks(line);
    close.starts_with(open)
}
