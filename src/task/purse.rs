//! The budgets of a day: what a task used goes into the store after each turn, and where a budget
//! that many tasks share is spent, no further turn begins.

use super::attempt::Attempt;
use super::ending;
use super::outgoing::Outgoing;
use super::status::Board;
use super::{Bench, TaskError};
use crate::domain::{Limits, RepoRef, Spent, StopReason, Usage, Verdict};
use crate::render;
use crate::store::{Held, Payer, StoreError};
use serde::Deserialize;
use std::sync::Mutex;

/// From here on people are warned, in percent.
pub(super) const WARN: u64 = 80;

/// How much of what a task itself may use is used, in percent.
pub(super) fn used_of_own(limits: &Limits, turns: u32, used: &Usage) -> u64 {
    let percent = |used: f64, most: f64| match most > 0.0 {
        true => (used * 100.0 / most) as u64,
        false => 0,
    };
    let dollars = used.dollars.zip(limits.dollars);
    percent(turns.into(), limits.turns.into())
        .max(percent(
            used.input_tokens as f64,
            limits.input_tokens as f64,
        ))
        .max(dollars.map_or(0, |(used, most)| percent(used, most)))
}

/// What a kept state says was used.
pub(super) fn spent(state: &str) -> Spent {
    #[derive(Deserialize)]
    struct Kept {
        state: Counted,
    }
    #[derive(Deserialize)]
    struct Counted {
        turns: u32,
        usage: Usage,
    }
    serde_json::from_str::<Kept>(state).map_or_else(
        |_| Spent::default(),
        |kept| Spent::of(kept.state.turns, &kept.state.usage),
    )
}

/// How far the budgets that a task is paid from are used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Standing {
    percent: u64,
    whose: &'static str,
}

/// One task's way to the budgets.
pub(super) struct Purse<'a> {
    pub(super) bench: &'a Bench,
    pub(super) held: Held,
    repo: &'a RepoRef,
    board: &'a Board,
    /// What the conversation had used before this task: the question's, which was paid then.
    before: Spent,
    standing: Mutex<Standing>,
}

impl<'a> Purse<'a> {
    pub(super) fn new(attempt: &'a Attempt<'_>, before: Spent) -> Self {
        Purse {
            bench: attempt.bench,
            held: attempt.held(),
            repo: &attempt.trigger().issue.repo,
            board: &attempt.board,
            before,
            standing: Mutex::default(),
        }
    }

    /// Records what a kept state says was used, and looks at the budgets anew.
    pub(super) async fn pay(&self, state: &str) -> Result<(), StoreError> {
        let whole = spent(state).since(self.before);
        let store = &self.bench.store;
        store.put_spending(self.held, self.repo, whole).await?;
        let standing = standing(self.bench, self.repo).await?;
        let mut now = self.standing.lock().unwrap_or_else(|e| e.into_inner());
        if standing.percent >= WARN && now.percent < WARN {
            let (whose, percent) = (standing.whose, standing.percent);
            tracing::warn!(task = %self.held.id, whose, percent, "most of a day's budget is used");
        }
        self.board.warn(warning(&standing));
        *now = standing;
        Ok(())
    }

    /// Whether nobody pays for another turn.
    pub(super) fn is_empty(&self) -> bool {
        let standing = self.standing.lock().unwrap_or_else(|e| e.into_inner());
        standing.percent >= 100
    }

    /// What people are told where most of a budget is used.
    pub(super) fn warning(&self) -> Option<String> {
        let standing = self.standing.lock().unwrap_or_else(|e| e.into_inner());
        warning(&standing)
    }
}

fn warning(standing: &Standing) -> Option<String> {
    (standing.percent >= WARN).then(|| used(standing))
}

fn used(standing: &Standing) -> String {
    render::budget_used(standing.percent, standing.whose)
}

/// The budget that is used most.
async fn standing(bench: &Bench, repo: &RepoRef) -> Result<Standing, StoreError> {
    let all = [
        ("repository", bench.budget.repo_day, Payer::Repo(repo.id)),
        (
            "installation",
            bench.budget.installation_day,
            Payer::Installation(repo.installation_id),
        ),
    ];
    let mut most = Standing::default();
    for (whose, allowance, payer) in all {
        if allowance.is_open() {
            continue;
        }
        let percent = allowance.percent(&bench.store.spent_today(payer).await?);
        if percent >= most.percent {
            most = Standing { percent, whose };
        }
    }
    Ok(most)
}

impl Attempt<'_> {
    /// The ending of a task for which there is no money left today, before it has begun.
    pub(super) async fn unpaid(&self) -> Result<Option<Outgoing>, TaskError> {
        let standing = standing(self.bench, &self.trigger().issue.repo).await?;
        if standing.percent < 100 {
            self.board.warn(warning(&standing));
            return Ok(None);
        }
        let why = render::unpaid(&used(&standing));
        let stop = StopReason::Budget;
        let outgoing =
            ending::without_a_turn(self.bench, &self.board, Verdict::LimitReached, stop, why);
        Ok(Some(outgoing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_a_task_that_is_used_most_counts() {
        let limits = Limits {
            turns: 10,
            input_tokens: 1000,
            dollars: Some(2.0),
            ..Limits::default()
        };
        let used = |input_tokens, dollars| Usage {
            input_tokens,
            dollars,
            ..Usage::default()
        };
        assert_eq!(used_of_own(&limits, 3, &used(100, None)), 30);
        assert_eq!(used_of_own(&limits, 3, &used(810, Some(1.0))), 81);
        assert_eq!(used_of_own(&limits, 3, &used(100, Some(1.9))), 95);
    }

    #[test]
    fn a_kept_state_tells_what_was_used() {
        let state = r#"{"v":1,"state":{"turns":3,"usage":{"input_tokens":10,"output_tokens":5,"cached_tokens":0,"dollars":0.25},"x":1}}"#;
        let expected = Spent {
            turns: 3,
            tokens: 15,
            microdollars: 250_000,
        };
        assert_eq!(spent(state), expected);
        assert_eq!(spent("{}"), Spent::default());
    }
}
