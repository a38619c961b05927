//! Which model a task asks, and where its conversation is kept.

use super::TaskError;
use crate::domain::TaskId;
use crate::fix::REVIEW_FOLDER;
use crate::model::{Model, Normalise, Recorder, Replay};
use crate::render::Trouble;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The models of a server.
pub struct Models {
    pub source: Source,
    /// Who reads the changes; `None` where nobody does.
    pub reviewer: Option<Source>,
    /// Where each task's conversation is recorded, in a folder of its own.
    pub record: Option<PathBuf>,
}

/// Where answers come from.
pub enum Source {
    /// Every task asks this model.
    One(Arc<dyn Model>),
    /// Each task plays the next recording; an attempt again goes on in the same one.
    Recordings {
        folders: Vec<PathBuf>,
        played: Mutex<Vec<TaskId>>,
    },
}

impl Source {
    pub fn recordings(folders: Vec<PathBuf>) -> Self {
        Source::Recordings {
            folders,
            played: Mutex::default(),
        }
    }

    fn of(&self, task: TaskId, answered: u32) -> Result<Arc<dyn Model>, TaskError> {
        match self {
            Source::One(model) => Ok(model.clone()),
            Source::Recordings { folders, played } => {
                let mut played = played.lock().unwrap_or_else(|e| e.into_inner());
                let n = played.iter().position(|t| *t == task).unwrap_or_else(|| {
                    played.push(task);
                    played.len() - 1
                });
                let folder = folders
                    .get(n)
                    .ok_or_else(|| TaskError::Person(Trouble::NoRecording))?;
                Ok(Arc::new(Replay::after(folder, answered)?))
            }
        }
    }
}

/// The models of one attempt.
pub(super) struct Cast {
    pub(super) worker: Arc<dyn Model>,
    /// Who reads the change; `None` where nobody does.
    pub(super) reviewer: Option<Arc<dyn Model>>,
    /// Where the turns are recorded, fresh for each attempt.
    pub(super) record: Option<PathBuf>,
}

impl Models {
    /// The models of an attempt, whose conversation holds so many answered turns of this task.
    ///
    /// # Errors
    /// `Person` when every recording was played; `Model` when one cannot be read or written.
    pub(super) fn of(&self, task: TaskId, attempt: u32, answered: u32) -> Result<Cast, TaskError> {
        let worker = self.source.of(task, answered)?;
        let reviewer = self.reviewer.as_ref().map(|r| r.of(task, 0)).transpose()?;
        let Some(record) = &self.record else {
            return Ok(Cast {
                worker,
                reviewer,
                record: None,
            });
        };
        let now = uuid::Uuid::new_v4().simple().to_string();
        let folder = record.join(format!("task-{task}-{attempt}-{}", &now[..8]));
        let recorded = |model, folder: &Path| -> Result<Arc<dyn Model>, TaskError> {
            Ok(Arc::new(Recorder::new(
                model,
                folder,
                Normalise::default(),
            )?))
        };
        Ok(Cast {
            worker: recorded(worker, &folder)?,
            reviewer: reviewer
                .map(|r| recorded(r, &folder.join(REVIEW_FOLDER)))
                .transpose()?,
            record: Some(folder),
        })
    }
}
