//! `mend doctor`: does this installation work?

use super::exit::{DONE, NO, WRONG_USE};
use super::machine::Machine;
use super::out;
use crate::app::{model_settings, sandbox_settings};
use crate::config::Settings;
use crate::domain::{RepoName, SystemClock};
use crate::onboard::{Doctor, Report, State, examine};
use std::path::PathBuf;

/// Prove that this installation works, and say what to do where it does not
///
/// Looks at the settings, the App (key, permissions, events, installations), a clone and a dry push,
/// the way of a webhook, the model with its tools, database, sandbox, toolchains, the proxy for
/// set-ups, disk and clock. Nothing is written to a repository. It works beside a running server,
/// before its first start (then it listens for one ping itself), and with settings that are wrong.
/// Exit code: 0 it works (warnings count as working), 1 something failed, 2 the settings are wrong,
/// 3 it could not run.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// Settings file; else MEND_CONFIG, else /etc/mend/config.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Try the clone on this repository; the smallest of the first installation without it
    #[arg(long, value_name = "OWNER/NAME")]
    repo: Option<RepoName>,
    /// Print one JSON document on stdout
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(args: DoctorArgs, machine: &Machine) -> anyhow::Result<u8> {
    machine.log("error");
    let settings = Settings::inspect(args.config.as_deref(), &machine.environment);
    let wrong = !settings.mistakes.is_empty();
    let report = of(settings, args.repo, machine).await;
    show(&report, args.json)?;
    Ok(match (wrong, report.state()) {
        (true, _) => WRONG_USE,
        (false, State::Failed) => NO,
        (false, _) => DONE,
    })
}

/// The doctor's report on these settings.
pub(super) async fn of(
    settings: crate::config::Inspection,
    repo: Option<RepoName>,
    machine: &Machine,
) -> Report {
    let engine = &settings.parts.engine;
    let roles = [
        ("reviewer", &engine.roles.reviewer),
        ("diagnoser", &engine.roles.diagnoser),
    ];
    let others = roles
        .iter()
        .filter_map(|(role, model)| Some((*role, model.as_ref()?)));
    let models = std::iter::once(("worker", &engine.model)).chain(others);
    let temporary = machine.environment.get("TMPDIR").unwrap_or("/tmp");
    let doctor = Doctor {
        models: models.map(|(role, m)| (role, model_settings(m))).collect(),
        replays: !engine.model.replay.is_empty(),
        sandbox: sandbox_settings(&engine.sandbox, &machine.environment),
        repo,
        temporary: temporary.into(),
        clock: SystemClock::shared(),
        redactor: machine.secrets.clone(),
        settings,
    };
    Box::pin(examine(&doctor)).await
}

fn show(report: &Report, json: bool) -> anyhow::Result<()> {
    if !json {
        report.lines().iter().for_each(|l| out::line(l));
        return Ok(());
    }
    out::json(&serde_json::json!({
        "state": report.state(),
        "findings": report.findings,
    }))
}
