//! `mend edit apply` beyond what the cases say.

use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn mend(root: &Path, more: &[&str], reply: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mend"))
        .args(["edit", "apply", "--root"])
        .arg(root)
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails early closes its end.
    let _ = child.stdin.take().unwrap().write_all(reply);
    child.wait_with_output().unwrap()
}

fn block(path: &str, search: &str, replace: &str) -> Vec<u8> {
    format!("{path}\n<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n").into_bytes()
}

#[test]
fn protected_files_are_refused_with_the_pattern() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("tests")).unwrap();
    fs::write(root.path().join("tests/a.py"), "x\n").unwrap();
    std::os::unix::fs::symlink("tests/a.py", root.path().join("b.py")).unwrap();
    for path in ["tests/a.py", "b.py"] {
        let more = ["--dialect", "blocks", "--json", "--protect", "tests/**"];
        let out = mend(root.path(), &more, &block(path, "x", "y"));
        let json: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(out.status.code(), Some(1));
        assert_eq!(json["error"]["kind"], "protected");
        assert!(
            json["error"]["message"]
                .as_str()
                .unwrap()
                .contains("tests/**")
        );
    }
    assert_eq!(fs::read(root.path().join("tests/a.py")).unwrap(), b"x\n");
}

#[test]
fn a_person_reads_notes_and_a_program_the_diff() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.txt"), "one\r\n").unwrap();
    let blocks = ["--dialect", "blocks"];
    let out = mend(root.path(), &blocks, &block("a.txt", "one", "two"));
    assert_eq!(out.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&out.stderr).contains("edit 1: a.txt: 1 line became 1 line"));
    assert!(String::from_utf8_lossy(&out.stdout).ends_with("-one\r\n+two\r\n"));
    let out = mend(root.path(), &blocks, &block("a.txt", "one", "two"));
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).contains("already there"));
    let out = mend(root.path(), &blocks, b"nothing to do\n");
    assert_eq!((out.status.code(), out.stdout.len()), (Some(0), 0));
}

#[test]
fn what_is_no_reply_is_malformed_and_what_is_no_folder_a_fault() {
    let root = tempfile::tempdir().unwrap();
    for (dialect, reply) in [
        ("blocks", &b"\xff"[..]),
        ("tool", b"{"),
        ("tool", b"{\"name\": \"edit_file\"}"),
    ] {
        let out = mend(root.path(), &["--json", "--dialect", dialect], reply);
        let json: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(
            (out.status.code(), json["error"]["kind"].as_str()),
            (Some(1), Some("malformed"))
        );
    }
    for more in [
        &["--dialect", "blocks", "--protect", "a[b"][..],
        &["--dialect", "blocks", "--seen", "/nowhere"],
    ] {
        let out = mend(root.path(), more, b"x");
        assert_eq!(out.status.code(), Some(2), "{more:?}");
        assert!(String::from_utf8_lossy(&out.stderr).starts_with("mend: "));
    }
    assert_eq!(
        mend(Path::new("/nowhere"), &["--dialect", "udiff"], b"")
            .status
            .code(),
        Some(2)
    );
}
