//! Starts bubblewrap from a thread of its own, which lives as long as bubblewrap does.
//!
//! `--die-with-parent` rests on `PR_SET_PDEATHSIG`, which the kernel sends when the *thread* that
//! made the child ends (prctl(2)); threads of a runtime come and go. The thread has its own table
//! of descriptors, in which it closes everything that the sandbox must not inherit, whatever other
//! threads open meanwhile. When mend is root it also has its own mount namespace, in which the
//! folders that the sandbox needs stand where the sandbox's user can reach them.

use super::cgroup::Door;
use super::owner::{self, Owner};
use super::wire::{Stage, Word};
use nix::sched::{CloneFlags, unshare};
use rustix::fs::{CWD, MemfdFlags, Mode, OFlags};
use rustix::mount::{MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, geteuid, pidfd_open};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, mpsc};

/// Folders that every Linux has (FHS 3.0) and that neither bubblewrap nor `/usr` needs.
const STAGES: [&str; 4] = ["/mnt", "/media", "/srv", "/tmp"];

/// What the thread needs.
#[derive(Debug)]
pub(super) struct Order {
    pub bwrap: String,
    pub options: Vec<Word>,
    /// Program and arguments that bubblewrap starts.
    pub command: Vec<String>,
    pub work: String,
    /// Whom to become, when mend is root.
    pub user: Option<Owner>,
    /// A read-only git directory, whose top has to be that user's: git takes no other's.
    pub git: Option<PathBuf>,
    pub cgroups: Vec<Door>,
}

/// The sandbox's ends of what mend talks to it by.
#[derive(Debug)]
pub(super) struct Ends {
    /// Standard input: the socket for the report.
    pub socket: OwnedFd,
    /// Standard output and error.
    pub output: OwnedFd,
}

/// bubblewrap's outer process.
#[derive(Debug)]
pub(super) struct Started {
    pub pid: i32,
    /// Keeps the number from meaning another process.
    pub handle: OwnedFd,
    /// Comes as soon as the handle says that it ended.
    pub ended: mpsc::Receiver<io::Result<ExitStatus>>,
}

/// Who failed, and how.
pub(super) type Failure = (Stage, String);

fn failed<E: std::fmt::Display>(what: impl std::fmt::Display) -> impl FnOnce(E) -> Failure {
    move |e| (Stage::Launch, format!("{what}: {e}"))
}

/// Starts bubblewrap; the call lasts until it runs. Not for a thread that serves others: as root
/// it also gives a work folder to its user.
pub(super) fn start(order: Order, ends: Ends) -> Result<Started, Failure> {
    // Not a channel of the runtime: to wake the runtime is to write to a descriptor, which the
    // thread does not have.
    let (ended_sender, ended) = mpsc::channel();
    let (sender, started) = mpsc::channel::<Result<i32, Failure>>();
    let (held, holding) = mpsc::channel::<()>();
    // Both sides hold the ends; this one lets them go last, so that they close in mend's own table.
    let ends = Arc::new(ends);
    let theirs = Arc::clone(&ends);
    let thread = std::thread::Builder::new().name("sandbox".into());
    let body = move || match begin(&order, &theirs) {
        Ok(mut child) => {
            drop(theirs);
            let _ = sender.send(Ok(child.id() as i32));
            // Until mend has a handle, nobody may reap.
            let _ = holding.recv();
            let _ = ended_sender.send(child.wait());
        }
        Err(failure) => {
            drop(theirs);
            let _ = sender.send(Err(failure));
        }
    };
    thread.spawn(body).map_err(failed("start a thread"))?;
    let pid = started
        .recv()
        .map_err(failed("the thread of a sandbox"))
        .flatten()?;
    let handle = Pid::from_raw(pid)
        .ok_or(rustix::io::Errno::SRCH)
        .and_then(|pid| pidfd_open(pid, PidfdFlags::NONBLOCK))
        .map_err(failed("hold bubblewrap"))?;
    drop(held);
    Ok(Started { pid, handle, ended })
}

