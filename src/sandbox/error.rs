use std::io;
use std::path::PathBuf;

/// Why a command did not run confined, or did not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// This host cannot confine a process; `fix` names what to change.
    #[error("the sandbox is not usable here: {reason}; {fix}")]
    Unusable { reason: String, fix: String },

    /// The caller asked for something that is refused on every host.
    #[error("{0}")]
    BadSpec(String),

    /// The work folder is not there or not a folder.
    #[error("work folder {}: {source}", path.display())]
    Work { path: PathBuf, source: io::Error },

    /// The command was ended because the task was stopped.
    #[error("stopped")]
    Stopped,

    /// The operating system failed mend.
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
}

impl SandboxError {
    pub(super) fn io(what: impl Into<String>, source: impl Into<io::Error>) -> Self {
        SandboxError::Io {
            what: what.into(),
            source: source.into(),
        }
    }

    /// Whether the same call can succeed later without anybody changing anything: the host was out
    /// of memory, processes or descriptors.
    pub fn is_transient(&self) -> bool {
        use rustix::io::Errno;
        let SandboxError::Io { source, .. } = self else {
            return false;
        };
        source.raw_os_error().is_some_and(|code| {
            [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE]
                .iter()
                .any(|e| e.raw_os_error() == code)
        })
    }
}
