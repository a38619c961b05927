//! Hosts that cannot confine a process: reason, fix, and nothing runs (SB-08).

use super::{MEND, Start, Work, starts};
use crate::host;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn mark(work: &Work) -> bool {
    work.path().join("ran").exists()
}

/// Probe document and the end of a run.
fn both(mut probe: Command, mut run: Command) -> (Value, Output) {
    let probe = probe.args(["sandbox", "probe", "--json"]).output().unwrap();
    assert_eq!(
        probe.status.code(),
        Some(3),
        "{}",
        String::from_utf8_lossy(&probe.stdout)
    );
    let document = serde_json::from_slice(&probe.stdout).unwrap();
    let run = run
        .args(["sandbox", "run", "--", "/bin/touch", "ran"])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(125));
    (document, run)
}

#[test]
fn a_host_that_can_says_how_its_limits_are_kept() {
    for start in starts() {
        let work = Work::new(start);
        let output = work
            .mend()
            .args(["sandbox", "probe", "--json"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        let probe: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(probe["usable"], true, "{probe}");
        assert_eq!(probe["seccomp"], true);
        assert_eq!(probe["root"], start == Start::Root);
        assert_eq!(probe["outer_uid"].is_null(), start == Start::User);
        let limits = probe["limits"].as_array().unwrap();
        assert!(
            limits
                .iter()
                .all(|l| l["enforcement"] == "hard" || l["enforcement"] == "soft")
        );
        let output = work.mend().args(["sandbox", "probe"]).output().unwrap();
        assert!(output.stdout.starts_with(b"usable: yes\n"));
    }
}

#[test]
fn sb_08_no_bubblewrap() {
    for start in starts() {
        let work = Work::new(start);
        let with = || {
            let mut mend = work.mend();
            mend.env("MEND_SANDBOX_BWRAP", "/nonexistent/bwrap");
            mend
        };
        let (probe, run) = both(with(), with());
        assert_eq!(probe["usable"], false);
        for text in [
            probe["fix"].as_str().unwrap(),
            &String::from_utf8_lossy(&run.stderr),
        ] {
            assert!(text.contains("apt-get install bubblewrap"), "{text}");
        }
        assert!(!mark(&work));
    }
}

#[test]
fn sb_08_bubblewrap_too_old_or_no_bubblewrap_at_all() {
    use std::os::unix::fs::PermissionsExt;
    let work = Work::new(Start::User);
    for (script, expected) in [
        ("echo bubblewrap 0.4.1", "0.8.0"),
        (
            "echo 'bwrap: Unknown option --disable-userns' >&2; exit 1",
            "0.8.0",
        ),
        (
            "[ \"$1\" = --version ] && echo bubblewrap 9.0 || echo ran",
            "bubblewrap failed",
        ),
    ] {
        let fake = work.beside("bwrap");
        std::fs::write(&fake, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut probe = work.mend();
        let probe = probe
            .args(["sandbox", "probe", "--json", "--bwrap"])
            .arg(&fake)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&probe.stdout);
        assert_eq!(probe.status.code(), Some(3), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

/// User namespaces are off for the user that starts mend: a namespace with a limit of none.
#[test]
fn sb_08_no_user_namespaces() {
    let work = Work::new(Start::User);
    let within = || {
        let script = "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"";
        let mut command = match host::is_root() {
            true => super::as_user(Path::new("/usr/bin/unshare")),
            false => Command::new("/usr/bin/unshare"),
        };
        command
            .args(["-Ur", "/bin/sh", "-c", script])
            .arg(&*MEND)
            .current_dir(work.path());
        command
    };
    let (probe, run) = both(within(), within());
    assert_eq!(probe["user_namespaces"], false);
    for text in [
        probe["fix"].as_str().unwrap(),
        &String::from_utf8_lossy(&run.stderr),
    ] {
        assert!(text.contains("user.max_user_namespaces"), "{text}");
    }
    assert!(!mark(&work));
}

/// The kernel refuses filters: a filter around mend says so.
#[test]
#[cfg(target_arch = "x86_64")]
fn sb_08_no_seccomp() {
    let work = Work::new(Start::User);
    // struct sock_filter: load the number; seccomp (317) gives EPERM; all else is allowed.
    let words: [(u16, u8, u8, u32); 4] = [
        (0x20, 0, 0, 0),
        (0x15, 0, 1, 317),
        (0x06, 0, 0, 0x0005_0001),
        (0x06, 0, 0, 0x7fff_0000),
    ];
    let mut filter = Vec::new();
    for (code, jt, jf, k) in words {
        filter.extend(code.to_ne_bytes());
        filter.extend([jt, jf]);
        filter.extend(k.to_ne_bytes());
    }
    let file = work.beside("filter");
    std::fs::write(&file, filter).unwrap();
    let within = || {
        let script = format!(
            "exec 10<{}; exec bwrap --dev-bind / / --seccomp 10 \"$0\" \"$@\"",
            file.display()
        );
        let mut command = match host::is_root() {
            true => super::as_user(Path::new("/bin/bash")),
            false => Command::new("/bin/bash"),
        };
        command
            .args(["-c", &script])
            .arg(&*MEND)
            .current_dir(work.path());
        command
    };
    let (probe, run) = both(within(), within());
    assert_eq!(probe["user_namespaces"], true, "{probe}");
    assert_eq!(probe["seccomp"], false, "{probe}");
    for text in [
        probe["reason"].as_str().unwrap(),
        &String::from_utf8_lossy(&run.stderr),
    ] {
        assert!(text.contains("seccomp filters cannot be loaded"), "{text}");
    }
    assert!(!mark(&work));
}

#[test]
fn the_systems_folders_are_no_work_folder_and_stages_are_not_for_people() {
    let work = Work::new(Start::User);
    for folder in ["/", "/usr/bin", "/tmp"] {
        let mut mend = work.mend();
        mend.args(["sandbox", "run", "--", "/bin/true"])
            .current_dir(folder);
        let output = mend.output().unwrap();
        assert_eq!(output.status.code(), Some(125), "{folder}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("project's folder"));
    }
    // init is no subcommand.
    let output = work.mend().args(["sandbox-init", "/bin/true"]).output();
    assert_eq!(output.unwrap().status.code(), Some(2));
    let output = work
        .mend()
        .args(["sandbox", "run", "--timeout", "0", "--", "true"])
        .output();
    assert_eq!(output.unwrap().status.code(), Some(125));
}
