//! `mend open`: the way to the operator's pages.

use super::exit::{DONE, WrongUse};
use super::machine::Machine;
use super::out;
use crate::config::Settings;
use crate::domain::SystemClock;
use crate::store::Store;
use secrecy::ExposeSecret;
use serde_json::json;
use std::path::PathBuf;

/// Print a link that opens the pages of a running server, once
///
/// The pages are on this machine alone, at `web.operator`. Whoever opens the link within 15 minutes sees
/// every run and may stop and retry them.
#[derive(Debug, clap::Args)]
pub struct OpenArgs {
    /// The run to open; without it, all of them
    #[arg(value_parser = clap::value_parser!(i64).range(1..))]
    run: Option<i64>,
    /// Settings file; else MEND_CONFIG, else /etc/mend/config.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON on stdout
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(args: OpenArgs, machine: &Machine) -> anyhow::Result<u8> {
    machine.log("warn");
    let settings =
        Settings::load(args.config.as_deref(), &machine.environment).map_err(WrongUse::of)?;
    let Some(address) = settings.web.operator else {
        return Err(WrongUse::of(
            "`web.operator` is off, so there are no pages to open",
        ));
    };
    let url = settings.database.url.expose_secret();
    let store = Store::open_existing(url, SystemClock::shared()).await?;
    let path = args.run.map_or("/".to_string(), |n| format!("/runs/{n}"));
    let link = crate::app::invitation(&store, address, &path).await;
    store.close().await;
    let link = link?;
    match args.json {
        true => out::json(&json!({ "url": link }))?,
        false => out::line(&link),
    }
    Ok(DONE)
}
