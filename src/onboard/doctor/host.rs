//! What this machine gives: a sandbox, its limits, toolchains, the way out for set-ups, room on disk.

use super::Doctor;
use crate::domain::{AllowedHost, Cancel};
use crate::onboard::report::Finding;
use crate::sandbox::{self, Bounds, Egress, Enforcement, Probe, Sandbox, Spec};
use crate::tree::TempFolder;
use std::path::{Path, PathBuf};
use std::time::Duration;

const GIB: u64 = 1 << 30;
/// Below it a clone and a set-up may not fit.
const LITTLE: u64 = 10 * GIB;
const TOO_LITTLE: u64 = GIB;
/// What checks are run with most.
const PROGRAMS: [&str; 12] = [
    "python3", "node", "npm", "cargo", "go", "java", "mvn", "ruby", "php", "dotnet", "cmake",
    "make",
];
/// Hosts that are tried, at most.
const MOST_HOSTS: usize = 5;

pub(super) async fn look(doctor: &Doctor) -> Vec<Finding> {
    let probe = sandbox::probe(&doctor.sandbox).await;
    let mut findings = vec![confined(&probe)];
    if probe.usable {
        findings.push(limits(&probe));
        if let Ok(sandbox) = Sandbox::untried(&doctor.sandbox) {
            findings.push(toolchains(&sandbox));
            findings.push(way_out(doctor, &sandbox).await);
        }
    }
    findings.push(disk(&doctor.settings.parts.server.state_dir));
    findings
}

fn confined(probe: &Probe) -> Finding {
    let name = "sandbox";
    let backend = probe.backend.name();
    if !probe.usable {
        let reason = probe.reason.clone().unwrap_or_default();
        let fix = probe.fix.clone().unwrap_or_default();
        return Finding::failed(name, format!("{backend}: {reason}"), fix);
    }
    let version = probe.version.as_deref().unwrap_or(backend);
    let landlock = match probe.landlock_abi {
        0 => "no Landlock".to_string(),
        abi => format!("Landlock {abi}"),
    };
    Finding::ok(
        name,
        format!("{version} confines a command, with seccomp and {landlock}"),
    )
}

/// Soft limits hold too, a little late.
fn limits(probe: &Probe) -> Finding {
    let soft: Vec<&str> = probe
        .limits
        .iter()
        .filter(|l| l.enforcement == Enforcement::Soft && l.name != "disk")
        .map(|l| l.name)
        .collect();
    match soft.is_empty() {
        true => Finding::ok(
            "limits",
            "every limit is held by the kernel; disk is looked at",
        ),
        false => Finding::warning(
            "limits",
            format!("looked at, not held by the kernel: {}", soft.join(", ")),
            "give mend's unit a control group of its own (systemd: Delegate=yes), with cgroup v2",
        ),
    }
}

/// The programs that checks would find.
fn toolchains(sandbox: &Sandbox) -> Finding {
    let name = "toolchains";
    let Some(path) = sandbox.path_inside() else {
        return Finding::ok(name, "those of the image");
    };
    let there = |program: &&&str| {
        path.split(':')
            .any(|folder| Path::new(folder).join(program).exists())
    };
    let found: Vec<&str> = PROGRAMS.iter().filter(there).copied().collect();
    match found.is_empty() {
        false => Finding::ok(name, format!("checks find {}", found.join(", "))),
        true => Finding::warning(
            name,
            "checks find none of the usual programs",
            "install what the projects are checked with, in /usr or along mend's PATH",
        ),
    }
}

/// Whether a set-up reaches its hosts through mend's proxy.
async fn way_out(doctor: &Doctor, sandbox: &Sandbox) -> Finding {
    let name = "proxy";
    let allow = &doctor.settings.parts.engine.network.allow;
    let hosts: Vec<AllowedHost> = match allow {
        Some(list) if list.is_empty() => {
            return Finding::ok(name, "`network.allow` is empty: set-ups reach nothing");
        }
        Some(list) => list.iter().take(MOST_HOSTS).cloned().collect(),
        None => ["pypi.org", "registry.npmjs.org", "index.crates.io"]
            .iter()
            .filter_map(|h| AllowedHost::parse(h).ok())
            .collect(),
    };
    if !sandbox.takes_network() {
        let what = "set-ups have no network with this back end";
        return Finding::warning(name, what, "take `sandbox.backend = \"bwrap\"`");
    }
    let shell = ["/bin/bash", "/usr/bin/bash"].into_iter();
    let Some(bash) = shell.map(PathBuf::from).find(|p| p.exists()) else {
        let what = "the way out was not tried: it takes bash";
        return Finding::warning(name, what, "install bash, or try a project's set-up");
    };
    match tried(doctor, sandbox, &bash, &hosts).await {
        Err(why) => Finding::failed(name, why, "see `mend sandbox run --allow HOST -- CMD`"),
        Ok(traffic) => reached(&hosts, &traffic, allow.is_some()),
    }
}

