//! The command line from outside: exit codes, one document on stdout, nothing left.

use crate::world::{PROJECT, fix, record};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The program with nothing configured.
fn mend(tmp: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mend"));
    command
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("TMPDIR", tmp)
        .env("MEND_CONFIG", "/dev/null");
    command
}

fn told(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

/// A scratch folder, a project with a bug, a report, and a recorded answer that fixes it.
struct Desk(TempDir);

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::Builder::new()
            .prefix("mend-cli-")
            .tempdir_in("/tmp")
            .unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o711)).unwrap();
        for (path, text) in PROJECT {
            let path = folder.path().join("project").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::fs::write(
            folder.path().join("report.md"),
            "add subtracts\n\n`add(2, 3)` gives -1.\n",
        )
        .unwrap();
        record(&folder.path().join("answers"), &[fix()]);
        let tmp = folder.path().join("tmp");
        std::fs::create_dir(&tmp).unwrap();
        Desk(folder)
    }

    fn tmp(&self) -> std::path::PathBuf {
        self.0.path().join("tmp")
    }

    fn fix(&self) -> Command {
        let mut command = mend(&self.tmp());
        command
            .current_dir(self.0.path())
            .args(["fix", "project", "--report", "report.md"]);
        command
    }

    fn source(&self) -> String {
        std::fs::read_to_string(self.0.path().join("project/adder/sums.py")).unwrap()
    }

    fn nothing_left(&self) {
        let left: Vec<_> = std::fs::read_dir(self.tmp())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn missing_settings_are_named_and_end_with_2() {
    let desk = Desk::new();
    let out = mend(&desk.tmp()).arg("serve").output().unwrap();
    assert_eq!(out.status.code(), Some(2));
    for key in [
        "github.app_id",
        "github.private_key_path",
        "github.webhook_secret",
        "model.wire",
        "MEND_GITHUB_APP_ID",
    ] {
        assert!(told(&out).contains(key), "{key}: {}", told(&out));
    }
    let out = desk.fix().output().unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(
        told(&out).contains("model.wire") && !told(&out).contains("github"),
        "{}",
        told(&out)
    );
    let out = mend(&desk.tmp())
        .args(["serve", "--config", "/nowhere/mend.toml"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(told(&out).contains("/nowhere/mend.toml"), "{}", told(&out));
    let out = mend(&desk.tmp()).arg("frobnicate").output().unwrap();
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn a_fix_prints_one_document_and_leaves_the_folder_alone() {
    let desk = Desk::new();
    let out = desk
        .fix()
        .args(["--replay", "answers", "--json"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", told(&out));
    let document: Value = serde_json::from_slice(&out.stdout).expect("one document");
    for key in [
        "verdict",
        "stop",
        "summary",
        "checks",
        "contradictions",
        "diff",
        "body",
        "turns",
        "usage",
        "seconds",
    ] {
        assert!(!document[key].is_null(), "`{key}` is missing: {document}");
    }
    let check = &document["checks"][0];
    for key in [
        "outcome",
        "kind",
        "tests",
        "failed_names",
        "reason",
        "named_files",
        "blames_change",
        "narrowed",
        "runner",
        "evidence",
    ] {
        assert!(
            check["base"].get(key).is_some() && check["after"].get(key).is_some(),
            "{key}"
        );
    }
    for key in [
        "fixed",
        "newly_broken",
        "already_failing",
        "vanished",
        "flaky",
    ] {
        assert!(check["comparison"][key].is_array(), "{key}");
    }
    assert!(desk.source().contains("a - b"));
    desk.nothing_left();
    let out = desk
        .fix()
        .args(["--replay", "answers", "--apply"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", told(&out));
    assert!(desk.source().contains("a + b"));
    assert!(!String::from_utf8_lossy(&out.stdout).contains('\x1b'));
}

#[test]
fn any_other_verdict_ends_with_1_and_no_base_is_null() {
    let desk = Desk::new();
    let out = desk
        .fix()
        .args(["--replay", "answers", "--json", "--no-base"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(1), "{}", told(&out));
    let document: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(document["verdict"], "draft");
    assert!(document["checks"][0]["base"].is_null());
}

#[test]
fn a_recorded_fix_replays() {
    let desk = Desk::new();
    let out = desk
        .fix()
        .args(["--replay", "answers", "--record", "kept"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", told(&out));
    let kept = desk.0.path().join("kept");
    for file in [
        "0001.request.json",
        "0001.reply.json",
        "task.json",
        "result.json",
        "base/adder/sums.py",
    ] {
        assert!(kept.join(file).is_file(), "{file}");
    }
    let replay = || {
        mend(&desk.tmp())
            .arg("replay")
            .arg(&kept)
            .arg("--json")
            .output()
            .unwrap()
    };
    let out = replay();
    assert_eq!(out.status.code(), Some(0), "{}", told(&out));
    let reply = kept.join("0001.reply.json");
    let text = std::fs::read_to_string(&reply).unwrap();
    std::fs::write(&reply, text.replace("return a + b", "return b - a")).unwrap();
    let out = replay();
    assert_eq!(out.status.code(), Some(1), "{}", told(&out));
    let document: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(document["difference"]["turn"], 1);
    desk.nothing_left();
}

#[test]
fn ctrl_c_leaves_nothing_running_and_nothing_behind() {
    let desk = Desk::new();
    let marker = format!("{}", 1_000_000 + std::process::id());
    let mut child = desk
        .fix()
        .args(["--replay", "answers", "--check", &format!("sleep {marker}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let running = || {
        std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(Result::ok)
            .any(|e| {
                let line = std::fs::read(e.path().join("cmdline")).unwrap_or_default();
                String::from_utf8_lossy(&line).contains(&format!("sleep\0{marker}"))
            })
    };
    let start = Instant::now();
    while !running() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the check never began"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1), "the verdict is `stopped`");
    assert!(!running());
    desk.nothing_left();
}

#[test]
fn apply_never_writes_over_work_that_came_meanwhile() {
    let desk = Desk::new();
    let source = desk.0.path().join("project/adder/sums.py");
    // The check waits, so that there is a while to work in.
    let mut child = desk
        .fix()
        .args([
            "--replay",
            "answers",
            "--apply",
            "--check",
            "sleep 2; python3 -m unittest",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(1));
    std::fs::write(&source, "# mine\n").unwrap();
    let status = child.wait().unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!(status.code(), Some(3), "{}", told(&out));
    assert_eq!(std::fs::read_to_string(&source).unwrap(), "# mine\n");
    assert!(
        told(&out).contains("was changed while mend worked"),
        "{}",
        told(&out)
    );
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(
        said.contains("+    return a + b"),
        "the result is not lost: {said}"
    );
    desk.nothing_left();
}

#[test]
fn a_recording_inside_the_project_is_refused() {
    let desk = Desk::new();
    let out = desk
        .fix()
        .args(["--replay", "answers", "--record", "project/kept"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", told(&out));
    assert!(told(&out).contains("inside the project"), "{}", told(&out));
}

#[test]
fn a_reviewer_reads_the_change_is_recorded_and_replays() {
    let desk = Desk::new();
    let root = desk.0.path();
    let points = r#"{"points": [{"path": "adder/sums.py", "line": 2, "severity": "note", "text": "Negative numbers were wrong too."}]}"#;
    std::fs::create_dir(root.join("answers/review")).unwrap();
    std::fs::write(
        root.join("answers/review/0001.reply.json"),
        serde_json::json!({ "text": points }).to_string(),
    )
    .unwrap();
    let out = desk
        .fix()
        .args(["--replay", "answers", "--json", "--record", "recorded"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", told(&out));
    let document: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(document["review"]["open"][0]["line"], 2);
    let body = document["body"].as_str().unwrap();
    assert!(body.contains("**Reviewer's open points**"), "{body}");
    assert!(root.join("recorded/review/0001.request.json").is_file());
    let again = mend(&desk.tmp())
        .current_dir(root)
        .args(["replay", "recorded", "--json"])
        .output()
        .unwrap();
    assert_eq!(again.status.code(), Some(0), "{}", told(&again));
    desk.nothing_left();
}

#[test]
fn a_prompt_that_is_wrong_is_named_by_file_and_line() {
    let desk = Desk::new();
    let prompts = desk.0.path().join("prompts");
    std::fs::create_dir(&prompts).unwrap();
    for (text, says) in [
        ("one\n{% if tests_protected %}\n", "`limits.md`, line 2"),
        ("{{ password }}", "`limits.md` asks for `password`"),
    ] {
        std::fs::write(prompts.join("limits.md"), text).unwrap();
        let out = desk
            .fix()
            .args(["--replay", "answers"])
            .env("MEND_PROMPTS", &prompts)
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(2), "{}", told(&out));
        assert!(told(&out).contains(says), "{}", told(&out));
    }
}
