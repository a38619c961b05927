//! `mend demo`: the whole job on this machine.

use super::exit::{DONE, NO};
use super::fix::ModelArgs;
use super::machine::Machine;
use super::out;
use super::terminal::Terminal;
use crate::app::demo::{Demo, Ended, MAINTAINER};
use crate::domain::{Cancel, Verdict};
use std::sync::Arc;
use std::time::Duration;

/// Show the whole job on this machine, with nothing configured
///
/// Starts a simulated GitHub on loopback, pushes a small project with a bug, opens an issue and
/// labels it `mend`. The bot does the rest: a real clone, real checks in a real sandbox, a pull
/// request. The answers of the model are recorded, unless the options below name an endpoint.
#[derive(Debug, clap::Args)]
pub struct DemoArgs {
    /// End after the first pull request instead of staying up to be looked at
    #[arg(long)]
    once: bool,
    /// Print one JSON document on stdout; implies --once
    #[arg(long)]
    json: bool,
    /// Port of the simulated GitHub; a free one without it
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    #[command(flatten)]
    model: ModelArgs,
}

/// As long as people look.
const FOREVER: Duration = Duration::from_secs(30 * 24 * 3600);
/// The longest that one task of the demo may take.
const LONGEST: Duration = Duration::from_secs(3600);

pub(super) async fn run(args: DemoArgs, machine: &Machine) -> anyhow::Result<u8> {
    machine.log("warn");
    let asked = args.model.model.is_some()
        || args.model.wire.is_some()
        || args.model.replay.is_some()
        || args.model.config.is_some();
    // Without a model named here, what is configured for a real server does not count.
    let said = match asked {
        true => args.model.over(machine, None)?,
        false => crate::config::Environment::of([
            ("MEND_CONFIG", "/dev/null"),
            ("MEND_MODEL_REPLAY", "/"),
        ]),
    };
    let mut engine = machine.engine(args.model.config.as_deref(), &said)?;
    if !asked {
        engine.model.replay.clear();
    }
    let stop = machine.stop_signal()?;
    let scratch = machine.scratch()?;
    let terminal = Arc::new(Terminal::new(machine.colour()));
    terminal.say("starting a simulated GitHub and mend");
    let demo = Demo::start(
        engine,
        &machine.environment,
        scratch.path(),
        args.port,
        terminal.clone(),
    )
    .await?;
    terminal.say(&format!("issue labelled `mend`: {}", demo.issue_url()));
    if !args.once
        && !args.json
        && let Some(page) = demo.page_url("/runs/1").await?
    {
        terminal.say(&format!("watch the run (this link works once): {page}"));
    }
    let done = watch(&args, &demo, &terminal, &stop).await;
    terminal.say("ending, and removing what the demo made");
    demo.stop().await?;
    scratch.close()?;
    done
}

async fn watch(
    args: &DemoArgs,
    demo: &Demo,
    terminal: &Terminal,
    stop: &Cancel,
) -> anyhow::Result<u8> {
    let first = tokio::select! {
        ended = demo.task(0, LONGEST) => ended?,
        () = stop.cancelled() => {
            out::error("stopped before the task had ended");
            return Ok(NO);
        }
    };
    if args.json {
        out::json(&first.document)?;
    } else {
        show(demo, &first, terminal);
    }
    if !args.once && !args.json {
        stay(demo, terminal, stop).await?;
    }
    Ok(if first.verdict == Verdict::Ready {
        DONE
    } else {
        NO
    })
}

fn show(demo: &Demo, ended: &Ended, terminal: &Terminal) {
    terminal.say(&format!(
        "task {} ended: {}",
        ended.task.id,
        ended.verdict.words()
    ));
    let published = !ended.document["pull_request"].is_null();
    match demo.pull().filter(|_| published) {
        Some(pull) => out::line(&format!(
            "\nPull request #{}: {}{}\n{} into {}\n\n{}\n",
            pull.number,
            pull.title,
            if pull.draft { " (draft)" } else { "" },
            pull.head,
            pull.base,
            pull.body
        )),
        None => out::line(&format!(
            "\nThis run published nothing; its comment on the issue:\n\n{}\n",
            demo.last_word()
        )),
    }
}

/// Stays up, and shows every further run, until Ctrl-C.
async fn stay(demo: &Demo, terminal: &Terminal, stop: &Cancel) -> anyhow::Result<()> {
    let page = demo.page_url("/runs/1").await?;
    let page = page.map_or(String::new(), |page| {
        format!(
            "The run, step by step (this link works once; the tab stays logged in):\n  {page}\n"
        )
    });
    out::line(&format!(
        "{page}Look at the pull request and the issue in a browser:\n  {}\n  {}\nA comment there by {MAINTAINER}, `/mend retry` with what should be \
         different, runs it again. Ctrl-C ends the demo.",
        demo.pull().map_or(demo.issue_url(), |p| p.url),
        demo.issue_url(),
    ));
    for already in 1.. {
        tokio::select! {
            ended = demo.task(already, FOREVER) => {
                show(demo, &ended?, terminal);
                terminal.say("Ctrl-C ends the demo");
            }
            () = stop.cancelled() => break,
        }
    }
    Ok(())
}
