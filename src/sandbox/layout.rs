//! The small root in which a command runs, as bubblewrap's command line.

use super::etc::{self, HOME, INSIDE_ID};
use super::toolchain::Toolchains;
use super::wire::{InitOrder, Word};
use super::{SandboxError, Spec, WORK, landlock, proxy, spec};
use std::path::Path;
use std::sync::LazyLock;

/// Where init stands inside.
const INIT: &str = "/run/mend/init";
/// init, as `build.rs` made it.
const INIT_PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/sandbox-init"));
/// Where mend's own program stands inside, when there is a way to the proxy; init knows it too.
const BRIDGE: &str = "/run/mend/bridge";
/// `CARGO_HOME` inside.
const CARGO_HOME: &str = "/tmp/cargo";

/// The options up to the command.
pub(super) fn options(
    spec: &Spec,
    work: &str,
    program: &Path,
    toolchains: &Toolchains,
    etc: &[Word],
    socket: Option<&Path>,
) -> Result<Vec<Word>, SandboxError> {
    let mut words = Words::default();
    words.plain("--unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts");
    words.plain("--unshare-cgroup-try --disable-userns --new-session --die-with-parent");
    let id = INSIDE_ID;
    words.plain(&format!("--uid {id} --gid {id} --hostname sandbox"));
    words.0.extend_from_slice(&SYSTEM);
    words.0.extend_from_slice(etc);
    words.plain("--proc /proc --dev /dev");
    let scratch = spec.limits.scratch.max(1 << 20);
    words.plain(&format!("--perms 1777 --size {scratch} --tmpfs /dev/shm"));
    words.plain(&format!("--perms 1777 --size {scratch} --tmpfs /tmp"));
    words.plain(&format!("--dir {HOME} --dir {CARGO_HOME}"));
    words.plain("--dir /var --symlink ../tmp /var/tmp");
    for (host, inside) in toolchains.folders() {
        let host = Word::Closed(spec::text(host)?);
        words.bind("--ro-bind", host, &spec::text(inside)?);
    }
    words.0.push(Word::Program {
        inside: INIT,
        content: INIT_PROGRAM,
    });
    if let Some(socket) = socket {
        words.bind("--ro-bind", Word::Closed(spec::text(program)?), BRIDGE);
        let host = Word::Closed(spec::text(socket)?);
        words.bind("--ro-bind", host, proxy::SOCKET);
    }
    words.bind("--bind", Word::Closed(work.into()), WORK);
    for mount in &spec.mounts {
        let how = if mount.writable {
            "--bind"
        } else {
            "--ro-bind"
        };
        let host = Word::Closed(spec::text(&mount.host)?);
        words.bind(how, host, &spec::text(&mount.inside)?);
    }
    words.plain("--remount-ro /dev --remount-ro /");
    words.plain(&format!("--chdir {WORK}"));
    for (name, value) in env(spec, toolchains) {
        words.0.push(Word::Plain("--setenv".into()));
        words.0.push(Word::Plain(name));
        words.0.push(Word::Plain(value));
    }
    Ok(words.0)
}

/// Program and arguments that bubblewrap starts: init, which becomes the command.
pub(super) fn command(spec: &Spec) -> Vec<String> {
    let mut command = vec![INIT.to_string()];
    command.extend(spec.argv.iter().cloned());
    command
}

/// How much more than the memory a process may reserve where a control group holds what is used.
/// JavaScript engines reserve gigabytes that they never touch; bun ends without them.
const RESERVED: u64 = 4;

/// What init does before that. `held`: a control group holds the memory of all processes.
pub(super) fn order<'a>(spec: &Spec, filters: &'a [Vec<u8>], held: bool) -> InitOrder<'a> {
    let limits = &spec.limits;
    let of_one = match held {
        true => limits.memory.saturating_mul(RESERVED),
        false => limits.memory,
    };
    // No honest command reaches it; it ends what would outlive every other limit.
    let cpu = (limits.wall.as_secs() + 1).saturating_mul(*PROCESSORS);
    let mounts = spec.mounts.iter().filter(|m| m.writable);
    let mounts = mounts.map(|m| m.inside.display().to_string());
    let own = [WORK, "/tmp", "/dev", "/proc"].map(String::from);
    InitOrder {
        limits: vec![
            (libc::RLIMIT_CORE, 0),
            (libc::RLIMIT_DATA, of_one),
            (libc::RLIMIT_NPROC, limits.processes),
            (libc::RLIMIT_FSIZE, limits.file_size),
            (libc::RLIMIT_NOFILE, limits.open_files),
            (libc::RLIMIT_CPU, cpu),
        ],
        landlock: landlock::versions(),
        places: landlock::places(own.into_iter().chain(mounts)),
        filters,
        bridge: spec.network.is_some(),
    }
}

