//! Indentation of new lines, learnt line by line from the lines that were matched without regard
//! to white space.

use crate::edit::content::align;
use std::collections::{BTreeMap, BTreeSet};

/// Distinct pairs from which steps are learnt; more tell nothing new.
const MOST_PAIRS: usize = 64;

/// The new lines as the file would write them. `file` and `old` are the matched lines, one for
/// one; `whole` is every line of the file. A line that is the same in `old` and `new` is the
/// file's own, byte for byte. `None` when a new line's depth cannot be told in the file's terms.
pub(super) fn reindent<'w>(
    file: &[&str],
    old: &[&str],
    new: &[&str],
    whole: impl Iterator<Item = &'w str>,
) -> Option<Vec<String>> {
    let mut learnt = Learnt::new(file, old);
    learnt.file_unit = Unit::of_file(whole);
    learnt.model_unit = Unit::of_model(old.iter().chain(new).copied());
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
            out.push(learnt.write(line, near)?);
        }
        at = change.old.end;
    }
    out.extend(file[at..].iter().map(|line| line.to_string()));
    Some(out)
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

/// One level of indentation: so many of one character; no number where it is not clear.
#[derive(Clone, Copy)]
struct Unit {
    mark: char,
    count: Option<usize>,
}

impl Unit {
    /// By the character that most indented lines begin with, and the commonest step inwards.
    fn of_file<'w>(whole: impl Iterator<Item = &'w str>) -> Option<Unit> {
        let (mut tabs, mut blanks) = (0usize, 0usize);
        let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
        let mut above = 0;
        for line in whole.filter(|line| !line.trim().is_empty()) {
            let had = indent(line);
            tabs += usize::from(had.starts_with('\t'));
            blanks += usize::from(had.starts_with(' '));
            if had.len() > above {
                *steps.entry(had.len() - above).or_default() += 1;
            }
            above = had.len();
        }
        if tabs > blanks {
            return Some(Unit {
                mark: '\t',
                count: Some(1),
            });
        }
        let best = steps
            .iter()
            .max_by_key(|(len, seen)| (**seen, usize::MAX - **len));
        (blanks > 0).then_some(Unit {
            mark: ' ',
            count: best.map(|(len, _)| *len),
        })
    }

    /// The smallest difference between two depths, if all are multiples of it.
    fn of_model<'w>(lines: impl Iterator<Item = &'w str>) -> Option<Unit> {
        let depths: BTreeSet<&str> = lines
            .filter(|line| !line.trim().is_empty())
            .map(indent)
            .collect();
        let mut marks = depths.iter().flat_map(|had| had.chars());
        let mark = marks.next()?;
        if marks.any(|c| c != mark) {
            return None;
        }
        let lengths: Vec<usize> = depths.iter().map(|had| had.len()).collect();
        let differences = || lengths.windows(2).map(|two| two[1] - two[0]);
        let count = differences()
            .min()
            .filter(|least| differences().all(|d| d % least == 0));
        Some(Unit { mark, count })
    }
}

struct Learnt<'t> {
    pairs: Vec<Pair<'t>>,
    steps: Vec<Step>,
    file_unit: Option<Unit>,
    model_unit: Option<Unit>,
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
        Learnt {
            pairs,
            steps,
            file_unit: None,
            model_unit: None,
        }
    }

    /// A new line that stands where line `near` of the matched lines stood.
    fn write(&self, line: &str, near: usize) -> Option<String> {
        let had = indent(line);
        let text = &line[had.len()..];
        if text.is_empty() {
            return Some(String::new());
        }
        Some(format!("{}{text}", self.indentation(had, near)?))
    }

    fn indentation(&self, had: &str, near: usize) -> Option<String> {
        if let Some(same) = self.nearest(near, |old| old == had) {
            return Some(same.file.to_string());
        }
        let longest = self.pairs.iter().filter(|p| had.starts_with(p.old));
        if let Some(length) = longest.map(|p| p.old.len()).max()
            && let Some(base) =
                self.nearest(near, |old| old.len() == length && had.starts_with(old))
        {
            return Some(format!("{}{}", base.file, self.translate(&had[length..])?));
        }
        let deeper = self.pairs.iter().filter(|p| p.old.starts_with(had));
        if let Some(length) = deeper.map(|p| p.old.len()).min()
            && let Some(base) =
                self.nearest(near, |old| old.len() == length && old.starts_with(had))
        {
            let less = self.translate(&base.old[had.len()..])?;
            let kept = base.file.strip_suffix(less.as_str());
            return Some(kept.unwrap_or_default().to_string());
        }
        self.by_units(had)
    }

    fn nearest(&self, near: usize, fits: impl Fn(&str) -> bool) -> Option<&Pair<'t>> {
        self.pairs
            .iter()
            .filter(|p| fits(p.old))
            .min_by_key(|p| (p.at.abs_diff(near), p.at))
    }

    /// Indentation beyond a known one, in the file's terms.
    fn translate(&self, rest: &str) -> Option<String> {
        let Some(unit) = uniform(rest).filter(char::is_ascii) else {
            return Some(rest.to_string());
        };
        for step in &self.steps {
            if uniform(&step.old) != Some(unit) {
                continue;
            }
            let (n, of) = (rest.len(), step.old.len());
            if n % of == 0 {
                return Some(step.file.repeat(n / of));
            }
            if let Some(c) = uniform(&step.file).filter(char::is_ascii)
                && (step.file.len() * n).is_multiple_of(of)
            {
                return Some(c.to_string().repeat(step.file.len() * n / of));
            }
            if unit == ' ' && uniform(&step.file) == Some('\t') && n > of {
                return Some(step.file.repeat(n / of) + &" ".repeat(n % of));
            }
        }
        self.by_units(rest)
    }

    /// Where no step is learnt: as it is in a file that indents with the same character, else
    /// level by level, which needs both sides' unit.
    fn by_units(&self, rest: &str) -> Option<String> {
        let (Some(mark), Some(file)) = (uniform(rest), self.file_unit) else {
            return Some(rest.to_string());
        };
        if mark == file.mark {
            return Some(rest.to_string());
        }
        let model = self.model_unit.filter(|unit| unit.mark == mark)?.count?;
        if !rest.len().is_multiple_of(model) {
            return None;
        }
        let levels = rest.len() / model;
        Some(file.mark.to_string().repeat(file.count? * levels))
    }
}

/// Steps between known indentations; those that turn blanks into tabs or back come first, and of
/// these the smallest. One indentation alone tells no step: both sides may begin at other depths.
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
        reindent(&f, &o, &n, f.iter().copied()).unwrap().join("\n")
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
    fn a_step_is_learnt_from_differences_only() {
        assert_eq!(
            done(
                "\tdef f(self):\n\t\tgo()",
                "def f(self):\n    go()",
                "def f(self):\n    if x:\n        go()"
            ),
            "\tdef f(self):\n\t\tif x:\n\t\t\tgo()"
        );
        assert_eq!(
            done(
                "        a\n            b",
                "\ta\n\t\tb",
                "\ta\n\t\tc\n\t\t\tb"
            ),
            "        a\n            c\n                b"
        );
        assert_eq!(done("\t\ta", "a", "if x:\n   a"), "\t\tif x:\n\t\t\ta");
        let unclear = ["if x:", "   a", "     b"];
        assert_eq!(
            reindent(&["\ta"], &["a"], &unclear, ["\ta"].into_iter()),
            None
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
