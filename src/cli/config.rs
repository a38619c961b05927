//! `mend config`: the settings themselves.

use super::exit::{DONE, WrongUse};
use super::machine::Machine;
use super::out;
use crate::config::{Settings, reference};
use clap::Subcommand;
use std::path::PathBuf;

/// Check the settings, or tell what there is to set
#[derive(Debug, clap::Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print the reference of every setting, in Markdown
    Reference,
    /// Read the settings and name every mistake; exit code 2 when there is one
    Check {
        /// Settings file; else MEND_CONFIG, else /etc/mend/config.toml
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
}

pub(super) fn run(args: ConfigArgs, machine: &Machine) -> anyhow::Result<u8> {
    match args.what {
        What::Reference => out::line(reference().trim_end()),
        What::Check { config } => {
            Settings::load(config.as_deref(), &machine.environment).map_err(WrongUse::of)?;
            out::line("no mistake");
        }
    }
    Ok(DONE)
}
