//! What this host has, and the list of what it may lack.

/// Whether a test can go on. Fails when something is missing that `tests/unavailable.toml` does not
/// list.
pub fn has(name: &str, present: bool) -> bool {
    if present {
        return true;
    }
    let list = std::fs::read_to_string("tests/unavailable.toml").unwrap();
    let list: toml::Table = list.parse().unwrap();
    let why = list
        .get(name)
        .and_then(|entry| entry.get("why"))
        .and_then(|why| why.as_str());
    let why = why.unwrap_or_else(|| panic!("`{name}` is missing and not in unavailable.toml"));
    eprintln!("left out, no {name}: {why}");
    false
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
