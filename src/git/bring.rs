//! What a check-out leaves out on purpose (GC-01): submodules and files of Git LFS. Each is brought
//! only from hosts that the operator names, and what is left is told.

use super::{Caps, CheckedOut, Credential, Git, GitError, Oid, Private, lfs, modules};
use crate::domain::{AllowedHost, Cancel};
use reqwest::Url;
use std::path::Path;

/// A path and why it stays as it is.
pub(super) type Left = (String, String);

/// More names than this are not told one by one.
const NAMED: usize = 3;

/// Where the rest comes from, and where it goes.
pub struct Bringing<'a> {
    pub private: &'a Private,
    /// The repository's address, beneath the configured one.
    pub url: &'a str,
    /// For the repository's own server; no other gets it.
    pub credential: Option<&'a Credential>,
    pub commit: Oid,
    /// The fresh check-out of `commit`, in which nothing has run yet.
    pub folder: &'a Path,
}

impl Bringing<'_> {
    /// Brings what the settings allow of what `done` left out. The answer says what stays as it
    /// is, in sentences for a person.
    ///
    /// # Errors
    /// [`GitError::Cancelled`]; what cannot be brought is no error.
    pub async fn rest(
        &self,
        done: &CheckedOut,
        caps: Caps,
        cancel: &Cancel,
    ) -> Result<Vec<String>, GitError> {
        let caps = Caps {
            entries: caps.entries.saturating_sub(done.files + done.symlinks),
            bytes: caps.bytes.saturating_sub(done.bytes),
            ..caps
        };
        let settings = &self.private.git.inner.settings;
        let mut said = Vec::new();
        if !done.modules.is_empty() {
            let paths = done.modules.iter().map(|(path, _)| path.clone());
            let left = match settings.submodules.is_empty() {
                true => paths.map(|path| (path, String::new())).collect(),
                false => modules::fill(self, &done.modules, caps, cancel).await?,
            };
            let what = "submodules stay empty folders";
            said.extend(sentence(what, "git.submodules", &left));
        }
        if !done.lfs.is_empty() {
            let paths = done.lfs.iter().map(|file| file.path.clone());
            let left = match settings.lfs.is_empty() {
                true => paths.map(|path| (path, String::new())).collect(),
                false => lfs::fill(self, &done.lfs, caps, cancel).await?,
            };
            let what = "files of Git LFS stay pointers";
            said.extend(sentence(what, "git.lfs", &left));
        }
        Ok(said)
    }
}

fn sentence(what: &str, key: &str, left: &[Left]) -> Option<String> {
    let named: Vec<String> = left
        .iter()
        .take(NAMED)
        .map(|(path, why)| match why.as_str() {
            "" => format!("`{}`", super::names::shown(path.as_bytes())),
            why => format!("`{}` ({why})", super::names::shown(path.as_bytes())),
        })
        .collect();
    let more = match left.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let fix = match left.first()?.1.is_empty() {
        true => format!("; the operator's `{key}` names no host"),
        false => String::new(),
    };
    Some(format!("{what}: {}{more}{fix}", named.join(", ")))
}

impl Git {
    /// Whether something may be brought from there: HTTPS (or whatever the configured git address
    /// speaks, at that address), a host of the list, nothing in the address but host, port, path
    /// and query.
    pub(super) fn may_bring(&self, url: &Url, allowed: &[AllowedHost]) -> Result<(), String> {
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err("its address holds a user, a password or a fragment".into());
        }
        if url.scheme() != "https" && url.origin() != self.inner.base.origin() {
            return Err("its address is not https".into());
        }
        let (host, port) = (url.host_str(), url.port_or_known_default());
        let (Some(host), Some(port)) = (host, port) else {
            return Err("its address has no host".into());
        };
        match allowed.iter().any(|a| a.is(host) && a.takes_port(port)) {
            true => Ok(()),
            false => Err(format!("the operator does not allow {host}:{port}")),
        }
    }
}
