//! Suites through the program: verified, run from recordings, compared, gone on with.

use crate::world::{calls, record, text};
use mend::lab;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::Builder::new()
            .prefix("mend-lab-")
            .tempdir_in("/tmp")
            .unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o711)).unwrap();
        Desk(folder)
    }

    fn mend(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_mend"))
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("TMPDIR", "/tmp")
            .env("MEND_CONFIG", "/dev/null")
            .args(args)
            .output()
            .unwrap()
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn suite() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/bench")
        .display()
        .to_string()
}

fn err(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

fn document(out: &Output) -> Value {
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {}", err(out)))
}

#[test]
fn the_suite_is_listed_whole() {
    let desk = Desk::new();
    let out = desk.mend(&["bench", "list", &suite(), "--json"]);
    let tasks = document(&out);
    let tasks = tasks.as_array().unwrap();
    assert!(tasks.len() >= 24, "{}", tasks.len());
    let contradictions = tasks
        .iter()
        .filter(|t| t["about"]["contradiction"] == true)
        .count();
    assert!(contradictions >= 6);
    for language in ["python", "rust", "javascript", "ruby"] {
        assert!(
            tasks.iter().any(|t| t["about"]["language"] == language),
            "{language}"
        );
    }
    for tag in [
        "wrong-module",
        "big-file",
        "several-places",
        "helper-import",
        "off-by-one",
        "rounding",
        "dates",
        "encoding",
        "hang",
        "crash",
        "green",
        "old-failing",
        "setup-fails",
        "flaky",
        "monorepo",
    ] {
        let has = |t: &Value| t["about"]["tags"].as_array().unwrap().contains(&tag.into());
        assert!(tasks.iter().any(has), "{tag}");
    }
}

#[test]
fn quick_tasks_hold_what_they_say() {
    let desk = Desk::new();
    let out = desk.mend(&[
        "bench",
        "verify",
        &suite(),
        "--json",
        "--parallel",
        "2",
        "--task",
        "py-december",
        "--task",
        "py-quoted-value",
        "--task",
        "py-swap",
        "--task",
        "py-build-step",
        "--task",
        "py-long-names",
        "--task",
        "js-json-route",
        "--task",
        "rb-seventh-day",
    ]);
    assert_eq!(out.status.code(), Some(0), "{}", err(&out));
    assert_eq!(document(&out).as_array().unwrap().len(), 7);
}

#[test]
#[ignore = "takes minutes; tests/full runs it"]
fn every_task_holds_what_it_says() {
    let desk = Desk::new();
    let out = desk.mend(&["bench", "verify", &suite(), "--parallel", "2"]);
    assert_eq!(out.status.code(), Some(0), "{}", err(&out));
}

#[test]
fn a_task_that_does_not_hold_is_named() {
    let desk = Desk::new();
    let copy = |from: &Path, to: &Path| {
        let done = Command::new("cp")
            .arg("-r")
            .args([from, to])
            .status()
            .unwrap();
        assert!(done.success());
    };
    let bench = PathBuf::from(suite());
    let own = desk.at("suite");
    std::fs::create_dir_all(own.join("projects")).unwrap();
    copy(&bench.join("py-december"), &own.join("py-december"));
    copy(
        &bench.join("projects/ledgerly"),
        &own.join("projects/ledgerly"),
    );
    // The fix that is none, as the reference.
    let task = own.join("py-december");
    std::fs::copy(task.join("wrong.patch"), task.join("fix.patch")).unwrap();
    let out = desk.mend(&["bench", "verify", &own.display().to_string()]);
    assert_eq!(out.status.code(), Some(1));
    let told = err(&out);
    assert!(told.contains("py-december: does not hold"), "{told}");
    assert!(
        told.contains("with the reference fix the hidden check does not pass"),
        "{told}"
    );
    let toml = std::fs::read_to_string(task.join("task.toml")).unwrap();
    let wrong = toml.replace("contradiction = false", "contradiction = true");
    std::fs::write(
        task.join("task.toml"),
        wrong.replace("\"red\"", "\"crash\""),
    )
    .unwrap();
    let out = desk.mend(&["bench", "verify", &own.display().to_string()]);
    assert_eq!(out.status.code(), Some(1));
    for part in ["`red` and `green`", "`contradicting_test` go together"] {
        assert!(err(&out).contains(part), "{part}: {}", err(&out));
    }
    std::fs::write(task.join("task.toml"), toml).unwrap();
    std::fs::write(task.join("fix.patch"), "no patch").unwrap();
    let out = desk.mend(&["bench", "verify", &own.display().to_string()]);
    assert!(
        err(&out).contains("`fix.patch` of py-december does not apply"),
        "{}",
        err(&out)
    );
    let out = desk.mend(&[
        "bench",
        "verify",
        &own.display().to_string(),
        "--task",
        "py-decembre",
    ]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        err(&out).contains("did you mean `py-december`"),
        "{}",
        err(&out)
    );
}

/// The text of a file of a task's project with the reference fix.
fn fixed(task: &str, file: &str) -> String {
    let place = tempfile::tempdir().unwrap();
    let chosen = lab::Chosen {
        names: vec![task.into()],
        tags: vec![],
    };
    let tasks = lab::load(Path::new(&suite()), &chosen).unwrap();
    let to = place.path().join("fixed");
    tasks[0].make(lab::Made::Fixed, &to, place.path()).unwrap();
    std::fs::read_to_string(to.join(file)).unwrap()
}

/// A run of `py-december` from answers, into the folder `run-NAME`.
fn played(desk: &Desk, name: &str) -> Output {
    let from = desk.at(name).display().to_string();
    let out = desk.at(&format!("run-{name}")).display().to_string();
    let suite = suite();
    let args = [
        "bench",
        "run",
        &suite,
        "--task",
        "py-december",
        "--recordings",
        &from,
    ];
    let more = ["--out", &out, "--json", "--note", "test", "--record"];
    desk.mend(&[&args[..], &more[..]].concat())
}

/// Three conversations: a fix in one turn, in three, and none.
fn conversations(desk: &Desk) {
    let patch = PathBuf::from(suite()).join("py-december/fix.patch");
    let patch = std::fs::read_to_string(patch).unwrap();
    let line = patch.lines().find(|l| l.starts_with("+++ b/")).unwrap();
    let file = line.trim_start_matches("+++ b/");
    let fixed = fixed("py-december", file);
    let all = json!({"path": file, "lines": 100_000});
    let read = calls(&[("read_file", all.clone())]);
    let content = json!({"path": file, "content": fixed, "summary": "fixed"});
    let write = calls(&[("read_file", all), ("write_file", content)]);
    for (name, replies) in [
        ("direct", vec![write.clone()]),
        ("slow", vec![read.clone(), read, write]),
        ("none", vec![text("I cannot see a bug.")]),
    ] {
        record(&desk.at(name).join("py-december.1"), &replies);
    }
}

#[test]
fn a_run_is_judged_by_hidden_tests_and_goes_on_where_it_was() {
    let desk = Desk::new();
    conversations(&desk);
    for (name, solved) in [("direct", true), ("slow", true), ("none", false)] {
        let run = played(&desk, name);
        assert_eq!(run.status.code(), Some(0), "{}", err(&run));
        let rows = document(&run);
        assert_eq!(rows[0]["solved"], solved, "{rows:#}");
        assert!(
            desk.at(&format!("run-{name}/traces/py-december.1.jsonl"))
                .is_file()
        );
        let again = played(&desk, name);
        assert_eq!(document(&again), rows, "nothing is left to do");
        assert!(!err(&again).contains("1/1"), "{}", err(&again));
    }
    let run = |name: &str| desk.at(&format!("run-{name}")).display().to_string();
    let page = desk.at("page.html");
    let html = page.display().to_string();
    let compared = desk.mend(&[
        "bench",
        "compare",
        &run("slow"),
        &run("direct"),
        "--json",
        "--html",
        &html,
    ]);
    let compared = document(&compared);
    assert_eq!(compared["tasks"][0]["turns"], json!([3.0, 1.0]));
    assert_eq!(compared["advice"], "not_enough", "one task proves nothing");
    assert!(
        std::fs::read_to_string(page)
            .unwrap()
            .contains("py-december")
    );
}

#[test]
fn the_played_run_still_comes_to_the_same() {
    let desk = Desk::new();
    let folder = PathBuf::from(suite());
    let (run, _) = lab::RunFolder::open(&folder.join("runs/with-source")).unwrap();
    let then = run.rows().unwrap();
    assert!(then.len() >= 12);
    let mut args = ["bench", "run", &suite(), "--parallel", "2", "--json"]
        .map(String::from)
        .to_vec();
    for row in &then {
        args.extend(["--task".into(), row.task.clone()]);
    }
    for (flag, path) in [
        ("--recordings", folder.join("played")),
        ("--out", desk.at("again")),
    ] {
        args.extend([flag.into(), path.display().to_string()]);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let out = desk.mend(&args);
    assert_eq!(out.status.code(), Some(0), "{}", err(&out));
    let now: Vec<lab::Row> = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(now.len(), then.len());
    for then in then {
        let now = now.iter().find(|row| row.task == then.task).unwrap();
        let what = |row: &lab::Row| {
            (
                row.solved,
                row.verdict,
                row.stop,
                row.turns,
                row.named.clone(),
            )
        };
        assert_eq!(what(now), what(&then), "{}: {}", then.task, now.why);
    }
}

#[test]
fn the_change_that_the_played_runs_measured_is_to_be_kept() {
    let desk = Desk::new();
    let run = |name: &str| format!("{}/runs/{name}", suite());
    let out = desk.mend(&[
        "bench",
        "compare",
        &run("without-source"),
        &run("with-source"),
    ]);
    assert_eq!(out.status.code(), Some(0), "{}", err(&out));
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let last = said.lines().last().unwrap();
    assert_eq!(
        last,
        "Keep: turns on average 2.21 before, 1.46 after (p < 0.001); 24 of 24 solved before, 24 after."
    );
}

#[test]
fn what_the_model_did_not_answer_is_no_result_and_is_tried_again() {
    let desk = Desk::new();
    let cut = desk.at("cut").join("py-december.1");
    let read = calls(&[("read_file", json!({"path": "README.md"}))]);
    record(&cut, &[read]);
    let run = played(&desk, "cut");
    assert_eq!(run.status.code(), Some(3), "{}", err(&run));
    assert!(
        err(&run).contains("1 of the runs say nothing") && err(&run).contains("py-december.1"),
        "{}",
        err(&run)
    );
    let results = desk.at("run-cut/results.jsonl");
    assert!(!results.exists(), "no row of a model that broke off");
    // The endpoint is back, and a kill had cut off a row.
    conversations(&desk);
    std::fs::remove_dir_all(&cut).unwrap();
    std::fs::rename(desk.at("direct").join("py-december.1"), &cut).unwrap();
    std::fs::write(&results, b"{\"task\":\"py-dec\xc3").unwrap();
    let run = played(&desk, "cut");
    assert_eq!(run.status.code(), Some(0), "{}", err(&run));
    assert_eq!(document(&run)[0]["solved"], true);
    let lines = std::fs::read_to_string(&results).unwrap();
    assert_eq!(lines.lines().count(), 1);
    let kept = desk.at("run-cut/recordings/py-december.1");
    let replies = std::fs::read_dir(kept.join("turns")).map_or(0, Iterator::count);
    assert!(
        replies < 2,
        "nothing is left of the recording that broke off"
    );
}

#[test]
fn a_run_goes_on_only_with_the_same_prompts_and_limits() {
    let desk = Desk::new();
    conversations(&desk);
    assert_eq!(played(&desk, "direct").status.code(), Some(0));
    let about = desk.at("run-direct/run.json");
    let text = std::fs::read_to_string(&about).unwrap();
    let mut run: Value = serde_json::from_str(&text).unwrap();
    run["settings"] = "other".into();
    std::fs::write(&about, run.to_string()).unwrap();
    let again = played(&desk, "direct");
    assert_eq!(again.status.code(), Some(2));
    assert!(
        err(&again).contains("other prompts, settings or limits"),
        "{}",
        err(&again)
    );
}

#[test]
fn guards_read_the_traces_of_a_run() {
    let desk = Desk::new();
    conversations(&desk);
    let own = desk.at("guards.toml");
    let guards = "[[guard]]\nname = \"read\"\nspan = \"read_file\"\npattern = \".\"\nflags = \"reads\"\nwhy = \"test\"\n";
    std::fs::write(&own, guards).unwrap();
    let own = own.display().to_string();
    let guard = |name: &str| {
        let run = desk.at(&format!("run-{name}")).display().to_string();
        desk.mend(&["guard", "check", &run, "--guards", &own, "--json"])
    };
    for name in ["slow", "none"] {
        assert_eq!(played(&desk, name).status.code(), Some(0));
    }
    let fired = document(&guard("slow"));
    let reads = fired
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["guard"] == "read")
        .count();
    assert_eq!(reads, 3);
    assert_eq!(guard("slow").status.code(), Some(1));
    assert_eq!(
        guard("none").status.code(),
        Some(0),
        "nothing was read there"
    );
}

#[test]
fn wrong_use_is_named() {
    let desk = Desk::new();
    let run = desk.at("nothing").display().to_string();
    let out = desk.mend(&["bench", "compare", &run, &run]);
    assert_eq!(out.status.code(), Some(2));
    assert!(err(&out).contains("is no run"), "{}", err(&out));
    std::fs::create_dir_all(desk.at("full")).unwrap();
    std::fs::write(desk.at("full/file"), "x").unwrap();
    let out = desk.mend(&[
        "bench",
        "run",
        &suite(),
        "--task",
        "py-december",
        "--recordings",
        "/tmp",
        "--out",
        &desk.at("full").display().to_string(),
    ]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        err(&out).contains("is not empty and holds no run"),
        "{}",
        err(&out)
    );
    let out = desk.mend(&["bench", "list", "/nowhere"]);
    assert!(
        err(&out).contains("the suite /nowhere cannot be read"),
        "{}",
        err(&out)
    );
}