/// Everything up to bubblewrap's last argument, in the calling thread.
fn begin(order: &Order, ends: &Ends) -> Result<Child, Failure> {
    unshare(CloneFlags::CLONE_FILES).map_err(failed("take descriptors apart"))?;
    let keep = [ends.socket.as_raw_fd(), ends.output.as_raw_fd()];
    close_inherited(&keep).map_err(failed("close descriptors"))?;
    let stage = match order.user {
        Some(user) => Some(prepare_as_root(order, user)?),
        None => None,
    };
    let (words, files) = words(&order.options, stage)?;
    let (reader, mut writer) = arguments().map_err(failed("make a pipe for arguments"))?;
    let copy = |fd: &OwnedFd| fd.try_clone().map_err(failed("copy a descriptor"));
    let mut command = Command::new(&order.bwrap);
    command
        .args(["--args", &reader.as_raw_fd().to_string(), "--"])
        .args(&order.command)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(copy(&ends.socket)?))
        .stdout(Stdio::from(copy(&ends.output)?))
        .stderr(Stdio::from(copy(&ends.output)?));
    if let Some(user) = order.user {
        // For good: real, effective and saved ids; with a uid the standard library also gives up
        // all other groups, and the kernel all capabilities (capabilities(7)).
        command.gid(user.gid).uid(user.uid);
    }
    let doors = |write: fn(&Door, u32) -> io::Result<()>, id| {
        let mut doors = order.cgroups.iter();
        let done = doors.try_for_each(|door| write(door, id));
        done.map_err(failed("join a control group"))
    };
    doors(Door::enter, 0)?;
    let child = command.spawn();
    let mut child = child.map_err(failed(format!("start {}", order.bwrap)))?;
    drop((reader, files));
    // bubblewrap waits for its arguments, so it is one process still, and joins as one.
    let joined = doors(Door::leave, child.id());
    // When bubblewrap is gone already, its words and its exit say why.
    let told = joined.map(|()| writer.write_all(&ended(&words)));
    drop(writer);
    match told {
        Ok(_) => Ok(child),
        Err(failure) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(failure)
        }
    }
}

/// A pipe whose reading end is inherited.
fn arguments() -> io::Result<(OwnedFd, std::fs::File)> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::fcntl_setfd(&reader, rustix::io::FdFlags::empty())?;
    Ok((reader, writer.into()))
}

/// bubblewrap's options, and the descriptors that they name.
fn words(
    options: &[Word],
    stage: Option<&'static str>,
) -> Result<(Vec<String>, Vec<OwnedFd>), Failure> {
    let (mut words, mut files, mut staged) = (Vec::new(), Vec::new(), 0);
    for word in options {
        match (word, stage) {
            (Word::Plain(word) | Word::Open(word), _) | (Word::Closed(word), None) => {
                words.push(word.clone());
            }
            (Word::Closed(_), Some(stage)) => {
                words.push(format!("{stage}/{staged}"));
                staged += 1;
            }
            (Word::File { inside, content }, _) => {
                file(&mut words, &mut files, "0644", inside, content)?;
            }
            (Word::Program { inside, content }, _) => {
                file(&mut words, &mut files, "0555", inside, content)?;
            }
        }
    }
    Ok((words, files))
}

/// Everything that needs root: the work folder gets its user, and the folders that only root can
/// reach get a place that everybody can reach, in a mount namespace that nobody else sees.
/// Returns the folder that they are in.
fn prepare_as_root(order: &Order, user: Owner) -> Result<&'static str, Failure> {
    let work = Path::new(&order.work);
    let of = owner::of(work).map_err(failed("look at the work folder"))?;
    owner::give(work, &[of.uid, geteuid().as_raw()], user)
        .map_err(failed("give the work folder to the sandbox's user"))?;
    if let Some(git) = &order.git {
        std::os::unix::fs::lchown(git, Some(user.uid), Some(user.gid))
            .map_err(failed("give the git directory to the sandbox's user"))?;
    }

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

/// Closes every descriptor of this thread that is not standard and not in `keep`.
fn close_inherited(keep: &[RawFd]) -> io::Result<()> {
    let listing = std::fs::read_dir("/proc/thread-self/fd")?;
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
    mode: &str,
    inside: &str,
    content: &[u8],
) -> Result<(), Failure> {
    let fd = memory_file(content).map_err(failed(format!("prepare {inside}")))?;
    words.extend(["--perms", mode, "--file"].map(String::from));
    words.push(fd.as_raw_fd().to_string());
    words.push(inside.into());
    files.push(fd);
    Ok(())
}

/// A descriptor that bubblewrap inherits, reads to its end and closes.
fn memory_file(content: &[u8]) -> io::Result<OwnedFd> {
    let fd = rustix::fs::memfd_create("mend", MemfdFlags::empty())?;
    rustix::io::pwrite(fd.as_fd(), content, 0)
        .map_err(io::Error::from)
        .and_then(|n| match n == content.len() {
            true => Ok(()),
            false => Err(io::ErrorKind::WriteZero.into()),
        })?;
    Ok(fd)
}

/// bubblewrap's arguments as it reads them: each ended, since an empty one at the end (a variable
/// without a value) would be lost between separators.
fn ended(words: &[String]) -> Vec<u8> {
    let ended = words.iter().flat_map(|w| [w.as_bytes(), b"\0"]);
    ended.flatten().copied().collect()
}
