//! The second back end, against a real podman where there is one (`tests/full`).

use super::{MEND, Start, Work, living, open_to_all, sleeper, wait_until};
use crate::host;
use mend::domain::{BackendKind, Cancel, Exit};
use mend::sandbox::{Bounds, HitLimit, Sandbox, SandboxError, Settings, Spec};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const IMAGE: &str = "localhost/mend-test:1";

/// An engine with a store of its own, and an image of the host's own shell and tools.
struct Podman {
    folder: TempDir,
}

impl Podman {
    fn env(&self) -> Vec<(String, String)> {
        let at = |name: &str| self.folder.path().join(name).display().to_string();
        vec![
            ("CONTAINERS_CONF".into(), at("containers.conf")),
            ("CONTAINERS_STORAGE_CONF".into(), at("storage.conf")),
            ("HOME".into(), at("")),
            ("PATH".into(), "/usr/sbin:/usr/bin:/sbin:/bin".into()),
        ]
    }

    fn say(&self, arguments: &[&str]) -> String {
        let mut podman = Command::new("podman");
        let output = podman.args(arguments).env_clear().envs(self.env()).output();
        let output = output.unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn settings(&self) -> Settings {
        Settings {
            backend: BackendKind::Podman,
            image: Some(IMAGE.into()),
            engine_env: self.env(),
            ..Settings::default()
        }
    }

    fn mend(&self, work: &Work, arguments: &[&str]) -> Command {
        let mut mend = work.mend();
        mend.env_clear().envs(self.env());
        mend.args(["sandbox", "--backend", "podman", "--image", IMAGE]);
        mend.args(arguments);
        mend
    }
}

static PODMAN: LazyLock<Option<Podman>> = LazyLock::new(|| {
    let there = Command::new("podman").arg("--version").output().is_ok();
    if !host::has("podman", there && host::is_root()) {
        return None;
    }
    let folder = tempfile::Builder::new()
        .prefix("mend-test")
        .tempdir()
        .unwrap();
    open_to_all(folder.path());
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: String| std::fs::write(at(name), text).unwrap();
    // runc also works where both versions of control groups are mounted.
    let runtime = ["runc", "crun"]
        .into_iter()
        .find(|r| has_program(r))
        .unwrap();
    write(
        "containers.conf",
        format!(
            "[engine]\ncgroup_manager = \"cgroupfs\"\nruntime = \"{runtime}\"\n\
             events_logger = \"file\"\n"
        ),
    );
    write(
        "storage.conf",
        format!(
            "[storage]\ndriver = \"vfs\"\ngraphroot = \"{}\"\nrunroot = \"{}\"\n",
            at("store").display(),
            at("run").display()
        ),
    );
    let script = "mkdir -p image/tmp image/proc image/dev image/repo image/usr/bin image/etc && chmod 1777 image/tmp && \
        ln -s usr/bin image/bin && cd image && \
        for p in sh cat echo env grep head id ls mkdir sleep setsid tail touch tr true wc dd; do \
          cp -L /usr/bin/$p usr/bin/ 2>/dev/null; \
          for l in $(ldd /usr/bin/$p 2>/dev/null | grep -o '/[^ ]*'); do \
            mkdir -p .$(dirname $l) && cp -L $l .$l; done; done; true";
    let made = Command::new("/bin/sh")
        .args(["-c", script])
        .current_dir(folder.path())
        .status();
    assert!(made.unwrap().success());
    let podman = Podman { folder };
    let tar = podman.folder.path().join("image.tar");
    let made = Command::new("tar")
        .arg("-C")
        .arg(podman.folder.path().join("image"))
        .arg("-cf")
        .arg(&tar)
        .arg(".")
        .status();
    assert!(made.unwrap().success());
    podman.say(&["import", tar.to_str().unwrap(), IMAGE]);
    Some(podman)
});

fn has_program(name: &str) -> bool {
    ["/usr/bin", "/usr/sbin"]
        .iter()
        .any(|f| Path::new(f).join(name).exists())
}

fn spec(work: &Work, script: &str) -> Spec {
    Spec {
        give_back: true,
        ..super::spec(&work.path(), script)
    }
}

async fn run(sandbox: &Sandbox, spec: &Spec) -> (Exit, String, Option<HitLimit>) {
    let ran = sandbox.run(spec, &Cancel::new()).await.unwrap();
    let text = String::from_utf8_lossy(&ran.output).into_owned();
    println!("{:?} {text}", ran.exit);
    (ran.exit, text, ran.hit)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs podman and root; tests/full runs it"]
async fn podman_confines_a_command() {
    let Some(podman) = &*PODMAN else { return };
    let sandbox = Sandbox::find(&podman.settings()).await.unwrap();
    let work = Work::new(Start::Root);
    work.file("old", "old");
    let script = "id -u; grep -e CapEff -e CapBnd -e NoNewPrivs -e Seccomp: /proc/self/status; \
                  echo more >>old; echo x >new; echo >/x; echo >/usr/x; echo >/etc/x; echo t >/tmp/t; \
                  cat /proc/1/environ; ls /proc/1/fd; ls /proc/net/dev && wc -l </proc/net/dev; \
                  echo \"$HOME $CI\"; exit 3";
    let (exit, text, _) = run(&sandbox, &spec(&work, script)).await;
    assert_eq!(exit, Exit::Code(3));
    for line in [
        "65534",
        "CapEff:\t0000000000000000",
        "CapBnd:\t0000000000000000",
        "NoNewPrivs:\t1",
        "Seccomp:\t2",
        "/tmp 1",
        // Two lines of headings and lo.
        "3",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}: {text}");
    }
    assert_eq!(text.matches("Read-only file system").count(), 3, "{text}");
    assert_eq!(text.matches("Permission denied").count(), 2, "{text}");
    use std::os::unix::fs::MetadataExt;
    for name in ["old", "new"] {
        let meta = std::fs::metadata(work.path().join(name)).unwrap();
        assert_eq!(meta.uid(), 0, "{name}");
    }
    // The same container, with nothing of the last command.
    let script = "ls /tmp; cat new; kill -SEGV $$";
    let (exit, text, _) = run(&sandbox, &spec(&work, script)).await;
    assert_eq!((exit, text.as_str()), (Exit::Signal(11), "x\n"));
    let ours = podman.say(&[
        "ps",
        "-a",
        "--filter",
        "label=mend",
        "--format",
        "{{.Names}}",
    ]);
    let own = format!("-{}-", std::process::id());
    let count = || {
        podman_names(podman)
            .iter()
            .filter(|n| n.contains(&own))
            .count()
    };
    assert!(count() >= 1, "{ours}");
    let (exit, text, _) = run(
        &sandbox,
        &Spec {
            argv: vec!["no-such-program".into()],
            ..spec(&work, "")
        },
    )
    .await;
    assert_eq!(exit, Exit::Code(127), "{text}");
}

fn podman_names(podman: &Podman) -> Vec<String> {
    let format = [
        "ps",
        "-a",
        "--filter",
        "label=mend",
        "--format",
        "{{.Names}}",
    ];
    podman.say(&format).lines().map(String::from).collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs podman and root; tests/full runs it"]
async fn podman_keeps_limits() {
    let Some(podman) = &*PODMAN else { return };
    let sandbox = Sandbox::untried(&podman.settings()).unwrap();
    let work = Work::new(Start::Root);
    let mut bounded = spec(&work, "head -c 9000000 /dev/zero >big; ls -l big");
    bounded.limits.file_size = 1 << 20;
    let (_, text, _) = run(&sandbox, &bounded).await;
    assert!(text.contains(" 1048576 "), "{text}");
    let mut bounded = spec(&work, "head -c 9000000 /dev/zero >/tmp/b || echo full");
    bounded.limits.scratch = 4 << 20;
    let (_, text, _) = run(&sandbox, &bounded).await;
    assert!(text.lines().any(|l| l == "full"), "{text}");
    let script = "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo $x | wc -c";
    let mut bounded = spec(&work, script);
    bounded.limits.memory = 64 << 20;
    let (exit, text, _) = run(&sandbox, &bounded).await;
    assert_ne!(exit, Exit::Code(0), "{text}");
    // Podman 4.3 does not say that it was memory when the command came in by `exec`.
    let long = sleeper();
    let script = format!("i=0; while [ $i -lt 200 ]; do sleep {long} & i=$((i+1)); done; wait");
    let mut bounded = spec(&work, &script);
    bounded.limits.processes = 50;
    bounded.limits.wall = Duration::from_secs(5);
    let _ = run(&sandbox, &bounded).await;
    assert_eq!(living(&long), Vec::<String>::new());
    let mut bounded = spec(
        &work,
        "echo B; head -c 90000000 /dev/zero | tr '\\0' x; echo E",
    );
    (bounded.limits.output_head, bounded.limits.output_tail) = (1000, 1000);
    let ran = sandbox.run(&bounded, &Cancel::new()).await.unwrap();
    assert!(ran.truncated && ran.output.starts_with(b"B\nx") && ran.output.ends_with(b"xE\n"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs podman and root; tests/full runs it"]
async fn podman_leaves_no_survivor() {
    let Some(podman) = &*PODMAN else { return };
    let sandbox = Sandbox::untried(&podman.settings()).unwrap();
    let work = Work::new(Start::Root);
    let long = sleeper();
    let stay = format!("setsid sleep {long} & (setsid sh -c 'sleep {long} & sleep {long}' &) & ");
    let (exit, ..) = run(
        &sandbox,
        &spec(&work, &format!("{stay} sleep 0.3; echo done")),
    )
    .await;
    assert_eq!(exit, Exit::Code(0));
    assert_eq!(living(&long), Vec::<String>::new(), "after the end");
    let mut late = spec(
        &work,
        &format!("trap '' TERM; {stay} kill -STOP $$; sleep {long}"),
    );
    late.limits.wall = Duration::from_secs(2);
    let (exit, ..) = run(&sandbox, &late).await;
    assert_eq!(exit, Exit::TimedOut);
    assert_eq!(living(&long), Vec::<String>::new(), "after a time-out");
    let cancel = Cancel::new();
    let (stop, word) = (cancel.clone(), long.clone());
    tokio::task::spawn_blocking(move || {
        wait_until("it sleeps", || !living(&word).is_empty());
        stop.cancel();
    });
    let stopped = spec(&work, &format!("{stay} sleep {long}"));
    let ended = sandbox.run(&stopped, &cancel).await;
    assert!(matches!(ended, Err(SandboxError::Stopped)), "{ended:?}");
    assert_eq!(living(&long), Vec::<String>::new(), "after a stop");
}

/// Death of mend by a signal that it cannot handle; the next start removes what is left.
#[test]
#[ignore = "needs podman and root; tests/full runs it"]
fn podman_ends_with_mend() {
    let Some(podman) = &*PODMAN else { return };
    let work = Work::new(Start::Root);
    let long = sleeper();
    // It also holds the way by which the container learns of mend's death, if it can.
    let script = format!("exec 9>/proc/1/fd/0; setsid sleep {long} & sleep {long}");
    let script = format!("({script}) || sleep {long} & sleep {long}");
    let mut child = podman
        .mend(&work, &["run", "--", "/bin/sh", "-c", &script])
        .spawn()
        .unwrap();
    wait_until("they sleep", || living(&long).len() >= 2);
    let dead = format!("-{}-", child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("none is left", || living(&long).is_empty());
    let left = |podman: &Podman| podman_names(podman).iter().any(|n| n.contains(&dead));
    assert!(left(podman));
    let probe = podman.mend(&work, &["probe", "--json"]).output().unwrap();
    let errors = String::from_utf8_lossy(&probe.stderr);
    assert_eq!(probe.status.code(), Some(0), "{errors}");
    assert!(!left(podman));
    let probe: Value = serde_json::from_slice(&probe.stdout).unwrap();
    let states = probe["backends"].as_array().unwrap();
    let of = |name: &str| states.iter().find(|s| s["backend"] == name).unwrap();
    assert_eq!(of("podman")["chosen"], true);
    assert_eq!(of("podman")["usable"], true, "{probe}");
    assert_eq!(of("bwrap")["usable"], true);
    assert_eq!(of("docker")["usable"], false);
    for (name, limit, expected) in [
        ("podman", "memory", "hard"),
        ("podman", "disk", "soft"),
        ("bwrap", "wall_time", "hard"),
        ("bwrap", "disk", "soft"),
    ] {
        let limits = of(name)["limits"].as_array().unwrap();
        let found = limits.iter().find(|l| l["name"] == limit).unwrap();
        assert_eq!(found["enforcement"], expected, "{name} {limit}");
    }
}

/// One confined `true`, for `benches/FIGURES.md`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs podman and root; tests/full runs it"]
async fn podman_takes_its_time() {
    let Some(podman) = &*PODMAN else { return };
    let sandbox = Sandbox::untried(&podman.settings()).unwrap();
    let work = Work::new(Start::Root);
    let mut times = Vec::new();
    for _ in 0..11 {
        let began = Instant::now();
        let (exit, ..) = run(&sandbox, &spec(&work, "true")).await;
        assert_eq!(exit, Exit::Code(0));
        times.push(began.elapsed());
    }
    times.sort();
    println!(
        "median {:?} of {}; bounds {:?}",
        times[5],
        MEND.display(),
        Bounds::default().wall
    );
    assert!(times[5] < Duration::from_secs(20));
}
