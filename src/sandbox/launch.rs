//! The stage between mend and bubblewrap: a process of its own, so that what it gives up and what
//! it closes is given up and closed for everything after it.

use super::owner::{self, Owner};
use super::wire::{self, LaunchOrder, Report, Stage, Word};
use super::{REFUSED, wire::receive};
use nix::sched::{CloneFlags, unshare};
use rustix::fs::{CWD, MemfdFlags, Mode, OFlags};
use rustix::mount::{MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags};
use rustix::process::{Signal, geteuid, getppid, set_parent_process_death_signal};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Folders that every Linux has (FHS 3.0) and that neither bubblewrap nor `/usr` needs.
const STAGES: [&str; 4] = ["/mnt", "/media", "/srv", "/tmp"];
/// Larger files of `/etc` are mounted, not copied.
const MAX_COPY: u64 = 256 << 10;

/// `mend sandbox-launch`: reads its order from standard input and becomes bubblewrap. Returns only
/// when it failed; then mend has been told why.
pub fn launch_main() -> ExitCode {
    let stdin = rustix::stdio::stdin();
    let socket = stdin
        .try_clone_to_owned()
        .map(std::os::unix::net::UnixStream::from);
    let Ok(mut socket) = socket else {
        return ExitCode::from(REFUSED);
    };
    let (stage, what) = match launch(&mut socket) {
        Ok(never) => match never {},
        Err(failure) => failure,
    };
    let report = Report::Failed {
        stage,
        what: what.clone(),
    };
    if wire::send(&mut socket, &report).is_err() {
        let _ = writeln!(
            io::stderr(),
            "mend: {what}; `sandbox-launch` is internal, use `mend sandbox run`"
        );
    }
    ExitCode::from(REFUSED)
}

enum Never {}

type Failure = (Stage, String);

fn failed<E: std::fmt::Display>(what: impl std::fmt::Display) -> impl FnOnce(E) -> Failure {
    move |e| (Stage::Launch, format!("{what}: {e}"))
}

fn launch(socket: &mut (impl Read + AsRawFd)) -> Result<Never, Failure> {
    close_inherited(&[socket.as_raw_fd()]).map_err(failed("close descriptors"))?;
    let order: LaunchOrder = receive(socket).map_err(failed("no order"))?;
    die_with(order.parent)?;
    let mut words = Vec::new();
    let mut files = Vec::new();
    let stage = match order.user {
        Some(user) => Some(prepare_as_root(&order, user)?),
        None => None,
    };
    let mut staged = 0;
    for word in order.options {
        match (word, &stage) {
            (Word::Plain(word) | Word::Open(word), _) | (Word::Closed(word), None) => {
                words.push(word);
            }
            (Word::Closed(_), Some(stage)) => {
                words.push(format!("{stage}/{staged}"));
                staged += 1;
            }
            (Word::File { inside, content }, _) => {
                file(&mut words, &mut files, &inside, content.as_bytes())?;
            }
            (Word::Copy(path), _) => {
                if let Some(content) = public_content(Path::new(&path)) {
                    file(&mut words, &mut files, &path, &content)?;
                }
            }
        }
    }
    for door in &order.cgroups {
        // 0 is the writing process (cgroups(7)).
        std::fs::write(door, "0").map_err(failed("join a control group"))?;
    }
    if let Some(user) = order.user {
        become_user(user).map_err(failed(format!("become uid {}", user.uid)))?;
        die_with(order.parent)?;
    }
    let arguments = memory_file(words.join("\0").as_bytes());
    let arguments = arguments.map_err(failed("prepare arguments"))?;
    let failure = Command::new(&order.bwrap)
        .args(["--args", &arguments.as_raw_fd().to_string(), "--"])
        .args(&order.command)
        .env_clear()
        .exec();
    Err(failed(format!("start {}", order.bwrap))(failure))
}

