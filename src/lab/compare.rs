//! Two runs of the same tasks, compared in pairs (rule L3): keep, revert, or not enough evidence.

use super::results::Row;
use super::stats::{Interval, bootstrap, mcnemar, wilcoxon};
use serde::Serialize;
use std::collections::BTreeMap;

/// The level at which a difference counts.
const LEVEL: f64 = 0.05;
/// Repeats beyond which none are advised.
const MOST: u32 = 50;

/// An amount that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    Turns,
    /// Input and output.
    Tokens,
    Seconds,
}

impl Measure {
    pub const ALL: [Measure; 3] = [Measure::Turns, Measure::Tokens, Measure::Seconds];

    pub fn word(self) -> &'static str {
        match self {
            Measure::Turns => "turns",
            Measure::Tokens => "tokens",
            Measure::Seconds => "seconds",
        }
    }

    fn of(self, row: &Row) -> f64 {
        match self {
            Measure::Turns => f64::from(row.turns),
            Measure::Tokens => (row.input_tokens + row.output_tokens) as f64,
            Measure::Seconds => row.seconds,
        }
    }
}

impl std::str::FromStr for Measure {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let known = Measure::ALL.into_iter().find(|m| m.word() == word);
        known.ok_or_else(|| format!("`{word}` is none of turns, tokens, seconds"))
    }
}

/// What follows from a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    Keep,
    Revert,
    NotEnough,
}

/// One task in both runs, over its repeats.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PerTask {
    pub task: String,
    pub tags: Vec<String>,
    pub repeats: u32,
    /// How many of the repeats were solved, before and after.
    pub solved: [u32; 2],
    /// Means over the repeats, before and after.
    pub turns: [f64; 2],
    pub tokens: [f64; 2],
    pub seconds: [f64; 2],
    pub stops: [Vec<&'static str>; 2],
}

impl PerTask {
    pub fn amount(&self, measure: Measure) -> [f64; 2] {
        match measure {
            Measure::Turns => self.turns,
            Measure::Tokens => self.tokens,
            Measure::Seconds => self.seconds,
        }
    }
}

/// An amount over all tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Total {
    pub measure: Measure,
    pub mean: [f64; 2],
    pub median: [f64; 2],
    /// After less before, by task.
    pub difference: Interval,
    /// Of Wilcoxon's signed-rank test over the tasks.
    pub p: f64,
}

/// A comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    pub pairs: u32,
    /// Pairs in which both are solved, the first alone, the second alone, neither.
    pub solved: [u32; 4],
    /// Of the exact McNemar test over the pairs. Repeats of a task are independent draws of that
    /// task, so with several it speaks of these tasks, and not of tasks in general.
    pub solved_p: f64,
    pub totals: Vec<Total>,
    pub tasks: Vec<PerTask>,
    /// Tasks that only one of the runs holds.
    pub unpaired: Vec<String>,
    pub advice: Advice,
    /// The advice in a sentence, with its reason.
    pub sentence: String,
    /// Repeats of this suite that would tell, where that can be said.
    pub repeats_needed: Option<u32>,
}

/// Compares two runs; `measure` decides where the shares of solved tasks do not.
pub fn compare(before: &[Row], after: &[Row], measure: Measure) -> Compared {
    let pairs = paired(before, after);
    let mut solved = [0u32; 4];
    let mut tasks: BTreeMap<&str, Vec<(&Row, &Row)>> = BTreeMap::new();
    for (a, b) in &pairs {
        solved[match (a.solved, b.solved) {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        }] += 1;
        tasks.entry(&a.task).or_default().push((a, b));
    }
    let tasks: Vec<PerTask> = tasks.into_values().map(|rows| per_task(&rows)).collect();
    let totals: Vec<Total> = Measure::ALL.iter().map(|m| total(*m, &tasks)).collect();
    let mut compared = Compared {
        pairs: pairs.len() as u32,
        solved,
        solved_p: mcnemar(solved[1], solved[2]),
        totals,
        unpaired: unpaired(before, after, &tasks),
        tasks,
        advice: Advice::NotEnough,
        sentence: String::new(),
        repeats_needed: None,
    };
    advise(&mut compared, measure);
    compared
}

