//! Folders of mend's own, outside every tree.

use super::TreeError;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

/// Makes a folder and its parents; one that is there stays, with these permission bits.
///
/// # Errors
/// `Root` when it cannot be made, or when something else is there.
pub fn make_folder(path: &Path, mode: u32) -> Result<(), TreeError> {
    let fail = |e: std::io::Error| TreeError::Root {
        path: path.into(),
        source: rustix::io::Errno::from_io_error(&e).unwrap_or(rustix::io::Errno::IO),
    };
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(path)
        .map_err(fail)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).map_err(fail)
}

/// The sole ownership of a folder, until this is dropped or the process ends.
#[derive(Debug)]
pub struct FolderLock {
    _held: rustix::fd::OwnedFd,
}

/// Takes a folder for this process; `None` where another one has it.
///
/// # Errors
/// `Root` when it cannot be opened or locked.
pub fn lock_folder(path: &Path) -> Result<Option<FolderLock>, TreeError> {
    use rustix::fs::{FlockOperation, Mode, OFlags};
    let fail = |source| TreeError::Root {
        path: path.into(),
        source,
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let held = rustix::fs::open(path, flags, Mode::empty()).map_err(fail)?;
    match rustix::fs::flock(&held, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(FolderLock { _held: held })),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(e) => Err(fail(e)),
    }
}

/// The names in a folder of mend's own; none where it is not there.
///
/// # Errors
/// `Root` when it cannot be listed.
pub fn names_in(path: &Path) -> Result<Vec<String>, TreeError> {
    let fail = |e: std::io::Error| TreeError::Root {
        path: path.into(),
        source: rustix::io::Errno::from_io_error(&e).unwrap_or(rustix::io::Errno::IO),
    };
    let entries = match std::fs::read_dir(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(fail)?,
    };
    let names = entries.map(|entry| Ok(entry.map_err(fail)?.file_name().to_string_lossy().into()));
    names.collect()
}

/// Gives a folder another name on the same file system, where nothing stands. Only for folders in
/// which nobody works any more: the parts of `from` are not held.
///
/// # Errors
/// `Root` when it cannot be moved; a link at `from` is not one.
pub fn move_folder(from: &Path, to: &Path) -> Result<(), TreeError> {
    let fail = |source| TreeError::Root {
        path: from.into(),
        source,
    };
    let stat = rustix::fs::lstat(from).map_err(fail)?;
    if !rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir() {
        return Err(fail(rustix::io::Errno::NOTDIR));
    }
    let (here, flags) = (rustix::fs::CWD, rustix::fs::RenameFlags::NOREPLACE);
    match rustix::fs::renameat_with(here, from, here, to, flags) {
        // A file system without the flag; an empty folder at `to` would be replaced, no other.
        Err(rustix::io::Errno::INVAL) => rustix::fs::rename(from, to).map_err(fail),
        other => other.map_err(fail),
    }
}

/// Reads a file of mend's own or of the operator, at most `max` bytes.
///
/// # Errors
/// `Root` when it cannot be read or is longer.
pub fn read_own(path: &Path, max: u64) -> Result<Vec<u8>, TreeError> {
    use std::io::Read;
    let fail = |e: std::io::Error| TreeError::Root {
        path: path.into(),
        source: rustix::io::Errno::from_io_error(&e).unwrap_or(rustix::io::Errno::IO),
    };
    let file = std::fs::File::open(path).map_err(fail)?;
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes).map_err(fail)?;
    match bytes.len() as u64 > max {
        true => Err(fail(std::io::ErrorKind::FileTooLarge.into())),
        false => Ok(bytes),
    }
}

/// Writes a file of mend's own.
///
/// # Errors
/// `Root` when it cannot be written.
pub fn write_own(path: &Path, bytes: &[u8]) -> Result<(), TreeError> {
    std::fs::write(path, bytes).map_err(|e| TreeError::Root {
        path: path.into(),
        source: rustix::io::Errno::from_io_error(&e).unwrap_or(rustix::io::Errno::IO),
    })
}

/// Writes a file that holds a secret: mode 0600 from its first byte on, whole or not at all. One
/// that is there stays, unless `replace` is set.
///
/// # Errors
/// `Root` when it cannot be written, or when something stands there.
pub fn write_secret(path: &Path, bytes: &[u8], replace: bool) -> Result<(), TreeError> {
    use rustix::fs::RenameFlags;
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let fail = |e: std::io::Error| TreeError::Root {
        path: path.into(),
        source: rustix::io::Errno::from_io_error(&e).unwrap_or(rustix::io::Errno::IO),
    };
    let mut name = path.as_os_str().to_os_string();
    name.push(format!(".{}", uuid::Uuid::new_v4().simple()));
    let new = std::path::PathBuf::from(name);
    let written = || -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        let flags = match replace {
            true => RenameFlags::empty(),
            false => RenameFlags::NOREPLACE,
        };
        let here = rustix::fs::CWD;
        Ok(rustix::fs::renameat_with(here, &new, here, path, flags)?)
    };
    written().map_err(|e| {
        let _ = std::fs::remove_file(&new);
        fail(e)
    })
}

/// Gives a file of mend's own another name, where nothing stands.
///
/// # Errors
/// `Root` when it cannot be moved.
pub fn move_file(from: &Path, to: &Path) -> Result<(), TreeError> {
    let (here, flags) = (rustix::fs::CWD, rustix::fs::RenameFlags::NOREPLACE);
    rustix::fs::renameat_with(here, from, here, to, flags).map_err(|source| TreeError::Root {
        path: from.into(),
        source,
    })
}
