//! Removing a whole folder that hostile code may have shaped.

use super::TreeError;
use super::resolve::open_beneath;
use super::walk::{list_folder, names};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, chmod, openat, renameat, statat, unlinkat};
use rustix::io::Errno;
use std::path::Path;

/// Deeper folders are lifted to the top before they are emptied: a handle is held per level.
const MAX_HELD: usize = 48;

/// Removes a folder with everything in it, whatever its modes and however deep, following no
/// link. A path that does not exist is fine; a link at `path` itself is removed, not followed.
///
/// # Errors
/// `Io`, with what was left standing.
pub fn remove_tree(path: &Path) -> Result<(), TreeError> {
    let gone = |e| TreeError::io("remove", path.display(), e);
    let (Some(up), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(gone(Errno::INVAL));
    };
    let up = if up.as_os_str().is_empty() {
        Path::new(".")
    } else {
        up
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let up = match openat(CWD, up, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(()),
        other => other.map_err(gone)?,
    };
    match statat(&up, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(()),
        Err(e) => return Err(gone(e)),
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) != FileType::Directory => {
            return unlinkat(&up, name, AtFlags::empty()).map_err(gone);
        }
        Ok(_) => {}
    }
    let Some(top) = present(open_any_mode(&up, name)).map_err(gone)? else {
        return Ok(());
    };
    let mut lifted = 0;
    // A folder that was lifted lies in `top` again, so a pass may leave some for the next.
    while present(names(&top))
        .map_err(gone)?
        .is_some_and(|n| !n.is_empty())
    {
        clear(&top, &top, 0, &mut lifted).map_err(gone)?;
    }
    present(unlinkat(&up, name, AtFlags::REMOVEDIR)).map_err(gone)?;
    Ok(())
}

/// `None` for what is not there any more.
fn present<T>(result: Result<T, Errno>) -> Result<Option<T>, Errno> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT) => Ok(None),
        Err(e) => Err(e),
    }
}

fn clear(top: &OwnedFd, here: &OwnedFd, depth: usize, lifted: &mut u64) -> Result<(), Errno> {
    // Somebody else may be removing it as well: what is gone is fine.
    for name in present(names(here))?.unwrap_or_default() {
        match unlinkat(here, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => continue,
            // Linux answers EISDIR; POSIX allows EPERM.
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(e) => return Err(e),
        }
        let Some(inner) = present(open_any_mode(here, name.as_c_str()))? else {
            continue;
        };
        if depth < MAX_HELD {
            clear(top, &inner, depth + 1, lifted)?;
            present(unlinkat(here, &name, AtFlags::REMOVEDIR))?;
        } else {
            *lifted += 1;
            present(renameat(here, &name, top, format!(".mend-lifted-{lifted}")))?;
        }
    }
    Ok(())
}

/// Opens a folder for listing and removing, after giving its owner all rights on it.
fn open_any_mode(folder: impl AsFd, name: impl rustix::path::Arg + Copy) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW;
    let handle = open_beneath(&folder, name, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&handle)?;
    if stat.st_mode & 0o700 != 0o700 {
        // fchmod refuses an O_PATH handle; its entry in /proc names the very folder, so that no
        // link can be slipped under.
        let place = format!("/proc/self/fd/{}", handle.as_raw_fd());
        chmod(place.as_str(), Mode::from_raw_mode(0o700))?;
    }
    list_folder(&handle, ".")
}
