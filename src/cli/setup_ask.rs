//! `mend setup --no-browser`: questions on the terminal, as far as flags have not answered them.

use super::exit::WrongUse;
use super::machine::Machine;
use super::out;
use super::setup::{Existing, Said, examine, is_taken};
use crate::github::RegisteredApp;
use crate::onboard::{
    Deliveries, KnownApp, ModelChoice, Provider, Registration, Report, Settled, SetupError, Stands,
    exchange, prove,
};
use std::io::{BufRead, IsTerminal, Write};

/// Where GitHub leads the browser: nothing is there, and the address holds the code.
const NOWHERE: &str = "http://127.0.0.1:1/created";

pub(super) async fn run(
    settled: &Settled,
    said: &Said,
    machine: &Machine,
) -> anyhow::Result<Option<Report>> {
    let mut settled = settled.clone();
    if is_taken(&settled) {
        let file = settled.file.display();
        if said.existing.is_some()
            || !yes(&format!(
                "{file} is there already. Replace it, and keep the old one beside?"
            ))?
        {
            return Err(WrongUse::of(format!(
                "{file} is there already and stays as it is: name another file with --config, or say --replace"
            )));
        }
        settled.replace = true;
    }
    let app = match settled.stands() {
        Stands::App(known) => {
            out::line(&format!(
                "App {} is in {} already.",
                known.id,
                settled.file.display()
            ));
            known
        }
        _ => app(&settled, said).await?,
    };
    if said.existing.is_none() && !app.page.is_empty() {
        out::line(&format!(
            "\nInstall it on repositories: {}/installations/new",
            app.page
        ));
        line("Press Enter when that is done: ")?;
    }
    model(&settled, said).await?;
    out::line("\nThe settings are written. How they stand:\n");
    let report = examine(&settled.file, machine).await;
    report.lines().iter().for_each(|l| out::line(l));
    Ok(Some(report))
}

async fn app(settled: &Settled, said: &Said) -> anyhow::Result<KnownApp> {
    let how = match &said.deliveries {
        Some(how) => how.clone(),
        None => deliveries(settled)?,
    };
    if let Some(existing) = &said.existing {
        return settled.keep_app(&known(existing), &how).map_err(choice);
    }
    let name = match &said.name {
        Some(name) => name.clone(),
        None => or(line("Name of the App [mend]: ")?, "mend"),
    };
    let begun = Registration::begin(&settled.github_url, &said.org, &name, how, NOWHERE);
    let begun = begun.map_err(choice)?;
    out::line("\nOpen this address in a browser that is logged in at GitHub, on any machine:\n");
    out::line(&begun.address());
    out::line(
        "\nCreate the App there. The browser then ends at an address that begins with\n\
         http://127.0.0.1:1/created?code=… and shows an error, which is as it should be.",
    );
    loop {
        let pasted = line("Paste that address: ")?;
        let done = match begun.code_in(&pasted) {
            Ok(code) => exchange(settled, &code).await,
            Err(error) => Err(error),
        };
        match done {
            Ok(app) => return settled.keep_app(&app, &begun.deliveries).map_err(choice),
            Err(error) if std::io::stdin().is_terminal() => out::error(&error.to_string()),
            Err(error) => return Err(choice(error)),
        }
    }
}

fn known(existing: &Existing) -> RegisteredApp {
    RegisteredApp {
        id: existing.id,
        slug: String::new(),
        html_url: String::new(),
        owner: None,
        client_id: String::new(),
        client_secret: String::new().into(),
        webhook_secret: existing.webhook_secret.clone(),
        pem: existing.pem.clone(),
    }
}

fn deliveries(settled: &Settled) -> anyhow::Result<Deliveries> {
    out::line("How do GitHub's webhooks get here?");
    out::line("  an address  https://… of a proxy or a tunnel that leads here");
    out::line("  nothing     mend asks GitHub every 30 seconds");
    let answer = line(&format!(
        "Public address, passed on to {}; empty for none: ",
        settled.listen
    ))?;
    match answer.trim() {
        "" => Ok(Deliveries::Poll(30)),
        url => Deliveries::public(url).map_err(choice),
    }
}

async fn model(settled: &Settled, said: &Said) -> anyhow::Result<()> {
    loop {
        let chosen = match said.choice() {
            Some(chosen) => chosen.map_err(choice)?,
            None => ask_model(said)?,
        };
        match prove(&chosen).await {
            Ok(finding) => {
                out::line(&finding.what);
                if !finding.remedy.is_empty() {
                    out::line(&format!("→ {}", finding.remedy));
                }
                settled.keep_model(&chosen).map_err(choice)?;
                return Ok(());
            }
            Err(finding) => {
                let why = format!("{}; {}", finding.what, finding.remedy);
                if said.choice().is_some() || !std::io::stdin().is_terminal() {
                    return Err(WrongUse::of(why));
                }
                out::error(&why);
            }
        }
    }
}

fn ask_model(said: &Said) -> anyhow::Result<ModelChoice> {
    let provider = match said.provider {
        Some(provider) => provider,
        None => {
            let answer = line("Who serves the model (anthropic, openai, compatible, local)? ")?;
            answer
                .parse::<Provider>()
                .map_err(|why| WrongUse::of(format!("`{}` {why}", answer.trim())))?
        }
    };
    let model = match &said.model {
        Some(model) => model.clone(),
        None => line("Model, as its endpoint knows it: ")?,
    };
    let url = match (&said.model_url, provider) {
        (Some(url), _) => url.clone(),
        (None, Provider::Compatible) => line("Address of the endpoint: ")?,
        (None, Provider::Local) => line("Address [http://127.0.0.1:11434]: ")?,
        _ => String::new(),
    };
    let key = match &said.model_key {
        Some(key) => key.clone(),
        None => hidden("Key (empty for none; not shown): ")?,
    };
    ModelChoice::new(provider, &model, &url, &key).map_err(choice)
}

/// A wrong answer is wrong use; the rest is not.
fn choice(error: SetupError) -> anyhow::Error {
    match error {
        SetupError::Choice(why) => WrongUse::of(why),
        other => other.into(),
    }
}

fn or(text: String, usual: &str) -> String {
    match text.trim().is_empty() {
        true => usual.into(),
        false => text,
    }
}

fn yes(question: &str) -> anyhow::Result<bool> {
    let answer = line(&format!("{question} [y/N] "))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// One answer; the end of the input is none.
fn line(question: &str) -> anyhow::Result<String> {
    let mut to = std::io::stderr();
    let _ = write!(to, "{question}").and_then(|()| to.flush());
    let mut answer = String::new();
    if std::io::stdin().lock().read_line(&mut answer)? == 0 {
        return Err(WrongUse::of(
            "there is no answer to read: give it by a flag (`mend setup --help`)",
        ));
    }
    Ok(answer.trim_end_matches(['\n', '\r']).to_string())
}

/// An answer that the terminal does not show.
fn hidden(question: &str) -> anyhow::Result<String> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let stdin = std::io::stdin();
    let Ok(before) = tcgetattr(&stdin) else {
        return line(question);
    };
    let mut quiet = before.clone();
    quiet.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Now, &quiet)?;
    let answer = line(question);
    tcsetattr(&stdin, OptionalActions::Now, &before)?;
    let _ = writeln!(std::io::stderr());
    answer
}