async fn tried(
    doctor: &Doctor,
    sandbox: &Sandbox,
    bash: &Path,
    hosts: &[AllowedHost],
) -> Result<crate::domain::Traffic, String> {
    let folder = TempFolder::create(&doctor.temporary, 0o711).map_err(|e| e.to_string())?;
    let connects: Vec<String> = hosts.iter().map(connect).collect();
    let spec = Spec {
        argv: vec![
            bash.display().to_string(),
            "-c".into(),
            format!("{}\nwait", connects.join("\n")),
        ],
        work: folder.path().into(),
        limits: Bounds {
            wall: Duration::from_secs(30),
            ..Bounds::default()
        },
        network: Some(Egress::to(hosts.to_vec())),
        ..Spec::default()
    };
    let ran = sandbox.run(&spec, &Cancel::new()).await;
    let ran = ran.map_err(|e| e.to_string())?;
    ran.traffic
        .ok_or_else(|| "the proxy told nothing".to_string())
}

/// Asks the proxy for a tunnel; names of hosts hold nothing that a shell reads.
fn connect(host: &AllowedHost) -> String {
    let port = host.to_string();
    let port = port.split_once(':').map_or("443", |(_, p)| p);
    let at = format!("{}:{port}", host.host());
    format!(
        "( exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT {at} HTTP/1.1\\r\\nHost: {at}\\r\\n\\r\\n' >&3; IFS= read -r -t 20 line <&3 ) &"
    )
}

fn reached(hosts: &[AllowedHost], traffic: &crate::domain::Traffic, named: bool) -> Finding {
    let name = "proxy";
    let reached: Vec<&str> = hosts
        .iter()
        .filter(|h| {
            traffic
                .reached
                .iter()
                .any(|r| r.host == h.host() || r.host.starts_with(&format!("{}:", h.host())))
        })
        .map(AllowedHost::host)
        .collect();
    let refused: Vec<String> = traffic
        .refused
        .iter()
        .map(|r| format!("{} {}", r.host, r.why))
        .collect();
    if refused.is_empty() && reached.len() == hosts.len() {
        return Finding::ok(name, format!("set-ups reach {}", reached.join(", ")));
    }
    let private = traffic.refused.iter().any(|r| r.why.contains("private"));
    let remedy = match (private, named) {
        (true, _) => {
            "if that is meant, allow it: `network.allow = [{ host = \"HOST\", private = true }]`"
        }
        (false, true) => "check the names in `network.allow`, DNS and the firewall",
        (false, false) => {
            "name your mirrors in `network.allow`, and their addresses in `setup.env`; projects without a set-up need none"
        }
    };
    let what = match refused.is_empty() {
        true => "not every host was reached".to_string(),
        false => refused.join(", "),
    };
    Finding::warning(
        name,
        format!("set-ups do not get everywhere: {what}"),
        remedy,
    )
}

fn disk(state: &Path) -> Finding {
    let name = "disk";
    let there = state.ancestors().find(|p| p.exists());
    let there = there.unwrap_or(Path::new("/"));
    let stat = match rustix::fs::statvfs(there) {
        Ok(stat) => stat,
        Err(e) => {
            let what = format!("{} cannot be looked at: {e}", there.display());
            return Finding::failed(name, what, "check `server.state_dir`");
        }
    };
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    let what = format!(
        "{:.1} GiB are free for {}",
        free as f64 / GIB as f64,
        state.display()
    );
    let remedy = "make room, or set `server.state_dir` to a larger disk";
    // File systems without a fixed number of files say 0 of 0.
    if stat.f_files > 0 && stat.f_favail < 10_000 {
        let what = format!(
            "{} has room for {} more files",
            there.display(),
            stat.f_favail
        );
        return Finding::failed(name, what, remedy);
    }
    if !is_ours(state) {
        return Finding::failed(
            name,
            format!("{} cannot be written by this user", state.display()),
            "give the folder to the user that mend runs as, or set `server.state_dir`",
        );
    }
    match free {
        f if f < TOO_LITTLE => Finding::failed(name, what, remedy),
        f if f < LITTLE => Finding::warning(name, what, remedy),
        _ => Finding::ok(name, what),
    }
}

/// Whether this user may write the folder, or make it.
fn is_ours(state: &Path) -> bool {
    let there = state.ancestors().find(|p| p.exists());
    there.is_some_and(|p| rustix::fs::access(p, rustix::fs::Access::WRITE_OK).is_ok())
}
