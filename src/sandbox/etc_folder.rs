//! `/etc` inside, for one command after the other. The first one gets it file by file, which needs
//! nothing prepared; from the second on it is one folder of the host, mounted read-only: each file
//! costs bubblewrap half a dozen system calls, each mount a look at all others.

use super::etc::Content;
use super::wire::Word;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tempfile::TempDir;

/// Swept by `tree` when its owner is dead.
const PREFIX: &str = "mend-etc-";
/// A folder of the host with more entries, or more bytes, is mounted.
const MAX_ENTRIES: usize = 2000;
const MAX_BYTES: u64 = 8 << 20;
/// What changes when the system's packages do, certificates among them.
const STAMPS: [&str; 4] = [
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/ssl/certs",
];

/// `/etc` inside as the host's is.
#[derive(Debug, Default)]
pub(super) struct Etc(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    stamps: Option<[Option<SystemTime>; STAMPS.len()]>,
    words: Arc<Vec<Word>>,
    content: Content,
    made: Made,
}

/// How far the folder is.
#[derive(Debug, Default, Clone)]
enum Made {
    /// No command has run yet.
    #[default]
    No,
    One,
    Folder(Arc<Folder>),
    /// It cannot be made here.
    Never,
}

/// A folder of the host with the content.
#[derive(Debug)]
struct Folder {
    folder: TempDir,
    /// Held, so that no sweep takes the folder for one of the dead.
    _lock: fs::File,
}

/// The words for one command.
#[derive(Debug)]
pub(super) struct Words {
    pub words: Arc<Vec<Word>>,
    /// Has to live as long as the command.
    _folder: Option<Arc<Folder>>,
}

impl Etc {
    /// The words that make `/etc`, with what the host's files are now.
    pub(super) fn words(&self) -> Words {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = STAMPS.map(|p| fs::metadata(p).and_then(|m| m.modified()).ok());
        let there = match &state.made {
            Made::Folder(folder) => folder.folder.path().join("passwd").is_file(),
            _ => true,
        };
        if !there || state.stamps != Some(stamps) {
            let made = match state.made {
                Made::No => Made::No,
                // More than one command: what is made anew is made as a folder.
                _ => Made::One,
            };
            let content = Content::find();
            *state = State {
                stamps: Some(stamps),
                words: Arc::new(content.words()),
                content,
                made,
            };
        }
        state.made = match std::mem::take(&mut state.made) {
            Made::No => Made::One,
            Made::One => match Folder::make(&state.content) {
                Ok((folder, words)) => {
                    state.words = Arc::new(words);
                    Made::Folder(Arc::new(folder))
                }
                Err(e) => {
                    tracing::debug!("no folder for the /etc of sandboxes: {e}");
                    Made::Never
                }
            },
            other => other,
        };
        Words {
            words: state.words.clone(),
            _folder: match &state.made {
                Made::Folder(folder) => Some(folder.clone()),
                _ => None,
            },
        }
    }
}

impl Folder {
    fn make(content: &Content) -> io::Result<(Folder, Vec<Word>)> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let lock = fs::File::open(folder.path())?;
        lock.try_lock()?;
        let root = folder.path().to_path_buf();
        let at = |inside: &str| {
            let below = inside.strip_prefix("/etc/").unwrap_or(inside);
            root.join(below.trim_start_matches('/'))
        };
        for (inside, bytes) in &content.files {
            let at = at(inside);
            fs::create_dir_all(at.parent().unwrap_or(&root))?;
            write(&at, bytes)?;
        }
        let mut words = Vec::new();
        for mount in &content.mounts {
            let at = at(mount);
            fs::create_dir_all(at.parent().unwrap_or(&root))?;
            let mut room = (MAX_ENTRIES, MAX_BYTES);
            if !copy(Path::new(mount), &at, &mut room)? {
                fs::remove_dir_all(&at)?;
                fs::create_dir(&at)?;
                words.extend(Word::bind(mount));
            }
        }
        open(&root)?;
        let path = root.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
        let path = match root.ancestors().skip(1).all(everybody_passes) {
            true => Word::Open(path.into()),
            false => Word::Closed(path.into()),
        };
        let whole = [
            Word::Plain("--ro-bind".into()),
            path,
            Word::Plain("/etc".into()),
        ];
        let words = whole.into_iter().chain(words).collect();
        let folder = Folder {
            folder,
            _lock: lock,
        };
        Ok((folder, words))
    }
}

fn everybody_passes(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|m| m.permissions().mode() & 0o001 != 0)
}

fn write(at: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(at, bytes)?;
    fs::set_permissions(at, fs::Permissions::from_mode(0o644))
}

