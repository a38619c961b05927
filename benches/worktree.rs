//! A task's worktree of a repository of 11,000 files from a warm mirror, beside `git worktree add`,
//! `git clone --shared` and `cp -r` of the same files.
//!
//! usage: BENCH FOLDER [RUNS] [FILES]    (FOLDER: where to write, on tmpfs or a disk; prints a Markdown table)
//!
//! The kinds run in turn, so that a busy moment of the machine falls on all of them; what one made is
//! removed before the next begins, outside its time. Nothing is flushed to the disk.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use mend::domain::Cancel;
use mend::git::{Caps, Git, GitSettings};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn run(program: &str, arguments: &[&str], folder: &Path) {
    let done = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(done.unwrap().success(), "{program} {arguments:?}");
}

/// Source files of 1 to 8 KB in folders of 50, as large repositories have them (60 MB for 11,000).
fn source(folder: &Path, files: usize) {
    let mut state = 1_u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 33
    };
    for n in 0..files {
        let inside = folder.join(format!("part{}/unit{}", n / 500, n / 50 % 10));
        std::fs::create_dir_all(&inside).unwrap();
        let lines = 30 + random() % 200;
        let text: String = (0..lines)
            .map(|line| format!("let value_{line} = {:x};\n", random()))
            .collect();
        std::fs::write(inside.join(format!("file{n}.rs")), text).unwrap();
    }
}

/// The files in `origin`, and a bare repository of them, `bare.git`.
fn repository(home: &Path, files: usize) {
    let at = |name: &str| home.join(name);
    let text = |name: &str| at(name).to_str().unwrap().to_string();
    source(&at("origin"), files);
    run("git", &["init", "-q", "-b", "main"], &at("origin"));
    run("git", &["add", "."], &at("origin"));
    let name = ["-c", "user.name=a", "-c", "user.email=a@b.test"];
    let commit = [&name[..], &["-c", "gc.auto=0", "commit", "-qm", "all"]].concat();
    run("git", &commit, &at("origin"));
    run("git", &["gc", "-q"], &at("origin"));
    // What `cp` copies are the files alone.
    std::fs::rename(at("origin/.git"), at("origin.git")).unwrap();
    run(
        "git",
        &[
            "clone",
            "-q",
            "--bare",
            &text("origin.git"),
            &text("bare.git"),
        ],
        home,
    );
}

fn gone(path: &Path) {
    let _ = std::fs::remove_dir_all(path);
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1).filter(|a| a != "--bench");
    let Some(folder) = arguments.next() else {
        eprintln!("usage: BENCH FOLDER [RUNS] [FILES]");
        return;
    };
    let mut number = |default| arguments.next().map_or(default, |n| n.parse().unwrap());
    let (runs, files): (usize, usize) = (number(9), number(11_000));
    let home = tempfile::tempdir_in(folder).unwrap();
    let at = |name: &str| home.path().join(name);
    let text = |name: &str| at(name).to_str().unwrap().to_string();
    repository(home.path(), files);
    let settings = GitSettings::new(at("mirrors"), "https://git.invalid");
    let git = Git::new(settings).unwrap();
    let mirror = git.mirror(7).await.unwrap();
    let branch = "refs/heads/main:refs/heads/main";
    run(
        "git",
        &["fetch", "-q", &text("bare.git"), branch],
        mirror.path(),
    );
    let tip = mirror.resolve("refs/heads/main").await.unwrap().unwrap();
    let mut times: [(&str, Vec<Duration>); 4] = [
        ("mend: private git folder and check-out", Vec::new()),
        ("git worktree add", Vec::new()),
        ("git clone --shared", Vec::new()),
        ("cp -r", Vec::new()),
    ];
    for turn in 0..=runs {
        let mut took = Vec::new();
        let began = Instant::now();
        let private = mirror.private(at("private.git")).await.unwrap();
        let (place, cancel) = (at("work"), Cancel::new());
        let done = private.checkout(tip, &place, Caps::default(), &cancel);
        assert_eq!(done.await.unwrap().files, files);
        took.push(began.elapsed());
        gone(&at("private.git"));
        gone(&at("work"));
        let (work, bare) = (text("work"), text("bare.git"));
        let kinds: [(&str, &[&str]); 3] = [
            ("git", &["worktree", "add", "-q", "--detach", &work, "main"]),
            ("git", &["clone", "-q", "--shared", &bare, &work]),
            ("cp", &["-r", &text("origin"), &work]),
        ];
        for (program, arguments) in kinds {
            let began = Instant::now();
            run(program, arguments, &at("bare.git"));
            took.push(began.elapsed());
            gone(&at("work"));
            run("git", &["worktree", "prune"], &at("bare.git"));
        }
        // The first turn warms the caches.
        for ((_, all), took) in times.iter_mut().zip(took) {
            all.extend((turn > 0).then_some(took));
        }
    }
    let base = middle(&times[1].1);
    println!("| kind | median s | least s | × git worktree add |\n|---|---|---|---|");
    for (name, all) in &times {
        let least = all.iter().min().unwrap().as_secs_f64();
        let median = middle(all);
        println!(
            "| {name} | {median:.2} | {least:.2} | {:.2} |",
            median / base
        );
    }
}

fn middle(all: &[Duration]) -> f64 {
    let mut sorted = all.to_vec();
    sorted.sort();
    sorted[sorted.len() / 2].as_secs_f64()
}
