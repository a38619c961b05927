//! All of GitHub's example payloads, whole and damaged.

use crate::intake::hub::{
    Hub, commented, labeled, line_commented, rerequested, reviewed, unlabeled,
};
use mend::github::{Event, EventError};
use mend::intake::Said;
use serde_json::{Value, json};
use std::process::Command;

/// Event and payload.
fn examples() -> Vec<(String, Value)> {
    let file = "tests/cases/webhooks/examples.tsv.gz";
    let out = Command::new("gzip").args(["-dc", file]).output().unwrap();
    assert!(out.status.success());
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines()
        .map(|line| {
            let (event, payload) = line.split_once('\t').unwrap();
            (event.to_string(), serde_json::from_str(payload).unwrap())
        })
        .collect()
}

/// xorshift: the same damage in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.values().map(|v| 1 + count(v)).sum(),
        Value::Array(list) => list.iter().map(|v| 1 + count(v)).sum(),
        _ => 0,
    }
}

/// Damages the `n`-th value in order.
fn damage(value: &mut Value, n: &mut usize, kind: usize) -> bool {
    let keys: Vec<String> = match value {
        Value::Object(map) => map.keys().cloned().collect(),
        Value::Array(list) => {
            return list
                .iter_mut()
                .any(|v| hit(v, n, kind) || damage(v, n, kind));
        }
        _ => return false,
    };
    for key in keys {
        if *n == 0 && kind == 0 {
            value.as_object_mut().unwrap().remove(&key);
            return true;
        }
        let inner = &mut value[key.as_str()];
        if hit(inner, n, kind) || damage(inner, n, kind) {
            return true;
        }
    }
    false
}

fn hit(value: &mut Value, n: &mut usize, kind: usize) -> bool {
    if *n > 0 {
        *n -= 1;
        return false;
    }
    *value = match kind {
        0 | 1 => Value::Null,
        2 => json!("/mend retry"),
        3 => json!([{"id": -1}]),
        4 => json!({}),
        5 => json!(u64::MAX),
        _ => json!(true),
    };
    true
}

#[test]
fn all_of_githubs_examples_are_read() {
    let all = examples();
    assert_eq!(all.len(), 329);
    let mut acted = std::collections::BTreeMap::new();
    for (event, payload) in &all {
        let bytes = payload.to_string();
        let read = Event::parse(event, bytes.as_bytes())
            .unwrap_or_else(|e| panic!("{event} {}: {e}", payload["action"]));
        if !matches!(read, Event::Other { .. } | Event::Ping) {
            let name = format!("{event}.{}", payload["action"].as_str().unwrap());
            *acted.entry(name).or_insert(0) += 1;
        }
    }
    insta::assert_json_snapshot!(acted);
}

#[test]
fn damaged_payloads_are_refused_or_read_and_nothing_else() {
    let mut dice = Dice(42);
    let mut refused = 0;
    for (event, payload) in examples() {
        for _ in 0..40 {
            let mut broken = payload.clone();
            for _ in 0..=dice.roll(3) {
                let mut at = dice.roll(count(&broken).max(1));
                damage(&mut broken, &mut at, dice.roll(7));
            }
            if dice.roll(8) == 0 {
                broken["action"] = json!("an_action_of_tomorrow");
            }
            let read = Event::parse(&event, broken.to_string().as_bytes());
            let known = broken["action"].as_str() == payload["action"].as_str();
            match read {
                Ok(Event::Other { .. } | Event::Ping) => {}
                Ok(other) => assert!(known, "{event}: {other:?}"),
                Err(EventError::NotJson { .. } | EventError::Incomplete { .. }) => refused += 1,
            }
        }
    }
    assert!(refused > 50, "{refused}");
}

