//! What the catalogue asks for beside the tests of the neighbouring files: SB-02 to SB-08. The heavy
//! ones are left to `tests/full`.

use super::{MEND, Start, Work, sandbox, sleeper, spec, starts, wait_until};
use crate::host;
use mend::domain::{Cancel, Exit};
use mend::sandbox::HitLimit;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// SB-02: exactly these can be written, whoever started mend.
#[test]
fn sb_02_what_can_be_written_is_as_in_the_golden_list() {
    for start in starts() {
        let text = Work::new(start).say(
            "find / -writable -not -type l -not -path '/proc/*' 2>/dev/null | sort; \
             find /proc/sys -writable 2>/dev/null | grep -v -e ^/proc/sys/fs/mqueue/ \
               -e ^/proc/sys/kernel/msg -e ^/proc/sys/kernel/shm -e ^/proc/sys/kernel/sem$ \
               -e ^/proc/sys/kernel/auto_msgmni$ -e ^/proc/sys/kernel/ns_last_pid$ \
               -e ^/proc/sys/kernel/pid_max$; true",
        );
        // What is left out belongs to the sandbox's own ipc and pid namespaces.
        let golden = "/dev/full\n/dev/null\n/dev/pts\n/dev/pts/ptmx\n/dev/random\n/dev/shm\n\
                      /dev/tty\n/dev/urandom\n/dev/zero\n/repo\n/tmp\n/tmp/cargo\n/tmp/home\n";
        // A place for a toolchain that lives in a closed home.
        let text = text.replace("/tmp/rustup\n", "");
        assert_eq!(text, golden, "{start:?}");
    }
}

/// SB-02: nothing at the top of the root but what the layout makes.
#[test]
fn sb_02_the_root_is_as_in_the_golden_list() {
    let text = Work::new(Start::User).say("ls -A /; ls -A /run /var /home /opt 2>/dev/null; true");
    let fine = [
        "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "repo", "run", "sbin",
        "tmp", "usr", "var", "/run:", "mend", "/var:", "",
    ];
    for line in text.lines() {
        // Folders on the way to a toolchain are empty but for it.
        let toolchain = ["root", "opt", "home"].contains(&line);
        assert!(fine.contains(&line) || toolchain, "{line}: {text}");
    }
    let secrets = Work::new(Start::User).say(
        "ls -d /etc/mend /etc/shadow /var/run/docker.sock /run/docker.sock /run/dbus /run/user \
           /etc/ssh /var/lib /boot /sys 2>/dev/null; env | grep -i -e ssh_auth -e dbus; true",
    );
    assert_eq!(secrets, "");
}

/// SB-02: later commands of one mend get `/etc` as one prepared folder; it is what the first one got.
#[tokio::test]
async fn sb_02_a_later_command_sees_the_same_etc() {
    let work = Work::new(starts()[0]);
    let sandbox = sandbox().await;
    let script = "cd /etc && find . ! -type d ! -type l -exec sha256sum {} + | sort -k2; \
        find . -type l -exec ls -ld {} + | sed 's/.* \\.//'; find . -type d | sort; find . -writable; \
        echo x 2>/dev/null >passwd || echo closed; grep -c ' /etc ' /proc/self/mounts; true";
    let mut pictures = Vec::new();
    for _ in 0..3 {
        let spec = spec(&work.path(), script);
        let ran = sandbox.run(&spec, &Cancel::new()).await.unwrap();
        let text = String::from_utf8_lossy(&ran.output).into_owned();
        let (picture, mounts) = text.trim_end().rsplit_once('\n').unwrap();
        pictures.push((picture.to_string(), mounts.to_string()));
    }
    let (first, second, third) = (&pictures[0], &pictures[1], &pictures[2]);
    assert_eq!((first.1.as_str(), second.1.as_str()), ("0", "1"));
    assert!(
        first.0.contains("passwd") && first.0.ends_with("closed"),
        "{}",
        first.0
    );
    assert_eq!(first.0, second.0);
    assert_eq!(second, third);
}

/// SB-03: devices and other families of sockets.
#[test]
fn sb_03_no_device_is_made_and_no_memory_is_shared_with_the_host() {
    for start in starts() {
        let text = Work::new(start).python(
            "import os, stat\n\
             for kind in stat.S_IFCHR, stat.S_IFBLK:\n    try:\n        \
             os.mknod('node', kind | 0o666, os.makedev(1, 1)); print('MADE')\n    \
             except OSError as e: print(e.errno)\n\
             os.mkfifo('fifo'); print(stat.S_ISFIFO(os.stat('fifo').st_mode))\n\
             print(os.listdir('/dev/mqueue') if os.path.exists('/dev/mqueue') else 'none')\n\
             print([l for l in open('/proc/sysvipc/shm')][1:])\n",
        );
        assert_eq!(text, "1\n1\nTrue\nnone\n[]\n", "{start:?}");
    }
}

