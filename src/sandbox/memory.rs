//! How much memory the processes of one sandbox hold, seen from outside; for hosts without a
//! control group that counts it.
//!
//! Counted: what belongs to one process alone, what they map together (each page once), and files
//! in memory (memfd_create(2)) that are open, mapped or not. Files in `/tmp` and `/dev/shm` are
//! bounded by the size of their file systems. Not counted is what no process maps and no
//! descriptor in a process names: segments of shmget(2) that nobody has attached, what lies in
//! sockets and pipes. For these there is [`host_is_short`].

use super::watch::children;
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;

/// Descriptors that are looked at in one round.
const MOST_DESCRIPTORS: usize = 50_000;
/// A sandbox is ended when the host has less than this share of its memory left, or less than
/// [`LEAST_LEFT`].
const SHARE_LEFT: u64 = 50;
const LEAST_LEFT: u64 = 64 << 20;

/// Bytes that a process and everything below it holds.
pub(super) fn below(first: i32, limit: u64) -> u64 {
    let (mut own, mut mapped) = (0_u64, 0_u64);
    let (mut all, mut open) = (Vec::new(), vec![first]);
    while let Some(pid) = open.pop() {
        let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        own = own.saturating_add(field(&text, "RssAnon:"));
        mapped = mapped.saturating_add(field(&text, "RssShmem:"));
        all.push(pid);
        open.extend(children(pid));
    }
    let files = files_in_memory(&all);
    // Pages that several processes map were counted for each of them. To share them out costs a
    // walk of the page tables, so only when it matters.
    if own.saturating_add(mapped) > limit && own <= limit {
        mapped = all
            .iter()
            .map(|pid| shared_out(*pid))
            .fold(0, u64::saturating_add);
    }
    // A file in memory that is mapped is in both.
    own.saturating_add(mapped.max(files))
}

/// Whether the host itself is about to run out of memory.
pub(super) fn host_is_short() -> bool {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = field(&text, "MemTotal:");
    total > 0 && field(&text, "MemAvailable:") < (total / SHARE_LEFT).max(LEAST_LEFT)
}

/// `Pss_Shmem` of proc_pid_smaps_rollup(5): each page divided by the processes that map it.
fn shared_out(pid: i32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    field(&text, "Pss_Shmem:")
}

/// Bytes of files that live in memory and have no name, each counted once.
fn files_in_memory(pids: &[i32]) -> u64 {
    let (mut found, mut looked) = (HashMap::new(), 0);
    for pid in pids {
        let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd"));
        for entry in descriptors.into_iter().flatten().flatten() {
            looked += 1;
            if looked > MOST_DESCRIPTORS {
                return total(&found);
            }
            let in_memory = |to: &std::path::PathBuf| to.to_string_lossy().starts_with("/memfd:");
            if std::fs::read_link(entry.path()).is_ok_and(|to| in_memory(&to))
                && let Ok(meta) = std::fs::metadata(entry.path())
            {
                found.insert((meta.dev(), meta.ino()), meta.blocks());
            }
        }
    }
    total(&found)
}

fn total(found: &HashMap<(u64, u64), u64>) -> u64 {
    found
        .values()
        .fold(0_u64, |sum, blocks| sum.saturating_add(*blocks))
        .saturating_mul(512)
}

/// A line `Name:  12 kB`, in bytes.
fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|l| l.strip_prefix(name));
    let kib = line.and_then(|l| {
        l.trim()
            .trim_end_matches("kB")
            .trim_end()
            .parse::<u64>()
            .ok()
    });
    kib.unwrap_or(0).saturating_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_in_memory_counts_while_it_is_open() {
        let me = std::process::id() as i32;
        let fd = rustix::fs::memfd_create("test", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        let mut file = std::fs::File::from(fd);
        file.write_all(&vec![1; 8 << 20]).unwrap();
        let copy = file.try_clone().unwrap();
        let held = files_in_memory(&[me]);
        assert!((8 << 20..100 << 20).contains(&held), "{held}");
        drop((file, copy));
        assert!(files_in_memory(&[me]) < held);
    }

    #[test]
    fn this_host_has_memory_left() {
        assert!(!host_is_short());
        assert_eq!(field("MemTotal:       2 kB\n", "MemTotal:"), 2048);
    }
}
