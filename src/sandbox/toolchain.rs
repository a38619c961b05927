//! Toolchains that live outside `/usr`: found by the operator's `PATH`, seen inside read-only at
//! the same place, so that paths which they hold in scripts and settings stay true. Only rustup's
//! home stands elsewhere: rustup makes folders in it before it does anything.
//!
//! Only what programs need is taken: of rustup the programs, toolchains and `settings.toml`, never
//! the rest of `~/.cargo`, where `credentials.toml` and `config.toml` hold tokens
//! (doc.rust-lang.org/cargo/reference/config.html#credentials).

use std::path::{Path, PathBuf};

const PROGRAMS: [&str; 18] = [
    "cargo", "rustc", "python3", "python", "node", "npm", "pytest", "go", "java", "javac", "mvn",
    "ruby", "php", "deno", "bun", "uv", "dotnet", "zig",
];
/// `RUSTUP_HOME` inside, in writable `/tmp`.
const RUSTUP_HOME: &str = "/tmp/rustup";
const SYSTEM_PATH: [&str; 4] = ["/usr/local/bin", "/usr/bin", "/usr/local/sbin", "/usr/sbin"];
/// Parts of a prefix that programs need, where the prefix as a whole may hold private things.
const PARTS: [&str; 5] = ["bin", "lib", "lib64", "libexec", "include"];
/// Folders that are never taken whole.
const NEVER_WHOLE: [&str; 12] = [
    "/", "/etc", "/home", "/media", "/mnt", "/opt", "/root", "/run", "/srv", "/tmp", "/usr", "/var",
];

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Toolchains {
    /// A folder or file of the host, and its place inside.
    folders: Vec<(PathBuf, PathBuf)>,
    /// An entry of the operator's `PATH`, and the folder that stands for it inside.
    path: Vec<(PathBuf, PathBuf)>,
    env: Vec<(String, String)>,
}

impl Toolchains {
    /// Looks for the programs of well-known languages along `path`, as a shell would.
    pub(super) fn find(path: &str, read_only: &[PathBuf]) -> Toolchains {
        let mut found = Toolchains::default();
        for folder in read_only {
            found.bind(folder.clone());
        }
        let entries: Vec<PathBuf> = path
            .split(':')
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
            .collect();
        for program in PROGRAMS {
            let Some(entry) = entries.iter().find(|e| e.join(program).is_file()) else {
                continue;
            };
            if let Ok(real) = entry.join(program).canonicalize() {
                found.take(entry, &real);
            }
        }
        // The operator's own order decides which of two versions a command gets.
        let stand_ins = std::mem::take(&mut found.path);
        for entry in &entries {
            if found.covers(entry) && entry.is_dir() {
                found.path.push((entry.clone(), entry.clone()));
            } else {
                let of_entry = stand_ins.iter().filter(|(e, _)| e == entry);
                found.path.extend(of_entry.cloned());
            }
        }
        found
    }

    /// Folders and files of the host, each with its place inside.
    pub(super) fn folders(&self) -> impl Iterator<Item = (&Path, &Path)> {
        let all = self.folders.iter();
        all.map(|(host, inside)| (host.as_path(), inside.as_path()))
    }

    /// Variables that the toolchains need.
    pub(super) fn env(&self) -> &[(String, String)] {
        &self.env
    }

    /// `PATH` inside.
    pub(super) fn path(&self) -> String {
        let mut all: Vec<String> = Vec::new();
        let own = self.path.iter().filter_map(|(_, p)| p.to_str());
        for entry in own.chain(SYSTEM_PATH) {
            if !entry.contains(':') && !all.iter().any(|a| a == entry) {
                all.push(entry.into());
            }
        }
        all.join(":")
    }

    fn take(&mut self, entry: &Path, real: &Path) {
        let above = entry.parent().unwrap_or(entry);
        if real.file_name().is_some_and(|n| n == "rustup") {
            self.rustup(entry);
        } else if entry.ends_with("shims") && above.join("libexec/pyenv").is_file() {
            self.bind(above.into());
            self.set("PYENV_ROOT", above);
        } else if above.join("pyvenv.cfg").is_file() {
            self.bind(above.into());
            self.prefix_of(entry, real);
        } else {
            self.prefix_of(entry, real);
        }
    }

    /// rustup's programs are one program under many names, which looks for its toolchains in
    /// `RUSTUP_HOME`, by default beside `.cargo`.
    fn rustup(&mut self, entry: &Path) {
        let cargo_home = entry.parent().unwrap_or(entry);
        let home = cargo_home.parent().unwrap_or(cargo_home).join(".rustup");
        if !home.join("toolchains").is_dir() {
            return;
        }
        self.bind(entry.into());
        for part in ["toolchains", "settings.toml"] {
            let inside = Path::new(RUSTUP_HOME).join(part);
            self.bind_at(home.join(part), inside);
        }
        self.set("RUSTUP_HOME", Path::new(RUSTUP_HOME));
    }

