//! Files of Git LFS: pointers, unless the operator names the hosts that they may come from. The
//! repository's own server says where a file is (`.lfsconfig` has no say); the file is taken from an
//! allowed host over HTTPS, without a credential of mend's, and counts only when length and SHA-256
//! are the pointer's. <https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md>

use super::bring::{Bringing, Left};
use super::{Caps, GitError};
use crate::domain::Cancel;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, Url};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;

const VERSION: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
/// Pointers are shorter (docs/spec.md of git-lfs).
const MAX_POINTER: usize = 1024;
const MEDIA: &str = "application/vnd.git-lfs+json";
/// Files of one question.
const BATCH: usize = 100;
/// Bytes of one answer about them.
const MAX_ANSWER: usize = 4 << 20;

/// A pointer in a check-out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LfsFile {
    pub path: String,
    /// SHA-256 of the content, in hexadecimal.
    pub oid: String,
    pub size: u64,
}

/// The file that a pointer stands for.
pub(super) fn pointer(path: &[u8], data: &[u8]) -> Option<LfsFile> {
    if data.len() > MAX_POINTER {
        return None;
    }
    let rest = std::str::from_utf8(data.strip_prefix(VERSION)?).ok()?;
    let value = |name: &str| rest.lines().find_map(|l| l.strip_prefix(name));
    let oid = value("oid sha256:")?;
    let hex = oid.len() == 64 && oid.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    Some(LfsFile {
        path: String::from_utf8(path.to_vec()).ok()?,
        oid: hex.then(|| oid.to_string())?,
        size: value("size ")?.parse().ok()?,
    })
}

#[derive(Deserialize)]
struct Answer {
    objects: Vec<Object>,
}

#[derive(Deserialize)]
struct Object {
    oid: String,
    #[serde(default)]
    actions: Actions,
}

#[derive(Default, Deserialize)]
struct Actions {
    download: Option<Download>,
}

#[derive(Clone, Deserialize)]
struct Download {
    href: String,
    #[serde(default)]
    header: BTreeMap<String, String>,
}

/// Puts the files in the place of their pointers; those that stay pointers with the reason.
pub(super) async fn fill(
    from: &Bringing<'_>,
    files: &[LfsFile],
    caps: Caps,
    cancel: &Cancel,
) -> Result<Vec<Left>, GitError> {
    let mut left = Vec::new();
    let mut room = caps.bytes;
    for some in files.chunks(BATCH) {
        let places = tokio::select! {
            () = cancel.cancelled() => return Err(GitError::Cancelled),
            places = ask(from, some) => places,
        };
        for file in some {
            let place = match &places {
                Err(why) => Err(why.clone()),
                Ok(_) if file.size > room => Err("the repository would be too large".into()),
                Ok(places) => match places.get(&file.oid) {
                    Some(place) => Ok(place.clone()),
                    None => Err("the server does not have it".into()),
                },
            };
            let time = from.private.git.inner.settings.time;
            let brought = match place {
                Err(why) => Err(why),
                Ok(place) => tokio::select! {
                    () = cancel.cancelled() => return Err(GitError::Cancelled),
                    done = tokio::time::timeout(time, bring(from, file, &place)) => {
                        done.unwrap_or_else(|_| Err("it took too long".into()))
                    }
                },
            };
            match brought {
                Ok(()) => room -= file.size,
                Err(why) => left.push((file.path.clone(), why)),
            }
        }
    }
    Ok(left)
}

