//! Git for a server whose repositories are hostile: a bare mirror per repository, a private git
//! directory per task that borrows the mirror's objects, check-out into a fresh folder, commits
//! that are built without ever looking at a folder, and a push of one branch.
//!
//! * Nothing here starts a process or reads the host's git configuration ([`init`]).
//! * Only `http` and `https` addresses beneath the configured one are spoken to, by a transport of
//!   our own: no redirects, no credential in an address, a configuration, a file or an error.
//! * The mirror and the private directory lie outside everything that a sandbox can write.
//! * Names in trees are judged before anything is written ([`Caps`], `names`).
//! * The mirror is never packed anew or pruned: tasks borrow its objects.
//!
//! Functions are async over blocking threads; a dropped future lets its thread finish. Stop it by
//! the `Cancel` that network calls and check-outs take.
#![allow(clippy::disallowed_methods)] // this room may touch files or processes (src/lib.rs)

mod bring;
mod call;
mod checkout;
mod commit;
mod error;
mod history;
mod init;
mod inside;
mod lfs;
mod mirror;
mod modules;
mod names;
mod patch;
mod pick;
mod plan;
mod private;
mod push;
mod tags;
mod transport;

pub use bring::Bringing;
pub use call::Credential;
pub use checkout::CheckedOut;
pub use commit::{NewCommit, Signer, TreeChange};
pub use error::GitError;
pub use git2::Oid;
pub use history::{ChangedPath, CommitInfo, PathStatus};
pub use init::init;
pub use inside::{Tag, inside_of_folder};
pub use lfs::LfsFile;
pub use mirror::{Depth, Fetched, Mirror};
pub use patch::apply_patch;
pub use pick::{FolderList, OnTop};
pub use plan::Caps;
pub use private::Private;
pub use push::{Expected, Push, Pushed};

use crate::domain::{AllowedHost, Cancel, RepoName};
use call::{Bounds, Call};
use secrecy::{ExposeSecret, SecretString};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What this room must be told once.
#[derive(Debug, Clone)]
pub struct GitSettings {
    /// Folder of the mirrors; made when missing.
    pub mirrors: PathBuf,
    /// Where git is spoken: `https://github.com`, a GitHub Enterprise Server's root, a simulator.
    pub base: String,
    /// Refuses to push any reference that does not begin with this.
    pub push_prefix: String,
    /// Time limit of one conversation with the remote.
    pub time: Duration,
    /// Most bytes that one conversation may receive.
    pub received_bytes: u64,
    /// Most bytes that one push may send.
    pub sent_bytes: usize,
    /// An HTTP proxy's address, which may hold a password; the environment is not asked.
    pub proxy: Option<SecretString>,
    /// Certificates (PEM) that are trusted besides the system's.
    pub ca: Option<Vec<u8>>,
    /// Hosts that submodules may come from; without any they stay empty folders.
    pub submodules: Vec<AllowedHost>,
    /// Hosts that files of Git LFS may come from; without any they stay pointers.
    pub lfs: Vec<AllowedHost>,
}

impl GitSettings {
    /// Ten minutes, 2 GiB in, 256 MiB out, branches under `mend/`.
    pub fn new(mirrors: impl Into<PathBuf>, base: impl Into<String>) -> Self {
        GitSettings {
            mirrors: mirrors.into(),
            base: base.into(),
            push_prefix: "refs/heads/mend/".into(),
            time: Duration::from_secs(600),
            received_bytes: 2 << 30,
            sent_bytes: 256 << 20,
            proxy: None,
            ca: None,
            submodules: Vec::new(),
            lfs: Vec::new(),
        }
    }
}

/// What a remote shows: its branches and where its `HEAD` points.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The full name of the default branch's reference, when the remote tells.
    pub head: Option<String>,
    /// `refs/heads/…` and its commit.
    pub heads: BTreeMap<String, Oid>,
}

/// The room's door: one per server. Clones share everything.
#[derive(Clone)]
pub struct Git {
    inner: Arc<Inner>,
}

struct Inner {
    settings: GitSettings,
    base: reqwest::Url,
    http: reqwest::Client,
    locks: Mutex<HashMap<u64, Arc<tokio::sync::Mutex<()>>>>,
}

impl Git {
    /// Prepares libgit2, the HTTP client and the folder of the mirrors.
    ///
    /// # Errors
    /// [`GitError::Refused`] when `base` or `proxy` is not an `http(s)` address without user,
    /// query and fragment; [`GitError::Local`] when the folder cannot be made.
    pub fn new(settings: GitSettings) -> Result<Git, GitError> {
        init()?;
        let base = web_address(&settings.base)?;
        let mut http = reqwest::Client::builder()
            .user_agent(concat!("git/2.0 (mend ", env!("CARGO_PKG_VERSION"), ")"))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(Duration::from_secs(15))
            .read_timeout(Duration::from_secs(120))
            .referer(false)
            .no_proxy();
        if let Some(proxy) = &settings.proxy {
            let proxy =
                reqwest::Proxy::all(proxy.expose_secret()).map_err(|_| GitError::Refused {
                    what: "the proxy's address cannot be read; give it as `http://host:port`"
                        .into(),
                })?;
            http = http.proxy(proxy);
        }
        let certificates = match &settings.ca {
            Some(pem) => reqwest::Certificate::from_pem_bundle(pem),
            None => Ok(Vec::new()),
        };
        for certificate in certificates.map_err(|_| GitError::Refused {
            what: "the file of certificates holds none in PEM form".into(),
        })? {
            http = http.add_root_certificate(certificate);
        }
        let http = http.build().map_err(|_| {
            GitError::local(
                "the HTTP client cannot be made; install the system's certificates \
                 (`ca-certificates` on Debian)",
            )
        })?;
        private::make_folder(&settings.mirrors)?;
        Ok(Git {
            inner: Arc::new(Inner {
                settings,
                base,
                http,
                locks: Mutex::default(),
            }),
        })
    }

