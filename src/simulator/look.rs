//! The Rust side: what there is to look at, and what goes wrong on purpose.

use super::error::SimulatorError;
use super::faults::{Effect, Fault, LoggedRequest};
use super::git::{Node, Store};
use super::hooks::Delivery;
use super::start::Simulator;
use super::state::Repo;
use super::views::{CheckRunView, IssueView, LineCommentView, PullView};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

impl Simulator {
    fn look<T>(&self, repo: &str, look: impl FnOnce(&Repo) -> Option<T>) -> Option<T> {
        let world = self.host.world();
        let (owner, name) = repo.split_once('/')?;
        look(world.find_repo(owner, name)?)
    }

    /// An issue or what a pull request has of one, with its comments.
    pub fn issue(&self, repo: &str, number: u64) -> Option<IssueView> {
        self.look(repo, |r| r.issues.get(&number).map(IssueView::from))
    }

    /// All pull requests, oldest first.
    pub fn pulls(&self, repo: &str) -> Vec<PullView> {
        let pulls = self.look(repo, |r| {
            let full_name = r.full_name();
            let views = r.issues.values().filter_map(|i| {
                let url = format!("{}/{full_name}/pull/{}", self.base, i.number);
                i.pull.as_ref().map(|p| PullView::of(i, p, url))
            });
            Some(views.collect())
        });
        pulls.unwrap_or_default()
    }

    /// All check runs, oldest first.
    pub fn check_runs(&self, repo: &str) -> Vec<CheckRunView> {
        let runs = self.look(repo, |r| {
            Some(r.checks.iter().map(CheckRunView::from).collect())
        });
        runs.unwrap_or_default()
    }

    /// The comments on lines of a pull request, oldest first.
    pub fn line_comments(&self, repo: &str, number: u64) -> Vec<LineCommentView> {
        let all = self.look(repo, |r| {
            let reviews = &r.issues.get(&number)?.pull.as_ref()?.reviews;
            let comments = reviews.iter().flat_map(|r| &r.comments);
            Some(comments.map(LineCommentView::from).collect())
        });
        all.unwrap_or_default()
    }

    /// Branches and tags by whole name, with the shas that they point at.
    pub fn refs(&self, repo: &str) -> BTreeMap<String, String> {
        let refs = self.look(repo, |r| Store::open(&r.path).ok()?.refs().ok());
        refs.unwrap_or_default()
    }

    /// The content of a file at a branch, tag or sha.
    pub fn file(&self, repo: &str, rev: &str, path: &str) -> Option<Vec<u8>> {
        self.look(repo, |r| {
            match Store::open(&r.path).ok()?.node(rev, path).ok()? {
                Node::File { bytes, .. } => Some(bytes),
                Node::Folder(_) => None,
            }
        })
    }

    /// Messages of the commits of a branch, newest first.
    pub fn log(&self, repo: &str, branch: &str) -> Vec<String> {
        let log = self.look(repo, |r| Store::open(&r.path).ok()?.log(branch, 1000).ok());
        log.unwrap_or_default()
            .into_iter()
            .map(|c| c.message)
            .collect()
    }

    /// Whether GitHub shows the commit of this branch, tag or sha as verified.
    pub fn verified(&self, repo: &str, rev: &str) -> Option<bool> {
        self.look(repo, |r| {
            Some(Store::open(&r.path).ok()?.commit(rev).ok()?.signed)
        })
    }

    /// Mode and kind of a path, as git has it: `100644`, `100755`, `120000`.
    pub fn mode(&self, repo: &str, rev: &str, path: &str) -> Option<String> {
        self.look(repo, |r| Store::open(&r.path).ok()?.mode(rev, path))
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.host.log().clone()
    }

    /// Every attempt to send a webhook so far, oldest first.
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.host.world().hooks.log.clone()
    }

    /// Sends a delivery again; the new one's id.
    ///
    /// # Errors
    /// When there is no such delivery.
    pub fn redeliver(&self, id: u64) -> Result<u64, SimulatorError> {
        let again = self.host.world().redeliver(id);
        again.map_err(|refusal| SimulatorError::Refused {
            what: format!("redeliver {id}"),
            message: refusal.message,
        })
    }

    /// Waits until every queued webhook was tried; false when `limit` passes before.
    pub async fn settle(&self, limit: Duration) -> bool {
        let start = Instant::now();
        loop {
            if self
                .host
                .world()
                .hooks
                .log
                .iter()
                .all(|d| d.result.is_some())
            {
                return true;
            }
            if start.elapsed() > limit {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Arms a fault.
    ///
    /// # Errors
    /// When its path is no regular expression.
    pub fn fault(&self, fault: Fault) -> Result<(), SimulatorError> {
        self.host.faults().add(fault)
    }

    /// Every request has this effect until [`Simulator::clear_faults`].
    pub fn down(&self, effect: Effect) {
        self.host.faults().down = Some(effect);
    }

    /// Nothing goes wrong on purpose any more.
    pub fn clear_faults(&self) {
        self.host.faults().clear();
    }
}
