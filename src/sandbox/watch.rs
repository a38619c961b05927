//! Looks at the processes of one sandbox from outside.

use super::cgroup::Group;
use super::memory;
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
    /// killed one for it, or, without a control group, they hold more than `limit` bytes or the
    /// host has none left.
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
            let look = move || memory::below(pid, limit) > limit || memory::host_is_short();
            if tokio::task::spawn_blocking(look)
                .await
                .is_ok_and(|over| over)
            {
                return;
            }
        }
    }
}

/// The children of all threads of a process.
pub(super) fn children(pid: i32) -> Vec<i32> {
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
        assert!(memory::below(me, u64::MAX) > 1 << 20);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
