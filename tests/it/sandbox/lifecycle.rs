//! Beginning and end: exit codes, survivors, stop, death of mend (SB-06).

use super::{Start, Work, living, sandbox, sleeper, spec, starts, wait_until};
use mend::domain::{Cancel, Exit};
use mend::sandbox::SandboxError;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn the_exit_code_is_the_commands_own() {
    for start in starts() {
        let work = Work::new(start);
        for (script, code) in [
            ("true", 0),
            ("exit 7", 7),
            ("exit 125", 125),
            ("kill -SEGV $$", 139),
            ("kill -KILL $$", 137),
        ] {
            assert_eq!(work.sh(script).status.code(), Some(code), "{script}");
        }
        let mut mend = work.mend();
        let output = mend
            .args(["sandbox", "run", "--", "no-such-program"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(127));
        assert!(String::from_utf8_lossy(&output.stdout).contains("no-such-program"));
        work.file("text", "not a program");
        let mut mend = work.mend();
        let output = mend
            .args(["sandbox", "run", "--", "./text"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(126));
    }
}

#[test]
fn json_says_how_it_ended() {
    let work = Work::new(Start::User);
    let ran = work.json(&[], "echo out; echo err >&2; exit 3");
    assert_eq!(ran["exit"], serde_json::json!({"code": 3}));
    assert_eq!(ran["output"], "out\nerr\n");
    assert_eq!(ran["truncated"], false);
    let ran = work.json(&[], "kill -ABRT $$");
    assert_eq!(ran["exit"], serde_json::json!({"signal": 6}));
    let ran = work.json(&["--timeout", "0.3"], "echo begun; sleep 60");
    assert_eq!(ran["exit"], "timed_out");
    assert_eq!(ran["output"], "begun\n");
}

#[test]
fn output_comes_while_the_command_runs_and_input_is_empty() {
    for start in starts() {
        let work = Work::new(start);
        let mut mend = work.mend();
        let script = "cat; echo live; sleep 30";
        mend.args(["sandbox", "run", "--", "/bin/sh", "-c", script]);
        let mut child = mend.stdout(Stdio::piped()).spawn().unwrap();
        let began = Instant::now();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        assert_eq!(line, "live\n");
        assert!(began.elapsed() < Duration::from_secs(20));
        terminate(&child);
        assert_eq!(child.wait().unwrap().code(), Some(143));
    }
}

fn terminate(child: &std::process::Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
}

/// SB-06: what left the session, ignores signals or stopped itself does not outlive the command.
#[test]
fn sb_06_no_survivor_after_the_end() {
    for start in starts() {
        let work = Work::new(start);
        let long = sleeper();
        let began = Instant::now();
        let text = work.say(&format!(
            "setsid nohup sleep {long} & \
             (setsid sh -c 'sleep {long} & sleep {long}' &) & \
             sleep 0.3; echo done"
        ));
        assert!(text.ends_with("done\n"), "{text}");
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "a grandchild held the pipe"
        );
        assert_eq!(living(&long), Vec::<String>::new());
    }
}

/// SB-06: the same at a time-out.
#[test]
fn sb_06_no_survivor_after_a_time_out() {
    for start in starts() {
        let work = Work::new(start);
        let long = sleeper();
        let script = format!(
            "trap '' TERM INT HUP; setsid sleep {long} & echo begun; kill -STOP $$; sleep {long}"
        );
        let mut mend = work.mend();
        mend.args([
            "sandbox",
            "run",
            "--timeout",
            "1",
            "--",
            "/bin/sh",
            "-c",
            &script,
        ]);
        let began = Instant::now();
        let output = mend.output().unwrap();
        assert_eq!(output.status.code(), Some(124), "{start:?}");
        assert_eq!(output.stdout, b"begun\n");
        assert!(began.elapsed() < Duration::from_secs(20));
        assert_eq!(living(&long), Vec::<String>::new());
    }
}

/// SB-06: mend's own death, by a signal that it cannot handle and by one that it can.
#[test]
fn sb_06_no_survivor_when_mend_dies() {
    for start in starts() {
        for kill in [true, false] {
            let work = Work::new(start);
            let long = sleeper();
            let script = format!("setsid sleep {long} & sleep {long}");
            let mut mend = work.mend();
            mend.args(["sandbox", "run", "--", "/bin/sh", "-c", &script]);
            let mut child = mend.spawn().unwrap();
            wait_until("both sleep", || living(&long).len() == 2);
            match kill {
                true => child.kill().unwrap(),
                false => terminate(&child),
            }
            child.wait().unwrap();
            wait_until("none is left", || living(&long).is_empty());
        }
    }
}

/// SB-06: a stop from the caller, in the middle and before the beginning.
#[tokio::test(flavor = "multi_thread")]
async fn sb_06_no_survivor_after_a_stop() {
    let work = Work::new(starts()[0]);
    let sandbox = sandbox().await;
    let long = sleeper();
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let word = long.clone();
    tokio::task::spawn_blocking(move || {
        wait_until("it sleeps", || !living(&word).is_empty());
        stop.cancel();
    });
    let command = spec(&work.path(), &format!("sleep {long}"));
    let ended = sandbox.run(&command, &cancel).await;
    assert!(matches!(ended, Err(SandboxError::Stopped)), "{ended:?}");
    assert_eq!(living(&long), Vec::<String>::new());
    let before = sandbox.run(&command, &cancel).await;
    assert!(matches!(before, Err(SandboxError::Stopped)));
}

/// SB-06: dropping the future, as a runtime does at its end, ends the command too.
#[tokio::test(flavor = "multi_thread")]
async fn sb_06_no_survivor_after_a_drop() {
    let work = Work::new(starts()[0]);
    let sandbox = sandbox().await;
    let long = sleeper();
    let command = spec(&work.path(), &format!("setsid sleep {long} & sleep {long}"));
    let task = tokio::spawn(async move { sandbox.run(&command, &Cancel::new()).await });
    let word = long.clone();
    let seen = move || wait_until("both sleep", || living(&word).len() == 2);
    tokio::task::spawn_blocking(seen).await.unwrap();
    task.abort();
    tokio::task::spawn_blocking(move || wait_until("none is left", || living(&long).is_empty()))
        .await
        .unwrap();
}

/// Many at once, from one process, each with its own end.
#[tokio::test(flavor = "multi_thread")]
async fn many_run_side_by_side() {
    let sandbox = sandbox().await;
    let mut all = tokio::task::JoinSet::new();
    for number in 0..8 {
        let sandbox = sandbox.clone();
        all.spawn(async move {
            let work = Work::new(starts()[0]);
            let script = format!("echo {number} >file; sleep 0.2; cat file; exit {number}");
            let ran = sandbox
                .run(&spec(&work.path(), &script), &Cancel::new())
                .await
                .unwrap();
            assert_eq!(ran.exit, Exit::Code(number));
            assert_eq!(ran.output, format!("{number}\n").into_bytes());
        });
    }
    while let Some(done) = all.join_next().await {
        done.unwrap();
    }
}