    /// A program at `PREFIX/bin/NAME`: the prefix, or parts of it.
    fn prefix_of(&mut self, entry: &Path, real: &Path) {
        let Some(folder) = real.parent() else { return };
        if in_system(folder) || self.covers(folder) {
            return;
        }
        let prefix = match folder.parent() {
            Some(prefix) if folder.ends_with("bin") => prefix,
            _ => folder,
        };
        let private = prefix.ends_with(".local")
            || prefix.parent() == Some(Path::new("/home"))
            || NEVER_WHOLE.iter().any(|n| prefix == Path::new(n));
        if private {
            self.bind(folder.into());
            for part in PARTS.iter().map(|p| prefix.join(p)) {
                if folder.ends_with("bin") && part.is_dir() {
                    self.bind(part);
                }
            }
        } else {
            self.bind(prefix.into());
        }
        self.path.push((entry.into(), folder.into()));
    }

    fn covers(&self, path: &Path) -> bool {
        in_system(path) || self.folders.iter().any(|(f, _)| path.starts_with(f))
    }

    fn bind(&mut self, folder: PathBuf) {
        let inside = folder.clone();
        self.bind_at(folder, inside);
    }

    fn bind_at(&mut self, folder: PathBuf, inside: PathBuf) {
        let usable = folder.is_absolute() && folder.to_str().is_some();
        if usable && !self.covers(&folder) && folder.exists() {
            // A folder that holds one taken before replaces it.
            self.folders.retain(|(f, _)| !f.starts_with(&folder));
            self.folders.push((folder, inside));
        }
    }

    fn set(&mut self, name: &str, value: &Path) {
        if let Some(value) = value.to_str()
            && !self.env.iter().any(|(n, _)| n == name)
        {
            self.env.push((name.into(), value.into()));
        }
    }
}

fn in_system(path: &Path) -> bool {
    ["/usr", "/bin", "/sbin", "/lib", "/lib64"]
        .iter()
        .any(|s| path.starts_with(s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn file(path: PathBuf) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    fn find(root: &Path, entries: &[&str]) -> (Vec<String>, String, Toolchains) {
        let path: Vec<_> = entries
            .iter()
            .map(|e| root.join(e).display().to_string())
            .collect();
        let found = Toolchains::find(&path.join(":"), &[]);
        let cut = |p: &Path| p.strip_prefix(root).unwrap().display().to_string();
        let folders = found.folders().map(|(host, _)| cut(host)).collect();
        let inside = found.path().replace(&root.display().to_string(), "");
        (folders, inside, found)
    }

    #[test]
    fn rustup_without_the_rest_of_cargo_home() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        file(root.join(".cargo/bin/rustup"));
        file(root.join(".cargo/credentials.toml"));
        file(root.join(".rustup/settings.toml"));
        fs::create_dir_all(root.join(".rustup/toolchains/stable")).unwrap();
        symlink("rustup", root.join(".cargo/bin/cargo")).unwrap();
        let (folders, path, found) = find(&root, &[".cargo/bin"]);
        assert_eq!(
            folders,
            [".cargo/bin", ".rustup/toolchains", ".rustup/settings.toml"]
        );
        assert!(path.starts_with("/.cargo/bin:/usr/local/bin"), "{path}");
        assert_eq!(found.env()[0].0, "RUSTUP_HOME");
    }

    #[test]
    fn pyenv_is_taken_whole_and_a_venv_with_its_interpreter() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        file(root.join(".pyenv/shims/python3"));
        file(root.join(".pyenv/libexec/pyenv"));
        let (folders, ..) = find(&root, &[".pyenv/shims"]);
        assert_eq!(folders, [".pyenv"]);

        file(root.join("opt/py/bin/python3.12"));
        file(root.join("venv/pyvenv.cfg"));
        fs::create_dir_all(root.join("venv/bin")).unwrap();
        symlink(
            root.join("opt/py/bin/python3.12"),
            root.join("venv/bin/python3"),
        )
        .unwrap();
        let (folders, path, _) = find(&root, &["venv/bin"]);
        assert_eq!(folders, ["venv", "opt/py"]);
        assert!(path.starts_with("/venv/bin:/usr/local/bin"), "{path}");
    }

    #[test]
    fn of_a_private_prefix_only_the_parts() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        file(root.join(".local/bin/node"));
        file(root.join(".local/lib/node_modules/x"));
        file(root.join(".local/share/keyrings/login"));
        let (folders, path, _) = find(&root, &[".local/bin"]);
        assert_eq!(folders, [".local/bin", ".local/lib"]);
        assert!(path.starts_with("/.local/bin"));
    }

    #[test]
    fn the_first_on_the_path_wins_and_nothing_else_is_taken() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        file(root.join("a/node/bin/node"));
        file(root.join("b/node/bin/node"));
        file(root.join("secret/bin/deploy"));
        let (folders, ..) = find(&root, &["secret/bin", "a/node/bin", "b/node/bin"]);
        assert_eq!(folders, ["a/node"]);
        assert_eq!(Toolchains::find("", &[]), Toolchains::default());
    }
}