/// Lets everybody into a folder and those in it, whatever mend's umask.
fn open(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open(&entry.path())?;
        }
    }
    Ok(())
}

/// Copies links and what everybody may read; false when there is no room for it.
fn copy(from: &Path, to: &Path, room: &mut (usize, u64)) -> io::Result<bool> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to, kind) = (entry.path(), to.join(entry.file_name()), entry.file_type()?);
        let Some(left) = room.0.checked_sub(1) else {
            return Ok(false);
        };
        room.0 = left;
        if kind.is_symlink() {
            symlink(fs::read_link(from)?, to)?;
        } else if kind.is_dir() {
            match copy(&from, &to, room) {
                Ok(true) => {}
                Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {}
                other => return other,
            }
        } else if kind.is_file() {
            let mut options = fs::OpenOptions::new();
            let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW;
            let Ok(file) = options.read(true).custom_flags(flags).open(&from) else {
                continue;
            };
            let meta = file.metadata()?;
            if !meta.is_file() || meta.permissions().mode() & 0o004 == 0 {
                continue;
            }
            let mut bytes = Vec::new();
            file.take(room.1 + 1).read_to_end(&mut bytes)?;
            let Some(left) = room.1.checked_sub(bytes.len() as u64) else {
                return Ok(false);
            };
            room.1 = left;
            write(&to, &bytes)?;
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a folder holds, with modes, links not followed.
    fn picture(folder: &Path) -> Vec<String> {
        let mut all = Vec::new();
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => {
                    all.push(format!("{name}/ {mode:o}"));
                    let below = picture(&path);
                    all.extend(below.into_iter().map(|line| format!("{name}/{line}")));
                }
                kind if kind.is_symlink() => {
                    all.push(format!(
                        "{name} -> {}",
                        fs::read_link(path).unwrap().display()
                    ));
                }
                _ => all.push(format!(
                    "{name} {mode:o} {}",
                    fs::read_to_string(path).unwrap()
                )),
            }
        }
        all.sort();
        all
    }

    #[test]
    fn only_what_everybody_may_read_is_copied_and_large_folders_are_mounted() {
        let host = tempfile::tempdir().unwrap();
        let at = |name: &str| host.path().join(name);
        fs::create_dir_all(at("certs/deep")).unwrap();
        fs::create_dir(at("many")).unwrap();
        fs::write(at("certs/public"), "p").unwrap();
        fs::write(at("certs/deep/secret"), "s").unwrap();
        fs::set_permissions(at("certs/deep/secret"), fs::Permissions::from_mode(0o600)).unwrap();
        symlink("/nowhere", at("certs/link")).unwrap();
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            at("certs/pipe"),
            rustix::fs::Mode::from_raw_mode(0o644),
        )
        .unwrap();
        fs::File::create(at("many/big"))
            .unwrap()
            .set_len(MAX_BYTES + 1)
            .unwrap();
        let text = |name: &str| at(name).to_str().unwrap().to_string();
        let content = Content {
            files: vec![("/etc/passwd".into(), b"x".to_vec())],
            mounts: vec![text("certs"), text("many")],
        };
        let (made, words) = Folder::make(&content).unwrap();
        // Paths outside /etc keep their whole names below the folder.
        let below = |name: &str| made.folder.path().join(text(name).trim_start_matches('/'));
        assert_eq!(
            fs::read_to_string(made.folder.path().join("passwd")).unwrap(),
            "x"
        );
        assert_eq!(
            picture(&below("certs")),
            ["deep/ 755", "link -> /nowhere", "public 644 p"]
        );
        assert!(picture(&below("many")).is_empty());
        assert_eq!(words.len(), 6, "{words:?}");
        assert_eq!(words[2], Word::Plain("/etc".into()));
        assert_eq!(words[4], Word::Open(text("many")));
    }

    #[test]
    fn the_second_command_gets_a_folder_and_a_lost_one_is_made_again() {
        let etc = Etc::default();
        let first = etc.words();
        assert!(first.words.iter().any(|w| matches!(w, Word::File { .. })));
        let second = etc.words();
        let folder = match &second.words[1] {
            Word::Open(path) | Word::Closed(path) => Path::new(path).to_path_buf(),
            other => panic!("{other:?}"),
        };
        assert!(!second.words.iter().any(|w| matches!(w, Word::File { .. })));
        assert!(folder.join("passwd").is_file() && folder.join("resolv.conf").is_file());
        assert!(Arc::ptr_eq(&second.words, &etc.words().words));
        fs::remove_dir_all(&folder).unwrap();
        let again = etc.words();
        assert_ne!(again.words[1], second.words[1]);
        assert!(!folder.exists());
        drop((etc, again));
    }
}
