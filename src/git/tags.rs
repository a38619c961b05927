//! Tags of a remote, for projects whose build asks for them.

use super::inside::{Tag, after_tags};
use super::{Credential, GitError, Mirror, Oid, blocking, private, watch};
use crate::domain::Cancel;
use git2::{AutotagOption, Direction, FetchOptions, Remote, Repository};
use std::collections::BTreeMap;

/// More than these are no versions.
const MOST: usize = 5_000;

impl Mirror {
    /// The remote's tags on commits that the mirror has; their own objects are brought. Others
    /// are left, so that no tag brings history.
    ///
    /// # Errors
    /// Every network class of [`GitError`].
    pub async fn tags(
        &self,
        url: &str,
        credential: Option<&Credential>,
        cancel: &Cancel,
    ) -> Result<Vec<Tag>, GitError> {
        let turn = self.turn(cancel).await?;
        let call = self.git().call(url, credential, cancel)?;
        let (mirror, url) = (self.clone(), url.to_string());
        blocking(move || {
            let _turn = turn;
            let _file = mirror.lock(call.deadline, &call.cancel)?;
            let repo = private::open_dir(mirror.path())?;
            call.clone().run(|| {
                let mut remote = repo.remote_anonymous(&url)?;
                let mut connection =
                    remote.connect_auth(Direction::Fetch, Some(watch(&call)), None)?;
                let tags = usable(connection.remote(), &repo)?;
                let odb = repo.odb()?;
                let missing: Vec<String> = tags
                    .iter()
                    .filter(|(_, id)| !odb.exists(*id))
                    .map(|(name, _)| format!("+refs/tags/{name}:refs/tags/{name}"))
                    .collect();
                if !missing.is_empty() {
                    let mut options = FetchOptions::new();
                    options
                        .remote_callbacks(watch(&call))
                        .download_tags(AutotagOption::None)
                        .update_fetchhead(false);
                    connection.remote().download(&missing, Some(&mut options))?;
                }
                Ok(tags)
            })
        })
        .await
    }
}

/// Names and objects; an annotated tag shows its commit in a line of its own.
fn usable(remote: &Remote<'_>, repo: &Repository) -> Result<Vec<Tag>, git2::Error> {
    let mut tags: BTreeMap<String, (Option<Oid>, Option<Oid>)> = BTreeMap::new();
    for head in remote.list()? {
        let Some(name) = after_tags(head.name()) else {
            continue;
        };
        match name.strip_suffix("^{}") {
            Some(name) => tags.entry(name.into()).or_default().1 = Some(head.oid()),
            None => tags.entry(name.into()).or_default().0 = Some(head.oid()),
        }
    }
    let odb = repo.odb()?;
    let tags = tags.into_iter().filter_map(|(name, (id, peeled))| {
        let id = id?;
        let sane = git2::Reference::is_valid_name(&format!("refs/tags/{name}"));
        (sane && odb.exists(peeled.unwrap_or(id))).then_some((name, id))
    });
    Ok(tags.take(MOST).collect())
}
