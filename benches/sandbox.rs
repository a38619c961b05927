//! One confined `/bin/true` by the library, as a check runs it, beside bubblewrap by hand and crun.
//!
//! usage: BENCH MEND [RUNS]    (MEND: mend's program; prints a Markdown table; crun where it is)
//!
//! The kinds run in turn, so that a busy moment of the machine falls on all of them. "By hand" has
//! the same namespaces, the same user and only the mounts without which /bin/true does not start.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used)]

use mend::domain::Cancel;
use mend::sandbox::{Sandbox, Settings, Spec};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const BY_HAND: &str = "--unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts \
    --unshare-cgroup-try --disable-userns --new-session --die-with-parent --uid 1000 --gid 1000 \
    --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 \
    --proc /proc --dev /dev --tmpfs /tmp --bind WORK /repo --chdir /repo -- /bin/true";

fn spawn(program: &str, arguments: &[&str]) -> Duration {
    let began = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .env_clear()
        .stdin(Stdio::null())
        .status();
    assert!(status.unwrap().success(), "{program}");
    began.elapsed()
}

/// A bundle of crun with the namespaces and the mounts of "by hand".
fn bundle(folder: &Path, work: &Path) -> bool {
    let made = Command::new("crun")
        .args(["spec", "--rootless"])
        .current_dir(folder)
        .status();
    if !made.is_ok_and(|s| s.success()) {
        return false;
    }
    let file = folder.join("config.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut config: serde_json::Value = serde_json::from_str(&text).unwrap();
    let root = folder.join("rootfs");
    for name in ["usr", "proc", "dev", "tmp", "repo", "sys"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    for name in ["bin", "lib", "lib64"] {
        let _ = std::os::unix::fs::symlink(format!("usr/{name}"), root.join(name));
    }
    config["process"]["args"] = serde_json::json!(["/bin/true"]);
    config["process"]["terminal"] = false.into();
    let mounts = config["mounts"].as_array_mut().unwrap();
    mounts.retain(|m| !m["destination"].as_str().unwrap().starts_with("/sys"));
    for (from, to) in [("/usr", "/usr"), (work.to_str().unwrap(), "/repo")] {
        let options = ["rbind", if to == "/usr" { "ro" } else { "rw" }];
        mounts.push(serde_json::json!({
            "destination": to, "type": "bind", "source": from, "options": options
        }));
    }
    std::fs::write(file, config.to_string()).unwrap();
    let once = Command::new("crun")
        .args(["--cgroup-manager=disabled", "run", "--bundle"])
        .arg(folder)
        .arg("mend-bench-try")
        .output();
    once.is_ok_and(|o| o.status.success())
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1).filter(|a| a != "--bench");
    let Some(program) = arguments.next() else {
        eprintln!("usage: BENCH MEND [RUNS]");
        return;
    };
    let runs: usize = arguments.next().map_or(50, |n| n.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    std::fs::create_dir(&work).unwrap();
    let settings = Settings {
        program: Some(program.into()),
        ..Settings::default()
    };
    let sandbox = Sandbox::find(&settings).await.expect("a sandbox");
    let by_hand = BY_HAND.replace("WORK", work.to_str().unwrap());
    let by_hand: Vec<&str> = by_hand.split_whitespace().collect();
    let crun_folder = folder.path().join("crun");
    std::fs::create_dir(&crun_folder).unwrap();
    let has_crun = bundle(&crun_folder, &work);
    let spec = Spec {
        argv: vec!["/bin/true".into()],
        work: work.clone(),
        ..Spec::default()
    };
    let mut times: [(&str, Vec<Duration>); 4] = [
        ("plain spawn", Vec::new()),
        ("bubblewrap by hand", Vec::new()),
        ("crun", Vec::new()),
        ("mend, in process", Vec::new()),
    ];
    for run in 0..runs + 3 {
        let name = format!("mend-bench-{run}");
        let bundle = crun_folder.to_str().unwrap();
        let crun = [
            "--cgroup-manager=disabled",
            "run",
            "--bundle",
            bundle,
            &name,
        ];
        let began = Instant::now();
        let mut took = vec![
            Some(spawn("/bin/true", &[])),
            Some(spawn("/usr/bin/bwrap", &by_hand)),
            has_crun.then(|| spawn("crun", &crun)),
        ];
        assert!(began.elapsed() < Duration::from_secs(60));
        let began = Instant::now();
        sandbox.run(&spec, &Cancel::new()).await.unwrap();
        took.push(Some(began.elapsed()));
        for ((_, all), took) in times.iter_mut().zip(took) {
            all.extend(took.filter(|_| run >= 3));
        }
    }
    let middle = |all: &[Duration], tenth: usize| -> f64 {
        let mut sorted = all.to_vec();
        sorted.sort();
        let at = (sorted.len() * tenth / 10).min(sorted.len() - 1);
        sorted[at].as_secs_f64() * 1000.0
    };
    let base = middle(&times[1].1, 5);
    let least = middle(&times[1].1, 0);
    println!("| kind | median ms | p90 ms | least ms | × by hand | × of the least |");
    println!("|---|---|---|---|---|---|");
    for (name, all) in times.iter().filter(|(_, all)| !all.is_empty()) {
        let median = middle(all, 5);
        println!(
            "| {name} | {median:.1} | {:.1} | {:.1} | {:.2} | {:.2} |",
            middle(all, 9),
            middle(all, 0),
            median / base,
            middle(all, 0) / least
        );
    }
}
