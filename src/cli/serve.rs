//! `mend serve`: the bot.

use super::exit::{DONE, WrongUse};
use super::machine::Machine;
use crate::app::{Extra, Role, Server};
use crate::config::Settings;
use crate::task::Times;
use std::path::PathBuf;
use std::time::Duration;

/// Receive webhooks and work on tasks
///
/// Settings come from --config, else from the file that MEND_CONFIG names, else from
/// /etc/mend/config.toml; a variable overrides each key (`github.app_id` is MEND_GITHUB_APP_ID).
#[derive(Debug, clap::Args)]
pub struct ServeArgs {
    /// Settings file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What this process does; more than one needs a PostgreSQL database that they share
    #[arg(long, value_enum, default_value_t)]
    role: Role,
}

pub(super) async fn run(args: ServeArgs, machine: &Machine) -> anyhow::Result<u8> {
    machine.log("info");
    let settings =
        Settings::load(args.config.as_deref(), &machine.environment).map_err(WrongUse::of)?;
    let stop = machine.stop_signal()?;
    let extra = Extra {
        role: args.role,
        times: Times::with_lease(Duration::from_secs(settings.server.lease_s)),
        redactor: machine.secrets.clone(),
        ..Extra::default()
    };
    let server = Server::start(&settings, &machine.environment, extra)
        .await
        .map_err(|e| match e.is_setting() {
            true => WrongUse::of(e),
            false => e.into(),
        })?;
    stop.cancelled().await;
    tracing::info!("stopping");
    server.stop().await;
    Ok(DONE)
}
