//! The state folder of a worker: whose it is, its name among the workers, what a dead one left.

use super::server::StartError;
use crate::config::Environment;
use crate::tree::{FolderLock, lock_folder, make_folder, read_own, sweep, write_own};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Looks, a tenth of a second apart, at whether the state folder is free.
const STATE_TRIES: u32 = 50;

/// The state folder for this process alone. One that was just killed may still be going.
pub(super) async fn take_state(state: &Path) -> Result<FolderLock, StartError> {
    make_folder(state, 0o711)?;
    for _ in 0..STATE_TRIES {
        if let Some(lock) = lock_folder(state)? {
            return Ok(lock);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err(StartError::StateTaken(state.into()))
}

/// This worker's name in leases: kept in its state folder, so that the next process here knows what
/// the one before it held.
pub(super) fn worker_name(state: &Path) -> Result<String, StartError> {
    let file = state.join("worker");
    if let Ok(kept) = read_own(&file, 100)
        && let Ok(name) = String::from_utf8(kept)
        && uuid::Uuid::try_parse(name.trim()).is_ok()
    {
        return Ok(name.trim().to_string());
    }
    let name = uuid::Uuid::new_v4().to_string();
    write_own(&file, format!("{name}\n").as_bytes())?;
    Ok(name)
}

/// The folders for private git directories and for throwaway trees, made and swept.
pub(super) fn folders(state: &Path) -> Result<(PathBuf, PathBuf), StartError> {
    let (private, scratch) = (state.join("tasks"), state.join("work"));
    make_folder(&private, 0o700)?;
    make_folder(&scratch, 0o711)?;
    sweep(&scratch)?;
    Ok((private, scratch))
}

/// Removes the short-lived folders that a killed mend left where every program puts its own.
pub(super) fn sweep_temporary(environment: &Environment) {
    let temporary = environment.get("TMPDIR").unwrap_or("/tmp");
    if let Err(e) = sweep(Path::new(temporary)) {
        tracing::warn!(error = %e, "a temporary folder of a mend that is gone was left");
    }
}
