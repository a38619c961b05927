//! Looks at the processes of one sandbox from outside.

use super::cgroup::Group;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;
use tokio::io::unix::AsyncFd;

/// How often memory is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// The first process of the sandbox's pid namespace. When it ends, the kernel ends all others
/// before its handle says so (pid_namespaces(7)).
#[derive(Debug)]
pub(super) struct First {
    pid: i32,
    handle: AsyncFd<OwnedFd>,
}

impl First {
    /// The only child of bubblewrap's outer process, once init has reported.
    pub(super) fn below(outer: i32) -> io::Result<First> {
        let gone = || io::Error::new(io::ErrorKind::NotFound, "the sandbox has no first process");
        let pid = *children(outer).first().ok_or_else(gone)?;
        let raw = Pid::from_raw(pid).ok_or_else(gone)?;
        let handle = pidfd_open(raw, PidfdFlags::NONBLOCK)?;
        // Asked again: now the handle keeps the number from meaning another process.
        if !children(outer).contains(&pid) {
            return Err(gone());
        }
        // Its successor is an unsafe function, for types that may close their descriptor early; an
        // OwnedFd does not.
        #[allow(deprecated)]
        let handle = AsyncFd::new(handle)?;
        Ok(First { pid, handle })
    }

    pub(super) fn kill(&self) {
        // It may have ended already; that is what is wanted.
        let _ = pidfd_send_signal(&self.handle, Signal::KILL);
    }

    /// Resolves when no process of the sandbox is left.
    pub(super) async fn ended(&self) {
        // An error would mean that the runtime ends; nothing is left to wait for then.
        let _ = self.handle.readable().await;
        // When mend is the first process of its own pid namespace, as in a container, it inherits
        // this one from bubblewrap and has to take it off the kernel's hands; else it is no child.
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        let _ = waitid(WaitId::PidFd(self.handle.as_fd()), how);
    }

    /// Resolves when the processes together have come to the limit of memory: the kernel has
    /// killed one for it, or, without a control group, they hold more than `limit` bytes.
    pub(super) async fn out_of_memory(&self, group: &Group, limit: u64) {
        let pid = self.pid;
        loop {
            tokio::time::sleep(INTERVAL).await;
            if group.holds_memory() {
                if group.ran_out_of_memory() {
                    return;
                }
                continue;
            }
            let held = tokio::task::spawn_blocking(move || memory_below(pid)).await;
            if held.is_ok_and(|bytes| bytes > limit) {
                return;
            }
        }
    }
}

/// Bytes of memory that a process and everything below it holds and shares with nobody.
fn memory_below(first: i32) -> u64 {
    let (mut sum, mut open) = (0_u64, vec![first]);
    while let Some(pid) = open.pop() {
        sum = sum.saturating_add(own_memory(pid));
        open.extend(children(pid));
    }
    sum
}

/// `RssAnon` of proc_pid_status(5); shared memory is bounded by its file system.
fn own_memory(pid: i32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("RssAnon:"));
    let kib = line.and_then(|l| {
        l.trim()
            .trim_end_matches("kB")
            .trim_end()
            .parse::<u64>()
            .ok()
    });
    kib.unwrap_or(0).saturating_mul(1024)
}

/// The children of all threads of a process.
fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match std::fs::read_to_string(thread.path().join("children")) {
            Ok(line) => found.extend(
                line.split_whitespace()
                    .filter_map(|p| p.parse::<i32>().ok()),
            ),
            // A thread that ended; or a kernel without CONFIG_PROC_CHILDREN.
            Err(_) if std::path::Path::new("/proc/thread-self/children").exists() => {}
            Err(_) => return children_by_scan(pid),
        }
    }
    found
}

/// The processes whose fourth field in proc_pid_stat(5) is `parent`.
fn children_by_scan(parent: i32) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The second field, the name, is in brackets and may hold anything.
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        after.split_whitespace().nth(1) == Some(parent.to_string().as_str())
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_counts_with_its_parent() {
        let mut child = std::process::Command::new("/bin/sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let me = std::process::id() as i32;
        assert!(children(me).contains(&(child.id() as i32)));
        assert!(children_by_scan(me).contains(&(child.id() as i32)));
        let own = own_memory(me);
        assert!(own > 0 && memory_below(me) > own / 2);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
