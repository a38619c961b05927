//! A change that stands in a comment, without a branch and a pull request.

use crate::text::bound;

/// GitHub refuses comments over 65,536 characters.
const TEXT_BYTES: usize = 20_000;
const DIFF_BYTES: usize = 36_000;

/// What a pull request would say, and the diff as `git apply` takes it.
pub fn proposal(text: &str, diff: &str) -> String {
    let text = bound(text.trim(), TEXT_BYTES);
    let diff = diff.trim_end();
    if diff.len() > DIFF_BYTES {
        return format!(
            "{text}\n\nThe diff is too long for a comment ({} KB). Have the operator let pull requests be made here, or ask for a \
             smaller step with `/mend retry`.",
            diff.len().div_ceil(1000)
        );
    }
    let fence = fence(diff);
    format!(
        "{text}\n\n<details><summary>The diff</summary>\n\n{fence}diff\n{diff}\n{fence}\n\n</details>\n\n\
         No branch was made. Save the diff and apply it with `git apply`; comment `/mend retry` with what should be different."
    )
}

/// Longer than every run of backticks inside.
fn fence(text: &str) -> String {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_cannot_leave_its_fence() {
        let text = proposal("It works.", "+````\n+</details>\n");
        assert!(
            text.contains("`````diff\n+````\n+</details>\n`````\n"),
            "{text}"
        );
    }

    #[test]
    fn a_long_diff_is_counted_instead() {
        let text = proposal("It works.", &"+x\n".repeat(20_000));
        assert!(text.contains("(60 KB)") && text.len() < 1000, "{text}");
    }
}
