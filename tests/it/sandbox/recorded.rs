//! The second back end against a recorded engine: a program that plays docker's command line and
//! notes what it was told. A real engine is in `engine.rs`.

use super::{Start, Work, spec};
use crate::host;
use mend::domain::{BackendKind, Cancel, Exit};
use mend::sandbox::{HitLimit, Sandbox, SandboxError, Settings};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

/// Answers of docker 27, cut down to what mend reads.
const DOCKER: &str = r#"#!/bin/sh
printf '%s\n' "$*" >>"$0.log"
case "$1" in
  version) echo 27.3.1 ;;
  info) echo "$(cat "$0.info" 2>/dev/null || echo true true)" ;;
  image) [ -e "$0.no-image" ] && { echo 'Error: No such image' >&2; exit 1; }; echo sha256:1 ;;
  ps) printf 'mend-1-4999999-77-0\tExited (137) 2 days ago\npostgres\tUp 2 days\n' ;;
  create) echo 0123456789abcdef ;;
  start) echo $$ >"$0.pid"; echo 'mend: up'; while read -r _; do :; done ;;
  exec)
    [ -e "$0.no-exec" ] && { echo 'Error response from daemon: container is paused' >&2; exit 1; }
    echo 'mend: ready'; case "$*" in */bin/true) exit 0 ;; esac
    echo recorded; [ -e "$0.slow" ] && exec sleep 60; exit 3 ;;
  kill) kill -9 "$(cat "$0.pid")" ;;
  inspect) echo "false $(cat "$0.oom" 2>/dev/null || echo false)" ;;
  rm) : ;;
esac
"#;

struct Recorded {
    work: Work,
    program: PathBuf,
}

impl Recorded {
    fn new() -> Recorded {
        let work = Work::new(if host::is_root() {
            Start::Root
        } else {
            Start::User
        });
        let program = work.beside("docker");
        std::fs::write(&program, DOCKER).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        Recorded { work, program }
    }

    fn settings(&self) -> Settings {
        Settings {
            backend: BackendKind::Docker,
            image: Some("image:1".into()),
            engine: Some(self.program.clone()),
            engine_env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            ..Settings::default()
        }
    }

    fn say(&self, name: &str, text: &str) {
        std::fs::write(format!("{}.{name}", self.program.display()), text).unwrap();
    }

    /// What docker was told since the last look, one line each, only the words before the image.
    fn told(&self) -> Vec<String> {
        let path = format!("{}.log", self.program.display());
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let _ = std::fs::remove_file(path);
        text.lines().map(String::from).collect()
    }

    async fn refused(&self) -> String {
        let found = Sandbox::find(&self.settings()).await;
        found.map(|_| ()).unwrap_err().to_string()
    }
}

fn verbs(told: &[String]) -> Vec<&str> {
    told.iter().map(|l| l.split(' ').next().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn docker_is_told_to_create_once_and_to_exec_each_command() {
    let docker = Recorded::new();
    let sandbox = Sandbox::find(&docker.settings()).await.unwrap();
    let told = docker.told();
    let begin = ["version", "image", "ps", "rm", "info", "create", "start"];
    assert_eq!(verbs(&told)[..7], begin, "{told:?}");
    assert_eq!(told[3], "rm --force mend-1-4999999-77-0");
    let command = spec(&docker.work.path(), "anything");
    for _ in 0..2 {
        let ran = sandbox.run(&command, &Cancel::new()).await.unwrap();
        assert_eq!(ran.exit, Exit::Code(3));
        assert_eq!(ran.output, b"recorded\n");
    }
    let removed = |told: &[String]| verbs(told).iter().filter(|v| **v == "rm").count();
    let begun = removed(&told);
    let mut told = docker.told();
    // The trial's own container goes, because its folder is gone; before or after the first look.
    assert_eq!(begun + removed(&told), 2, "{told:?}");
    told.retain(|line| !line.starts_with("rm "));
    let once = ["start", "exec", "kill", "inspect"];
    let expected = [&["create"][..], &once, &once].concat();
    assert_eq!(verbs(&told), expected, "{told:?}");
    let create = &told[0];
    for word in [
        "--network=none",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges",
        "--read-only",
        "--label=mend",
        "--pids-limit=1026",
        "--memory=4294967296",
        "--memory-swap=4294967296",
        "--cpus=",
        "--pull=never",
    ] {
        assert!(create.contains(word), "{word}: {create}");
    }
    assert!(!create.contains("privileged=") && !create.contains("docker.sock"));
    assert!(told[2].starts_with("exec --user="), "{}", told[2]);
    drop(sandbox);
    super::wait_until("the idle container is removed", || {
        docker
            .told()
            .iter()
            .any(|l| l.starts_with("rm --force mend-"))
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn docker_kills_the_container_at_a_time_out_and_a_stop() {
    let docker = Recorded::new();
    docker.say("slow", "");
    let sandbox = Sandbox::untried(&docker.settings()).unwrap();
    let mut late = spec(&docker.work.path(), "anything");
    late.limits.wall = Duration::from_millis(300);
    let ran = sandbox.run(&late, &Cancel::new()).await.unwrap();
    assert_eq!(ran.exit, Exit::TimedOut);
    let told = docker.told();
    assert!(
        verbs(&told).ends_with(&["exec", "kill", "inspect"]),
        "{told:?}"
    );
    let cancel = Cancel::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(500)).await;
        stop.cancel();
    });
    let command = spec(&docker.work.path(), "anything");
    let ended = sandbox.run(&command, &cancel).await;
    assert!(matches!(ended, Err(SandboxError::Stopped)), "{ended:?}");
    assert!(verbs(&docker.told()).contains(&"kill"));
}

#[tokio::test(flavor = "multi_thread")]
async fn docker_tells_of_memory() {
    let docker = Recorded::new();
    docker.say("oom", "true");
    let sandbox = Sandbox::untried(&docker.settings()).unwrap();
    let command = spec(&docker.work.path(), "anything");
    let ran = sandbox.run(&command, &Cancel::new()).await.unwrap();
    assert_eq!(ran.hit, Some(HitLimit::Memory));
}

/// SB-08 for the second back end: reason, fix, and no other back end in its place.
#[tokio::test(flavor = "multi_thread")]
async fn sb_08_docker_that_cannot_is_refused() {
    let docker = Recorded::new();
    docker.say("no-image", "");
    let refused = docker.refused().await;
    assert!(
        refused.contains("No such image; docker pull image:1"),
        "{refused}"
    );
    let docker = Recorded::new();
    docker.say("info", "false true");
    let refused = docker.refused().await;
    assert!(
        refused.contains("no control groups for memory"),
        "{refused}"
    );
    let docker = Recorded::new();
    docker.say("no-exec", "");
    let refused = docker.refused().await;
    assert!(refused.contains("container is paused"), "{refused}");
    assert!(verbs(&docker.told()).contains(&"kill"));
    let mut settings = docker.settings();
    settings.image = None;
    let refused = Sandbox::untried(&settings).unwrap_err().to_string();
    assert!(refused.contains("set `sandbox.image`"), "{refused}");
    settings.image = Some("image:1".into());
    settings.engine = Some("/nonexistent/docker".into());
    let refused = Sandbox::find(&settings).await.unwrap_err().to_string();
    assert!(
        refused.contains("docker is not installed; install docker"),
        "{refused}"
    );
    settings.engine = Some("/bin/false".into());
    let refused = Sandbox::find(&settings).await.unwrap_err().to_string();
    assert!(refused.contains("start the docker service"), "{refused}");
}
