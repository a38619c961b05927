//! What a file defines and imports, as far as a line of its own tells.

use regex::Regex;
use std::sync::LazyLock;

const SOURCES: &[&str] = &[
    "py", "rs", "js", "mjs", "cjs", "ts", "tsx", "jsx", "rb", "go", "java", "kt", "php", "c", "h",
    "cc", "cpp", "hpp", "cs", "ex", "exs", "swift", "scala", "lua", "sh", "pl",
];

/// Words of a line that imports which name nothing.
pub(super) const KEYWORDS: &[&str] = &[
    "from",
    "import",
    "use",
    "pub",
    "mod",
    "crate",
    "self",
    "super",
    "require",
    "require_relative",
    "const",
    "let",
    "var",
    "export",
    "default",
    "module",
    "exports",
    "as",
];

static DEFINED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^\s*(?:export\s+|default\s+|pub(?:\([a-z]+\))?\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|unsafe\s+|final\s+|abstract\s+)*",
        r"(?:def|class|fn|function\*?|func|struct|enum|trait|module|interface|type|const|let|var|defp?|object|record)\s+",
        r"(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_][A-Za-z0-9_]*)",
    ))
    .ok()
});

static IMPORTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?m)^\s*from\s+(?P<from>[.\w]+)\s+import\s+(?P<names>[^#\n]+)|^\s*import\s+(?P<import>[\w.]+)"#,
        r#"|(?:require_relative|require|from|import)\s*\(?\s*["'](?P<quoted>[^"']+)["']"#,
        r#"|^\s*(?:pub\s+)?(?:use|mod)\s+(?P<rust>[\w:{},\s]+);|\b(?P<path>[a-z_][a-z0-9_]*)::"#,
    ))
    .ok()
});

/// Whether a path is source code, by its ending.
pub(super) fn is_source(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, e)| e);
    ending.is_some_and(|e| SOURCES.contains(&e))
}

/// The name that a line defines.
pub(super) fn defined(line: &str) -> Option<&str> {
    let found = DEFINED.as_ref()?.captures(line)?;
    found.get(1).map(|m| m.as_str())
}

/// The lines that import or pass on.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let imports = |line: &&str| IMPORTED.as_ref().is_some_and(|p| p.is_match(line));
    text.lines().filter(imports)
}

/// Whether a file is made of nothing that has a name of its own.
pub(super) fn defines_nothing(text: &str) -> bool {
    text.lines().all(|line| {
        let passes = lines(line).next().is_some() || line.contains("module.exports");
        passes || defined(line).is_none()
    })
}

/// The fixed parts of the texts in a line of source: of several words each, since one word alone
/// stands in any report.
pub(super) fn literals(line: &str) -> impl Iterator<Item = &str> {
    static TEXT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#""((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)'|`([^`]+)`"#).ok());
    static GAP: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"%\([^)]*\)[a-z]|%[-+#0-9.]*[a-zA-Z]|[#$]?\{[^}]*\}|\\.").ok()
    });
    let texts = TEXT.iter().flat_map(move |text| text.captures_iter(line));
    texts
        .filter_map(|c| c.iter().skip(1).flatten().next())
        .flat_map(|m| GAP.iter().flat_map(move |gap| gap.split(m.as_str())))
        .map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|part| part.len() > 9 && part.contains(' '))
}

/// What a test's file is called after: `test_roster`, `roster_test`, `roster.test` are of `roster`.
pub(super) fn tested(stem: &str) -> &str {
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    stem.strip_suffix("_spec").unwrap_or(stem)
}

/// The project's files among what a file imports.
pub(super) fn of(path: &str, text: &str, sources: &[String]) -> Vec<String> {
    let Some(pattern) = IMPORTED.as_ref() else {
        return Vec::new();
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found = Vec::new();
    let mut take = |hit: Option<&String>| {
        if let Some(hit) = hit.filter(|h| h.as_str() != path && !found.contains(*h)) {
            found.push(hit.clone());
        }
    };
    for import in pattern.captures_iter(text) {
        if let Some(from) = import.name("from") {
            let module = from.as_str();
            take(python(module, folder, sources));
            // `from package import module`.
            for name in import["names"].split(',') {
                let name = name
                    .trim()
                    .trim_start_matches('(')
                    .split_whitespace()
                    .next();
                let dot = if module.ends_with('.') { "" } else { "." };
                let inner = name.map(|n| format!("{module}{dot}{n}"));
                take(inner.and_then(|m| python(&m, folder, sources)));
            }
        } else if let Some(module) = import.name("import") {
            take(python(module.as_str(), folder, sources));
        } else if let Some(quoted) = import.name("quoted") {
            take(quoted_file(quoted.as_str(), folder, sources));
        } else if let Some(rust) = import.name("rust") {
            for part in rust
                .as_str()
                .split(|c: char| !c.is_alphanumeric() && c != '_')
            {
                take(rust_file(part, folder, sources));
            }
        } else if let Some(module) = import.name("path").filter(|_| path.ends_with(".rs")) {
            take(rust_file(module.as_str(), folder, sources));
        }
    }
    found
}

fn ending<'a>(sources: &'a [String], tails: &[String]) -> Option<&'a String> {
    tails.iter().find_map(|tail| {
        let at = |p: &&String| p.as_str() == tail || p.ends_with(&format!("/{tail}"));
        sources.iter().filter(at).min_by_key(|p| p.len())
    })
}

fn python<'a>(module: &str, folder: &str, sources: &'a [String]) -> Option<&'a String> {
    let dots = module.len() - module.trim_start_matches('.').len();
    let tail = module.trim_start_matches('.').replace('.', "/");
    if dots > 0 {
        let mut base = folder;
        for _ in 1..dots {
            base = base.rsplit_once('/').map_or("", |(up, _)| up);
        }
        let inside = |name: &str| format!("{base}/{name}").trim_start_matches('/').to_string();
        let whole = [
            inside(&format!("{tail}.py")),
            inside(&format!("{tail}/__init__.py")),
        ];
        return sources.iter().find(|p| whole.contains(p));
    }
    ending(
        sources,
        &[format!("{tail}.py"), format!("{tail}/__init__.py")],
    )
}

fn quoted_file<'a>(given: &str, folder: &str, sources: &'a [String]) -> Option<&'a String> {
    let endings = [
        "",
        ".js",
        ".mjs",
        ".cjs",
        ".ts",
        ".tsx",
        ".rb",
        ".php",
        "/index.js",
        "/index.ts",
    ];
    if given.starts_with('.') || !given.contains('/') {
        let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
        for part in given.split('/') {
            match part {
                "." | "" => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let base = parts.join("/");
        let here = endings
            .iter()
            .find_map(|e| sources.iter().find(|p| **p == format!("{base}{e}")));
        if here.is_some() || given.starts_with('.') {
            return here;
        }
    }
    // Ruby's `require "name/part"` looks beneath lib/.
    ending(sources, &[format!("lib/{given}.rb"), format!("{given}.rb")])
}

fn rust_file<'a>(part: &str, folder: &str, sources: &'a [String]) -> Option<&'a String> {
    match part {
        "crate" | "self" | "super" | "std" | "core" | "alloc" => return None,
        _ => {}
    }
    let near = [
        format!("{folder}/{part}.rs"),
        format!("{folder}/{part}/mod.rs"),
    ];
    let near = near.map(|p| p.trim_start_matches('/').to_string());
    let here = sources.iter().find(|p| near.contains(p));
    here.or_else(|| {
        ending(
            sources,
            &[format!("src/{part}.rs"), format!("src/{part}/mod.rs")],
        )
    })
}
