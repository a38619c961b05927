//! Whether a word looks like a path, for files that are not there.

/// Files that are known by names without a dot.
const PLAIN_NAMES: &[&str] = &[
    "Makefile",
    "Dockerfile",
    "Containerfile",
    "LICENSE",
    "LICENCE",
    "COPYING",
    "README",
    "NOTICE",
    "AUTHORS",
    "CHANGELOG",
    "CHANGES",
    "NEWS",
    "TODO",
    "VERSION",
    "CODEOWNERS",
    "Procfile",
    "Gemfile",
    "Rakefile",
    "Vagrantfile",
    "Jenkinsfile",
    "Brewfile",
    "Justfile",
    "justfile",
    "makefile",
    "BUILD",
    "WORKSPACE",
    "Pipfile",
    "Podfile",
    "Fastfile",
    "Caddyfile",
    "Tiltfile",
];

/// Words that stand alone between two blocks and name no file.
const LINKING: &[&str] = &[
    "and", "also", "again", "after", "before", "change", "changes", "code", "done", "edit",
    "edits", "finally", "first", "fix", "here", "last", "lastly", "next", "now", "or", "patch",
    "plus", "second", "then", "third",
];
/// Extensions that tell a file though the tree has none of the kind.
const KNOWN: &[&str] = &[
    "c", "cfg", "cpp", "css", "go", "h", "html", "ini", "java", "js", "json", "md", "py", "rb",
    "rs", "rst", "sh", "toml", "ts", "txt", "xml", "yaml", "yml",
];
/// A line of more words is a sentence.
const MOST_WORDS: usize = 4;

/// What a line is that names no file which is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    Prose,
    Name,
    /// Perhaps a name: taken neither as one nor as prose.
    Doubt,
}

/// Reads a line without its decoration. `set_off` tells that it had some, or a label.
pub(super) fn looks<'l>(form: &str, set_off: bool, listed: impl FnOnce() -> &'l [String]) -> Looks {
    let words: Vec<&str> = form.split_whitespace().collect();
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return Looks::Prose;
    };
    let sentence = form.ends_with(['.', ',', ';', '!', '?']) || form.contains("://");
    if sentence || !form.chars().any(char::is_alphanumeric) {
        return Looks::Prose;
    }
    if words.len() == 1 {
        let lower = form.to_lowercase();
        let shouted = form.len() > 1 && form.chars().all(|c| !c.is_lowercase());
        let plain = |c: char| c.is_alphanumeric() || "_-+.".contains(c);
        return match () {
            () if !shouted && LINKING.contains(&lower.as_str()) => Looks::Prose,
            () if form.chars().all(plain) => Looks::Name,
            () => Looks::Doubt,
        };
    }
    if form.contains('`') {
        return Looks::Prose;
    }
    let kind = extension(last);
    let odd = words[..words.len() - 1].iter().any(|w| has_extension(w));
    if kind.is_some() && !odd && words.len() <= 2 * MOST_WORDS && first.contains('/') {
        return Looks::Name;
    }
    if words.len() > MOST_WORDS {
        return Looks::Prose;
    }
    let known = kind.is_some_and(|ext| {
        KNOWN.contains(&ext) || listed().iter().any(|path| extension(path) == Some(ext))
    });
    match () {
        () if known && set_off && !odd && !form.contains('/') => Looks::Name,
        () if known || words.iter().any(|w| w.len() > 1 && w.contains('/')) => Looks::Doubt,
        () => Looks::Prose,
    }
}

/// One word with a slash or with a dot before its end.
pub(super) fn looks_like_path(word: &str) -> bool {
    if word.is_empty() || word.contains("://") && !word.starts_with("file:") {
        return false;
    }
    if word.contains(['/', '\\']) {
        return word.chars().any(char::is_alphanumeric);
    }
    let odd = |c: char| "()<>|*?\"'`=;,{}$!&".contains(c);
    word.trim_end_matches('.').contains('.')
        && !word.ends_with('.')
        && !word.chars().any(odd)
        && word.chars().any(char::is_alphanumeric)
}

pub(super) fn has_extension(path: &str) -> bool {
    extension(path).is_some()
}

fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let (stem, ext) = name.rsplit_once('.')?;
    let short = (1..=10).contains(&ext.len()) && ext.chars().all(|c| c.is_ascii_alphanumeric());
    (short && !(stem.is_empty() && path.contains(' '))).then_some(ext)
}

/// A path with blanks in it: in a folder that is there, and no word but the last like a file.
pub(super) fn spaced_path<'l>(text: &str, listed: impl FnOnce() -> &'l [String]) -> bool {
    let Some((folder, name)) = text.split_once('/') else {
        return false;
    };
    let words: Vec<&str> = name.split_whitespace().collect();
    let Some((last, rest)) = words.split_last() else {
        return false;
    };
    has_extension(last) && !rest.iter().any(|w| has_extension(w)) && is_folder(folder, listed())
}

fn is_folder(folder: &str, listed: &[String]) -> bool {
    listed.iter().any(|path| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
    })
}

/// A word without dot or slash as the name of a file to be made.
pub(super) fn plain_name(word: &str, raw: &str, carried: Option<&str>) -> bool {
    PLAIN_NAMES.contains(&word)
        || carried.is_none()
            && raw == word
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// Whether a span in prose is meant as a file though there is none: `pkg/new.py`, but not
/// `self.rows` or `n/a`.
pub(super) fn means_file<'l>(
    span: &str,
    creates: bool,
    listed: impl FnOnce() -> &'l [String],
) -> bool {
    if PLAIN_NAMES.contains(&span) && span.ends_with("file") {
        return true;
    }
    if span.chars().any(char::is_whitespace) || !looks_like_path(span) {
        return false;
    }
    let Some(ext) = extension(span) else {
        return span
            .split_once('/')
            .is_some_and(|(folder, _)| is_folder(folder, listed()));
    };
    let name = span.rsplit('/').next().unwrap_or(span);
    creates
        || span.contains('/')
        || listed()
            .iter()
            .any(|path| extension(path) == Some(ext) || path.rsplit('/').next() == Some(name))
}