/// `/usr` and the names that lead into it; distributions without the merge keep real folders.
static SYSTEM: LazyLock<Vec<Word>> = LazyLock::new(|| {
    let mut words = Words::default();
    words.bind("--ro-bind", Word::Open("/usr".into()), "/usr");
    for name in ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"] {
        if let Ok(target) = std::fs::read_link(name) {
            let target = target.display().to_string();
            words.bind("--symlink", Word::Plain(target), name);
        } else if Path::new(name).is_dir() {
            words.bind("--ro-bind", Word::Open(name.into()), name);
        }
    }
    words.0
});

/// Asking costs twenty system calls where control groups bound the processors.
static PROCESSORS: LazyLock<u64> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, |n| n.get() as u64));

/// The fixed variables, those of the toolchains, those of the caller; the later replaces.
fn env(spec: &Spec, toolchains: &Toolchains) -> Vec<(String, String)> {
    let path = toolchains.path();
    let own = [
        ("PATH", path.as_str()),
        ("HOME", HOME),
        ("CARGO_HOME", CARGO_HOME),
    ];
    let fixed = own.into_iter().chain(etc::VARIABLES);
    let mut all: Vec<(String, String)> = fixed.map(|(n, v)| (n.into(), v.into())).collect();
    let proxy = match spec.network {
        Some(_) => proxy::variables(),
        None => Vec::new(),
    };
    for (name, value) in toolchains.env().iter().chain(&proxy).chain(&spec.env) {
        let old = all.iter().position(|(n, _)| n == name);
        let old = old.map(|at| all.remove(at).1);
        let value = match old.filter(|_| spec::JOINED.contains(&name.as_str())) {
            Some(old) => format!("{old} {value}"),
            None => value.clone(),
        };
        all.push((name.clone(), value));
    }
    all
}

#[derive(Default)]
struct Words(Vec<Word>);

impl Words {
    /// Words without blanks in them.
    fn plain(&mut self, words: &str) {
        let words = words.split_whitespace();
        self.0.extend(words.map(|w| Word::Plain(w.into())));
    }

    fn bind(&mut self, how: &str, host: Word, inside: &str) {
        self.0.push(Word::Plain(how.into()));
        self.0.push(host);
        self.0.push(Word::Plain(inside.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_variables_replace_the_fixed_ones() {
        let spec = Spec {
            env: vec![("CI".into(), "0".into()), ("A".into(), "b c".into())],
            ..Spec::default()
        };
        let all = env(&spec, &Toolchains::default());
        let values = |name: &str| -> Vec<&str> {
            let of = all.iter().filter(|(n, _)| n == name);
            of.map(|(_, v)| v.as_str()).collect()
        };
        assert_eq!(values("CI"), ["0"]);
        assert_eq!(values("A"), ["b c"]);
        assert_eq!(values("HOME"), [HOME]);
        let options = |value: &str| ("MAVEN_OPTS".to_string(), value.to_string());
        let joined = Spec {
            env: vec![options("-Xmx1g"), options("-Da=b")],
            ..Spec::default()
        };
        let all = env(&joined, &Toolchains::default());
        assert!(all.contains(&options("-Xmx1g -Da=b")), "{all:?}");
    }

    #[test]
    fn the_root_is_closed_after_everything_is_mounted() {
        let words = options(
            &Spec::default(),
            "/w",
            Path::new("/m"),
            &Toolchains::default(),
            &etc::Content::find().words(),
            None,
        )
        .unwrap();
        let at = |needle: &str| {
            let is = |w: &Word| *w == Word::Plain(needle.into());
            words.iter().rposition(is).unwrap()
        };
        let last_mount = ["--bind", "--ro-bind", "--tmpfs", "--symlink"].map(at);
        assert!(last_mount.iter().all(|m| *m < at("--remount-ro")));
        assert!(at("--remount-ro") < at("--chdir"));
    }
}
