//! The first back end: bubblewrap.

use super::cgroup::Cgroups;
use super::etc_folder::Etc;
use super::owner::{self, Owner};
use super::toolchain::Toolchains;
use super::{Backend, Ran, SandboxError, Settings, Spec, run, spec};
use crate::domain::Cancel;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the host has for it.
#[derive(Debug, Clone)]
pub(super) struct Bwrap {
    pub(super) bwrap: PathBuf,
    pub(super) program: PathBuf,
    pub(super) user: Option<Owner>,
    pub(super) toolchains: Toolchains,
    pub(super) cgroups: Cgroups,
    pub(super) etc: Arc<Etc>,
}

impl Bwrap {
    pub(super) fn untried(settings: &Settings) -> Result<Bwrap, SandboxError> {
        let program = match &settings.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()
                .map_err(|e| SandboxError::io("find mend's own program", e))?,
        };
        Ok(Bwrap {
            bwrap: spec::find_bwrap(settings)?,
            program,
            user: owner::outer_user(settings.user.as_deref())?,
            toolchains: Toolchains::find(&settings.path, &settings.read_only),
            cgroups: Cgroups::find(),
            etc: Arc::default(),
        })
    }
}

#[async_trait::async_trait]
impl Backend for Bwrap {
    async fn run(&self, spec: &Spec, cancel: &Cancel) -> Result<Ran, SandboxError> {
        run::run(self, spec, cancel).await.map(|(ran, _)| ran)
    }

    fn toolchain_folders(&self) -> Vec<PathBuf> {
        let folders = self.toolchains.folders();
        folders.map(|(host, _): (&Path, _)| host.into()).collect()
    }

    fn path_inside(&self) -> Option<String> {
        Some(self.toolchains.path())
    }

    fn takes_network(&self) -> bool {
        true
    }
}
