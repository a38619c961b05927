//! The check run on the head commit: what mend's own checks said of it, where branch protection
//! and people look.

use super::{Bench, TaskError};
use crate::domain::{Contradiction, Outcome, Reason, TaskId, Verdict};
use crate::github::{
    Annotation, AnnotationLevel, CheckOutput, Conclusion, GithubError, MOST_ANNOTATIONS,
    NewCheckRun, Session,
};
use crate::render::{self, PullRequest};
use serde::{Deserialize, Serialize};

/// The name under which GitHub lists it and rules of branches require it.
pub(super) const NAME: &str = "mend";

/// What the check run will show; saved with the change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Shown {
    conclusion: Conclusion,
    output: CheckOutput,
}

impl Shown {
    /// Names a commit by another id.
    pub(super) fn rename(&mut self, old: &str, new: &str) {
        self.output.summary = self.output.summary.replace(old, new);
    }

    pub(super) fn of(pr: &PullRequest<'_>) -> Shown {
        let outcome = render::deciding(pr.checks).map(|run| run.classification.outcome);
        Shown {
            conclusion: conclusion(pr.verdict, pr.reason, outcome),
            output: CheckOutput {
                title: render::check_run_title(pr),
                summary: render::check_run_summary(pr),
                text: None,
                annotations: annotations(pr.contradictions),
            },
        }
    }
}

/// GitHub counts `neutral` as passed where a rule requires the check, so nothing that was not
/// tested is neutral: it needs somebody's action.
fn conclusion(verdict: Verdict, reason: Reason, outcome: Option<Outcome>) -> Conclusion {
    match (outcome, verdict) {
        (Some(Outcome::Passed), Verdict::Ready) => Conclusion::Success,
        // Green, but a person has to look first: deaf checks, lost tests, doubts.
        (Some(Outcome::Passed), _) => Conclusion::ActionRequired,
        (Some(Outcome::Failed), _) if reason == Reason::FixedOthersFailBefore => {
            Conclusion::Neutral
        }
        (Some(Outcome::Failed), _) => Conclusion::Failure,
        (Some(Outcome::TimedOut), _) => Conclusion::TimedOut,
        (Some(Outcome::DidntStart) | None, _) => Conclusion::ActionRequired,
    }
}

/// A remark at each contradicting test whose file is known, as many as GitHub takes at once; the
/// pull request names all.
fn annotations(named: &[Contradiction]) -> Vec<Annotation> {
    let placed = named.iter().filter_map(|c| Some((c, c.file.clone()?)));
    placed
        .take(MOST_ANNOTATIONS)
        .map(|(c, path)| {
            let line = c.line.unwrap_or(1).max(1);
            Annotation {
                path,
                start_line: line,
                end_line: line,
                annotation_level: AnnotationLevel::Warning,
                message: render::contradiction_remark(c),
                title: Some(format!("{} contradicts the report", title_of(&c.test))),
            }
        })
        .collect()
}

/// GitHub takes titles of 255 characters.
fn title_of(test: &str) -> String {
    crate::text::clip_words(&crate::text::one_line(&crate::text::visible(test)), 200)
}

/// A check run of one task on one commit.
pub(super) struct HeadCheck<'a> {
    pub(super) bench: &'a Bench,
    pub(super) session: &'a Session,
    pub(super) task: TaskId,
    pub(super) head: &'a str,
}

impl HeadCheck<'_> {
    fn run<'r>(&'r self, id: &'r str) -> NewCheckRun<'r> {
        NewCheckRun {
            name: NAME,
            head_sha: self.head,
            external_id: Some(id),
            details_url: None,
            conclusion: None,
            output: None,
        }
    }

    /// Finds the run that an earlier attempt made, else makes it; `None` where it has ended
    /// already, or where GitHub lets mend write none.
    pub(super) async fn begin(&self) -> Result<Option<u64>, TaskError> {
        let id = self.task.to_string();
        let found = self.session.find_check_run(self.head, NAME, &id).await;
        let made = match found {
            Ok(Some(run)) if run.status == "completed" => return Ok(None),
            Ok(Some(run)) => Ok(run),
            Ok(None) => self.session.create_check_run(&self.run(&id)).await,
            Err(e) => Err(e),
        };
        Ok(self.worth(made)?.map(|run| run.id))
    }

    /// Writes what the checks said; `details_url` is where its link leads.
    pub(super) async fn end(
        &self,
        run: u64,
        shown: &Shown,
        details_url: Option<&str>,
    ) -> Result<(), TaskError> {
        let id = self.task.to_string();
        let redact = |text: &str| self.bench.redactor.redact(text);
        let mut output = shown.output.clone();
        (output.title, output.summary) = (redact(&output.title), redact(&output.summary));
        for annotation in &mut output.annotations {
            annotation.message = redact(&annotation.message);
        }
        let new = NewCheckRun {
            details_url,
            conclusion: Some(shown.conclusion),
            output: Some(&output),
            ..self.run(&id)
        };
        self.worth(self.session.update_check_run(run, &new).await)
            .map(drop)
    }

    /// What passes by itself is tried again; what does not is no reason to hold the pull request
    /// back, whose body says the same.
    fn worth<T>(&self, done: Result<T, GithubError>) -> Result<Option<T>, TaskError> {
        match done {
            Ok(value) => Ok(Some(value)),
            Err(e) if e.is_transient() => Err(e.into()),
            Err(error) => {
                tracing::warn!(task = %self.task, %error, "no check run on the head commit; grant the App `checks: write`");
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_tested_never_counts_as_passed() {
        use Conclusion::{ActionRequired, Failure, Neutral, Success, TimedOut};
        for (verdict, reason, outcome, wanted) in [
            (
                Verdict::Ready,
                Reason::Fixed,
                Some(Outcome::Passed),
                Success,
            ),
            (
                Verdict::Draft,
                Reason::CheckIsDeaf,
                Some(Outcome::Passed),
                ActionRequired,
            ),
            (
                Verdict::Draft,
                Reason::NotReproduced,
                Some(Outcome::Passed),
                ActionRequired,
            ),
            (
                Verdict::Ready,
                Reason::FixedOthersFailBefore,
                Some(Outcome::Failed),
                Neutral,
            ),
            (
                Verdict::Draft,
                Reason::Contradiction,
                Some(Outcome::Failed),
                Failure,
            ),
            (
                Verdict::Draft,
                Reason::CheckDidntStart,
                Some(Outcome::DidntStart),
                ActionRequired,
            ),
            (
                Verdict::Draft,
                Reason::CheckTimedOut,
                Some(Outcome::TimedOut),
                TimedOut,
            ),
            (Verdict::Draft, Reason::NotChecked, None, ActionRequired),
        ] {
            assert_eq!(conclusion(verdict, reason, outcome), wanted, "{reason:?}");
        }
    }
}
