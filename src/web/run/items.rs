//! The way of a run in items: steps, turns of the model with what came of them, checks.

use crate::domain::SpanKind;
use crate::store::SpanLine;
use serde_json::Value;
use std::collections::HashMap;

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// Another attempt begins.
    Again(u32),
    Step,
    Check,
    /// A turn of the worker, counted from 1.
    Turn(u32),
    /// A request of another role.
    Review,
}

/// A part of the way, with the spans that belong to it: the first is the one that began it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub kind: ItemKind,
    /// Indices into the lines.
    pub spans: Vec<usize>,
}

/// The value of an attribute.
pub(super) fn attribute(line: &SpanLine, name: &str) -> Value {
    serde_json::from_str::<Value>(&line.attributes)
        .ok()
        .and_then(|mut v| v.get_mut(name).map(Value::take))
        .unwrap_or_default()
}

/// Sorts the spans of a task, in the order of opening, into items.
pub(super) fn items(lines: &[SpanLine]) -> Vec<Item> {
    let mut all: Vec<Item> = Vec::new();
    let mut owner: HashMap<i64, usize> = HashMap::new();
    let mut wholes: Vec<i64> = Vec::new();
    let (mut turns, mut attempts) = (0, 0);
    for (n, line) in lines.iter().enumerate() {
        if line.kind == SpanKind::Task {
            wholes.push(line.id);
            attempts += 1;
            if attempts > 1 {
                all.push(Item {
                    kind: ItemKind::Again(attempts),
                    spans: vec![n],
                });
            }
            continue;
        }
        let direct = line.parent.is_none_or(|p| wholes.contains(&p));
        let last = all.len().checked_sub(1);
        let of = match line.parent.filter(|_| !direct) {
            Some(parent) => owner.get(&parent).copied(),
            None => last.filter(|at| is_of_turn(line) && is_turn(&all[*at])),
        };
        let at = match of {
            Some(at) => {
                all[at].spans.push(n);
                at
            }
            None => {
                let kind = match line.kind {
                    SpanKind::Model if attribute(line, "mend.role") != "worker" => ItemKind::Review,
                    SpanKind::Model => {
                        turns += 1;
                        ItemKind::Turn(turns)
                    }
                    SpanKind::Check => ItemKind::Check,
                    _ => ItemKind::Step,
                };
                all.push(Item {
                    kind,
                    spans: vec![n],
                });
                all.len() - 1
            }
        };
        owner.insert(line.id, at);
    }
    all
}

fn is_turn(item: &Item) -> bool {
    matches!(item.kind, ItemKind::Turn(_))
}

/// What a turn brings about: its calls, and the check after an edit.
fn is_of_turn(line: &SpanLine) -> bool {
    match line.kind {
        SpanKind::Tool => true,
        SpanKind::Check => matches!(line.name.as_str(), "auto_check" | "first_check" | "command"),
        _ => false,
    }
}

impl Item {
    /// The span that began it.
    pub fn head<'a>(&self, lines: &'a [SpanLine]) -> &'a SpanLine {
        &lines[self.spans[0]]
    }

    /// Its element's id.
    pub fn anchor(&self, lines: &[SpanLine]) -> String {
        format!("item-{}", self.head(lines).id)
    }

    /// When it began and ended, in milliseconds since the Unix epoch; what is open ends `now`.
    pub fn time(&self, lines: &[SpanLine], now: i64) -> (i64, i64) {
        let ends = self.spans.iter().map(|n| span_end(&lines[*n], now));
        let begun = self.head(lines).started_at;
        (begun, ends.max().unwrap_or(begun))
    }

    pub fn is_open(&self, lines: &[SpanLine]) -> bool {
        self.spans.iter().any(|n| lines[*n].end.is_none())
    }

    /// Its name for people.
    pub fn title(&self, lines: &[SpanLine]) -> String {
        match self.kind {
            ItemKind::Again(n) => format!("Attempt {n}"),
            ItemKind::Turn(n) => format!("Turn {n}"),
            ItemKind::Review => "Review".to_string(),
            ItemKind::Step | ItemKind::Check => match self.head(lines).name.as_str() {
                "prepare" => "Prepare".to_string(),
                "publish" => "Publish".to_string(),
                "set_up" => "Set-up".to_string(),
                "base_check" => "Base check".to_string(),
                "branch_check" => "Check of the branch".to_string(),
                "final_check" => "Final check".to_string(),
                "auto_check" => "Check".to_string(),
                "trial" => {
                    let what = attribute(self.head(lines), "what");
                    let what = what.as_str().unwrap_or("another run");
                    format!("Trial: {what}")
                }
                other => other.replace('_', " "),
            },
        }
    }
}

/// When a span ended; one that is open ends `now`.
pub(super) fn span_end(line: &SpanLine, now: i64) -> i64 {
    match (line.duration_ms, line.end) {
        (Some(ms), _) => line.started_at + ms,
        (None, Some(_)) => line.started_at,
        (None, None) => now.max(line.started_at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: i64, parent: Option<i64>, kind: SpanKind, name: &str) -> SpanLine {
        SpanLine {
            id,
            rev: id,
            parent,
            kind,
            name: name.into(),
            started_at: id * 10,
            duration_ms: Some(5),
            end: None,
            attributes: r#"{"mend.role":"worker"}"#.into(),
        }
    }

    #[test]
    fn calls_belong_to_their_turn_and_steps_stand_alone() {
        use SpanKind::{Check, Model, Step, Task, Tool};
        let lines = [
            line(1, None, Step, "prepare"),
            line(2, None, Task, "solve_task"),
            line(3, Some(2), Check, "base_check"),
            line(4, Some(3), Check, "command"),
            line(5, Some(2), Model, "model_call"),
            line(6, Some(2), Tool, "read_file"),
            line(7, Some(2), Model, "model_call"),
            line(8, Some(2), Tool, "edit_file"),
            line(9, Some(2), Check, "auto_check"),
            line(10, Some(9), Check, "command"),
            line(11, Some(2), Check, "trial"),
            line(12, None, Task, "solve_task"),
            line(13, Some(12), Model, "model_call"),
            line(14, None, Step, "publish"),
        ];
        let found: Vec<_> = items(&lines)
            .into_iter()
            .map(|i| {
                (
                    i.kind,
                    i.spans.iter().map(|n| lines[*n].id).collect::<Vec<_>>(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                (ItemKind::Step, vec![1]),
                (ItemKind::Check, vec![3, 4]),
                (ItemKind::Turn(1), vec![5, 6]),
                (ItemKind::Turn(2), vec![7, 8, 9, 10]),
                (ItemKind::Check, vec![11]),
                (ItemKind::Again(2), vec![12]),
                (ItemKind::Turn(3), vec![13]),
                (ItemKind::Step, vec![14]),
            ]
        );
    }
}
