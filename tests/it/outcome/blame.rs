//! What blames the change and what runs only a part: cases of our own.

use mend::domain::{Exit, Kind, Outcome};
use mend::outcome::{Input, classify};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fs;
use std::path::Path;

#[derive(Debug, Deserialize)]
struct Blamed {
    name: String,
    command: String,
    exit: Value,
    files: Vec<String>,
    changed: Vec<String>,
    base_started: Option<bool>,
    output: Vec<String>,
    outcome: Outcome,
    blames: bool,
    named: Option<Vec<String>>,
    kind: Option<Kind>,
}

#[derive(Debug, Deserialize)]
struct Narrowed {
    command: String,
    files: Vec<String>,
    narrowed: bool,
}

fn read<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let text = fs::read_to_string(Path::new("tests/cases/blame").join(file)).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_change_is_blamed_when_it_should_be() {
    let mut cases: Vec<Blamed> = read("python.json");
    cases.extend(read("other_languages.json"));
    assert!(cases.len() >= 40);
    let mut wrong = Vec::new();
    for case in &cases {
        let exit = match &case.exit {
            Value::Number(code) => Exit::Code(code.as_i64().unwrap() as i32),
            _ => Exit::TimedOut,
        };
        let output: String = case
            .output
            .iter()
            .flat_map(|l| [l.as_str(), "\n"])
            .collect();
        let answer = classify(&Input {
            command: &case.command,
            exit,
            output: output.as_bytes(),
            files: &case.files,
            changed: &case.changed,
            base_started: case.base_started,
            whole: true,
            report: None,
        });
        let kind = case.kind.is_none() || case.kind == answer.kind;
        let named = case.named.as_ref().is_none_or(|n| *n == answer.named_files);
        if answer.outcome != case.outcome || answer.blames_change != case.blames || !kind || !named
        {
            wrong.push(format!("{}: {answer:#?}", case.name));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn narrowed_commands_are_known() {
    let cases: Vec<Narrowed> = read("narrowed.json");
    let mut wrong = Vec::new();
    for case in &cases {
        let answer = classify(&Input {
            command: &case.command,
            exit: Exit::Code(0),
            output: b"",
            files: &case.files,
            changed: &[],
            base_started: None,
            whole: true,
            report: None,
        });
        if answer.narrowed != case.narrowed {
            wrong.push(format!("{} {:?}", case.command, answer.evidence));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
