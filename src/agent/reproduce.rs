//! A test that the model added: run by the harness where the check was green before (rule W8).

use super::run::Loop;
use crate::check::{Runs, overall};
use crate::domain::{CheckRun, Outcome};
use crate::workspace::Change;

impl Loop<'_, '_> {
    /// Whether the harness saw an added test red on the untouched code and green now, where the
    /// check alone cannot tell. What proves nothing is told to the model.
    pub(super) async fn reproduced(
        &self,
        runs: &[CheckRun],
        changes: &[Change],
        notes: &mut Vec<String>,
    ) -> bool {
        let base = self.work.base.runs();
        // A run on top of an earlier change has a task of its own, which that test may not show.
        let undecided = self.work.head.is_none()
            && base.map(overall) == Some(Outcome::Passed)
            && overall(runs) == Outcome::Passed;
        if !undecided {
            return false;
        }
        let runs = Runs {
            changes,
            base,
            after: runs,
        };
        let (cancel, journal) = (self.budget.cancel(), self.work.journal);
        let proofs = match self.work.prover.prove(runs, cancel, journal).await {
            Ok(proofs) => proofs,
            Err(error) => {
                tracing::warn!(%error, "the added tests could not be run");
                return false;
            }
        };
        for proof in &proofs {
            if let Some(because) = &proof.because {
                notes.push(format!(
                    "`{}` does not reproduce the report: {because}. Only a test that fails on the untouched code and passes with your change shows that the report is fixed.",
                    proof.file
                ));
            }
        }
        proofs.iter().any(|proof| proof.red_to_green)
    }
}
