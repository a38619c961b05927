//! One case is one JSON file; `tests/cases/edits/README.md` says what its fields mean.

use super::disk::{Disk, write};
use base64::Engine as _;
use mend::edit::{
    AllSeen, Applied, EditError, Protected, Seen, Sight, View, apply_blocks, apply_tool,
    apply_udiff, parse_call, parse_call_text,
};
use mend::tree::Tree;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

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

/// What read_file showed, where it is not what is on disk.
struct Shown(BTreeMap<String, Vec<u8>>);

impl Seen for Shown {
    fn sight(&self, path: &str, now: &[u8]) -> Sight {
        match self.0.get(path) {
            Some(_) => self.0.sight(path, now),
            None => Sight::Whole,
        }
    }
}

fn apply(view: &View<'_>, case: &Value) -> Result<Applied, EditError> {
    let reply = &case["reply"];
    match case["dialect"].as_str().unwrap() {
        "blocks" => apply_blocks(view, reply.as_str().unwrap()),
        "udiff" => apply_udiff(view, reply.as_str().unwrap()),
        "tool" => {
            let name = reply["name"].as_str().unwrap();
            let call = match reply.get("arguments_json") {
                Some(text) => parse_call_text(name, text.as_str().unwrap()),
                None => parse_call(name, &reply["arguments"]),
            }?;
            apply_tool(view, &call)
        }
        other => panic!("dialect {other}"),
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

    let disk = Disk(Tree::open(&root).unwrap());
    let shown = case
        .get("files_read")
        .and_then(Value::as_object)
        .map(|files| {
            Shown(
                files
                    .iter()
                    .map(|(path, file)| (path.clone(), bytes_of(file)))
                    .collect(),
            )
        });
    let guard = Protected::new();
    let view = View {
        files: &disk,
        seen: shown
            .as_ref()
            .map_or(&AllSeen as &dyn Seen, |s| s as &dyn Seen),
        guard: &guard,
    };
    let result = apply(&view, case);
    if shape(&root) != before {
        return Err("the engine wrote".into());
    }
    let outcome = match &result {
        Ok(applied) if applied.changes.is_empty() => "no_change",
        Ok(applied) => {
            write(&disk.0, &applied.changes);
            "applied"
        }
        Err(_) => "rejected",
    };
    let expect = &case["expect"];
    let wanted = expect["outcome"].as_str().unwrap();
    let also = strings(&expect["outcome_also"]);
    if outcome != wanted && !also.iter().any(|o| o == outcome) {
        return Err(format!("{outcome}, not {wanted}: {result:?}"));
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
    match &result {
        Ok(applied) if !applied.changes.is_empty() => {
            check_diff(case, &applied.diff, &after, folder.path())
        }
        Ok(_) => Ok(()),
        Err(error) => check_error(expect, error),
    }
}

fn check_error(expect: &Value, error: &EditError) -> Result<(), String> {
    let kind = error.kind.name();
    let mut kinds = strings(&expect["error_kind_also"]);
    kinds.extend(expect["error_kind"].as_str().map(String::from));
    if !kinds.is_empty() && !kinds.iter().any(|k| k == kind) {
        return Err(format!("{kind}, not {kinds:?}: {error}"));
    }
    let message = error.message.to_lowercase();
    for part in strings(&expect["error_mentions"]) {
        if !message.contains(&part.to_lowercase()) {
            return Err(format!("{part:?} is not in the message: {error}"));
        }
    }
    let most = expect["error_max_bytes"].as_u64().unwrap_or(4096);
    if error.message.len() as u64 > most {
        return Err(format!("{} bytes of message", error.message.len()));
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
