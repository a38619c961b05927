//! Which model a task asks.

use super::TaskError;
use crate::domain::TaskId;
use crate::model::{Model, Replay};
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
    /// `Person` when every recording was played; `Model` when one cannot be read.
    pub(super) fn of(&self, task: TaskId) -> Result<Arc<dyn Model>, TaskError> {
        match self {
            Models::One(model) => Ok(model.clone()),
            Models::Recordings { folders, played } => {
                let mut played = played.lock().unwrap_or_else(|e| e.into_inner());
                let n = played.iter().position(|t| *t == task).unwrap_or_else(|| {
                    played.push(task);
                    played.len() - 1
                });
                let folder = folders.get(n).ok_or_else(|| {
                    let why = "the recorded model has no answers for a further run; name a real model to go on";
                    TaskError::Person(why.to_string())
                })?;
                Ok(Arc::new(Replay::open(folder)?))
            }
        }
    }
}
