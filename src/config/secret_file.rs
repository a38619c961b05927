//! Files that hold secrets: read only where their mode keeps others out.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Larger files are no keys.
const MAX: u64 = 64 * 1024;

/// Reads a secret's file. The message of an error says what to do.
pub(super) fn read(path: &Path) -> Result<String, String> {
    let meta = std::fs::metadata(path).map_err(|e| format!("cannot be read: {e}"))?;
    if !meta.is_file() {
        return Err("is not a file".into());
    }
    if let Some(why) = too_open(meta.mode(), path) {
        return Err(why);
    }
    if meta.len() > MAX {
        return Err(format!("has {} bytes, which is no key", meta.len()));
    }
    std::fs::read_to_string(path).map_err(|e| format!("cannot be read: {e}"))
}

/// Why a mode is too open for a secret: only its owner may write it, only its group may read it too.
pub(super) fn too_open(mode: u32, path: &Path) -> Option<String> {
    let mode = mode & 0o777;
    (mode & 0o037 != 0).then(|| {
        format!(
            "has mode {mode:04o}, so that others on this machine can read or change the secret: \
             run `chmod 0640 {}` (or 0600)",
            path.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_that_let_others_in_are_refused() {
        for mode in [0o400, 0o600, 0o440, 0o640] {
            assert_eq!(too_open(mode, Path::new("k")), None, "{mode:o}");
        }
        for mode in [0o644, 0o660, 0o604, 0o666, 0o777, 0o641] {
            assert!(too_open(mode, Path::new("k")).is_some(), "{mode:o}");
        }
    }
}
