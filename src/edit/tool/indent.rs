//! Indentation of new lines, learnt line by line from the lines that were matched without regard
//! to white space.

use crate::edit::content::align;
use std::collections::BTreeSet;

/// Distinct pairs from which steps are learnt; more tell nothing new.
const MOST_PAIRS: usize = 64;

/// The new lines as the file would write them. `file` and `old` are the matched lines, one for
/// one. A line that is the same in `old` and `new` is the file's own, byte for byte.
pub(super) fn reindent(file: &[&str], old: &[&str], new: &[&str]) -> Vec<String> {
    let learnt = Learnt::new(file, old);
    let mut out = Vec::with_capacity(new.len());
    let mut at = 0;
    for change in align(old, new) {
        out.extend(
            file[at..change.old.start]
                .iter()
                .map(|line| line.to_string()),
        );
        for (k, line) in new[change.new.clone()].iter().enumerate() {
            let near = change.old.start + k.min(change.old.len());
            out.push(learnt.write(line, near));
        }
        at = change.old.end;
    }
    out.extend(file[at..].iter().map(|line| line.to_string()));
    out
}

/// One matched line: its indentation in `old` and in the file.
struct Pair<'t> {
    at: usize,
    old: &'t str,
    file: &'t str,
}

/// What one more level is in `old` and in the file.
struct Step {
    old: String,
    file: String,
}

struct Learnt<'t> {
    pairs: Vec<Pair<'t>>,
    steps: Vec<Step>,
}

impl<'t> Learnt<'t> {
    fn new(file: &[&'t str], old: &[&'t str]) -> Self {
        let pairs: Vec<Pair<'t>> = old
            .iter()
            .zip(file)
            .enumerate()
            .filter(|(_, (old, _))| !old.trim().is_empty())
            .map(|(at, (old, file))| Pair {
                at,
                old: indent(old),
                file: indent(file),
            })
            .collect();
        let steps = steps(&pairs);
        Learnt { pairs, steps }
    }

    /// A new line that stands where line `near` of the matched lines stood.
    fn write(&self, line: &str, near: usize) -> String {
        let had = indent(line);
        let text = &line[had.len()..];
        if text.is_empty() {
            return String::new();
        }
        format!("{}{text}", self.indentation(had, near))
    }

    fn indentation(&self, had: &str, near: usize) -> String {
        if let Some(same) = self.nearest(near, |old| old == had) {
            return same.file.to_string();
        }
        let longest = self.pairs.iter().filter(|p| had.starts_with(p.old));
        if let Some(length) = longest.map(|p| p.old.len()).max()
            && let Some(base) =
                self.nearest(near, |old| old.len() == length && had.starts_with(old))
        {
            return format!("{}{}", base.file, self.translate(&had[length..]));
        }
        let deeper = self.pairs.iter().filter(|p| p.old.starts_with(had));
        if let Some(length) = deeper.map(|p| p.old.len()).min()
            && let Some(base) =
                self.nearest(near, |old| old.len() == length && old.starts_with(had))
        {
            let less = self.translate(&base.old[had.len()..]);
            let kept = base.file.strip_suffix(less.as_str());
            return kept.unwrap_or_default().to_string();
        }
        had.to_string()
    }

    fn nearest(&self, near: usize, fits: impl Fn(&str) -> bool) -> Option<&Pair<'t>> {
        self.pairs
            .iter()
            .filter(|p| fits(p.old))
            .min_by_key(|p| (p.at.abs_diff(near), p.at))
    }

    /// Indentation beyond a known one, in the file's terms.
    fn translate(&self, rest: &str) -> String {
        let Some(unit) = uniform(rest).filter(char::is_ascii) else {
            return rest.to_string();
        };
        for step in &self.steps {
            if uniform(&step.old) != Some(unit) {
                continue;
            }
            let (n, of) = (rest.len(), step.old.len());
            if n % of == 0 {
                return step.file.repeat(n / of);
            }
            if let Some(c) = uniform(&step.file).filter(char::is_ascii)
                && (step.file.len() * n).is_multiple_of(of)
            {
                return c.to_string().repeat(step.file.len() * n / of);
            }
            if unit == ' ' && uniform(&step.file) == Some('\t') && n > of {
                return step.file.repeat(n / of) + &" ".repeat(n % of);
            }
        }
        rest.to_string()
    }
}

