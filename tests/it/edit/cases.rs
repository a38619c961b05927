//! One case is one JSON file; `tests/cases/edits/README.md` says what its fields mean.

use base64::Engine as _;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

/// The whole of a tree: path to kind and content, links not followed.
type Shape = BTreeMap<String, String>;

fn shape(root: &Path) -> Shape {
    fn walk(root: &Path, folder: &Path, shape: &mut Shape) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_string();
            let meta = fs::symlink_metadata(&path).unwrap();
            if meta.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                shape.insert(name, format!("link {}", target.display()));
            } else if meta.is_dir() {
                walk(root, &path, shape);
            } else {
                let mode = meta.permissions().mode() & 0o777;
                let bytes = fs::read(&path).unwrap();
                shape.insert(name, format!("{mode:o} {}", bytes.escape_ascii()));
            }
        }
    }
    let mut found = Shape::new();
    walk(root, root, &mut found);
    found
}

fn lay(root: &Path, files: &Value) {
    for (path, file) in files.as_object().unwrap() {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if let Some(target) = file.get("symlink") {
            symlink(target.as_str().unwrap(), &path).unwrap();
            continue;
        }
        let bytes = bytes_of(file);
        fs::write(&path, bytes).unwrap();
        let mode = file.get("mode").map_or(0o644, |mode| {
            u32::from_str_radix(mode.as_str().unwrap(), 8).unwrap()
        });
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

fn bytes_of(file: &Value) -> Vec<u8> {
    if let Some(text) = file.as_str() {
        return text.as_bytes().to_vec();
    }
    match file.get("base64") {
        Some(data) => base64::engine::general_purpose::STANDARD
            .decode(data.as_str().unwrap())
            .unwrap(),
        None => file["text"].as_str().unwrap().as_bytes().to_vec(),
    }
}

/// The answer of `mend edit apply`, with its exit code.
struct Answer {
    code: i32,
    json: Value,
}

impl Answer {
    fn outcome(&self) -> &str {
        self.json["outcome"].as_str().unwrap()
    }
}

fn mend(root: &Path, case: &Value, more: &[&str]) -> Answer {
    let reply = match &case["reply"] {
        Value::String(text) => text.clone(),
        call => call.to_string(),
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_mend"))
        .args(["edit", "apply", "--json", "--dialect"])
        .arg(case["dialect"].as_str().unwrap())
        .arg("--root")
        .arg(root)
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(reply.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    Answer {
        code: output.status.code().unwrap(),
        json: serde_json::from_slice(&output.stdout).unwrap(),
    }
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|v| v.as_str().unwrap().to_string())
        .collect()
}

/// `git apply` of the rendered diff to a fresh copy of the old tree gives the new one.
fn check_diff(case: &Value, diff: &str, after: &Shape, folder: &Path) -> Result<(), String> {
    let copy = folder.join("copy");
    fs::create_dir_all(&copy).unwrap();
    lay(&copy, &case["files_before"]);
    let patch = folder.join("patch");
    fs::write(&patch, diff).unwrap();
    let run = Command::new("git")
        .args(["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"])
        .arg(&patch)
        .current_dir(&copy)
        .env("GIT_CEILING_DIRECTORIES", folder)
        .output()
        .unwrap();
    if !run.status.success() {
        return Err(format!(
            "git apply: {}\n{diff}",
            String::from_utf8_lossy(&run.stderr)
        ));
    }
    if shape(&copy) != *after {
        return Err(format!("git apply made another tree:\n{diff}"));
    }
    Ok(())
}

fn run(case: &Value) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let (root, outside) = (folder.path().join("w"), folder.path().join("outside"));
    fs::create_dir_all(&root).unwrap();
    fs::create_dir_all(&outside).unwrap();
    lay(&root, &case["files_before"]);
    let empty = Value::Object(Map::new());
    lay(&outside, case.get("outside_before").unwrap_or(&empty));
    let (before, outside_before) = (shape(&root), shape(&outside));

    // What read_file last showed is what was there, but for the files that the case lists.
    let seen = folder.path().join("seen");
    if let Some(shown) = case.get("files_read") {
        fs::create_dir_all(&seen).unwrap();
        lay(&seen, shown);
    }
    let seen = seen.to_str().unwrap().to_string();
    let more: &[&str] = if case.get("files_read").is_some() {
        &["--seen", &seen]
    } else {
        &[]
    };

    let dry = mend(&root, case, &[more, &["--dry-run"]].concat());
    if shape(&root) != before {
        return Err("a dry run wrote".into());
    }
    let answer = mend(&root, case, more);
    if answer.json != dry.json {
        return Err(format!("a dry run said {}, then {}", dry.json, answer.json));
    }
    let outcome = answer.outcome();
    if answer.code != i32::from(outcome == "rejected") {
        return Err(format!("{outcome} with exit code {}", answer.code));
    }
    let expect = &case["expect"];
    let wanted = expect["outcome"].as_str().unwrap();
    let also = strings(&expect["outcome_also"]);
    if outcome != wanted && !also.iter().any(|o| o == outcome) {
        return Err(format!("{outcome}, not {wanted}: {}", answer.json));
    }
    let after = shape(&root);
    if shape(&outside) != outside_before {
        return Err("something outside changed".into());
    }
    if outcome != "applied" && after != before {
        return Err("the tree changed".into());
    }
    if outcome == wanted {
        let ideal = tempfile::tempdir().unwrap();
        lay(ideal.path(), &expect["files_after"]);
        let ideal = shape(ideal.path());
        if after != ideal {
            return Err(format!("the tree is\n{after:#?}\nand not\n{ideal:#?}"));
        }
    }
    match outcome {
        "applied" => check_diff(
            case,
            answer.json["diff"].as_str().unwrap(),
            &after,
            folder.path(),
        ),
        "rejected" => check_error(expect, &answer.json["error"]),
        _ => Ok(()),
    }
}

fn check_error(expect: &Value, error: &Value) -> Result<(), String> {
    let kind = error["kind"].as_str().unwrap();
    let mut kinds = strings(&expect["error_kind_also"]);
    kinds.extend(expect["error_kind"].as_str().map(String::from));
    if !kinds.is_empty() && !kinds.iter().any(|k| k == kind) {
        return Err(format!("{kind}, not {kinds:?}: {error}"));
    }
    let message = error["message"].as_str().unwrap();
    for part in strings(&expect["error_mentions"]) {
        if !message.to_lowercase().contains(&part.to_lowercase()) {
            return Err(format!("{part:?} is not in the message: {message}"));
        }
    }
    let most = expect["error_max_bytes"].as_u64().unwrap_or(4096);
    if message.len() as u64 > most {
        return Err(format!("{} bytes of message", message.len()));
    }
    Ok(())
}

fn run_all(folder: &str, least: usize) {
    let mut failed = Vec::new();
    let mut count = 0;
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    paths.sort();
    for path in paths {
        let case: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        count += 1;
        if let Err(why) = run(&case) {
            failed.push(format!("{}: {why}", case["id"]));
        }
    }
    assert!(count >= least, "only {count} cases");
    assert!(
        failed.is_empty(),
        "{} of {count}:\n{}",
        failed.len(),
        failed.join("\n\n")
    );
}

#[test]
fn every_case_ends_as_it_says() {
    run_all("tests/cases/edits", 132);
}

#[test]
fn every_case_of_our_own_ends_as_it_says() {
    run_all("tests/cases/edits-own", 100);
}
