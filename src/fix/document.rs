//! What a fix came to, for people and for scripts.

use super::Fixed;
use crate::domain::{
    CheckPair, Contradiction, Reason, Reproduction, Review, SetUpReport, StopReason, Usage,
    Verdict, Weakness,
};
use crate::render::PullRequest;
use serde::Serialize;

/// The document of `--json`.
#[derive(Debug, Clone, Serialize)]
pub struct Document {
    pub verdict: Verdict,
    pub reason: Reason,
    pub stop: StopReason,
    pub summary: String,
    pub checks: Vec<CheckPair>,
    pub contradictions: Vec<Contradiction>,
    /// The test files that the change adds, run by the harness on base and on the change.
    pub reproductions: Vec<Reproduction>,
    /// What makes a green run of this change say less.
    pub weaknesses: Vec<Weakness>,
    pub review: Option<Review>,
    pub diff: String,
    /// The body of the pull request.
    pub body: String,
    pub turns: u32,
    pub usage: Usage,
    pub seconds: f64,
    /// Of `seconds`: check commands, and the model.
    pub checks_seconds: f64,
    pub model_seconds: f64,
    pub warnings: Vec<String>,
    pub setup: Option<SetUpReport>,
    pub error: Option<String>,
}

impl Document {
    pub fn of(fixed: &Fixed, body: &str) -> Self {
        let seconds = |ms: u64| ms as f64 / 1000.0;
        Document {
            verdict: fixed.verdict,
            reason: fixed.reason,
            stop: fixed.stop,
            summary: fixed.summary.clone(),
            checks: fixed.pairs.clone(),
            contradictions: fixed.contradictions.clone(),
            reproductions: fixed.reproductions.clone(),
            weaknesses: fixed.weaknesses.clone(),
            review: fixed.review.clone(),
            diff: fixed.diff.clone(),
            body: body.to_string(),
            turns: fixed.turns,
            usage: fixed.usage,
            seconds: seconds(fixed.elapsed_ms),
            checks_seconds: seconds(fixed.checks_ms),
            model_seconds: seconds(fixed.model_ms),
            warnings: fixed.warnings.clone(),
            setup: fixed.setup.clone(),
            error: fixed.error.clone(),
        }
    }
}

/// What only the caller knows about the pull request.
pub struct About<'a> {
    /// Whether earlier runs stand on the same branch.
    pub follow_up: bool,
    pub issue: Option<u64>,
    /// Whether the issue is left for people to close.
    pub relates_only: bool,
    /// Abbreviated id of the commit that was tested.
    pub commit: Option<&'a str>,
    pub model: &'a str,
    /// Path, lines added, lines removed.
    pub changed: &'a [(String, usize, usize)],
}

impl Fixed {
    /// The text of the pull request, for `render`.
    pub fn pull_request<'a>(&'a self, about: &About<'a>) -> PullRequest<'a> {
        PullRequest {
            follow_up: about.follow_up,
            issue: about.issue,
            relates_only: about.relates_only,
            verdict: self.verdict,
            reason: self.reason,
            stop: self.stop,
            summary: &self.summary,
            doubted: self.doubted.as_deref(),
            contradictions: &self.contradictions,
            reproductions: &self.reproductions,
            weaknesses: &self.weaknesses,
            review: self.review.as_ref(),
            checks: &self.pairs,
            no_base: self.no_base.as_deref(),
            commit: about.commit,
            changed: about.changed,
            turns: self.turns,
            usage: self.usage,
            model: about.model,
            elapsed_ms: self.elapsed_ms,
            checks_ms: self.checks_ms,
            warnings: &self.warnings,
            setup: self.setup.as_ref(),
            error: self.error.as_deref(),
        }
    }
}

/// Files of a unified diff with the lines that each gains and loses.
pub fn line_counts<'a>(
    diff: &str,
    paths: impl Iterator<Item = &'a str>,
) -> Vec<(String, usize, usize)> {
    let mut counts: Vec<(String, usize, usize)> =
        paths.map(|path| (path.to_string(), 0, 0)).collect();
    let mut at: Option<usize> = None;
    let mut in_hunk = false;
    for line in diff.lines() {
        if let Some(rest) = line.strip_prefix("diff --git ") {
            in_hunk = false;
            at = counts
                .iter()
                .position(|(path, _, _)| rest.ends_with(&format!(" b/{path}")));
        } else if line.starts_with("@@ ") {
            in_hunk = true;
        } else if let (true, Some(i)) = (in_hunk, at) {
            match line.as_bytes().first() {
                Some(b'+') => counts[i].1 += 1,
                Some(b'-') => counts[i].2 += 1,
                _ => {}
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_by_file() {
        let diff = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n-x\n+y\n+z\n w\n\
                    diff --git a/b/c.py b/b/c.py\n--- a/b/c.py\n+++ b/b/c.py\n@@ -1 +0,0 @@\n--- gone\n";
        let counts = line_counts(diff, ["a.py", "b/c.py"].into_iter());
        assert_eq!(
            counts,
            [("a.py".to_string(), 2, 1), ("b/c.py".to_string(), 0, 1)]
        );
    }
}
