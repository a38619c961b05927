//! Which user a command is on the host, and whom the work folder belongs to.

use super::SandboxError;
use rustix::fs::{AtFlags, Dir, FileType, Gid, Mode, OFlags, Uid, chownat, openat, statat};
use serde::{Deserialize, Serialize};
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// The uid that the kernel's documentation keeps for nobody.
const NOBODY: Owner = Owner {
    uid: 65534,
    gid: 65534,
};
/// Folders below this depth keep their owner; no project nests so deep, and each level costs two
/// descriptors.
const MAX_DEPTH: usize = 128;

/// An owner and a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    pub uid: u32,
    pub gid: u32,
}

/// The user that commands become, when mend is root and has to give it up: limits on processes
/// do not hold for root (getrlimit(2)). `wanted` is a uid or a name of `/etc/passwd`.
pub(super) fn outer_user(wanted: Option<&str>) -> Result<Option<Owner>, SandboxError> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let read = |path: &str| {
        std::fs::read_to_string(path).map_err(|e| SandboxError::io(format!("read {path}"), e))
    };
    let unusable = |reason: String, fix: &str| {
        Err(SandboxError::Unusable {
            reason,
            fix: fix.into(),
        })
    };
    let user = match wanted {
        None => Some(NOBODY),
        Some(name) => look_up(
            &std::fs::read_to_string("/etc/passwd").unwrap_or_default(),
            name,
        ),
    };
    let user = match user {
        Some(user) if user.uid != 0 && user.gid != 0 => user,
        _ => {
            return unusable(
                format!("`{}` is no unprivileged user", wanted.unwrap_or_default()),
                "set `sandbox.user` to an unprivileged uid or to a name of /etc/passwd",
            );
        }
    };
    match mapping(&read("/proc/self/uid_map")?, user.uid) {
        Mapping::Whole => Ok(Some(user)),
        Mapping::RootIsNotRoot => Ok(None),
        Mapping::RootOnly => unusable(
            format!(
                "mend is root, and uid {} does not exist in this user namespace",
                user.uid
            ),
            "start mend as an unprivileged user, or map more uids",
        ),
    }
}

/// A line of passwd(5) by name or uid; a uid without a line has the group of the same number.
fn look_up(passwd: &str, wanted: &str) -> Option<Owner> {
    let of_line = |line: &str| {
        let fields: Vec<&str> = line.split(':').collect();
        let owner = Owner {
            uid: fields.get(2)?.parse().ok()?,
            gid: fields.get(3)?.parse().ok()?,
        };
        (fields[0] == wanted || fields[2] == wanted).then_some(owner)
    };
    passwd.lines().find_map(of_line).or_else(|| {
        let uid = wanted.parse().ok()?;
        Some(Owner { uid, gid: uid })
    })
}

#[derive(Debug, PartialEq, Eq)]
enum Mapping {
    /// Root may become the user.
    Whole,
    /// It may not, and need not: this "root" is an ordinary user on the host.
    RootIsNotRoot,
    /// It may not, though it is the host's root.
    RootOnly,
}

/// Reads `uid_map` (user_namespaces(7)): first inside, first outside, count.
fn mapping(map: &str, uid: u32) -> Mapping {
    let lines = map.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace().map(|n| n.parse::<u64>().ok());
        Some((numbers.next()??, numbers.next()??, numbers.next()??))
    });
    let mut root_outside = None;
    for (inside, outside, count) in lines {
        if (inside..inside + count).contains(&u64::from(uid)) {
            return Mapping::Whole;
        }
        if inside == 0 && count > 0 {
            root_outside = Some(outside);
        }
    }
    match root_outside {
        Some(outside) if outside > 0 => Mapping::RootIsNotRoot,
        _ => Mapping::RootOnly,
    }
}

/// The owner of a folder.
pub(super) fn of(folder: &Path) -> io::Result<Owner> {
    let stat = rustix::fs::stat(folder)?;
    Ok(Owner {
        uid: stat.st_uid,
        gid: stat.st_gid,
    })
}

/// Gives the folder and everything in it whose owner is one of `from` to `to`. Works beneath
/// handles and follows no link. A file with more than one hard link keeps its owner: its other
/// names may lie outside.
pub(super) fn give(folder: &Path, from: &[u32], to: Owner) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let root = rustix::fs::open(folder, flags, Mode::empty())?;
    let giver = Giver { from, to, flags };
    giver.folder(root, 0)
}