/// Where the server says that the files are.
async fn ask(from: &Bringing<'_>, files: &[LfsFile]) -> Result<BTreeMap<String, Download>, String> {
    let objects = files.iter();
    let objects: Vec<_> = objects
        .map(|f| serde_json::json!({"oid": f.oid, "size": f.size}))
        .collect();
    let question = serde_json::json!({
        "operation": "download", "transfers": ["basic"], "objects": objects, "hash_algo": "sha256",
    });
    let url = format!("{}/info/lfs/objects/batch", from.url);
    let mut request = from
        .private
        .git
        .inner
        .http
        .post(url)
        .header(ACCEPT, MEDIA)
        .header(CONTENT_TYPE, MEDIA)
        .body(question.to_string());
    if let Some(credential) = from.credential {
        let header = credential.header().map_err(|e| e.to_string())?;
        request = request.header(reqwest::header::AUTHORIZATION, header);
    }
    let broken = |_| "the server of the repository cannot be reached".to_string();
    let mut response = accepted(request.send().await.map_err(broken)?)?;
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if bytes.len() + chunk.len() > MAX_ANSWER {
            return Err("the server's answer is too long".into());
        }
        bytes.extend_from_slice(&chunk);
    }
    let answer: Answer = serde_json::from_slice(&bytes)
        .map_err(|_| "the server's answer is not that of Git LFS".to_string())?;
    let place = |o: Object| Some((o.oid, o.actions.download?));
    Ok(answer.objects.into_iter().filter_map(place).collect())
}

async fn bring(from: &Bringing<'_>, file: &LfsFile, place: &Download) -> Result<(), String> {
    let git = &from.private.git;
    let url = Url::parse(&place.href).map_err(|_| "its address cannot be read".to_string())?;
    git.may_bring(&url, &git.inner.settings.lfs)?;
    let mut headers = HeaderMap::new();
    for (name, value) in &place.header {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
            headers.insert(name, value);
        }
    }
    let broken = |_| "its host cannot be reached".to_string();
    let request = git.inner.http.get(url).headers(headers).send();
    let response = accepted(request.await.map_err(broken)?)?;
    let disk = |e: std::io::Error| format!("it cannot be written: {}", e.kind());
    // The check-out is fresh and nothing has run in it, so no link can stand in the way.
    let path = from.folder.join(&file.path);
    let before = std::fs::read(&path).map_err(disk)?;
    let mut out = OpenOptions::new()
        .write(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(&path)
        .map_err(disk)?;
    let done = take(response, file, &mut out).await;
    if done.is_err() {
        let back = out.set_len(0).and_then(|()| out.seek(SeekFrom::Start(0)));
        back.and_then(|_| out.write_all(&before)).map_err(disk)?;
    }
    done
}

/// The content into the file, and whether it is the pointer's.
async fn take(mut response: Response, file: &LfsFile, out: &mut File) -> Result<(), String> {
    let (mut hash, mut size) = (Sha256::new(), 0_u64);
    let disk = |e: std::io::Error| format!("it cannot be written: {}", e.kind());
    out.set_len(0).map_err(disk)?;
    loop {
        let chunk = response.chunk().await;
        let Some(chunk) = chunk.map_err(|_| "the connection broke".to_string())? else {
            break;
        };
        size += chunk.len() as u64;
        if size > file.size {
            return Err("it is longer than its pointer says".into());
        }
        hash.update(&chunk);
        out.write_all(&chunk).map_err(disk)?;
    }
    match size == file.size && hex::encode(hash.finalize()) == file.oid {
        true => Ok(()),
        false => Err("it is not what its pointer says".into()),
    }
}

/// Only 200 counts: redirects are not followed.
fn accepted(response: Response) -> Result<Response, String> {
    match response.status().as_u16() {
        200 => Ok(response),
        status => Err(format!("the server answered {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_pointers_are_pointers() {
        let oid = "a".repeat(64);
        let text = |oid: &str, size: &str| {
            format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n")
        };
        let found = pointer(b"x/y.bin", text(&oid, "12").as_bytes()).unwrap();
        assert_eq!((found.path.as_str(), found.size), ("x/y.bin", 12));
        for wrong in [text("../x", "1"), text(&oid, "-1"), "version 2\n".into()] {
            assert!(pointer(b"x", wrong.as_bytes()).is_none(), "{wrong}");
        }
        let long = text(&oid, "1") + &"x".repeat(2000);
        assert!(pointer(b"x", long.as_bytes()).is_none());
    }
}
