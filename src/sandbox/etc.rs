//! `/etc` inside: a few files of our own and a list of harmless ones of the host. Never the host's
//! `passwd`, mount tables, or configuration in which people keep credentials (`pip.conf`, `npmrc`,
//! `gitconfig`, `maven/settings.xml`).

use super::wire::Word;

/// uid and gid of the command inside.
pub(super) const INSIDE_ID: u32 = 1000;
/// Login name of the command inside.
pub(super) const INSIDE_NAME: &str = "mend";
pub(super) const HOME: &str = "/tmp/home";

/// Small files of the host that are copied when everybody may read them.
const COPIES: [&str; 9] = [
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

/// Folders and large files of the host that are mounted read-only when they are there.
const MOUNTS: [&str; 13] = [
    "/etc/alternatives",
    "/etc/crypto-policies",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf.d",
    "/etc/maven/logging",
    "/etc/perl",
    "/etc/php",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/java",
    "/etc/pki/tls/certs",
    "/etc/ssl/certs",
    "/etc/terminfo",
];

/// Beginnings of names in `/etc` whose folders language runtimes read.
const FAMILIES: [&str; 4] = ["java-", "java", "python2", "python3"];

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

/// The words that make `/etc`.
pub(super) fn words() -> Vec<Word> {
    let mut words = Vec::new();
    for (inside, content) in own() {
        words.push(Word::File {
            inside: inside.into(),
            content,
        });
    }
    words.extend(COPIES.iter().map(|c| Word::Copy((*c).into())));
    let mut mounts: Vec<String> = MOUNTS.iter().map(|m| (*m).into()).collect();
    let names = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let mut families: Vec<String> = names
        .filter_map(|e| e.file_name().into_string().ok())
        .filter(|n| FAMILIES.iter().any(|f| n.starts_with(f)))
        .map(|n| format!("/etc/{n}"))
        .filter(|p| std::path::Path::new(p).is_dir())
        .collect();
    families.sort();
    mounts.extend(families);
    for path in mounts {
        if std::path::Path::new(&path).exists() {
            words.push(Word::Plain("--ro-bind".into()));
            words.push(Word::Open(path.clone()));
            words.push(Word::Plain(path));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_with_secrets_is_named() {
        let all = format!("{:?}", words());
        for secret in [
            "shadow\"",
            "npmrc",
            "pip.conf",
            "gitconfig",
            "private",
            "machine-id",
            "ssh",
            "Copy(\"/etc/passwd",
        ] {
            assert!(!all.contains(secret), "{secret}");
        }
        assert!(all.contains("mend:x:1000:1000"));
    }
}
