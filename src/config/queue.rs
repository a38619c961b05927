//! `[queue]`: how many tasks may run, and which come first.

use super::reader::Reader;
use crate::domain::RepoName;
use std::collections::BTreeMap;
use toml::Value;

/// Beyond it nobody means a number.
const MOST: u64 = 10_000;

/// `[queue]`; over all workers that share the database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueSettings {
    /// Tasks that may run at the same time; `None` where only `server.workers` limits them.
    pub total: Option<u32>,
    /// Of one installation; those of one repository are limited by `repos.running`.
    pub per_installation: Option<u32>,
    /// `owner/name` or `owner/*` in lower case, and the priority of its tasks.
    pub priority: BTreeMap<String, i64>,
}

impl QueueSettings {
    /// The priority of a repository's tasks: its own, else its owner's, else 0.
    pub fn priority_of(&self, repo: &RepoName) -> i64 {
        let name = repo.to_string().to_lowercase();
        let all = format!("{}/*", repo.owner().to_lowercase());
        let found = self.priority.get(&name).or_else(|| self.priority.get(&all));
        found.copied().unwrap_or(0)
    }
}

pub(super) fn queue(r: &mut Reader<'_>) -> QueueSettings {
    let mut count = |key: &str| r.number(key, 1, MOST).map(|n| n as u32);
    let (total, per_installation) = (count("queue.total"), count("queue.per_installation"));
    let key = "queue.priority";
    let mut priority = BTreeMap::new();
    for (repo, value) in r.table(key) {
        let probe = repo.strip_suffix("/*").map(|owner| format!("{owner}/x"));
        let named = probe.as_ref().unwrap_or(&repo).parse::<RepoName>().is_ok();
        match value {
            Value::Integer(n) if named && n.unsigned_abs() <= 1000 => {
                priority.insert(repo.to_lowercase(), n);
            }
            _ => r.wrong(
                key,
                format!(
                    "has a `{}`: each entry must be owner/name or owner/* and a whole number from -1000 to 1000",
                    repo.escape_debug()
                ),
            ),
        }
    }
    QueueSettings {
        total,
        per_installation,
        priority,
    }
}
