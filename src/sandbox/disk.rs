//! Holds the work folder to a size on a file system that has no quotas.

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat, statvfs};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often free space is looked at.
const INTERVAL: Duration = Duration::from_millis(200);
/// What a file costs beside its content, in bytes, so that empty files count too.
const PER_FILE: u64 = 4096;
const MAX_DEPTH: usize = 128;

/// Resolves when the folders, which lie on one file system, hold more than `limit` bytes together. Free space of the whole file
/// system is cheap to ask for; only when that shrinks as much is the folder itself measured.
pub(super) async fn over(folders: Vec<PathBuf>, limit: u64) {
    let Some(folder) = folders.first().cloned() else {
        return std::future::pending().await;
    };
    let Some(at_start) = free(&folder) else {
        return std::future::pending().await;
    };
    let mut suspicion = limit;
    loop {
        tokio::time::sleep(INTERVAL).await;
        let now = free(&folder).unwrap_or(at_start);
        let gone = at_start.saturating_sub(now);
        if gone <= suspicion {
            continue;
        }
        let measured = folders.clone();
        let all = move || measured.iter().map(|f| size(f)).sum::<io::Result<u64>>();
        let held = tokio::task::spawn_blocking(all).await;
        if held.is_ok_and(|held| held.is_ok_and(|held| held > limit)) {
            return;
        }
        // Somebody else writes; measure again when as much again is gone.
        suspicion = gone.saturating_add(limit / 4);
    }
}

/// Bytes and files that are free, as bytes.
fn free(folder: &Path) -> Option<u64> {
    let stat = statvfs(folder).ok()?;
    let bytes = stat.f_bavail.saturating_mul(stat.f_frsize);
    Some(bytes.saturating_add(stat.f_favail.saturating_mul(PER_FILE)))
}

/// Bytes on disk of everything in a folder.
fn size(folder: &Path) -> io::Result<u64> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let root = rustix::fs::open(folder, flags, Mode::empty())?;
    Ok(sum(root, flags, 0))
}

fn sum(folder: OwnedFd, flags: OFlags, depth: usize) -> u64 {
    let Ok(entries) = Dir::read_from(&folder) else {
        return 0;
    };
    let mut total = 0_u64;
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let Ok(stat) = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
            continue;
        };
        let blocks = u64::try_from(stat.st_blocks).unwrap_or(0);
        total = total.saturating_add(blocks * 512 + PER_FILE);
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        if is_folder
            && depth < MAX_DEPTH
            && let Ok(below) = openat(&folder, name, flags, Mode::empty())
        {
            total = total.saturating_add(sum(below, flags, depth + 1));
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_their_content_count() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/full"), vec![1; 1 << 20]).unwrap();
        for n in 0..10 {
            std::fs::write(folder.path().join(format!("empty{n}")), "").unwrap();
        }
        std::os::unix::fs::symlink("/usr", folder.path().join("link")).unwrap();
        let size = size(folder.path()).unwrap();
        let least = (1 << 20) + 12 * PER_FILE;
        assert!((least..least + (64 << 10)).contains(&size), "{size}");
    }
}
