//! `/etc` inside: a few files of our own and a list of harmless ones of the host. Never the host's
//! `passwd`, mount tables, or configuration in which people keep credentials (`pip.conf`, `npmrc`,
//! `gitconfig`, `maven/settings.xml`).

use super::wire::Word;
use std::io::Read;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Larger files are left out.
const MAX_COPY: u64 = 256 << 10;

/// uid and gid of the command inside.
pub(super) const INSIDE_ID: u32 = 1000;
/// Login name of the command inside.
pub(super) const INSIDE_NAME: &str = "mend";
pub(super) const HOME: &str = "/tmp/home";

/// Variables of every command, beside `PATH` and the homes.
pub(super) const VARIABLES: [(&str, &str); 9] = [
    ("USER", INSIDE_NAME),
    ("LOGNAME", INSIDE_NAME),
    ("SHELL", "/bin/sh"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("CI", "1"),
    ("LANG", "C.UTF-8"),
    ("CARGO_NET_OFFLINE", "true"),
    ("CARGO_TERM_COLOR", "never"),
];

/// Small files of the host that are copied when everybody may read them: a copy costs half of what
/// a mount costs.
const COPIES: [&str; 10] = [
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/os-release",
    "/etc/protocols",
    "/etc/services",
    "/etc/timezone",
    "/etc/maven/m2.conf",
    "/etc/ssl/openssl.cnf",
];

/// Folders of the host with many files, mounted read-only.
const MOUNTS: [&str; 3] = ["/etc/alternatives", "/etc/fonts", "/etc/ssl/certs"];

/// Folders of the host that are copied when they hold few files, else mounted read-only.
const FOLDERS: [&str; 8] = [
    "/etc/crypto-policies",
    "/etc/ld.so.conf.d",
    "/etc/maven/logging",
    "/etc/perl",
    "/etc/php",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/java",
    "/etc/pki/tls/certs",
];

/// Beginnings of names in `/etc` whose folders language runtimes read.
const FAMILIES: [&str; 4] = ["java-", "java", "python2", "python3"];

/// A folder with more entries is mounted.
const FEW: usize = 6;

/// The files that are ours.
fn own() -> [(&'static str, String); 6] {
    let id = INSIDE_ID;
    let name = INSIDE_NAME;
    [
        (
            "/etc/passwd",
            format!(
                "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n\
                 {name}:x:{id}:{id}:{name}:{HOME}:/bin/sh\n\
                 nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
            ),
        ),
        (
            "/etc/group",
            format!("root:x:0:\n{name}:x:{id}:\nnogroup:x:65534:\n"),
        ),
        (
            "/etc/hosts",
            "127.0.0.1 localhost sandbox\n::1 localhost\n".into(),
        ),
        ("/etc/hostname", "sandbox\n".into()),
        (
            "/etc/nsswitch.conf",
            "passwd: files\ngroup: files\nshadow: files\nhosts: files\nnetworks: files\n\
             protocols: files\nservices: files\n"
                .into(),
        ),
        ("/etc/resolv.conf", String::new()),
    ]
}

/// What `/etc` inside is made of.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Places inside, and what is in them.
    pub files: Vec<(String, Vec<u8>)>,
    /// Folders of the host, at the same place inside.
    pub mounts: Vec<String>,
}

impl Content {
    /// With the files as they are now.
    pub(super) fn find() -> Content {
        let own = own().map(|(inside, text)| (inside.to_string(), text.into_bytes()));
        let mut files: Vec<_> = own.into();
        files.extend(COPIES.iter().filter_map(|c| copy((*c).into())));
        let mut folders: Vec<String> = FOLDERS.iter().map(|m| (*m).into()).collect();
        let names = std::fs::read_dir("/etc").into_iter().flatten().flatten();
        let mut families: Vec<String> = names
            .filter_map(|e| e.file_name().into_string().ok())
            .filter(|n| FAMILIES.iter().any(|f| n.starts_with(f)))
            .map(|n| format!("/etc/{n}"))
            .collect();
        families.sort();
        folders.extend(families);
        let mut mounts: Vec<String> = MOUNTS.iter().map(|m| (*m).into()).collect();
        for folder in folders {
            let mut few = Vec::new();
            if few_files(Path::new(&folder), &mut few) {
                files.extend(few.into_iter().filter_map(copy));
            } else {
                mounts.push(folder);
            }
        }
        mounts.retain(|f| Path::new(f).is_dir());
        Content { files, mounts }
    }

    /// The words that make it, file by file.
    pub(super) fn words(&self) -> Vec<Word> {
        let files = self.files.iter().map(|(inside, content)| Word::File {
            inside: inside.clone(),
            content: content.clone(),
        });
        let mounts = self.mounts.iter().flat_map(|m| Word::bind(m));
        files.chain(mounts).collect()
    }
}

/// A regular file that everybody may read.
fn copy(path: String) -> Option<(String, Vec<u8>)> {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(&path)
        .ok()?;
    let meta = file.metadata().ok()?;
    let public = meta.is_file() && meta.permissions().mode() & 0o004 != 0;
    if !public || meta.len() > MAX_COPY {
        return None;
    }
    let mut content = Vec::with_capacity(meta.len() as usize + 1);
    file.take(MAX_COPY).read_to_end(&mut content).ok()?;
    Some((path, content))
}

/// Collects the files of a folder; false when they are too many.
fn few_files(folder: &Path, found: &mut Vec<String>) -> bool {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let fine = match (
            entry.file_type(),
            entry.path().into_os_string().into_string(),
        ) {
            (Ok(kind), Ok(path)) if kind.is_dir() => few_files(Path::new(&path), found),
            (Ok(_), Ok(path)) => {
                found.push(path);
                true
            }
            _ => false,
        };
        if !fine || found.len() > FEW {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_with_secrets_is_named() {
        let content = Content::find();
        let names = content.files.iter().map(|(inside, _)| inside);
        let names = names.chain(&content.mounts);
        let all: String = names.map(|name| format!("{name}\n")).collect();
        let passwd = content.files.iter().find(|(n, _)| n == "/etc/passwd");
        let passwd = passwd.map(|(_, text)| text);
        for secret in [
            "shadow\n",
            "npmrc",
            "pip.conf",
            "gitconfig",
            "private",
            "machine-id",
            "ssh",
        ] {
            assert!(!all.contains(secret), "{secret}");
        }
        let passwd = String::from_utf8_lossy(passwd.unwrap());
        assert!(passwd.contains("mend:x:1000:1000") && passwd.lines().count() == 3);
    }

    #[test]
    fn a_folder_with_few_files_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        for n in 0..FEW {
            std::fs::write(folder.path().join(format!("deep/{n}")), "").unwrap();
        }
        let mut files = Vec::new();
        assert!(few_files(folder.path(), &mut files));
        assert_eq!(files.len(), FEW);
        std::fs::write(folder.path().join("more"), "").unwrap();
        assert!(!few_files(folder.path(), &mut Vec::new()));
    }
}