struct Giver<'a> {
    from: &'a [u32],
    to: Owner,
    flags: OFlags,
}

impl Giver<'_> {
    fn folder(&self, folder: OwnedFd, depth: usize) -> io::Result<()> {
        let mut entries = Dir::read_from(&folder)?;
        while let Some(entry) = entries.read() {
            let entry = entry?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let below = match entry.file_type() {
                FileType::Directory | FileType::Unknown if depth < MAX_DEPTH => {
                    openat(&folder, name, self.flags, Mode::empty()).ok()
                }
                _ => None,
            };
            match below {
                Some(below) => self.folder(below, depth + 1)?,
                None => self.entry(&folder, name)?,
            }
        }
        // Last, so that a run that breaks off here begins again from the top.
        self.entry(&folder, c"")
    }

    /// One entry, or the folder itself for an empty name.
    fn entry(&self, folder: impl AsFd, name: &CStr) -> io::Result<()> {
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH;
        let stat = match statat(&folder, name, flags) {
            Ok(stat) => stat,
            Err(rustix::io::Errno::NOENT) => return Ok(()),
            Err(e) => return Err(e.into()),
        };
        if (stat.st_uid, stat.st_gid) == (self.to.uid, self.to.gid) {
            return Ok(());
        }
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        if !self.from.contains(&stat.st_uid) || (stat.st_nlink > 1 && !is_folder) {
            return Ok(());
        }
        let (uid, gid) = (
            Uid::from_raw_unchecked(self.to.uid),
            Gid::from_raw_unchecked(self.to.gid),
        );
        match chownat(&folder, name, Some(uid), Some(gid), flags) {
            Err(rustix::io::Errno::NOENT) => Ok(()),
            other => Ok(other?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uid_maps_are_understood() {
        let whole = "         0          0 4294967295\n";
        assert_eq!(mapping(whole, 65534), Mapping::Whole);
        let rootless = "0 1000 1\n1 100000 65536\n";
        assert_eq!(mapping(rootless, 65534), Mapping::Whole);
        assert_eq!(mapping("0 1000 1\n", 65534), Mapping::RootIsNotRoot);
        assert_eq!(mapping("0 0 1\n", 65534), Mapping::RootOnly);
        assert_eq!(mapping("", 65534), Mapping::RootOnly);
    }

    #[test]
    fn users_are_found_by_name_and_by_number() {
        let passwd = "root:x:0:0::/root:/bin/sh\nci:x:990:991::/:/bin/sh\n";
        let owner = |uid, gid| Some(Owner { uid, gid });
        assert_eq!(look_up(passwd, "ci"), owner(990, 991));
        assert_eq!(look_up(passwd, "990"), owner(990, 991));
        assert_eq!(look_up(passwd, "70000"), owner(70000, 70000));
        assert_eq!(look_up(passwd, "root"), owner(0, 0));
        assert_eq!(look_up(passwd, "nobody-here"), None);
        assert_eq!(look_up("", "-1"), None);
    }

    #[test]
    fn a_folder_is_given_without_following_links() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let target = outside.path().join("target");
        std::fs::write(&target, "x").unwrap();
        let shared = outside.path().join("shared");
        std::fs::write(&shared, "x").unwrap();
        let work = folder.path().join("a/b");
        std::fs::create_dir_all(&work).unwrap();
        std::fs::write(work.join("file"), "x").unwrap();
        std::fs::hard_link(&shared, work.join("hard")).unwrap();
        std::os::unix::fs::symlink(&target, work.join("link")).unwrap();
        std::os::unix::fs::symlink(outside.path(), work.join("folder")).unwrap();
        let me = of(folder.path()).unwrap();
        let to = match me.uid {
            0 => Owner { uid: 7, gid: 8 },
            _ => me,
        };
        give(folder.path(), &[me.uid], to).unwrap();
        assert_eq!(of(&work).unwrap(), to);
        assert_eq!(of(&work.join("file")).unwrap(), to);
        assert_eq!(of(&target).unwrap(), me);
        assert_eq!(of(&shared).unwrap(), me);
        assert_eq!(of(outside.path()).unwrap(), me);
        let link = rustix::fs::lstat(work.join("link")).unwrap();
        assert_eq!(link.st_uid, to.uid);
    }
}