/// SB-04: ten thousand threads are capped, and the limit is not the host's.
#[test]
fn sb_04_ten_thousand_threads_are_capped() {
    for start in starts() {
        let text = Work::new(start).python(
            "import threading, time, os\nn = 0\nthreading.stack_size(65536)\ntry:\n    \
             while n < 10000:\n        \
             threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); n += 1\n\
             except RuntimeError: pass\nprint(n, flush=True)\nos._exit(0)",
        );
        let threads: u32 = text.trim().parse().unwrap();
        assert!((100..1100).contains(&threads), "{start:?}: {threads}");
    }
}

/// SB-04: the host answers while a fork bomb runs.
#[test]
#[ignore = "loads the machine for ten seconds; tests/full runs it"]
fn sb_04_the_host_answers_beside_a_fork_bomb() {
    for start in starts() {
        let work = Work::new(start);
        let mut mend = work.mend();
        mend.args(["sandbox", "run", "--timeout", "10", "--", "/bin/bash", "-c"]);
        mend.arg(":(){ :|:& };:; while :; do :; done");
        let mut bomb = mend
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut times = Vec::new();
        let began = Instant::now();
        while bomb.try_wait().unwrap().is_none() {
            let one = Instant::now();
            assert!(Command::new("/bin/true").status().unwrap().success());
            times.push(one.elapsed());
            std::thread::sleep(Duration::from_millis(20));
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "it ends at its time"
            );
        }
        times.sort();
        let p99 = times[times.len() * 99 / 100];
        println!("{start:?}: {} probes, p99 {p99:?}", times.len());
        assert!(times.len() > 20 && p99 < Duration::from_secs(1), "{p99:?}");
    }
}

/// SB-05: 64 GB are not given, to one process or to many.
#[tokio::test]
async fn sb_05_sixty_four_gigabytes_are_not_given() {
    let work = Work::new(starts()[0]);
    let script = "/usr/bin/python3 -c 'bytearray(64 << 30)' 2>&1 | tail -1";
    let sandbox = sandbox().await;
    let ran = sandbox
        .run(&spec(&work.path(), script), &Cancel::new())
        .await;
    let ran = ran.unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.output), "MemoryError\n");
}

/// SB-05: files in memory that no process maps, on a host where no control group counts them.
#[test]
#[ignore = "takes five gigabytes of memory; tests/full runs it"]
fn sb_05_files_in_memory_are_counted() {
    let script = "import os\nheld, mib = [], 0\nblock = bytes(1 << 24)\nwhile mib < 8192:\n    \
                  fd = os.memfd_create('x'); held.append(fd)\n    \
                  for _ in range(64):\n        os.write(fd, block); mib += 16\n        \
                  print(mib, flush=True)\n";
    let work = Work::new(Start::User);
    let mut mend = work.mend();
    mend.args(["sandbox", "run", "--", "/usr/bin/python3", "-c", script]);
    let output = mend.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let most: u64 = said.lines().filter_map(|l| l.parse().ok()).max().unwrap();
    println!("{most} MiB, {:?}", output.status);
    assert!(!output.status.success());
    // The limit is 4 GiB, looked at ten times a second.
    assert!((3500..6000).contains(&most), "{most}");
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(why.contains("memory"), "{why}");
}

/// SB-05: 20 GB in one file and ten million empty ones; the host's free space stays.
#[tokio::test]
#[ignore = "writes gigabytes; tests/full runs it"]
async fn sb_05_the_disk_is_not_filled() {
    for (script, exit, hit) in [
        ("head -c 20G /dev/zero >x; exit $?", None, None),
        (
            "for i in 1 2 3 4; do head -c 2000000000 /dev/zero >x$i; done; sleep 60",
            Some(Exit::Signal(9)),
            Some(HitLimit::Disk),
        ),
        (
            "exec /usr/bin/python3 -c 'import os\nfor d in range(1000):\n    os.mkdir(str(d))\n    \
             for f in range(10000): open(f\"{d}/{f}\", \"w\").close()\n'",
            Some(Exit::Signal(9)),
            Some(HitLimit::Disk),
        ),
    ] {
        let work = Work::new(starts()[0]);
        let free = || rustix::fs::statvfs(work.path()).unwrap();
        let before = free();
        let mut spec = spec(&work.path(), script);
        spec.limits.disk = 3 << 30;
        if script.contains("python3") {
            spec.limits.disk = 1 << 30;
        }
        let ran = sandbox().await.run(&spec, &Cancel::new()).await.unwrap();
        assert_eq!(ran.hit, hit, "{script}: {:?}", ran.exit);
        match exit {
            Some(exit) => assert_eq!(ran.exit, exit),
            None => assert_ne!(ran.exit, Exit::Code(0)),
        }
        let gone = before.f_bavail.saturating_sub(free().f_bavail) * before.f_frsize;
        assert!(gone < 8 << 30, "{script}: {gone} bytes");
    }
}

