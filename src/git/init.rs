//! What libgit2 is told once per process, before anything else of it is used.
#![allow(unsafe_code)] // libgit2's global options and its transport table have only unsafe doors

use super::error::GitError;
use super::transport;
use git2::ConfigLevel;
use std::sync::OnceLock;

/// libgit2 keeps decompressed objects; a server that should idle small keeps few of them.
const OBJECT_CACHE_BYTES: isize = 32 << 20;

/// Cuts libgit2 from the host's configuration and puts mend's own transport in place of its HTTP
/// client, once. Cheap to call again.
///
/// # Errors
/// When libgit2 refuses an option; nothing of this room works then.
pub fn init() -> Result<(), GitError> {
    static DONE: OnceLock<Result<(), GitError>> = OnceLock::new();
    DONE.get_or_init(|| set_up().map_err(GitError::from))
        .clone()
}

fn set_up() -> Result<(), git2::Error> {
    // SAFETY: `OnceLock` runs this once and makes every other caller wait, and every use of
    // libgit2 in this crate comes after `init`, so nothing reads these globals meanwhile.
    unsafe {
        for level in [
            ConfigLevel::ProgramData,
            ConfigLevel::System,
            ConfigLevel::XDG,
            ConfigLevel::Global,
        ] {
            // An empty string means "no folder", unlike the level's default.
            git2::opts::set_search_path(level, "")?;
        }
        git2::opts::set_cache_max_size(OBJECT_CACHE_BYTES as _)?;
        for scheme in ["http", "https"] {
            git2::transport::register(scheme, transport::open)?;
        }
    }
    git2::opts::strict_hash_verification(true);
    git2::opts::strict_object_creation(true);
    Ok(())
}
