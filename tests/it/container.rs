//! The container file copies everything that the program is built from.
#![allow(clippy::disallowed_methods)] // copies the source and asks cargo about it

use regex::Regex;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What the first stage takes from the source's folder.
fn copied() -> Vec<String> {
    let file = std::fs::read_to_string(root().join("deploy/Containerfile")).unwrap();
    let first = file.split("\nFROM ").nth(1).unwrap();
    let copies = first.lines().filter_map(|line| line.strip_prefix("COPY "));
    copies
        .flat_map(|line| {
            let mut words: Vec<&str> = line.split_whitespace().collect();
            words.pop();
            words.into_iter().map(String::from).collect::<Vec<_>>()
        })
        .collect()
}

/// Files that are compiled into the program, beneath a folder of the source.
fn included(folder: &Path, found: &mut Vec<(PathBuf, PathBuf)>) {
    let literal = Regex::new(r#"include_(?:str|bytes)!\(\s*"([^"]+)""#).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            included(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            for file in literal.captures_iter(&text) {
                found.push((path.clone(), path.parent().unwrap().join(&file[1])));
            }
        }
    }
}

#[test]
fn its_copies_hold_what_cargo_and_the_source_ask_for() {
    let folder = tempfile::tempdir().unwrap();
    for name in copied() {
        let place = folder.path().join(&name);
        let place = place.parent().unwrap();
        std::fs::create_dir_all(place).unwrap();
        let done = Command::new("cp")
            .arg("-r")
            .arg(root().join(&name))
            .arg(place)
            .status()
            .unwrap();
        assert!(done.success(), "{name}");
    }
    let metadata = |folder: &Path| -> serde_json::Value {
        let out = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--offline", "--locked"])
            .args(["--format-version", "1"])
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        serde_json::from_slice(&out.stdout).unwrap()
    };
    // A build script that is not there is no mistake to cargo, but no target either.
    let targets = |folder: &Path| {
        let whole = metadata(folder);
        let targets = whole["packages"][0]["targets"].as_array().unwrap().clone();
        let needed = targets.iter().filter(|t| t["kind"][0] != "example");
        let mut names: Vec<String> = needed.map(|t| t["name"].to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(targets(folder.path()), targets(root()));
    let mut files = Vec::new();
    included(&folder.path().join("src"), &mut files);
    assert!(files.len() > 20, "{}", files.len());
    for (by, file) in files {
        assert!(
            file.exists(),
            "{} includes {}",
            by.display(),
            file.display()
        );
    }
}
