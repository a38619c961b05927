//! What is wrong with a file of settings.

/// An error of the room `config`: never transient, a person has to change something.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// One line per mistake, each naming its key.
    #[error("{file}: {}", mistakes.join("; "))]
    Mistakes { file: String, mistakes: Vec<String> },
}

impl ConfigError {
    /// The mistakes one by one.
    pub fn mistakes(&self) -> &[String] {
        match self {
            ConfigError::Mistakes { mistakes, .. } => mistakes,
        }
    }

    /// Whether the same call may succeed when it is made again: never.
    pub fn is_transient(&self) -> bool {
        false
    }
}
