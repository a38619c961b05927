//! What confines a command.

use std::str::FromStr;

/// The ways that mend knows, by the names in its settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BackendKind {
    /// bubblewrap.
    #[default]
    Bwrap,
    Docker,
    Podman,
}

impl BackendKind {
    pub const ALL: [BackendKind; 3] =
        [BackendKind::Bwrap, BackendKind::Docker, BackendKind::Podman];

    /// The name in settings, and of the program.
    pub fn name(self) -> &'static str {
        match self {
            BackendKind::Bwrap => "bwrap",
            BackendKind::Docker => "docker",
            BackendKind::Podman => "podman",
        }
    }
}

impl FromStr for BackendKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = BackendKind::ALL.into_iter().find(|k| k.name() == text);
        found.ok_or_else(|| format!("`{text}` is no sandbox; use bwrap, docker or podman"))
    }
}
