//! The house rules that a compiler does not check: arrows between rooms, sizes, no stray file.
//! The table of arrows stands in the docs of `src/lib.rs` too; a rule that changes, changes in both.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const MAX_FILE: usize = 400;
const MAX_FUNCTION: usize = 80;

/// Room, and the rooms that it may use beside `domain` and `text`.
const ARROWS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("text", &[]),
    ("edit", &[]),
    ("outcome", &[]),
    ("directive", &[]),
    ("gate", &[]),
    ("render", &[]),
    ("tree", &[]),
    ("config", &[]),
    ("trace", &[]),
    ("store", &[]),
    ("model", &[]),
    ("github", &[]),
    ("sandbox", &[]),
    ("git", &["tree"]),
    ("workspace", &["tree", "edit"]),
    ("check", &["tree", "config", "outcome", "sandbox"]),
    ("simulator", &[]),
    (
        "agent",
        &["model", "workspace", "check", "sandbox", "outcome", "edit"],
    ),
    (
        "intake",
        &["config", "directive", "store", "github", "render"],
    ),
    (
        "fix",
        &[
            "edit",
            "outcome",
            "directive",
            "gate",
            "render",
            "tree",
            "config",
            "model",
            "sandbox",
            "git",
            "workspace",
            "check",
            "agent",
        ],
    ),
    (
        "task",
        &[
            "edit",
            "outcome",
            "directive",
            "gate",
            "render",
            "tree",
            "config",
            "trace",
            "store",
            "model",
            "github",
            "sandbox",
            "git",
            "workspace",
            "check",
            "agent",
            "intake",
            "fix",
        ],
    ),
    (
        "lab",
        &[
            "trace",
            "fix",
            "agent",
            "check",
            "outcome",
            "model",
            "git",
            "sandbox",
            "tree",
            "config",
            "workspace",
        ],
    ),
    ("metrics", &["store", "github"]),
    (
        "onboard",
        &[
            "config", "github", "git", "sandbox", "model", "store", "tree",
        ],
    ),
    ("web", &["config", "store", "trace", "render", "github"]),
];

/// May use every room.
const TOP: &[&str] = &["app", "cli"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn all() -> Vec<PathBuf> {
    let mut found = Vec::new();
    sources(Path::new("src"), &mut found);
    found.sort();
    assert!(found.len() > 20, "run from the project's root");
    found
}

fn room_of(path: &Path) -> Option<String> {
    let parts: Vec<_> = path
        .components()
        .map(|c| c.as_os_str().to_string_lossy())
        .collect();
    (parts.len() > 2).then(|| parts[1].to_string())
}

/// Code without comments and without the unit-test module at the file's end.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    text.lines()
        .map(|l| {
            if l.trim_start().starts_with("//") {
                ""
            } else {
                l
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// The rooms that follow `crate::` in this code, groups in braces included.
fn used(code: &str) -> BTreeSet<String> {
    let word = |s: &str| -> String {
        s.chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect()
    };
    let mut rooms = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let (mut depth, mut start) = (0, 0);
            for (i, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => {
                        rooms.insert(word(group[start..i].trim()));
                        break;
                    }
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        rooms.insert(word(group[start..i].trim()));
                        start = i + 1;
                    }
                    _ => {}
                }
            }
        } else {
            rooms.insert(word(rest));
        }
    }
    rooms.remove("");
    rooms
}

