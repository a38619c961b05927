//! Submodules: empty folders, unless the operator names the hosts that they may come from. What
//! `.gitmodules` says is only looked up: no command, no option, no other protocol than HTTPS, no
//! credential, and no submodule of a submodule.

use super::bring::{Bringing, Left};
use super::{Caps, Depth, GitError, Oid, blocking, checkout, names, private};
use crate::domain::Cancel;
use git2::Repository;
use sha2::{Digest, Sha256};

/// A larger `.gitmodules` is not read.
const MAX_BYTES: usize = 64 << 10;
/// More submodules than this stay empty.
const MOST: usize = 50;
/// More branches than this are not asked for a commit.
const MOST_BRANCHES: usize = 500;

/// Fills the folders of the submodules whose addresses are allowed; the others with the reason.
pub(super) async fn fill(
    from: &Bringing<'_>,
    modules: &[(String, Oid)],
    mut caps: Caps,
    cancel: &Cancel,
) -> Result<Vec<Left>, GitError> {
    let commit = from.commit;
    let said = from.private.with(move |repo| said(repo, commit)).await?;
    let mut left = Vec::new();
    for (n, (path, id)) in modules.iter().enumerate() {
        let url = said.iter().find(|(of, _)| of == path).map(|(_, url)| url);
        let filled = match url {
            _ if n >= MOST => Err("there are too many".to_string()),
            None => Err("`.gitmodules` gives it no address that can be read".into()),
            Some(url) => match address(from, url) {
                Ok(url) => match one(from, &url, *id, path, caps, cancel).await {
                    Err(GitError::Cancelled) => return Err(GitError::Cancelled),
                    Err(error) => Err(error.to_string()),
                    Ok(done) => Ok(done),
                },
                Err(why) => Err(why),
            },
        };
        match filled {
            Ok(done) => {
                caps.entries = caps.entries.saturating_sub(done.files + done.symlinks);
                caps.bytes = caps.bytes.saturating_sub(done.bytes);
            }
            Err(why) => left.push((path.clone(), why)),
        }
    }
    Ok(left)
}

async fn one(
    from: &Bringing<'_>,
    url: &str,
    id: Oid,
    path: &str,
    caps: Caps,
    cancel: &Cancel,
) -> Result<checkout::CheckedOut, GitError> {
    let git = &from.private.git;
    let mirror = git.mirror(number(url)).await?;
    let there = mirror.path().to_path_buf();
    let has = move || Ok(private::open_dir(&there)?.odb()?.exists(id));
    if !blocking(has.clone()).await? {
        let seen = git.ls_remote(url, None, cancel).await?;
        let first: Vec<String> = seen.head.iter().cloned().collect();
        mirror.fetch(url, &first, None, Depth::Full, cancel).await?;
        if !blocking(has.clone()).await? {
            let all: Vec<String> = seen.heads.into_keys().take(MOST_BRANCHES).collect();
            mirror.fetch(url, &all, None, Depth::Full, cancel).await?;
        }
        if !blocking(has).await? {
            return Err(GitError::Gone {
                what: format!("commit {id} is on none of its branches"),
            });
        }
    }
    let (objects, folder) = (mirror.path().to_path_buf(), from.folder.join(path));
    let cancel = cancel.clone();
    blocking(move || checkout::write(&objects, id, &folder, caps, &cancel)).await
}

/// The mirror's number: GitHub's ids are small, so the highest bit keeps the two apart.
fn number(url: &str) -> u64 {
    let hash = Sha256::digest(url.as_bytes());
    let first: [u8; 8] = std::array::from_fn(|n| hash[n]);
    u64::from_be_bytes(first) | 1 << 63
}

/// The whole address, when it may be spoken to.
fn address(from: &Bringing<'_>, said: &str) -> Result<String, String> {
    let relative = said.starts_with("./") || said.starts_with("../");
    let url = match relative {
        true => reqwest::Url::parse(&format!("{}/", from.url)).and_then(|u| u.join(said)),
        false => reqwest::Url::parse(said),
    };
    let url = url.map_err(|_| "its address is no web address".to_string())?;
    from.private
        .git
        .may_bring(&url, &from.private.git.inner.settings.submodules)?;
    Ok(url.to_string())
}

/// What `.gitmodules` of a commit says: paths and addresses.
fn said(repo: &Repository, commit: Oid) -> Result<Vec<(String, String)>, GitError> {
    let tree = repo.find_commit(commit)?.tree()?;
    let Some(entry) = tree.get_name(".gitmodules") else {
        return Ok(Vec::new());
    };
    // A link is none.
    if entry.filemode_raw() & 0o170000 != 0o100000 {
        return Ok(Vec::new());
    }
    let blob = repo.find_blob(entry.id())?;
    let text = std::str::from_utf8(blob.content()).unwrap_or_default();
    Ok(if text.len() > MAX_BYTES {
        Vec::new()
    } else {
        read(text)
    })
}

/// Sections with a path and an address, both without quotes, escapes and comments; what is written
/// otherwise is not understood, and its submodule stays empty.
fn read(text: &str) -> Vec<(String, String)> {
    let mut all: Vec<(Option<String>, Option<String>)> = Vec::new();
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.starts_with("[submodule \"") && line.ends_with("\"]");
            if inside {
                all.push((None, None));
            }
        } else if let (true, Some((key, value)), Some(last)) =
            (inside, line.split_once('='), all.last_mut())
        {
            let value = value.trim();
            let plain = !value.contains(['"', '\\', '#', ';']) && !value.contains(char::is_control);
            let value = Some(value.to_string()).filter(|v| plain && !v.is_empty());
            match key.trim() {
                "path" => last.0 = value,
                "url" => last.1 = value,
                _ => {}
            }
        }
    }
    let whole = |(path, url): (Option<String>, Option<String>)| Some((path?, url?));
    all.into_iter()
        .filter_map(whole)
        .filter(|(path, _)| names::path_refusal(path.as_bytes()).is_none())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gc_01_only_plain_sections_are_read() {
        let text = "[submodule \"a\"]\n\tpath = lib/a\n\turl = https://h.test/a.git\n\
                    [core]\n\tpath = x\n\turl = y\n\
                    [submodule \"b\"]\n\tpath = \"b\"\n\turl = https://h.test/b\n\
                    [submodule \"c\"]\n\tpath = ../c\n\turl = https://h.test/c\n\
                    [submodule \"d\"]\n\tpath = d\n\tupdate = !touch x\n";
        let all = read(text);
        assert_eq!(
            all,
            [("lib/a".to_string(), "https://h.test/a.git".to_string())]
        );
    }
}
