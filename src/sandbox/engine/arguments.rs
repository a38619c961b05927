//! The engine's command lines.

use crate::sandbox::etc;
use crate::sandbox::owner::Owner;
use crate::sandbox::{SandboxError, Spec, WORK, spec};
use rustix::process::{Resource, getrlimit};
use std::path::Path;

/// What the first process says when it runs.
pub(super) const UP: &str = "mend: up\n";
/// What stands before a command's own output.
pub(super) const READY: &str = "mend: ready\n";
/// The label of every container of ours.
pub(super) const LABEL: &str = "mend";

/// Ends with its input, which mend holds.
const FIRST: &str = "echo 'mend: up'; while read -r _; do :; done";
const COMMAND: &str = "echo 'mend: ready'; exec \"$@\"";

/// What a container is created for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    work: String,
    options: Vec<String>,
}

impl Place {
    pub(super) fn of(spec: &Spec, work: &str) -> Result<Place, SandboxError> {
        let bounds = &spec.limits;
        let mut options = vec![
            mount(work, WORK, true)?,
            format!("--memory={}", bounds.memory),
            format!("--memory-swap={}", bounds.memory),
            format!("--pids-limit={}", bounds.processes.saturating_add(2)),
            format!("--shm-size={}", bounds.scratch),
            format!(
                "--ulimit=nofile={0}:{0}",
                bounds.open_files.min(own(Resource::Nofile))
            ),
            // Counted for the user on the whole host, so not a limit of ours; but an engine that
            // asks for more than it has itself fails.
            format!("--ulimit=nproc={0}:{0}", own(Resource::Nproc)),
            format!("--ulimit=fsize={0}:{0}", bounds.file_size),
            format!(
                "--tmpfs=/tmp:rw,exec,nosuid,nodev,size={},mode=1777",
                bounds.scratch
            ),
        ];
        for more in &spec.mounts {
            let inside = spec::text(&more.inside)?;
            options.push(mount(&spec::text(&more.host)?, &inside, more.writable)?);
        }
        Ok(Place {
            work: work.into(),
            options,
        })
    }

    pub(super) fn work_is_there(&self) -> bool {
        Path::new(&self.work).is_dir()
    }
}

/// mend's own hard limit.
fn own(resource: Resource) -> u64 {
    const MOST: u64 = 1 << 14;
    getrlimit(resource).maximum.unwrap_or(MOST).min(MOST)
}

/// The value is a line of comma-separated fields.
fn mount(host: &str, inside: &str, writable: bool) -> Result<String, SandboxError> {
    if [host, inside].iter().any(|p| p.contains([',', '"', '\n'])) {
        return Err(SandboxError::BadSpec(format!(
            "{} cannot be mounted in a container; rename it",
            host.escape_debug()
        )));
    }
    let end = if writable { "" } else { ",readonly" };
    Ok(format!(
        "--mount=type=bind,source={host},target={inside}{end}"
    ))
}

/// `create`; the first process is root without any capability, so that the command, which is
/// another user, cannot touch it.
pub(super) fn create(place: &Place, image: &str, name: &str, rootless: bool) -> Vec<String> {
    let fixed = [
        "create",
        "--interactive",
        "--pull=never",
        "--network=none",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges",
        "--read-only",
        "--ulimit=core=0:0",
        "--user=0:0",
        "--hostname=sandbox",
        "--workdir=/repo",
        "--entrypoint=",
    ];
    let mut all: Vec<String> = fixed.map(String::from).to_vec();
    all.push(format!("--name={name}"));
    all.push(format!("--label={LABEL}"));
    if rootless {
        all.push("--userns=keep-id".into());
    }
    all.push(format!(
        "--cpus={}",
        std::thread::available_parallelism().map_or(1, usize::from)
    ));
    all.extend(place.options.iter().cloned());
    all.push(image.into());
    all.extend(["/bin/sh", "-c", FIRST].map(String::from));
    all
}

/// `exec`.
pub(super) fn exec(id: &str, spec: &Spec, user: Owner) -> Vec<String> {
    let mut all = vec![
        "exec".into(),
        format!("--user={}:{}", user.uid, user.gid),
        format!("--workdir={WORK}"),
    ];
    let mut env: Vec<(&str, &str)> = etc::VARIABLES.to_vec();
    env.push(("HOME", "/tmp"));
    env.push(("CARGO_HOME", "/tmp/cargo"));
    let own = spec.env.iter().map(|(n, v)| (n.as_str(), v.as_str()));
    for (name, value) in own {
        env.retain(|(n, _)| *n != name);
        env.push((name, value));
    }
    all.extend(env.iter().map(|(n, v)| format!("--env={n}={v}")));
    all.push(id.into());
    all.extend(["/bin/sh", "-c", COMMAND, "sh"].map(String::from));
    all.extend(spec.argv.iter().cloned());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Mount;

    fn lines(words: &[String]) -> String {
        let words: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|w| !w.starts_with("--cpus=") && !w.starts_with("--ulimit=n"))
            .collect();
        words.join("\n")
    }

    #[test]
    fn the_command_lines() {
        let spec = Spec {
            argv: vec!["cargo".into(), "test".into()],
            env: vec![("CI".into(), "a b".into())],
            mounts: vec![Mount {
                host: "/srv/cache".into(),
                inside: "/cache".into(),
                writable: false,
            }],
            ..Spec::default()
        };
        let place = Place::of(&spec, "/w/1").unwrap();
        let user = Owner { uid: 7, gid: 8 };
        insta::assert_snapshot!(format!(
            "{}\n\n{}",
            lines(&create(&place, "image:1", "mend-1", false)),
            lines(&exec("mend-1", &spec, user))
        ));
        assert!(create(&place, "i", "n", true).contains(&"--userns=keep-id".into()));
    }

    #[test]
    fn a_path_that_would_add_fields_is_refused() {
        let spec = Spec::default();
        assert!(Place::of(&spec, "/w,readonly=false").is_err());
        assert!(Place::of(&spec, "/w\"").is_err());
    }
}