fn paired<'a>(before: &'a [Row], after: &'a [Row]) -> Vec<(&'a Row, &'a Row)> {
    let key = |r: &Row| (r.task.clone(), r.repeat);
    let after: BTreeMap<_, _> = after.iter().map(|r| (key(r), r)).collect();
    let pair = |a: &'a Row| Some((a, *after.get(&key(a))?));
    before.iter().filter_map(pair).collect()
}

fn unpaired(before: &[Row], after: &[Row], tasks: &[PerTask]) -> Vec<String> {
    let mut names: Vec<String> = before.iter().chain(after).map(|r| r.task.clone()).collect();
    names.sort();
    names.dedup();
    names.retain(|n| tasks.iter().all(|t| t.task != *n));
    names
}

fn per_task(rows: &[(&Row, &Row)]) -> PerTask {
    let n = rows.len() as f64;
    let mean = |m: Measure| {
        [
            rows.iter().map(|(a, _)| m.of(a)).sum::<f64>() / n,
            rows.iter().map(|(_, b)| m.of(b)).sum::<f64>() / n,
        ]
    };
    let stop = |r: &Row| r.stop.map_or("not tried", |s| s.word());
    PerTask {
        task: rows[0].0.task.clone(),
        tags: rows[0].0.tags.clone(),
        repeats: rows.len() as u32,
        solved: [
            rows.iter().filter(|(a, _)| a.solved).count() as u32,
            rows.iter().filter(|(_, b)| b.solved).count() as u32,
        ],
        turns: mean(Measure::Turns),
        tokens: mean(Measure::Tokens),
        seconds: mean(Measure::Seconds),
        stops: [
            rows.iter().map(|(a, _)| stop(a)).collect(),
            rows.iter().map(|(_, b)| stop(b)).collect(),
        ],
    }
}

fn total(measure: Measure, tasks: &[PerTask]) -> Total {
    let side = |i: usize| {
        tasks
            .iter()
            .map(|t| t.amount(measure)[i])
            .collect::<Vec<f64>>()
    };
    let (before, after) = (side(0), side(1));
    let differences = differences(measure, tasks);
    Total {
        measure,
        mean: [mean(&before), mean(&after)],
        median: [median(before), median(after)],
        difference: bootstrap(&differences),
        p: wilcoxon(&differences),
    }
}

fn differences(measure: Measure, tasks: &[PerTask]) -> Vec<f64> {
    tasks
        .iter()
        .map(|t| t.amount(measure)[1] - t.amount(measure)[0])
        .collect()
}

fn mean(all: &[f64]) -> f64 {
    all.iter().sum::<f64>() / all.len().max(1) as f64
}

/// The middle one, or the mean of the two in the middle; 0 of none.
pub fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    match all.len() {
        0 => 0.0,
        n if n % 2 == 1 => all[n / 2],
        n => (all[n / 2 - 1] + all[n / 2]) / 2.0,
    }
}

/// The shares of solved tasks decide first; where they do not differ for sure, the measure does,
/// unless it is bought with solved tasks.
fn advise(compared: &mut Compared, measure: Measure) {
    let [both, lost, won, _] = compared.solved;
    let (before, after) = (both + lost, both + won);
    let n = compared.pairs;
    let solved = format!("{before} of {n} solved before, {after} after");
    let Some(total) = compared
        .totals
        .iter()
        .find(|t| t.measure == measure)
        .cloned()
    else {
        return;
    };
    let amount = format!(
        "{} on average {} before, {} after ({})",
        measure.word(),
        short(total.mean[0]),
        short(total.mean[1]),
        chance(total.p)
    );
    let (p, how) = (compared.solved_p, chance(compared.solved_p));
    // The rank test says whether, the interval which way; where they disagree nothing is said.
    let fewer = total.p < LEVEL && total.difference.high < 0.0;
    let more = total.p < LEVEL && total.difference.low > 0.0;
    let (advice, sentence) = if n == 0 {
        (
            Advice::NotEnough,
            "Not enough evidence: the two runs have no task in common.".to_string(),
        )
    } else if p < LEVEL && won > lost {
        (Advice::Keep, format!("Keep: {solved} ({how}); {amount}."))
    } else if p < LEVEL {
        (
            Advice::Revert,
            format!("Revert: {solved} ({how}); {amount}."),
        )
    } else if fewer && won >= lost {
        (Advice::Keep, format!("Keep: {amount}; {solved}."))
    } else if more && won <= lost {
        (Advice::Revert, format!("Revert: {amount}; {solved}."))
    } else {
        let needed = repeats_needed(compared, measure);
        compared.repeats_needed = needed;
        let advised = match needed {
            Some(needed) => format!(
                "If it stays like this, {needed} repeats of each of the {} tasks would tell",
                compared.tasks.len()
            ),
            None if lost == 0 && won == 0 && total.difference.mean == 0.0 => {
                "No difference was seen at all".to_string()
            }
            None => "No reasonable number of repeats of these tasks would tell; take more tasks"
                .to_string(),
        };
        let mixed = match fewer || more {
            true => " Solved tasks and amounts point in different directions.",
            false => "",
        };
        (
            Advice::NotEnough,
            format!("Not enough evidence: {solved} ({how}); {amount}.{mixed} {advised}."),
        )
    };
    compared.advice = advice;
    compared.sentence = sentence;
}

