//! Comparisons of runs: what follows, in a sentence.

use mend::domain::{Outcome, StopReason, Verdict};
use mend::lab::{Advice, Measure, Row, compare, page, table};

fn row(task: &str, repeat: u32, solved: bool, turns: u32) -> Row {
    Row {
        task: task.into(),
        repeat,
        language: "python".into(),
        tags: vec!["red".into()],
        solved,
        why: if solved {
            ""
        } else {
            "the hidden check failed"
        }
        .into(),
        hidden: if solved {
            Outcome::Passed
        } else {
            Outcome::Failed
        },
        verdict: Some(Verdict::Ready),
        stop: Some(StopReason::SuitePassed),
        turns,
        input_tokens: u64::from(turns) * 10_000,
        output_tokens: 500,
        cached_tokens: 0,
        dollars: None,
        seconds: f64::from(turns) * 4.0,
        model_seconds: 1.0,
        check_seconds: 1.0,
        named: vec![],
        error: None,
    }
}

/// Twelve tasks, two repeats; the turns of each come from `turns`, whether it is solved from `solved`.
fn rows(solved: impl Fn(u32) -> bool, turns: impl Fn(u32) -> u32) -> Vec<Row> {
    (0..24)
        .map(|i| {
            row(
                &format!("task-{:02}", i / 2),
                i % 2 + 1,
                solved(i),
                turns(i),
            )
        })
        .collect()
}

#[test]
fn the_same_thing_is_not_enough_evidence() {
    let run = rows(|i| i % 5 != 0, |i| 3 + i % 4);
    let same = compare(&run, &run, Measure::Turns);
    assert_eq!(same.advice, Advice::NotEnough);
    assert_eq!(same.repeats_needed, None);
    insta::assert_snapshot!(same.sentence);
    // Noise around the same is none either.
    let noisy = rows(|i| i % 5 != 1, |i| 3 + (i * 7 + 1) % 4);
    let noise = compare(&run, &noisy, Measure::Turns);
    assert_eq!(noise.advice, Advice::NotEnough, "{}", noise.sentence);
}

#[test]
fn fewer_turns_are_kept_and_more_are_reverted() {
    let slow = rows(|_| true, |i| 4 + i % 3);
    let fast = rows(|_| true, |i| 2 + i % 3);
    let better = compare(&slow, &fast, Measure::Turns);
    assert_eq!(better.advice, Advice::Keep);
    insta::assert_snapshot!(table(&better));
    assert_eq!(compare(&fast, &slow, Measure::Turns).advice, Advice::Revert);
    assert_eq!(
        compare(&fast, &slow, Measure::Tokens).advice,
        Advice::Revert
    );
}

#[test]
fn solved_tasks_decide_before_amounts() {
    let before = rows(|i| i % 3 != 0, |_| 3);
    let after = rows(|_| true, |_| 4);
    let won = compare(&before, &after, Measure::Turns);
    assert_eq!(won.solved, [16, 0, 8, 0]);
    assert_eq!(won.advice, Advice::Keep, "{}", won.sentence);
    assert_eq!(
        compare(&after, &before, Measure::Turns).advice,
        Advice::Revert
    );
}

#[test]
fn turns_that_are_bought_with_solved_tasks_are_not_kept() {
    let before = rows(|_| true, |_| 5);
    let after = rows(|i| i > 2, |_| 2);
    let bought = compare(&before, &after, Measure::Turns);
    assert_eq!(bought.advice, Advice::NotEnough);
    assert_eq!(
        bought.repeats_needed,
        Some(4),
        "three lost pairs become six with twice the runs"
    );
    insta::assert_snapshot!(bought.sentence);
}

#[test]
fn tasks_of_one_run_only_are_named_and_none_in_common_is_said() {
    let before = vec![row("a", 1, true, 2), row("b", 1, true, 2)];
    let after = vec![row("b", 1, true, 2), row("c", 1, true, 2)];
    let compared = compare(&before, &after, Measure::Turns);
    assert_eq!(
        (compared.pairs, compared.unpaired),
        (1, vec!["a".into(), "c".into()])
    );
    let nothing = compare(&before[..1], &after, Measure::Turns);
    assert_eq!(nothing.advice, Advice::NotEnough);
    assert!(
        nothing.sentence.contains("no task in common"),
        "{}",
        nothing.sentence
    );
}

#[test]
fn the_page_loads_nothing_and_shows_hostile_names_as_text() {
    let mut before = rows(|_| true, |i| 4 + i % 3);
    before[0].task = "<script>alert(1)</script>".into();
    let after = before.clone();
    let page = page(
        &compare(&before, &after, Measure::Turns),
        ["before", "after"],
    );
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("<svg").count(), 3);
}
