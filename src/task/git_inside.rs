//! The git directory that commands in the sandbox see (rule B8).

use super::{Bench, TaskError};
use crate::check::wants_git;
use crate::config::GitInSandbox;
use crate::domain::Cancel;
use crate::git::{Credential, Mirror, Oid, Private};
use crate::tree::Tree;
use std::path::{Path, PathBuf};

/// From where its objects come.
pub(super) struct Objects<'a> {
    pub(super) mirror: &'a Mirror,
    pub(super) private: &'a Private,
    pub(super) url: &'a str,
    pub(super) credential: &'a Credential,
}

/// Makes it at `folder` where the project wants it, whose files lie in `base`.
pub(super) async fn git_inside(
    bench: &Bench,
    objects: &Objects<'_>,
    commit: Oid,
    (base, folder): (&Path, PathBuf),
    cancel: &Cancel,
) -> Result<Option<PathBuf>, TaskError> {
    let wanted = match bench.git_in_sandbox {
        GitInSandbox::Always => true,
        GitInSandbox::Never => false,
        GitInSandbox::Auto => wants_git(&Tree::open(base)?)?.is_some(),
    };
    if !wanted {
        return Ok(None);
    }
    let tags = objects
        .mirror
        .tags(objects.url, Some(objects.credential), cancel);
    let tags = match tags.await {
        Ok(tags) => tags,
        Err(error) if error == crate::git::GitError::Cancelled => return Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "the tags could not be fetched; commands see none");
            Vec::new()
        }
    };
    objects
        .private
        .inside(commit, &tags, &folder, cancel)
        .await?;
    Ok(Some(folder))
}
