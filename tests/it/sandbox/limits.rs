//! Quotas (SB-04, SB-05, SB-07).

use super::{Work, sandbox, spec, starts};
use mend::domain::{Cancel, Exit};
use mend::sandbox::{Bounds, HitLimit, Mount, Ran};

/// Runs a script with the library, with some bounds changed.
async fn bounded(script: &str, change: impl FnOnce(&mut Bounds)) -> Ran {
    let work = Work::new(starts()[0]);
    let mut spec = spec(&work.path(), script);
    change(&mut spec.limits);
    let ran = sandbox().await.run(&spec, &Cancel::new()).await.unwrap();
    println!("{:?} {}", ran.exit, String::from_utf8_lossy(&ran.output));
    ran
}

fn text(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.output).into_owned()
}

/// SB-04: forks and threads stop at the limit, whoever started mend.
#[test]
fn sb_04_a_fork_bomb_is_capped() {
    for start in starts() {
        let forks = Work::new(start).python(
            "import os, time\nn = 0\ntry:\n    while n < 5000:\n        if os.fork() == 0:\n            \
             time.sleep(60); os._exit(0)\n        n += 1\nexcept BlockingIOError:\n    pass\nprint(n, flush=True)\n\
             os._exit(0)",
        );
        let forks: u32 = forks.trim().parse().unwrap();
        assert!((100..1024).contains(&forks), "{start:?}: {forks}");
        let began = std::time::Instant::now();
        let work = Work::new(start);
        let mut mend = work.mend();
        mend.args(["sandbox", "run", "--timeout", "3", "--", "/bin/bash", "-c"]);
        let status = mend
            .arg(":(){ :|:& };:; wait; sleep 60")
            .output()
            .unwrap()
            .status;
        assert!(began.elapsed().as_secs() < 40, "{start:?}");
        assert!(status.code().is_some(), "{start:?}");
    }
}

/// SB-05: one process asks for more memory than all may have.
#[tokio::test]
async fn sb_05_one_process_cannot_take_all_memory() {
    let script = "/usr/bin/python3 -c 'bytearray(1 << 30)' 2>&1 | tail -1";
    let ran = bounded(script, |b| b.memory = 256 << 20).await;
    assert_eq!(text(&ran), "MemoryError\n");
    let ran = bounded(script, |_| {}).await;
    assert_eq!(text(&ran), "");
}

/// SB-05: many processes together do.
#[tokio::test]
async fn sb_05_many_processes_cannot_take_all_memory() {
    let one = "import time; x = bytearray(100 << 20); time.sleep(30)";
    let script =
        format!("for i in 1 2 3 4 5 6; do /usr/bin/python3 -c '{one}' & done; echo begun; wait");
    let ran = bounded(&script, |b| b.memory = 256 << 20).await;
    assert_eq!(ran.hit, Some(HitLimit::Memory));
    assert_eq!(ran.exit, Exit::Signal(9));
    assert_eq!(text(&ran), "begun\n");
}

/// SB-05: file size, scratch space and open files end in the command's own errors.
#[tokio::test]
async fn sb_05_files_are_bounded() {
    let script = "head -c 3000000 /dev/zero >big; echo $?; stat -c %s big";
    let ran = bounded(script, |b| b.file_size = 1 << 20).await;
    assert_eq!(text(&ran).lines().last(), Some("1048576"));
    let script = "head -c 9000000 /dev/zero >/tmp/big || echo full; rm /tmp/big; \
                  head -c 9000000 /dev/zero >/dev/shm/big || echo full";
    let ran = bounded(script, |b| b.scratch = 4 << 20).await;
    let full = text(&ran).lines().filter(|l| *l == "full").count();
    assert_eq!(full, 2, "{}", text(&ran));
    let script = "ulimit -n; ulimit -c; ulimit -Hn";
    let ran = bounded(script, |b| b.open_files = 77).await;
    assert_eq!(text(&ran), "77\n0\n77\n");
}

/// SB-05: the work folder cannot fill the disk, with content or with names.
#[tokio::test]
async fn sb_05_the_work_folder_is_bounded() {
    for script in [
        "for i in 1 2 3 4 5 6 7 8 9; do head -c 20000000 /dev/zero >big$i; done; sleep 30",
        "mkdir d; cd d; i=0; while [ $i -lt 60000 ]; do : >$i; i=$((i+1)); done; sleep 30",
    ] {
        let ran = bounded(script, |b| b.disk = 64 << 20).await;
        assert_eq!(ran.hit, Some(HitLimit::Disk), "{script}");
        assert_eq!(ran.exit, Exit::Signal(9));
    }
}

/// SB-07: endless output runs through; head and tail are kept.
#[tokio::test]
async fn sb_07_output_is_capped() {
    let script = "echo BEGIN; head -c 300000000 /dev/zero | tr '\\0' x; printf '\\377\\nEND\\n'";
    let ran = bounded(script, |b| (b.output_head, b.output_tail) = (1000, 1000)).await;
    assert_eq!(ran.exit, Exit::Code(0));
    assert!(ran.truncated);
    assert!(ran.output.starts_with(b"BEGIN\nxxx") && ran.output.ends_with(b"x\xff\nEND\n"));
    assert!(ran.output.len() < 2100, "{}", ran.output.len());
    assert!(text(&ran).contains("bytes of output left out"));
}

/// SB-07: the command line passes everything through and keeps as little.
#[test]
fn sb_07_the_command_line_passes_all_output_on() {
    let work = Work::new(starts()[0]);
    let output = work.sh("head -c 5000000 /dev/zero | tr '\\0' x");
    assert_eq!(output.stdout.len(), 5_000_000);
    let ran = work.json(
        &[],
        "echo BEGIN; head -c 5000000 /dev/zero | tr '\\0' x; echo END",
    );
    assert_eq!(ran["truncated"], true);
    let kept = ran["output"].as_str().unwrap();
    assert!(kept.starts_with("BEGIN") && kept.ends_with("END\n") && kept.len() < 1_100_000);
}

/// Folders that a caller adds are there, writable only when asked.
#[tokio::test]
async fn mounts_are_as_the_caller_says() {
    let work = Work::new(starts()[0]);
    let cache = tempfile::tempdir().unwrap();
    std::fs::write(cache.path().join("crate"), "cached").unwrap();
    super::open_to_all(cache.path());
    let mut spec = spec(
        &work.path(),
        "cat /tmp/cargo/registry/crate; touch /tmp/cargo/registry/x",
    );
    spec.mounts = vec![Mount {
        host: cache.path().into(),
        inside: "/tmp/cargo/registry".into(),
        writable: false,
    }];
    let ran = sandbox().await.run(&spec, &Cancel::new()).await.unwrap();
    assert!(text(&ran).starts_with("cached"), "{}", text(&ran));
    assert_eq!(ran.exit, Exit::Code(1));
    assert!(!cache.path().join("x").exists());
}