/// Steps between known indentations; those that turn blanks into tabs or back come first, and of
/// these the smallest.
fn steps(pairs: &[Pair<'_>]) -> Vec<Step> {
    let distinct: BTreeSet<(&str, &str)> = pairs.iter().map(|p| (p.old, p.file)).collect();
    let distinct: Vec<(&str, &str)> = distinct.into_iter().take(MOST_PAIRS).collect();
    let mut steps = Vec::new();
    let mut add = |old: &str, file: &str| {
        if !old.is_empty() && !file.is_empty() {
            steps.push(Step {
                old: old.to_string(),
                file: file.to_string(),
            });
        }
    };
    for (old, file) in &distinct {
        if crosses(old, file) {
            add(old, file);
        }
        for (less_old, less_file) in &distinct {
            if let (Some(old), Some(file)) =
                (old.strip_prefix(less_old), file.strip_prefix(less_file))
            {
                add(old, file);
            }
        }
    }
    steps.sort_by_key(|step| (!crosses(&step.old, &step.file), step.old.len()));
    steps
}

fn crosses(old: &str, file: &str) -> bool {
    matches!(
        (uniform(old), uniform(file)),
        (Some(' '), Some('\t')) | (Some('\t'), Some(' '))
    )
}

/// The one character of which a text consists.
fn uniform(text: &str) -> Option<char> {
    let first = text.chars().next()?;
    text.chars().all(|c| c == first).then_some(first)
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(file: &str, old: &str, new: &str) -> String {
        let (f, o, n): (Vec<&str>, Vec<&str>, Vec<&str>) = (
            file.split('\n').collect(),
            old.split('\n').collect(),
            new.split('\n').collect(),
        );
        reindent(&f, &o, &n).join("\n")
    }

    #[test]
    fn a_shift_is_learnt() {
        assert_eq!(
            done(
                "        a\n            b",
                "         a\n             b",
                "         x\n             y\n                 z"
            ),
            "        x\n            y\n                z"
        );
    }

    #[test]
    fn tabs_stay_tabs() {
        assert_eq!(
            done(
                "\tif ok {\n\t\tfire()",
                "    if ok {\n        fire()",
                "    if no {\n        for {\n            go()\n              + 1"
            ),
            "\tif no {\n\t\tfor {\n\t\t\tgo()\n\t\t\t  + 1"
        );
        assert_eq!(
            done("\t\ta", "        a", "    b\n        c\n            d"),
            "\tb\n\t\tc\n\t\t\td"
        );
    }

    #[test]
    fn a_narrower_step_is_learnt() {
        assert_eq!(
            done(
                "a:\n  b:\n    c",
                "a:\n    b:\n        c",
                "a:\n    b:\n        d:\n            e"
            ),
            "a:\n  b:\n    d:\n      e"
        );
    }

    #[test]
    fn a_line_further_out_than_all_known() {
        assert_eq!(
            done(
                "    x\n    y",
                "        x\n        y",
                "    if a:\n        x\n        z"
            ),
            "if a:\n    x\n    z"
        );
    }

    #[test]
    fn the_line_that_is_replaced_decides() {
        assert_eq!(
            done(
                "\tcall(one,\n\t     two)",
                "    call(one,\n         two)",
                "    call(one,\n         three)"
            ),
            "\tcall(one,\n\t     three)"
        );
        assert_eq!(done("  a\n\n    b  ", "a\n\nb", "a\n  \nc"), "  a\n\n    c");
    }
}