/// How many repeats of the suite would show what was seen, if it is there: by the exact test for
/// solved tasks, and for amounts by the usual formula for a paired difference (80 % power).
fn repeats_needed(compared: &Compared, measure: Measure) -> Option<u32> {
    let have = compared
        .tasks
        .iter()
        .map(|t| t.repeats)
        .max()
        .unwrap_or(1)
        .max(1);
    let [_, lost, won, _] = compared.solved;
    let by_solved = (1..=MOST)
        .find(|k| mcnemar(lost * k, won * k) < LEVEL)
        .map(|k| k * have);
    let d = differences(measure, &compared.tasks);
    let m = mean(&d);
    let variance = d.iter().map(|x| (x - m) * (x - m)).sum::<f64>() / (d.len().max(2) - 1) as f64;
    // The tests are over tasks: fewer than six that differ never tell, however often they are run.
    let differ = d.iter().filter(|d| **d != 0.0).count();
    let by_amount = (m != 0.0 && differ > 5).then(|| {
        let pairs = (1.96f64 + 0.84).powi(2) * variance / (m * m);
        ((pairs / d.len() as f64).ceil() as u32).max(1) * have
    });
    by_solved
        .into_iter()
        .chain(by_amount)
        .filter(|k| *k > have && *k <= MOST)
        .min()
}

/// A p-value in words.
pub(super) fn chance(p: f64) -> String {
    match p < 0.001 {
        true => "p < 0.001".to_string(),
        false => format!("p = {p:.3}"),
    }
}

pub(super) fn short(amount: f64) -> String {
    match amount.abs() {
        a if a >= 1000.0 => format!("{amount:.0}"),
        a if a >= 10.0 => format!("{amount:.1}"),
        _ => format!("{amount:.2}"),
    }
}

/// A comparison for a terminal.
pub fn table(compared: &Compared) -> String {
    let wide = compared
        .tasks
        .iter()
        .map(|t| t.task.len())
        .max()
        .unwrap_or(4)
        .max(4);
    let mut text = format!(
        "{:wide$}  {:>8}  {:>15}  {:>19}  {:>17}\n",
        "task", "solved", "turns", "tokens", "seconds"
    );
    for t in &compared.tasks {
        let way = |m: Measure| {
            let [a, b] = t.amount(m);
            format!("{} → {}", short(a), short(b))
        };
        let solved = format!("{} → {}", t.solved[0], t.solved[1]);
        text.push_str(&format!(
            "{:wide$}  {solved:>8}  {:>15}  {:>19}  {:>17}\n",
            t.task,
            way(Measure::Turns),
            way(Measure::Tokens),
            way(Measure::Seconds)
        ));
    }
    for t in &compared.totals {
        text.push_str(&format!(
            "{}: {} → {}; difference {} [{}, {}], {}\n",
            t.measure.word(),
            short(t.mean[0]),
            short(t.mean[1]),
            short(t.difference.mean),
            short(t.difference.low),
            short(t.difference.high),
            chance(t.p)
        ));
    }
    if !compared.unpaired.is_empty() {
        text.push_str(&format!(
            "in one run only: {}\n",
            compared.unpaired.join(", ")
        ));
    }
    if compared.tasks.iter().any(|t| t.repeats > 1) {
        text.push_str(
            "The chances speak of these tasks, not of others: repeats are no new tasks.\n",
        );
    }
    text + &compared.sentence
}
