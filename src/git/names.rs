//! Which names of a git tree may become names on a disk. Stricter than git on Linux: whatever one
//! of git's supported systems would read as `.git` is refused on all of them (git's own
//! `is_hfs_dotgit` and `is_ntfs_dotgit`; CVE-2014-9390, CVE-2019-1353).

/// Longest name of one path component that Linux file systems take, in bytes.
const NAME_BYTES: usize = 255;

/// Why one component of a path is refused; `None` when it is fine.
pub(super) fn refusal(name: &[u8]) -> Option<&'static str> {
    if name.is_empty() {
        return Some("the name is empty");
    }
    if name.len() > NAME_BYTES {
        return Some("the name is longer than 255 bytes");
    }
    if name == b"." || name == b".." {
        return Some("the name leads out of its folder");
    }
    if name.contains(&b'/') || name.contains(&0) {
        return Some("the name holds a separator");
    }
    // NTFS takes `\` for a separator and `:` for the start of a stream's name.
    if name.split(|b| *b == b'\\').any(means_dot_git) {
        return Some("some file systems read it as `.git`");
    }
    if is_device(name) {
        return Some("it is the name of a device on Windows");
    }
    None
}

/// Why a path is refused, with `/` between its components.
pub(super) fn path_refusal(path: &[u8]) -> Option<&'static str> {
    if path.len() > 4000 {
        return Some("the path is longer than 4000 bytes");
    }
    path.split(|b| *b == b'/').find_map(refusal)
}

fn means_dot_git(part: &[u8]) -> bool {
    let stem = part.split(|b| *b == b':').next().unwrap_or_default();
    let stem = trim_end(stem);
    if stem.eq_ignore_ascii_case(b".git") || stem.eq_ignore_ascii_case(b"git~1") {
        return true;
    }
    // HFS+ drops these characters when it compares names. Only valid UTF-8 can spell them.
    std::str::from_utf8(part).is_ok_and(|text| {
        let seen: String = text.chars().filter(|c| !hfs_ignores(*c)).collect();
        trim_end(seen.as_bytes()).eq_ignore_ascii_case(b".git")
    })
}

fn trim_end(mut part: &[u8]) -> &[u8] {
    while let [rest @ .., b' ' | b'.'] = part {
        part = rest;
    }
    part
}

fn hfs_ignores(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// `aux` is left out: folders of that name are not rare in Unix projects.
fn is_device(name: &[u8]) -> bool {
    let upper = name.to_ascii_uppercase();
    match upper.as_slice() {
        b"CON" | b"PRN" | b"NUL" => true,
        [a, b, c, digit] => {
            matches!([*a, *b, *c].as_slice(), b"COM" | b"LPT") && (b'1'..=b'9').contains(digit)
        }
        _ => false,
    }
}

/// A path for a message: lossy, visible, short.
pub(super) fn shown(path: &[u8]) -> String {
    crate::text::clip_words(
        &crate::text::visible(&String::from_utf8_lossy(path)).replace('\n', "\\n"),
        200,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_astray_are_refused() {
        for bad in [
            "",
            ".",
            "..",
            "a/../../x",
            ".git",
            ".GIT",
            ".Git ",
            ".git.",
            ".git...",
            "git~1",
            "GIT~1",
            ".git\u{200c}",
            ".g\u{feff}it",
            ".git::$INDEX_ALLOCATION",
            ".git\\config",
            "a\\.git",
            "COM1",
            "lpt9",
            "nul",
        ] {
            assert!(refusal(bad.as_bytes()).is_some(), "{bad:?}");
        }
        assert!(refusal(b"a\0b").is_some());
        assert!(refusal(&[b'a'; 256]).is_some());
    }

    #[test]
    fn ordinary_names_pass() {
        for good in [
            ".gitignore",
            ".github",
            ".gitmodules",
            "git",
            "a b",
            "aux",
            "aux.c",
            "COM10",
            "com",
            "...",
            "a\\b",
            "naïve.txt",
            ".git-blame-ignore-revs",
            "git~2",
        ] {
            assert_eq!(refusal(good.as_bytes()), None, "{good:?}");
        }
        assert_eq!(refusal(b"latin\xe9"), None);
        assert!(path_refusal(b"a//b").is_some());
        assert!(path_refusal(b"/a").is_some());
        assert_eq!(path_refusal(b"a/b/c"), None);
    }
}
