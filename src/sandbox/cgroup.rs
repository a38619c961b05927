//! Control groups, where mend may make some: then the kernel holds the memory and the number of
//! processes of a whole sandbox, not only of each process.
//!
//! Groups are made below mend's own one (cgroups(7), "delegation"). With version 2 a group that
//! hands controllers down must hold no process itself, so mend first moves into a child of its
//! own, when it is alone in its group, as a service with `Delegate=yes` is; root may also use a
//! group below the hierarchy's root. With version 1 a child needs no preparation.

use super::Bounds;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// bubblewrap's two processes, the launcher's moment, and one spare.
const OWN_PROCESSES: u64 = 4;
/// Of version 2; both are needed, or neither is used.
const WANTED: [&str; 2] = ["memory", "pids"];
const NAME: &str = "mend-";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// Where groups can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parent {
    folder: PathBuf,
    version: Version,
    memory: bool,
    pids: bool,
}

/// The parents of groups on this host; empty where mend may make none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cgroups(Vec<Parent>);

impl Cgroups {
    /// Looks at mend's own groups, and removes what a mend that died left.
    pub(super) fn find() -> Cgroups {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let own = own_folders(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"));
        let mut parents = Vec::new();
        for (folder, root, controllers) in own {
            let parent = match controllers {
                None => version_two(&folder, &root),
                Some(names) => {
                    let has = |name: &str| names.split(',').any(|n| n == name);
                    let (memory, pids) = (has("memory"), has("pids"));
                    let version = Version::One;
                    (memory || pids).then_some(Parent {
                        folder,
                        version,
                        memory,
                        pids,
                    })
                }
            };
            parents.extend(parent);
        }
        parents.iter().for_each(|p| remove_stale(&p.folder));
        Cgroups(parents)
    }

    /// Makes the groups of one sandbox. Where one cannot be made, the limit stays soft.
    pub(super) fn make(&self, bounds: &Bounds) -> Group {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{NAME}{}-{number}", std::process::id());
        let mut group = Group::default();
        for parent in &self.0 {
            let folder = parent.folder.join(&name);
            match limit(parent, &folder, bounds) {
                Ok(()) => {
                    if parent.memory {
                        group.events = Some(match parent.version {
                            Version::One => folder.join("memory.oom_control"),
                            Version::Two => folder.join("memory.events"),
                        });
                    }
                    group.pids |= parent.pids;
                    group.doors.push(match parent.version {
                        Version::One => Door::Thread {
                            into: folder.join("tasks"),
                            back: parent.folder.join("tasks"),
                        },
                        Version::Two => Door::Process(folder.join("cgroup.procs")),
                    });
                    group.folders.push(folder);
                }
                Err(e) => {
                    tracing::debug!("no control group at {}: {e}", folder.display());
                    // Perhaps it was made and could not be limited.
                    let _ = fs::remove_dir(&folder);
                }
            }
        }
        group
    }
}

/// A way into a group: a file to which is written who joins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Door {
    /// A thread joins, makes the process, and goes back through the second file (version 1). Without
    /// waiting: for a thread that moves itself, the kernel does not wait for all its readers
    /// (`cgroup_procs_write_start` of Linux 5.19).
    Thread { into: PathBuf, back: PathBuf },
    /// The process is moved.
    Process(PathBuf),
}

impl Door {
    /// Before the process is made, by the thread that makes it.
    pub(super) fn enter(&self, _: u32) -> io::Result<()> {
        match self {
            Door::Thread { into, .. } => fs::write(into, "0"),
            Door::Process(_) => Ok(()),
        }
    }

    /// Afterwards.
    pub(super) fn leave(&self, process: u32) -> io::Result<()> {
        match self {
            Door::Thread { back, .. } => fs::write(back, "0"),
            Door::Process(into) => fs::write(into, process.to_string()),
        }
    }
}

/// The groups of one sandbox.
#[derive(Debug, Default)]
pub(super) struct Group {
    folders: Vec<PathBuf>,
    doors: Vec<Door>,
    events: Option<PathBuf>,
    pids: bool,
}

impl Group {
    /// Whether the kernel holds the memory of all processes together.
    pub(super) fn holds_memory(&self) -> bool {
        self.events.is_some()
    }