/// The senders of the examples may do nothing; whatever their payloads say, nothing starts.
#[tokio::test(flavor = "multi_thread")]
async fn examples_whole_or_damaged_start_nothing() {
    let hub = Hub::new().await;
    let mut dice = Dice(7);
    for (event, payload) in examples() {
        for damaged in [false, true] {
            let mut payload = payload.clone();
            payload["installation"] = json!({"id": 70});
            for part in ["comment", "review"] {
                if payload[part].is_object() {
                    payload[part]["body"] = json!("/mend retry");
                }
            }
            if payload["label"].is_object() {
                payload["label"]["name"] = json!("mend");
            }
            if damaged {
                let mut at = dice.roll(count(&payload).max(1));
                damage(&mut payload, &mut at, 1 + dice.roll(6));
            }
            hub.deliver(&event, &payload).await;
        }
    }
    let said = hub.settle().await;
    let started = |s: &&Said| matches!(s, Said::Accepted { .. } | Said::Stopping { .. });
    assert_eq!(said.iter().filter(started).count(), 0, "{said:?}");
    assert!(hub.tasks().await.is_empty());
    let failed = hub.ends().await.into_iter().find(|(s, _)| s == "failed");
    assert!(
        failed.is_none_or(|(_, n)| n < 329),
        "{:?}",
        hub.ends().await
    );
}

/// Every place of a payload, as the path that `Value::pointer` takes.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    if let Value::Object(map) = value {
        for (key, inner) in map {
            let place = format!("{at}/{key}");
            places(inner, &place, found);
            found.push(place);
        }
    }
}

/// Alice may start mend, and what she does here asks for nothing: with any field dropped, null or
/// another, and with actions of tomorrow, it still asks for nothing.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_entitled_person_did_not_ask_for_starts_nothing_however_damaged() {
    let hub = Hub::new().await;
    let with = |mut payload: Value, at: &str, value: Value| {
        *payload.pointer_mut(at).unwrap() = value;
        payload
    };
    let mut edited = commented("alice", "/mend retry");
    edited["action"] = json!("edited");
    edited["changes"] = json!({"body": {"from": "/mend retry"}});
    let by_app = json!({"id": 5, "login": "other[bot]", "type": "Bot"});
    let payloads = [
        ("issues", labeled("alice", "bug")),
        ("issues", unlabeled("alice", "mend")),
        (
            "issues",
            with(labeled("alice", "mend"), "/action", json!("opened")),
        ),
        (
            "issue_comment",
            commented("alice", "Thanks, `/mend retry` is nice"),
        ),
        ("issue_comment", commented("alice", "> /mend retry\n\nno")),
        (
            "issue_comment",
            with(
                commented("alice", "/mend retry"),
                "/action",
                json!("deleted"),
            ),
        ),
        ("issue_comment", edited),
        (
            "pull_request_review",
            reviewed("alice", "approved", "Good."),
        ),
        (
            "pull_request_review_comment",
            line_commented("alice", "Why?"),
        ),
        ("check_run", rerequested("alice", 13)),
    ];
    let mut sent = 0;
    for (event, payload) in &payloads {
        let mut all = Vec::new();
        places(payload, "", &mut all);
        for place in all {
            let (parent, key) = place.rsplit_once('/').unwrap();
            for kind in 0..5 {
                let mut broken = payload.clone();
                let map = broken.pointer_mut(parent).unwrap().as_object_mut().unwrap();
                match kind {
                    0 => drop(map.remove(key)),
                    1 => drop(map.insert(key.into(), Value::Null)),
                    2 => drop(map.insert(key.into(), json!(-1))),
                    3 => drop(map.insert(key.into(), json!([{}]))),
                    _ => drop(map.insert(key.into(), by_app.clone())),
                }
                hub.deliver(event, &broken).await;
                sent += 1;
            }
        }
        for action in ["labelled", "created2", "submitted_again", ""] {
            let broken = with(payload.clone(), "/action", json!(action));
            hub.deliver(event, &broken).await;
        }
    }
    assert!(sent > 800, "{sent}");
    let said = hub.settle().await;
    assert!(
        !said.iter().any(|s| matches!(s, Said::Accepted { .. })),
        "{said:?}"
    );
    assert!(hub.tasks().await.is_empty());
}
