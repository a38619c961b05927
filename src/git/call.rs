//! One conversation with a remote: whom it may talk to, with which credential, for how long, and
//! how many bytes. libgit2 calls the transport on the thread that called libgit2, so the
//! conversation travels in a thread-local and never in an address, a configuration or an argument.

use super::error::GitError;
use crate::domain::Cancel;
use base64::Engine;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a remote asks for; GitHub takes an installation token as a password.
#[derive(Debug, Clone)]
pub struct Credential {
    username: String,
    token: SecretString,
}

impl Credential {
    /// An installation token, as GitHub's "HTTP-based Git access by an installation" has it.
    pub fn token(token: SecretString) -> Self {
        Credential {
            username: "x-access-token".into(),
            token,
        }
    }

    pub(super) fn header(&self) -> Result<HeaderValue, GitError> {
        let plain = format!("{}:{}", self.username, self.token.expose_secret());
        let basic = format!(
            "Basic {}",
            base64::engine::general_purpose::STANDARD.encode(plain)
        );
        let mut value = HeaderValue::from_str(&basic)
            .map_err(|_| GitError::local("the credential does not fit into a header"))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// Everything that the transport needs for one conversation.
pub(super) struct Call {
    pub http: reqwest::Client,
    pub runtime: tokio::runtime::Handle,
    /// The one address that may be spoken to.
    pub url: reqwest::Url,
    pub authorization: Option<HeaderValue>,
    pub limit: Duration,
    pub deadline: Instant,
    pub cancel: Cancel,
    pub sent_cap: usize,
    bytes_cap: u64,
    bytes_left: AtomicU64,
    failure: Mutex<Option<GitError>>,
}

/// The bounds of one conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub time: Duration,
    pub received: u64,
    pub sent: usize,
}

impl Call {
    pub fn new(
        http: reqwest::Client,
        url: reqwest::Url,
        credential: Option<&Credential>,
        bounds: Bounds,
        cancel: &Cancel,
    ) -> Result<Arc<Call>, GitError> {
        Ok(Arc::new(Call {
            http,
            runtime: tokio::runtime::Handle::current(),
            url,
            authorization: credential.map(Credential::header).transpose()?,
            limit: bounds.time,
            deadline: Instant::now() + bounds.time,
            cancel: cancel.clone(),
            sent_cap: bounds.sent,
            bytes_cap: bounds.received,
            bytes_left: AtomicU64::new(bounds.received),
            failure: Mutex::new(None),
        }))
    }

    /// Counts received bytes against the cap.
    pub fn received(&self, bytes: usize) -> Result<(), GitError> {
        let took = self
            .bytes_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(bytes as u64)
            });
        match took {
            Ok(_) => Ok(()),
            Err(_) => Err(GitError::TooLarge {
                what: format!(
                    "the remote sent more than {} MiB",
                    self.bytes_cap.div_ceil(1 << 20)
                ),
            }),
        }
    }

    /// Whether libgit2 should give up at its next chance.
    pub fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.deadline
    }

    /// Keeps the first failure: libgit2 has one string for it, callers branch on more.
    pub fn fail(&self, error: GitError) -> git2::Error {
        let shown = git2::Error::from_str(&error.to_string());
        let mut failure = self.failure.lock().unwrap_or_else(|e| e.into_inner());
        failure.get_or_insert(error);
        shown
    }

    /// Runs `work` with this conversation in place and gives its failures their class.
    pub fn run<T>(
        self: &Arc<Self>,
        work: impl FnOnce() -> Result<T, git2::Error>,
    ) -> Result<T, GitError> {
        let outer = CURRENT.with(|c| c.replace(Some(self.clone())));
        let _restore = Restore(outer);
        let result = work();
        let failure = self
            .failure
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .take();
        match (result, failure) {
            (Ok(value), None) => Ok(value),
            // A failure that libgit2 swallowed is still one.
            (_, Some(failure)) => Err(failure),
            (Err(_), None) if self.cancel.is_cancelled() => Err(GitError::Cancelled),
            (Err(_), None) if self.is_over() => Err(GitError::TimedOut { limit: self.limit }),
            (Err(e), None) => Err(e.into()),
        }
    }

    pub fn current() -> Option<Arc<Call>> {
        CURRENT.with(|c| c.borrow().clone())
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Call>>> = const { RefCell::new(None) };
}

struct Restore(Option<Arc<Call>>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.with(|c| c.replace(self.0.take()));
    }
}
