//! What tasks may use of models together, and what they used.

use super::Usage;

/// What was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    pub turns: u64,
    /// Input and output together.
    pub tokens: u64,
    /// 0 where no price is configured.
    pub microdollars: u64,
}

impl Spent {
    pub fn of(turns: u32, usage: &Usage) -> Spent {
        Spent {
            turns: turns.into(),
            tokens: usage.input_tokens + usage.output_tokens,
            microdollars: (usage.dollars.unwrap_or(0.0) * 1e6) as u64,
        }
    }

    /// What was used since `earlier`.
    pub fn since(self, earlier: Spent) -> Spent {
        Spent {
            turns: self.turns.saturating_sub(earlier.turns),
            tokens: self.tokens.saturating_sub(earlier.tokens),
            microdollars: self.microdollars.saturating_sub(earlier.microdollars),
        }
    }
}

/// What may be used; `None` where nothing limits it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowance {
    pub turns: Option<u64>,
    pub tokens: Option<u64>,
    pub microdollars: Option<u64>,
}

impl Allowance {
    pub fn is_open(&self) -> bool {
        *self == Allowance::default()
    }

    /// How much of it is used, in percent; the kind that is used most counts.
    pub fn percent(&self, spent: &Spent) -> u64 {
        [
            (self.turns, spent.turns),
            (self.tokens, spent.tokens),
            (self.microdollars, spent.microdollars),
        ]
        .into_iter()
        .filter_map(|(may, used)| Some(used.saturating_mul(100) / may?.max(1)))
        .max()
        .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_that_is_used_most_counts() {
        let may = Allowance {
            turns: Some(10),
            tokens: Some(1000),
            microdollars: None,
        };
        let spent = |turns, tokens, microdollars| Spent {
            turns,
            tokens,
            microdollars,
        };
        assert_eq!(may.percent(&spent(1, 800, 9_000_000)), 80);
        assert_eq!(may.percent(&spent(10, 1, 0)), 100);
        assert_eq!(Allowance::default().percent(&spent(1, 1, 1)), 0);
        assert!(Allowance::default().is_open() && !may.is_open());
    }
}
