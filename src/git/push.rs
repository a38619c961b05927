//! One commit onto one branch of the remote, only if the branch stands where it is expected.

use super::call::Credential;
use super::history::is_ancestor;
use super::{Git, GitError, Oid, Private, blocking, private, watch};
use crate::domain::Cancel;
use git2::{Direction, PushOptions};
use std::cell::RefCell;

/// Where the branch must stand on the remote for the push to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    Absent,
    At(Oid),
}

/// One branch to be pushed.
#[derive(Debug, Clone)]
pub struct Push<'a> {
    pub url: &'a str,
    pub credential: &'a Credential,
    pub commit: Oid,
    /// The full name, beneath the prefix that the settings allow.
    pub reference: &'a str,
    pub expected: Expected,
    /// Whether the commit may replace the expected one instead of building on it.
    pub rewrite: bool,
}

/// What a push did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    Updated,
    /// The remote stood there already, by an earlier push whose answer was lost, say.
    AlreadyThere,
}

impl Git {
    /// Whether a reference is mend's to move, by whatever way.
    ///
    /// # Errors
    /// [`GitError::Rejected`] where it is not.
    pub fn may_move(&self, reference: &str) -> Result<(), GitError> {
        let prefix = &self.inner.settings.push_prefix;
        match reference.starts_with(prefix.as_str()) && git2::Reference::is_valid_name(reference) {
            true => Ok(()),
            false => Err(GitError::Rejected {
                reference: reference.to_string(),
                reason: format!("mend pushes only beneath `{prefix}`"),
            }),
        }
    }
}

impl Private {
    /// Pushes; the remote compares `expected` once more under its own lock, so that a branch that
    /// somebody moves meanwhile is never overwritten. Safe to call again after any error.
    ///
    /// # Errors
    /// [`GitError::Rejected`] when the branch stands elsewhere, the commit does not build on it
    /// (without `rewrite`), or the remote refuses; the network's classes else. After
    /// [`GitError::Transient`] or [`GitError::TimedOut`] the remote may have taken it: the next
    /// call, or [`super::Git::ls_remote`], tells.
    pub async fn push(&self, push: &Push<'_>, cancel: &Cancel) -> Result<Pushed, GitError> {
        let reference = push.reference.to_string();
        self.git.may_move(&reference)?;
        let call = self.git.call(push.url, Some(push.credential), cancel)?;
        let (path, url) = (self.path.clone(), push.url.to_string());
        let (commit, expected, rewrite) = (push.commit, push.expected, push.rewrite);
        blocking(move || {
            let repo = private::open_dir(&path)?;
            repo.find_commit(commit)?;
            let rejected = |reason: String| GitError::Rejected {
                reference: reference.clone(),
                reason,
            };
            if let (Expected::At(old), false) = (expected, rewrite)
                && !is_ancestor(&repo, old, commit)?
            {
                return Err(rejected(format!("the commit does not build on {old}")));
            }
            let verdict = RefCell::new(None);
            let done = call.clone().run(|| {
                let mut remote = repo.remote_anonymous(&url)?;
                let mut connection =
                    remote.connect_auth(Direction::Push, Some(watch(&call)), None)?;
                let now = connection
                    .list()?
                    .iter()
                    .find(|head| head.name() == reference)
                    .map_or(Expected::Absent, |head| Expected::At(head.oid()));
                if now == Expected::At(commit) {
                    return Ok(Pushed::AlreadyThere);
                }
                if now != expected {
                    return Err(call.fail(rejected(moved(now))));
                }
                let mut callbacks = watch(&call);
                callbacks.push_update_reference(|_, status| {
                    *verdict.borrow_mut() = Some(status.map(reason));
                    Ok(())
                });
                // The old id of the command that is sent; the remote compares it under its lock.
                callbacks.push_negotiation(|updates| {
                    let stands = match expected {
                        Expected::Absent => Oid::ZERO_SHA1,
                        Expected::At(id) => id,
                    };
                    match updates {
                        [one] if one.src() == stands && one.dst() == commit => Ok(()),
                        _ => Err(call.fail(rejected("the branch moved meanwhile".into()))),
                    }
                });
                let mut options = PushOptions::new();
                options
                    .remote_callbacks(callbacks)
                    .packbuilder_parallelism(1);
                let spec = format!("+{commit}:{reference}");
                connection.remote().push(&[spec], Some(&mut options))?;
                Ok(Pushed::Updated)
            })?;
            match (done, verdict.into_inner()) {
                (Pushed::AlreadyThere, _) | (Pushed::Updated, Some(None)) => Ok(done),
                (_, Some(Some(why))) => Err(rejected(why)),
                (_, None) => Err(GitError::Transient {
                    what: "the remote did not say whether it took the push".into(),
                    retry_after: None,
                }),
            }
        })
        .await
    }
}

fn moved(now: Expected) -> String {
    match now {
        Expected::Absent => "the branch is gone".into(),
        Expected::At(id) => format!("the branch stands at {id} by now"),
    }
}

/// The remote's own words, which a hook may have chosen.
fn reason(text: &str) -> String {
    crate::text::clip_words(&crate::text::one_line(&crate::text::visible(text)), 200)
}
