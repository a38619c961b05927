//! What people say while a task runs, and what a review said before: guidance for the model.

use super::purse::Purse;
use crate::domain::{ReviewThread, Steer};
use crate::store::{Held, Store, StoreError};
use std::sync::Mutex;
use std::time::Duration;

/// Comments that came in and wait for the next turn, and whether it is paid for.
pub(super) struct Inbox<'a> {
    waiting: Mutex<Vec<String>>,
    purse: &'a Purse<'a>,
}

impl Steer for Inbox<'_> {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(|e| e.into_inner()))
    }

    fn is_spent(&self) -> bool {
        self.purse.is_empty()
    }
}

impl<'a> Inbox<'a> {
    pub(super) fn new(purse: &'a Purse<'a>) -> Self {
        Inbox {
            waiting: Mutex::default(),
            purse,
        }
    }

    /// Moves what comes into the store here, until dropped or the lease is lost, which the
    /// heartbeat notices too.
    pub(super) async fn listen(&self, store: &Store, held: Held, every: Duration) {
        loop {
            let changed = store.tasks_changed();
            match store.steer_take(held).await {
                Ok(new) => {
                    let mut waiting = self.waiting.lock().unwrap_or_else(|e| e.into_inner());
                    waiting.extend(new);
                }
                Err(StoreError::LostLease(_)) => std::future::pending().await,
                Err(error) => tracing::warn!(%error, "comments for the task cannot be read"),
            }
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(every) => {}
            }
        }
    }
}

/// A reviewer's comment on a line, in words for the model.
pub(super) fn thread_guidance(thread: &ReviewThread) -> String {
    let place = match thread.line {
        Some(line) => format!("`{}`, line {line}", thread.path),
        None => format!("`{}`", thread.path),
    };
    let mut text = format!("A reviewer's comment on {place}:\n{}", thread.text);
    if !thread.hunk.trim().is_empty() {
        text.push_str(&format!("\nIt stands under these lines:\n{}", thread.hunk));
    }
    text
}