#[test]
fn arrows_go_down() {
    let mut wrong = Vec::new();
    for path in all() {
        let Some(room) = room_of(&path) else { continue };
        if TOP.contains(&room.as_str()) {
            continue;
        }
        let Some((_, may)) = ARROWS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!(
                "{}: room `{room}` is not in the table",
                path.display()
            ));
            continue;
        };
        for other in used(&code(&path)) {
            let fine = other == room
                || other == "domain" && room != "text"
                || other == "text" && room != "domain"
                || may.contains(&other.as_str());
            if !fine {
                wrong.push(format!(
                    "{}: `{room}` may not use `{other}`",
                    path.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_in_the_docs_names_every_room() {
    let docs = fs::read_to_string("src/lib.rs").unwrap();
    for entry in fs::read_dir("src").unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let room = path.file_name().unwrap().to_string_lossy().to_string();
            assert!(
                docs.contains(&format!("[`{room}`]")),
                "src/lib.rs does not name `{room}`"
            );
        }
    }
}

#[test]
fn files_and_functions_are_short() {
    let mut wrong = Vec::new();
    for path in all() {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().count();
        if lines > MAX_FILE {
            wrong.push(format!("{}: {lines} lines", path.display()));
        }
        let mut open: Option<(usize, usize, String)> = None;
        for (n, line) in text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let head = line.trim_start();
            let is_fn = head.split(" fn ").count() > 1 && !head.starts_with("//")
                || head.starts_with("fn ");
            if open.is_none() && is_fn && !head.ends_with(';') && !head.ends_with('}') {
                open = Some((n, indent, head.to_string()));
            } else if let Some((start, at, name)) = &open
                && indent == *at
                && (head == "}" || head.ends_with(';'))
            {
                if n - start + 1 > MAX_FUNCTION {
                    wrong.push(format!(
                        "{}:{}: {} lines: {name}",
                        path.display(),
                        start + 1,
                        n - start + 1
                    ));
                }
                open = None;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_is_declared() {
    for path in all() {
        let name = path.file_stem().unwrap().to_string_lossy().to_string();
        let folder = path.parent().unwrap();
        // `src/sandbox/inside` is a program of its own, with its own `main.rs`.
        let main = folder.join("main.rs");
        if ["lib", "main"].contains(&name.as_str()) {
            continue;
        }
        let (declared, in_file) = if name == "mod" {
            let room = folder.file_name().unwrap().to_string_lossy().to_string();
            let up = folder.parent().unwrap();
            (
                room,
                if up == Path::new("src") {
                    up.join("lib.rs")
                } else {
                    up.join("mod.rs")
                },
            )
        } else {
            (
                name,
                if main.exists() && folder != Path::new("src") {
                    main
                } else {
                    folder.join("mod.rs")
                },
            )
        };
        let parent = fs::read_to_string(&in_file).unwrap_or_default();
        assert!(
            parent
                .lines()
                .any(|l| l.trim_end().ends_with(&format!("mod {declared};"))),
            "{} is not declared in {}",
            path.display(),
            in_file.display()
        );
    }
}

#[test]
fn only_the_rooms_with_a_licence_touch_the_outside() {
    let rooms = [
        "tree",
        "git",
        "store",
        "config",
        "model",
        "lab",
        "sandbox",
        "simulator",
        "cli",
    ];
    for path in all() {
        let text = fs::read_to_string(&path).unwrap();
        if text.contains("allow(clippy::disallowed_methods)") {
            let room = room_of(&path).unwrap_or_default();
            assert!(
                rooms.contains(&room.as_str()),
                "{} lifts the lint",
                path.display()
            );
        }
    }
}

/// `tests/COMPLAINTS.md`: every number once, each with a test that exists, a decision in a file that
/// exists, or an open gap.
#[test]
fn every_complaint_has_its_answer() {
    let table = fs::read_to_string("tests/COMPLAINTS.md").unwrap();
    let (mut numbers, mut wrong) = (Vec::new(), Vec::new());
    for line in table.lines().filter(|l| l.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [number, _, answer] = cells[..] else {
            wrong.push(format!("not three cells: {line}"));
            continue;
        };
        let Ok(number) = number.parse::<usize>() else {
            continue; // the heading
        };
        numbers.push(number);
        let tests: Vec<&str> = answer.split('`').skip(1).step_by(2).collect();
        let tests: Vec<&&str> = tests.iter().filter(|t| t.contains("::")).collect();
        if let Some(decision) = answer.strip_prefix("Decision (") {
            let file = decision.split(')').next().unwrap_or_default();
            if !Path::new(file).is_file() {
                wrong.push(format!("{number}: no file `{file}`"));
            }
        } else if tests.is_empty() && !answer.starts_with("Gap: ") {
            wrong.push(format!("{number}: no test, no decision, no gap"));
        }
        wrong.extend(
            tests
                .iter()
                .filter(|t| !is_test(t))
                .map(|t| format!("{number}: no test `{t}`")),
        );
    }
    assert_eq!(numbers, (1..=95).collect::<Vec<_>>());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether `module::…::name` is a test of `tests/it` or of `src`.
fn is_test(path: &str) -> bool {
    let Some((module, name)) = path.rsplit_once("::") else {
        return false;
    };
    let module = module.replace("::", "/");
    let places = ["tests/it", "src"].map(|root| {
        [
            format!("{root}/{module}.rs"),
            format!("{root}/{module}/mod.rs"),
        ]
    });
    places.iter().flatten().any(|file| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let head = format!("fn {name}(");
        let at = lines
            .iter()
            .position(|l| l.trim_start_matches("async ").starts_with(&head));
        at.is_some_and(|at| {
            let attributes = lines[..at].iter().rev().take_while(|l| l.starts_with("#["));
            let own = attributes
                .clone()
                .any(|l| l.starts_with("#[test]") || l.starts_with("#[tokio::test"));
            // A macro makes two tests of it, one for each database.
            let both = lines.iter().skip_while(|l| **l != "on_both!(");
            own || both.into_iter().any(|l| l.trim_end_matches(',') == name)
        })
    })
}

/// Every text that `render` makes stands in a snapshot of `tests/it/texts.rs`.
#[test]
fn every_text_has_a_snapshot() {
    // Words and parts inside other texts.
    const PARTS: [&str; 6] = [
        "check_table",
        "check_words",
        "deciding",
        "duration",
        "stop_words",
        "thousands",
    ];
    let room = fs::read_to_string("src/render/mod.rs").unwrap();
    let texts = fs::read_to_string("tests/it/texts.rs").unwrap();
    let uses: String = room
        .split("pub use ")
        .skip(1)
        .map(|u| u.split(';').next().unwrap())
        .collect::<Vec<_>>()
        .join(",");
    let names = uses.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names = names.filter(|n| n.starts_with(|c: char| c.is_ascii_lowercase()));
    let modules: Vec<&str> = room
        .lines()
        .filter_map(|l| l.strip_prefix("mod "))
        .map(|m| m.trim_end_matches(';'))
        .collect();
    let missing: Vec<&str> = names
        .filter(|n| !PARTS.contains(n) && !texts.contains(&format!("render::{n}")))
        .filter(|n| !modules.contains(n) || !uses.contains(&format!("{n}::")))
        .collect();
    assert!(missing.is_empty(), "no snapshot of {missing:?}");
}
