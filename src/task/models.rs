//! Which model a task asks.

use crate::domain::TaskId;
use crate::model::{Model, ModelError, Replay};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The models of a server.
pub enum Models {
    /// Every task asks this one.
    One(Arc<dyn Model>),
    /// Each task plays the next recording, from its start; an attempt again plays the same one.
    Recordings {
        folders: Vec<PathBuf>,
        played: Mutex<Vec<TaskId>>,
    },
}

impl Models {
    pub fn recordings(folders: Vec<PathBuf>) -> Self {
        Models::Recordings {
            folders,
            played: Mutex::default(),
        }
    }

    /// The model of a task.
    ///
    /// # Errors
    /// `Recording` when every recording was played.
    pub(super) fn of(&self, task: TaskId) -> Result<Arc<dyn Model>, ModelError> {
        match self {
            Models::One(model) => Ok(model.clone()),
            Models::Recordings { folders, played } => {
                let mut played = played.lock().unwrap_or_else(|e| e.into_inner());
                let n = played.iter().position(|t| *t == task).unwrap_or_else(|| {
                    played.push(task);
                    played.len() - 1
                });
                let folder = folders.get(n).ok_or_else(|| ModelError::Recording {
                    path: folders.last().cloned().unwrap_or_default(),
                    message: format!(
                        "all {} recordings were played; a real model goes on from here",
                        folders.len()
                    ),
                })?;
                Ok(Arc::new(Replay::open(folder)?))
            }
        }
    }
}