    /// Whether the kernel holds the number of processes.
    pub(super) fn holds_processes(&self) -> bool {
        self.pids
    }

    /// How a process joins.
    pub(super) fn doors(&self) -> &[Door] {
        &self.doors
    }

    /// Whether the kernel has killed a process for memory.
    pub(super) fn ran_out_of_memory(&self) -> bool {
        let Some(events) = &self.events else {
            return false;
        };
        let text = fs::read_to_string(events).unwrap_or_default();
        let count = text.lines().find_map(|l| l.strip_prefix("oom_kill "));
        count.is_some_and(|c| c.trim() != "0")
    }
}

/// Removes the groups beside everything else; their processes have ended, but the kernel may need a
/// moment.
impl Drop for Group {
    fn drop(&mut self) {
        let folders = std::mem::take(&mut self.folders);
        if let (false, Ok(runtime)) = (folders.is_empty(), tokio::runtime::Handle::try_current()) {
            runtime.spawn_blocking(|| remove(folders));
        }
    }
}

/// What does not go within a second is removed by the next mend.
fn remove(mut folders: Vec<PathBuf>) {
    for _ in 0..100 {
        folders.retain(|f| fs::remove_dir(f).is_err());
        if folders.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn limit(parent: &Parent, folder: &Path, bounds: &Bounds) -> io::Result<()> {
    fs::create_dir(folder)?;
    let set = |file: &str, value: u64| fs::write(folder.join(file), value.to_string());
    if parent.memory && parent.version == Version::Two {
        set("memory.max", bounds.memory)?;
        // Kernels without swap have no such file.
        let _ = set("memory.swap.max", 0);
        let _ = set("memory.oom.group", 1);
    }
    if parent.memory && parent.version == Version::One {
        set("memory.limit_in_bytes", bounds.memory)?;
        let _ = set("memory.memsw.limit_in_bytes", bounds.memory);
    }
    if parent.pids {
        set("pids.max", bounds.processes.saturating_add(OWN_PROCESSES))?;
    }
    Ok(())
}

/// mend's own folder in each hierarchy, the hierarchy's mount point, and the controllers of
/// version 1.
fn own_folders(cgroup: &str, mountinfo: &str) -> Vec<(PathBuf, PathBuf, Option<String>)> {
    let mut found = Vec::new();
    for line in cgroup.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(names), Some(path)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let wanted = |mount: &&Mount| match names {
            "" => mount.kind == "cgroup2",
            _ => mount.kind == "cgroup" && names.split(',').all(|n| mount.has(n)),
        };
        let mounts: Vec<Mount> = mountinfo.lines().filter_map(Mount::read).collect();
        let Some(mount) = mounts.iter().find(wanted) else {
            continue;
        };
        // A container sees its own group as the root of the mount.
        let below = path.strip_prefix(mount.root).unwrap_or(path);
        let folder = Path::new(mount.point).join(below.trim_start_matches('/'));
        let controllers = (!names.is_empty()).then(|| names.to_string());
        found.push((folder, mount.point.into(), controllers));
    }
    found
}

/// A line of proc_pid_mountinfo(5).
struct Mount<'a> {
    root: &'a str,
    point: &'a str,
    kind: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    fn read(line: &'a str) -> Option<Mount<'a>> {
        let (left, right) = line.split_once(" - ")?;
        let mut left = left.split(' ').skip(3);
        let mut right = right.split(' ');
        let (root, point) = (left.next()?, left.next()?);
        let (kind, _source, options) = (right.next()?, right.next()?, right.next()?);
        Some(Mount {
            root: root.trim_end_matches('/'),
            point,
            kind,
            options,
        })
    }

    fn has(&self, controller: &str) -> bool {
        self.options.split(',').any(|o| o == controller)
    }
}

fn words(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(String::from).collect()
}

fn version_two(own: &Path, root: &Path) -> Option<Parent> {
    let all = |file: PathBuf| {
        let names = words(&file);
        WANTED.iter().all(|w| names.iter().any(|n| n == w))
    };
    let parent = |folder: PathBuf| Parent {
        folder,
        version: Version::Two,
        memory: true,
        pids: true,
    };
    if all(own.join("cgroup.subtree_control")) {
        return Some(parent(own.into()));
    }
    let me = std::process::id().to_string();
    if all(own.join("cgroup.controllers")) && words(&own.join("cgroup.procs")) == [me.as_str()] {
        let hand_down = || {
            let child = own.join("mend-itself");
            fs::create_dir(&child).or_else(exists)?;
            fs::write(child.join("cgroup.procs"), &me)?;
            fs::write(own.join("cgroup.subtree_control"), "+memory +pids")
        };
        return hand_down().ok().map(|()| parent(own.into()));
    }
    let below_root = root.join("mend");
    let may = rustix::process::geteuid().is_root() && all(root.join("cgroup.subtree_control"));
    let make = || {
        fs::create_dir(&below_root).or_else(exists)?;
        fs::write(below_root.join("cgroup.subtree_control"), "+memory +pids")
    };
    (may && make().is_ok()).then(|| parent(below_root.clone()))
}

fn exists(e: io::Error) -> io::Result<()> {
    match e.kind() {
        io::ErrorKind::AlreadyExists => Ok(()),
        _ => Err(e),
    }
}

/// How long a group may be empty before its process has joined.
const FRESH: Duration = Duration::from_secs(60);

/// Removes the groups of processes that are gone; a group that still holds something stays, and so
/// does a fresh one: its process may be one that this process cannot see.
fn remove_stale(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_str().and_then(|n| n.strip_prefix(NAME));
        let pid = name.and_then(|n| n.split('-').next()?.parse::<u32>().ok());
        let made = entry.metadata().and_then(|m| m.modified());
        let old = made.is_ok_and(|t| t.elapsed().is_ok_and(|age| age > FRESH));
        if old && pid.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &str = "\
30 24 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755
31 30 0:27 / /sys/fs/cgroup/unified rw,nosuid shared:10 - cgroup2 cgroup2 rw
34 30 0:31 / /sys/fs/cgroup/cpu,cpuacct rw shared:16 - cgroup cgroup rw,cpu,cpuacct
35 30 0:32 / /sys/fs/cgroup/memory rw shared:17 - cgroup cgroup rw,memory
36 30 0:33 /docker/abc /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n";

    #[test]
    fn own_folders_are_found_in_both_versions() {
        let cgroup =
            "12:pids:/docker/abc\n7:memory:/a/b\n4:cpu,cpuacct:/\n9:freezer:/\n0::/a.scope\n";
        let found = own_folders(cgroup, BOTH);
        let shown: Vec<String> = found
            .iter()
            .map(|(f, _, c)| format!("{} {}", f.display(), c.as_deref().unwrap_or("two")))
            .collect();
        assert_eq!(
            shown,
            [
                "/sys/fs/cgroup/pids/ pids",
                "/sys/fs/cgroup/memory/a/b memory",
                "/sys/fs/cgroup/cpu,cpuacct/ cpu,cpuacct",
                "/sys/fs/cgroup/unified/a.scope two"
            ]
        );
        assert!(own_folders("", BOTH).is_empty() && own_folders(cgroup, "").is_empty());
    }

    /// A folder with the files of a hierarchy stands for one: what is written where.
    #[test]
    fn version_two_moves_mend_aside_before_it_hands_down() {
        let root = tempfile::tempdir().unwrap();
        let own = root.path().join("service");
        fs::create_dir(&own).unwrap();
        assert_eq!(version_two(&own, root.path()), None);
        fs::write(own.join("cgroup.controllers"), "cpu memory pids\n").unwrap();
        fs::write(own.join("cgroup.procs"), "1\n2\n").unwrap();
        assert_eq!(version_two(&own, root.path()), None, "not alone");
        let me = std::process::id().to_string();
        fs::write(own.join("cgroup.procs"), &me).unwrap();
        let parent = version_two(&own, root.path()).unwrap();
        let read = |file: &str| fs::read_to_string(own.join(file)).unwrap();
        assert_eq!(read("mend-itself/cgroup.procs"), me);
        assert_eq!(read("cgroup.subtree_control"), "+memory +pids");
        let bounds = Bounds {
            memory: 77,
            processes: 10,
            ..Bounds::default()
        };
        limit(&parent, &own.join("one"), &bounds).unwrap();
        assert_eq!(read("one/memory.max"), "77");
        assert_eq!(read("one/pids.max"), "14");
    }
}
