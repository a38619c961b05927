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
