//! After refs changed, by a push or through the API: what follows from it.

use super::super::answer::Refusal;
use super::super::git::{CommitInfo, Store};
use super::super::shapes;
use super::super::state::{Happening, Merge, World};
use serde_json::{Value, json};

const ZERO: &str = "0000000000000000000000000000000000000000";
/// As many commits as a `push` payload lists at most.
const PUSH_COMMITS: usize = 2048;

struct Moved {
    name: String,
    before: Option<String>,
    after: Option<String>,
    forced: bool,
}

impl World {
    /// Finds the refs that moved since the last look, sends `push`, and lets pull requests follow.
    pub fn refs_moved(&mut self, repo: u64, actor: &str) -> Result<(), Refusal> {
        let store = self.store(repo)?;
        let now = store.refs()?;
        let before = std::mem::replace(&mut self.repo_mut(repo)?.known_refs, now.clone());
        let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
        names.sort();
        names.dedup();
        for name in names {
            let (old, new) = (before.get(name).cloned(), now.get(name).cloned());
            if old == new {
                continue;
            }
            let forced = match (&old, &new) {
                (Some(old), Some(new)) => !store.contains(new, old).unwrap_or(false),
                _ => false,
            };
            let moved = Moved {
                name: name.clone(),
                before: old,
                after: new,
                forced,
            };
            self.emit_push(repo, &store, &moved, actor)?;
            if let Some(branch) = name.strip_prefix("refs/heads/") {
                self.pulls_follow(repo, &store, branch, &moved, actor)?;
            }
        }
        let at = self.now();
        self.repo_mut(repo)?.pushed_at = at;
        Ok(())
    }

    fn emit_push(
        &mut self,
        repo: u64,
        store: &Store,
        moved: &Moved,
        actor: &str,
    ) -> Result<(), Refusal> {
        let of = self.repo(repo)?;
        let (before, after) = (moved.before.as_deref(), moved.after.as_deref());
        let base = before.or_else(|| {
            let default = format!("refs/heads/{}", of.default_branch);
            of.known_refs.get(&default).map(String::as_str)
        });
        let new: Vec<CommitInfo> = match (base, after) {
            (Some(base), Some(after)) => store.compare(base, after)?.commits,
            (None, Some(after)) => store.log(after, PUSH_COMMITS)?.into_iter().rev().collect(),
            (_, None) => Vec::new(),
        };
        let shape = |commit: &CommitInfo| -> Result<Value, Refusal> {
            let files = store.files_of(&commit.sha)?;
            Ok(shapes::push_commit(self, of, commit, &files))
        };
        let head = match after {
            Some(sha) => Some(shape(&store.commit(sha)?)?),
            None => None,
        };
        let commits: Vec<Value> = new
            .iter()
            .take(PUSH_COMMITS)
            .map(shape)
            .collect::<Result<_, _>>()?;
        let compare = format!(
            "{}/{}/compare/{}...{}",
            self.base,
            of.full_name(),
            before.unwrap_or(ZERO),
            after.unwrap_or(ZERO)
        );
        let email = self.account(actor).map(|a| self.email(a));
        let about = json!({
            "ref": moved.name,
            "before": before.unwrap_or(ZERO),
            "after": after.unwrap_or(ZERO),
            "pusher": { "name": actor, "email": email },
            "created": before.is_none(),
            "deleted": after.is_none(),
            "forced": moved.forced,
            "base_ref": null,
            "compare": compare,
            "commits": commits,
            "head_commit": head
        });
        self.emit("push", None, repo, actor, about)
    }

    /// The head of an open pull request is its branch; a base that holds the head has merged it.
    fn pulls_follow(
        &mut self,
        repo: u64,
        store: &Store,
        branch: &str,
        moved: &Moved,
        actor: &str,
    ) -> Result<(), Refusal> {
        let open: Vec<(u64, String, String)> = self
            .repo(repo)?
            .issues
            .values()
            .filter(|i| i.open)
            .filter_map(|i| i.pull.as_ref().map(|p| (i.number, p)))
            .map(|(n, p)| (n, p.head.clone(), p.base.clone()))
            .collect();
        for (number, head, base) in open {
            match &moved.after {
                Some(after) if head == branch => {
                    self.synchronize(repo, store, number, after, moved.forced, actor)?;
                }
                None if head == branch => {
                    self.note(repo, number, actor, Happening::HeadDeleted)?;
                    self.set_open(repo, number, false, None, actor)?;
                }
                Some(after) if base == branch => {
                    let pull = self.pull_mut(repo, number)?;
                    if store.contains(after, &pull.head_sha)? {
                        self.merged(repo, number, after, actor)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn synchronize(
        &mut self,
        repo: u64,
        store: &Store,
        number: u64,
        after: &str,
        forced: bool,
        actor: &str,
    ) -> Result<(), Refusal> {
        let pull = self.pull_mut(repo, number)?;
        let before = std::mem::replace(&mut pull.head_sha, after.to_string());
        if let Some(base) = store.branch(&pull.base) {
            pull.base_sha = base;
        }
        store.set_ref(&format!("refs/pull/{number}/head"), after)?;
        if forced {
            self.note(repo, number, actor, Happening::HeadForcePushed)?;
        }
        let now = self.now();
        self.issue_mut(repo, number)?.updated_at = now;
        let more = json!({ "before": before, "after": after });
        self.emit_issue(repo, number, "synchronize", actor, more)
    }

    fn merged(&mut self, repo: u64, number: u64, at: &str, actor: &str) -> Result<(), Refusal> {
        let now = self.now();
        self.pull_mut(repo, number)?.merged = Some(Merge {
            at: now,
            by: actor.to_string(),
            commit: at.to_string(),
        });
        self.note(repo, number, actor, Happening::Merged(at.to_string()))?;
        self.set_open(repo, number, false, None, actor)
    }
}