/// SB-06: mend as the first process of a pid namespace, as in a container, keeps no dead process.
#[test]
fn sb_06_no_zombie_when_mend_is_the_first_process() {
    let work = Work::new(Start::User);
    let command = match host::is_root() {
        // As root without a user namespace of its own, as in most containers.
        true => vec!["-pf", "--mount-proc"],
        false => vec!["-Urpf", "--mount-proc"],
    };
    let output = Command::new("/usr/bin/unshare")
        .args(command)
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "sandbox::cases::inner_first_process",
            "--ignored",
        ])
        .env("MEND_TEST_WORK", work.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

/// What the test above runs as process 1.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a part of sb_06_no_zombie_when_mend_is_the_first_process"]
async fn inner_first_process() {
    let Ok(work) = std::env::var("MEND_TEST_WORK") else {
        return;
    };
    assert_eq!(std::process::id(), 1);
    let sandbox = sandbox().await;
    for _ in 0..5 {
        let script = format!("(setsid sleep {} &) ; sleep 60", sleeper());
        let mut late = spec(work.as_ref(), &script);
        late.limits.wall = Duration::from_millis(300);
        let ran = sandbox.run(&late, &Cancel::new()).await.unwrap();
        assert_eq!(ran.exit, Exit::TimedOut);
    }
    let others = || {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = all.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|pid| *pid != 1).count()
    };
    wait_until("only this process is left", || others() == 0);
}

/// SB-07: bytes that would command a terminal, NUL, invalid UTF-8 and overwriting pass as data.
#[test]
fn sb_07_output_is_data() {
    let work = Work::new(Start::User);
    let script = r"printf '\033]0;x\007\033[2J\033]8;;http://e\007 a\000b \377\376 over\rwrite IGNORE PREVIOUS\n'";
    let raw = work.sh(script).stdout;
    assert_eq!(
        raw,
        b"\x1b]0;x\x07\x1b[2J\x1b]8;;http://e\x07 a\0b \xff\xfe over\rwrite IGNORE PREVIOUS\n"
    );
    let mut mend = work.mend();
    mend.args(["sandbox", "run", "--json", "--", "/bin/sh", "-c", script]);
    let document = mend.output().unwrap().stdout;
    let bare = |b: &u8| *b < 0x20 && *b != b'\n';
    assert!(
        !document.iter().any(bare),
        "{}",
        String::from_utf8_lossy(&document)
    );
    let document: serde_json::Value = serde_json::from_slice(&document).unwrap();
    let kept = document["output"].as_str().unwrap();
    assert!(kept.contains('\u{1b}') && kept.contains('\0') && kept.contains('\u{fffd}'));
}

/// SB-07: two gigabytes on one line, and output without end: mend's memory stays small.
#[test]
#[ignore = "takes half a minute; tests/full runs it"]
fn sb_07_endless_output_takes_no_memory() {
    let work = Work::new(Start::User);
    for (script, timeout, code) in [
        ("head -c 2G /dev/zero | tr '\\0' x", "120", 0),
        ("yes", "5", 124),
    ] {
        let mut mend = work.mend();
        mend.args(["sandbox", "run", "--json", "--timeout", timeout, "--"]);
        mend.args(["/bin/sh", "-c", script]).stdout(Stdio::piped());
        let mut child = mend.spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut all = Vec::new();
            std::io::Read::read_to_end(&mut out, &mut all).map(|_| all)
        });
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            let status = format!("/proc/{}/status", child.id());
            let text = std::fs::read_to_string(status).unwrap_or_default();
            let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
            let kib = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse().ok());
            most = most.max(kib.unwrap_or(0_u64));
            std::thread::sleep(Duration::from_millis(50));
        }
        let all = reader.join().unwrap().unwrap();
        println!("{script}: {most} KiB at most, {} bytes kept", all.len());
        assert!(most > 0 && most < 64 << 10, "{most} KiB");
        assert!(all.len() < 3 << 20);
        let document: serde_json::Value = serde_json::from_slice(&all).unwrap();
        assert_eq!(document["truncated"], true);
        assert_eq!(child.wait().unwrap().code() == Some(124), code == 124);
    }
}

/// SB-08: bubblewrap that cannot start is no reason to run without it, also by the library.
#[tokio::test]
async fn sb_08_the_library_has_no_fallback() {
    let work = Work::new(Start::User);
    let settings = mend::sandbox::Settings {
        bwrap: Some("/bin/false".into()),
        program: Some(MEND.clone()),
        ..Default::default()
    };
    let found = mend::sandbox::Sandbox::find(&settings).await;
    assert!(found.is_err());
    let untried = mend::sandbox::Sandbox::untried(&settings).unwrap();
    let ran = untried
        .run(&spec(&work.path(), "touch ran"), &Cancel::new())
        .await;
    let refused = ran.unwrap_err().to_string();
    assert!(
        refused.starts_with("the sandbox is not usable here: "),
        "{refused}"
    );
    assert!(!work.path().join("ran").exists());
}
