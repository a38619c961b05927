//! The house's template of pull requests, at every place where GitHub looks for one.

use crate::git::{GitError, Oid, Private};

const TEMPLATE_BYTES: usize = 64 * 1024;
/// In GitHub's order.
const FOLDERS: [&str; 3] = [".github", "", "docs"];
const NAME: &str = "pull_request_template";

/// The template of this commit's repository: the file that the settings name in a folder of
/// templates, else the one at a known place, else the default of a folder. One that cannot be read
/// is none.
pub(super) async fn find(private: &Private, base: Oid, wanted: Option<&str>) -> Option<String> {
    match place(private, base, wanted).await {
        Ok(Some(path)) => {
            let read = private.read_file_at(base, &path, TEMPLATE_BYTES).await;
            String::from_utf8(read.ok().flatten()?).ok()
        }
        Ok(None) => None,
        Err(error) => {
            tracing::warn!(%error, "the templates of pull requests cannot be looked for");
            None
        }
    }
}

async fn place(
    private: &Private,
    base: Oid,
    wanted: Option<&str>,
) -> Result<Option<String>, GitError> {
    let (mut single, mut several) = (None, Vec::new());
    for folder in FOLDERS {
        let Some(folder) = real(private, base, folder).await? else {
            continue;
        };
        let list = private.list_at(base, &folder).await?;
        let file = list.files.iter().find(|f| is_template(f));
        single = single.or_else(|| file.map(|f| join(&folder, f)));
        for name in list.folders.iter().filter(|f| f.eq_ignore_ascii_case(NAME)) {
            let path = join(&folder, name);
            let files = private.list_at(base, &path).await?.files;
            several.extend(
                files
                    .into_iter()
                    .filter(|f| is_text(f))
                    .map(|f| join(&path, &f)),
            );
        }
    }
    let named = |name: &str| {
        let name = name.to_lowercase();
        several.iter().find(|path| {
            let file = path.rsplit('/').next().unwrap_or(path).to_lowercase();
            file == name || stem(&file) == name
        })
    };
    let chosen = wanted.and_then(named).cloned().or(single);
    Ok(chosen
        .or_else(|| named("default").or_else(|| named(NAME)).cloned())
        .or_else(|| (several.len() == 1).then(|| several[0].clone())))
}

/// The folder as it is written there; GitHub does not look at the case.
async fn real(private: &Private, base: Oid, folder: &str) -> Result<Option<String>, GitError> {
    if folder.is_empty() {
        return Ok(Some(String::new()));
    }
    let folders = private.list_at(base, "").await?.folders;
    Ok(folders.into_iter().find(|f| f.eq_ignore_ascii_case(folder)))
}

fn join(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_string(),
        folder => format!("{folder}/{name}"),
    }
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// `.md`, `.txt`, or no ending.
fn is_text(name: &str) -> bool {
    let name = name.to_lowercase();
    match name.rsplit_once('.') {
        Some((_, ending)) => ["md", "txt", "markdown"].contains(&ending),
        None => true,
    }
}

fn is_template(name: &str) -> bool {
    is_text(name) && stem(name).eq_ignore_ascii_case(NAME)
}