    /// The address of a repository beneath the configured one.
    pub fn url(&self, repo: &RepoName) -> String {
        format!(
            "{}/{}/{}.git",
            self.inner.base.as_str().trim_end_matches('/'),
            repo.owner(),
            repo.name()
        )
    }

    /// The mirror of the repository with this id at GitHub, opened or made.
    ///
    /// # Errors
    /// [`GitError::Local`] when the directory cannot be opened or made.
    pub async fn mirror(&self, repository_id: u64) -> Result<Mirror, GitError> {
        let git = self.clone();
        blocking(move || Mirror::open(git, repository_id)).await
    }

    /// The remote's branches: for a look before and after a push.
    ///
    /// # Errors
    /// Every network class of [`GitError`].
    pub async fn ls_remote(
        &self,
        url: &str,
        credential: Option<&Credential>,
        cancel: &Cancel,
    ) -> Result<Listing, GitError> {
        let call = self.call(url, credential, cancel)?;
        let url = url.to_string();
        blocking(move || {
            call.clone().run(|| {
                let mut remote = git2::Remote::create_detached(url)?;
                let mut connection =
                    remote.connect_auth(git2::Direction::Fetch, Some(watch(&call)), None)?;
                listing(connection.remote())
            })
        })
        .await
    }

    /// Whether the credential may push there: the remote is asked as before a push, and nothing is
    /// sent.
    ///
    /// # Errors
    /// [`GitError::Auth`] when it may not, and every network class.
    pub async fn may_push(
        &self,
        url: &str,
        credential: &Credential,
        cancel: &Cancel,
    ) -> Result<(), GitError> {
        let call = self.call(url, Some(credential), cancel)?;
        let url = url.to_string();
        blocking(move || {
            call.clone().run(|| {
                let mut remote = git2::Remote::create_detached(url)?;
                let connection =
                    remote.connect_auth(git2::Direction::Push, Some(watch(&call)), None)?;
                connection.list().map(drop)
            })
        })
        .await
    }

    /// Opens a conversation with `url`, which must lie beneath the configured address, or, without a
    /// credential, be one that submodules may come from.
    fn call(
        &self,
        url: &str,
        credential: Option<&Credential>,
        cancel: &Cancel,
    ) -> Result<Arc<Call>, GitError> {
        let settings = &self.inner.settings;
        let target = web_address(url)?;
        let base = &self.inner.base;
        let folder = format!("{}/", base.path().trim_end_matches('/'));
        let beneath = target.origin() == base.origin() && target.path().starts_with(&folder);
        let foreign = || self.may_bring(&target, &settings.submodules).is_ok();
        if !beneath && (credential.is_some() || !foreign()) {
            return Err(GitError::Refused {
                what: format!(
                    "`{}` is not beneath the configured git address",
                    show(&target)
                ),
            });
        }
        let bounds = Bounds {
            time: settings.time,
            received: settings.received_bytes,
            sent: settings.sent_bytes,
        };
        Call::new(self.inner.http.clone(), target, credential, bounds, cancel)
    }

    fn lock_of(&self, repository_id: u64) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.inner.locks.lock().unwrap_or_else(|e| e.into_inner());
        locks.entry(repository_id).or_default().clone()
    }
}

impl std::fmt::Debug for Git {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Git")
            .field("base", &show(&self.inner.base))
            .finish_non_exhaustive()
    }
}

/// Scheme, host, port and path: never a user or a query.
fn show(url: &reqwest::Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

fn web_address(text: &str) -> Result<reqwest::Url, GitError> {
    let refuse = |why: &str| GitError::Refused {
        what: format!("the git address {why}; give it as `https://host[:port][/path]`"),
    };
    let url = reqwest::Url::parse(text).map_err(|_| refuse("cannot be read"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(refuse("is not http or https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("holds a user or a password"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refuse("holds a query or a fragment"));
    }
    Ok(url)
}

fn listing(remote: &git2::Remote<'_>) -> Result<Listing, git2::Error> {
    let mut listing = Listing::default();
    for head in remote.list()? {
        if head.name() == "HEAD" {
            listing.head = head.symref_target().map(str::to_string);
        } else if head.name().starts_with("refs/heads/") {
            listing.heads.insert(head.name().to_string(), head.oid());
        }
    }
    Ok(listing)
}

/// Callbacks that end a transfer when its conversation is over or absurdly large.
fn watch<'a>(call: &Arc<Call>) -> git2::RemoteCallbacks<'a> {
    const MOST_OBJECTS: usize = 20_000_000;
    let mut callbacks = git2::RemoteCallbacks::new();
    let call = call.clone();
    callbacks.transfer_progress(move |progress| {
        if progress.total_objects() > MOST_OBJECTS {
            call.fail(GitError::TooLarge {
                what: format!("the remote offers {} objects", progress.total_objects()),
            });
            return false;
        }
        !call.is_over()
    });
    callbacks
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, GitError> + Send + 'static,
) -> Result<T, GitError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(_) => Err(GitError::local("a git operation broke off; this is a bug")),
    }
}
