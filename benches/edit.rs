//! The edit engine on a made-up source file of 32,000 lines and 700 KB, at 90 % of it: an exact
//! edit, the white-space tier, and a miss with its message, by block length.
//! `cargo bench --bench edit`; with `-- --write DIR` the file and the texts are written down for
//! `tests/bench_edit.py`, which runs aider on the same.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods
)]

use mend::edit::{
    AllSeen, ErrorKind, FileContent, Protected, Replace, ToolCall, View, apply_blocks, apply_tool,
    apply_udiff,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

const LINES: usize = 32_000;
const PLACE: usize = LINES / 10 * 9;
const BLOCKS: [usize; 3] = [8, 40, 120];
const RUNS: usize = 41;

/// Functions of ten lines; half of the lines occur many times over, as in real code.
fn source() -> String {
    let mut text = String::with_capacity(720_000);
    for n in 0..LINES / 10 {
        let _ = write!(
            text,
            "def step_{n}(a, b):\n    total = a * {n} + b\n    if total > {}:\n        log(\"step {n}\")\n        \
             total -= {} + margin_of_error\n    for item in rows:\n        total += item.cost\n    self.seen[{n}] = 1\n    \
             return total\n\n",
            n % 97,
            n % 13
        );
    }
    text
}

/// What is looked for, and what it becomes.
struct Texts {
    old: String,
    new: String,
}

fn texts(lines: &[&str], count: usize, kind: &str) -> Texts {
    let block = &lines[PLACE..PLACE + count];
    let changed = count / 2 + 1;
    let join = |block: &[String]| block.join("\n") + "\n";
    let new: Vec<String> = block
        .iter()
        .enumerate()
        .map(|(n, line)| match n == changed {
            true => format!("{line}  # changed"),
            false => line.to_string(),
        })
        .collect();
    let pad = |block: &[String]| -> Vec<String> {
        block
            .iter()
            .map(|line| {
                if line.is_empty() {
                    String::new()
                } else {
                    format!(" {line}")
                }
            })
            .collect()
    };
    let old: Vec<String> = block.iter().map(|line| line.to_string()).collect();
    match kind {
        "exact" => Texts {
            old: join(&old),
            new: join(&new),
        },
        "white space" => Texts {
            old: join(&pad(&old)),
            new: join(&pad(&new)),
        },
        _ => {
            let mut drifted = old;
            drifted[changed] = drifted[changed]
                .replace("total", "sum")
                .replace("log", "print")
                + " x";
            Texts {
                old: join(&drifted),
                new: join(&new),
            }
        }
    }
}

fn median(mut body: impl FnMut()) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            body();
            start.elapsed()
        })
        .collect();
    times.sort();
    (times[RUNS / 2], times[RUNS * 9 / 10])
}

/// The process's largest resident size since the last reset, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse::<usize>().ok())
        .unwrap_or(0)
        * 1024
}

fn main() {
    let body = source();
    let lines: Vec<&str> = body.lines().collect();
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|a| a == "--write") {
        return write_down(Path::new(&args[at + 1]), &body, &lines);
    }
    let file = FileContent {
        bytes: body.clone().into_bytes(),
        mode: 0o644,
    };
    let files = BTreeMap::from([("big.py".to_string(), file)]);
    let guard = Protected::new();
    let view = View {
        files: &files,
        seen: &AllSeen,
        guard: &guard,
    };
    if let Some(at) = args.iter().position(|a| a == "--memory") {
        let count = args[at + 2].parse().unwrap();
        return memory(&args[at + 1], &view, &call(&lines, count, &args[at + 1]));
    }
    println!("{} lines, {} bytes, place {PLACE}", lines.len(), body.len());
    for kind in ["exact", "white space", "miss"] {
        for count in BLOCKS {
            let call = call(&lines, count, kind);
            report(&format!("tool, {kind}, {count} lines"), || {
                check(kind, &view, &call)
            });
            // A process of its own, so that nothing is counted that an earlier run left free.
            let child = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--memory", kind, &count.to_string()])
                .output()
                .unwrap();
            let grown: f64 = String::from_utf8(child.stdout)
                .unwrap()
                .trim()
                .parse()
                .unwrap();
            println!("  memory {:.1} x the file", grown / body.len() as f64);
        }
    }
    for count in BLOCKS {
        let texts = texts(&lines, count, "exact");
        let block = format!(
            "big.py\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n",
            texts.old, texts.new
        );
        let mut hunk = "--- a/big.py\n+++ b/big.py\n@@ @@\n".to_string();
        for (sign, text) in [('-', &texts.old), ('+', &texts.new)] {
            text.lines()
                .for_each(|line| hunk.push_str(&format!("{sign}{line}\n")));
        }
        report(&format!("blocks, exact, {count} lines"), || {
            drop(apply_blocks(&view, &block).unwrap());
        });
        report(&format!("udiff, exact, {count} lines"), || {
            drop(apply_udiff(&view, &hunk).unwrap());
        });
    }
}

fn report(what: &str, body: impl FnMut()) {
    let (half, most) = median(body);
    println!(
        "{what}: median {:.2} ms, p90 {:.2} ms",
        half.as_secs_f64() * 1000.0,
        most.as_secs_f64() * 1000.0
    );
}

fn call(lines: &[&str], count: usize, kind: &str) -> ToolCall {
    let Texts { old, new } = texts(lines, count, kind);
    ToolCall::EditFile {
        path: "big.py".into(),
        edits: vec![Replace { old, new }],
        summary: None,
        notes: Vec::new(),
    }
}

/// Prints by how many bytes one edit makes the process grow, the copy of the file that is read
/// included.
fn memory(kind: &str, view: &View<'_>, call: &ToolCall) {
    // 5 sets the peak back to the present size (proc(5), clear_refs).
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = peak();
    check(kind, view, call);
    println!("{}", peak().saturating_sub(before));
}

/// One edit, and that it ended as it should.
fn check(kind: &str, view: &View<'_>, call: &ToolCall) {
    match apply_tool(view, call) {
        Ok(applied) => {
            assert!(kind != "miss" && applied.changes.len() == 1);
            assert_eq!(
                applied.notes[0].contains("white space"),
                kind == "white space"
            );
            assert_eq!(applied.diff.matches("\n+").count(), 2, "{}", applied.diff);
        }
        Err(e) => assert!(kind == "miss" && e.kind == ErrorKind::NotFound, "{e}"),
    }
}

fn write_down(folder: &Path, body: &str, lines: &[&str]) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("big.py"), body).unwrap();
    for kind in ["exact", "white space", "miss"] {
        for count in BLOCKS {
            let texts = texts(lines, count, kind);
            std::fs::write(folder.join(format!("{kind}.{count}.old")), texts.old).unwrap();
            std::fs::write(folder.join(format!("{kind}.{count}.new")), texts.new).unwrap();
        }
    }
}