/// Everything that needs root: the work folder gets its user, and the folders that only root can
/// reach get a place that everybody can reach, in a mount namespace that nobody else sees.
/// Returns the folder that they are in.
fn prepare_as_root(order: &LaunchOrder, user: Owner) -> Result<&'static str, Failure> {
    let work = Path::new(&order.work);
    let of = owner::of(work).map_err(failed("look at the work folder"))?;
    owner::give(work, &[of.uid, geteuid().as_raw()], user)
        .map_err(failed("give the work folder to the sandbox's user"))?;

    unshare(CloneFlags::CLONE_NEWNS).map_err(|e| (Stage::MountNamespace, e.to_string()))?;
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private)
        .map_err(|e| (Stage::MountNamespace, e.to_string()))?;
    let mut trees = Vec::new();
    for word in &order.options {
        if let Word::Closed(path) = word {
            let flags = OpenTreeFlags::OPEN_TREE_CLONE
                | OpenTreeFlags::OPEN_TREE_CLOEXEC
                | OpenTreeFlags::AT_RECURSIVE;
            let tree = rustix::mount::open_tree(CWD, path.as_str(), flags)
                .map_err(failed(format!("reach {path}")))?;
            trees.push((tree, path));
        }
    }
    let stage = STAGES.into_iter().find(|s| Path::new(s).is_dir());
    let stage = stage.ok_or("none of /mnt, /media, /srv, /tmp is there");
    let stage = stage.map_err(failed("find a place to mount on"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("tmpfs", stage, "tmpfs", flags, Some(c"mode=0755,size=64k"))
        .map_err(failed(format!("mount on {stage}")))?;
    for (at, (tree, path)) in trees.into_iter().enumerate() {
        place(tree, &format!("{stage}/{at}")).map_err(failed(format!("place {path}")))?;
    }
    Ok(stage)
}

/// Mounts a detached tree at a new name.
fn place(tree: OwnedFd, at: &str) -> io::Result<()> {
    let stat = rustix::fs::fstat(&tree)?;
    let is_folder = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir();
    if is_folder {
        rustix::fs::mkdir(at, Mode::from_raw_mode(0o755))?;
    } else {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::WRONLY;
        rustix::fs::open(at, flags, Mode::from_raw_mode(0o644))?;
    }
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    Ok(rustix::mount::move_mount(&tree, c"", CWD, at, flags)?)
}

/// For good: real, effective and saved ids, no other groups. The kernel drops all capabilities
/// with it (capabilities(7)).
fn become_user(user: Owner) -> io::Result<()> {
    let uid = rustix::process::Uid::from_raw(user.uid);
    let gid = rustix::process::Gid::from_raw(user.gid);
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(gid, gid, gid)?;
    rustix::thread::set_thread_res_uid(uid, uid, uid)?;
    match rustix::thread::set_thread_uid(rustix::process::Uid::ROOT) {
        Err(_) => Ok(()),
        Ok(()) => Err(io::Error::other("root could be taken back")),
    }
}

/// Asks the kernel to end this process with mend. A change of user takes the wish back, so it is
/// made again afterwards.
fn die_with(parent: i32) -> Result<(), Failure> {
    let wish = set_parent_process_death_signal(Some(Signal::KILL));
    wish.map_err(failed("ask to end with mend"))?;
    match getppid() {
        Some(now) if now.as_raw_pid() == parent => Ok(()),
        _ => Err((Stage::Launch, "mend ended meanwhile".into())),
    }
}

/// Closes every descriptor that is not standard and not in `keep`: whatever started mend may have
/// left open something that the command must not get.
pub(super) fn close_inherited(keep: &[RawFd]) -> io::Result<()> {
    let listing = std::fs::read_dir("/proc/self/fd")?;
    let numbers: Vec<RawFd> = listing
        .filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2 && !keep.contains(fd))
        .collect();
    for fd in numbers {
        // The listing's own descriptor is among them and already closed.
        let _ = nix::unistd::close(fd);
    }
    Ok(())
}

fn file(
    words: &mut Vec<String>,
    files: &mut Vec<OwnedFd>,
    inside: &str,
    content: &[u8],
) -> Result<(), Failure> {
    let fd = memory_file(content).map_err(failed(format!("prepare {inside}")))?;
    words.extend(["--perms", "0644", "--file"].map(String::from));
    words.push(fd.as_raw_fd().to_string());
    words.push(inside.into());
    files.push(fd);
    Ok(())
}

/// A descriptor that bubblewrap inherits, reads to its end and closes.
fn memory_file(content: &[u8]) -> io::Result<OwnedFd> {
    let fd = rustix::fs::memfd_create("mend", MemfdFlags::empty())?;
    let mut file = std::fs::File::from(fd);
    file.write_all(content)?;
    rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(0))?;
    Ok(file.into())
}

/// The content of a regular file that everybody may read.
fn public_content(path: &Path) -> Option<Vec<u8>> {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)
        .ok()?;
    let meta = file.metadata().ok()?;
    let public = meta.is_file() && meta.permissions().mode() & 0o004 != 0;
    if !public || meta.len() > MAX_COPY {
        return None;
    }
    let mut content = Vec::new();
    file.take(MAX_COPY).read_to_end(&mut content).ok()?;
    Some(content)
}
