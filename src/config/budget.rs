//! `[budget]`: what all tasks of a repository, or of an installation, may use of models in a day.

use super::reader::Reader;
use crate::domain::Allowance;

/// `[budget]`; over all workers that share the database.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BudgetSettings {
    pub repo_day: Allowance,
    pub installation_day: Allowance,
}

pub(super) fn budget(r: &mut Reader<'_>) -> BudgetSettings {
    let mut allowance = |name: &str| Allowance {
        turns: r.number(&format!("budget.{name}.turns"), 1, u64::MAX),
        tokens: r.number(&format!("budget.{name}.tokens"), 1, u64::MAX),
        microdollars: r
            .amount(&format!("budget.{name}.dollars"))
            .map(|dollars| (dollars * 1e6) as u64),
    };
    BudgetSettings {
        repo_day: allowance("repo_day"),
        installation_day: allowance("installation_day"),
    }
}
