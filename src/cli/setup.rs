//! `mend setup`: from nothing to settings that work, in a browser, on the terminal or by flags.

use super::exit::{DONE, NO, WrongUse};
use super::machine::Machine;
use super::{doctor, out, setup_ask};
use crate::config::{DEFAULT_FILE, Settings};
use crate::domain::SystemClock;
use crate::onboard::{
    Deliveries, ModelChoice, Provider, Report, Settled, SetupError, Stands, State, Wizard,
    installed_on,
};
use secrecy::SecretString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Make the GitHub App, choose the model, write the settings, and prove that they work
///
/// Serves a page on this machine alone and prints its address. --no-browser asks on the terminal
/// instead, and takes every answer that a flag gives; with all of them it asks nothing. Secrets are
/// read from files or variables, never from the command line, and written with mode 0600. Settings
/// that are there stay, unless --replace is said.
#[derive(Debug, clap::Args)]
pub struct SetupArgs {
    /// Settings file to write [default: /etc/mend/config.toml as root, else ~/.config/mend/config.toml]
    #[arg(long, value_name = "FILE", env = "MEND_CONFIG")]
    config: Option<PathBuf>,
    /// Folder for database, mirrors and worktrees
    #[arg(long, value_name = "FOLDER")]
    state_dir: Option<PathBuf>,
    /// Where `mend serve` will listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Another GitHub: a GitHub Enterprise Server's address
    #[arg(long, value_name = "URL", default_value = "https://github.com")]
    github_url: String,
    /// Certificates (PEM) that are trusted besides the system's, for GitHub
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// The proxy through which GitHub is reached, http://HOST:PORT; with a password better as MEND_GITHUB_PROXY
    #[arg(
        long,
        value_name = "URL",
        env = "MEND_GITHUB_PROXY",
        hide_env_values = true
    )]
    proxy: Option<String>,
    /// The organisation that owns the App; your own account without it
    #[arg(long, value_name = "NAME", default_value = "")]
    org: String,
    /// The App's name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Where GitHub reaches this machine, through a proxy or a tunnel
    #[arg(long, value_name = "URL", conflicts_with = "poll")]
    public_url: Option<String>,
    /// GitHub cannot reach this machine: ask it every so many seconds
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "30", value_parser = clap::value_parser!(u64).range(5..=86_400))]
    poll: Option<u64>,
    /// Ask on the terminal instead of serving a page
    #[arg(long)]
    no_browser: bool,
    /// Port of the page; a free one without it
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// An App that exists already: its number (with --private-key and the webhook secret)
    #[arg(long, value_name = "NUMBER", requires = "private_key")]
    app_id: Option<u64>,
    /// The App's key, a PEM file; it is copied
    #[arg(long, value_name = "FILE", requires = "app_id")]
    private_key: Option<PathBuf>,
    /// File with the webhook secret; else MEND_GITHUB_WEBHOOK_SECRET
    #[arg(long, value_name = "FILE", requires = "app_id")]
    webhook_secret_file: Option<PathBuf>,
    /// Who serves the model: anthropic, openai, compatible or local
    #[arg(long, value_name = "NAME")]
    provider: Option<Provider>,
    /// The model's name as its endpoint knows it
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The model's address
    #[arg(long, value_name = "URL")]
    model_url: Option<String>,
    /// File with the model's key; else MEND_MODEL_API_KEY
    #[arg(long, value_name = "FILE")]
    model_key_file: Option<PathBuf>,
    /// Replace settings that are there; the old file is kept beside
    #[arg(long)]
    replace: bool,
}

/// What flags and variables said.
pub(super) struct Said {
    pub name: Option<String>,
    pub org: String,
    pub deliveries: Option<Deliveries>,
    pub existing: Option<Existing>,
    pub provider: Option<Provider>,
    pub model: Option<String>,
    pub model_url: Option<String>,
    pub model_key: Option<String>,
}

/// An App that is there already.
pub(super) struct Existing {
    pub id: u64,
    pub pem: SecretString,
    pub webhook_secret: SecretString,
}

impl Said {
    /// The model, when enough was said.
    pub(super) fn choice(&self) -> Option<Result<ModelChoice, SetupError>> {
        let (provider, model) = (self.provider?, self.model.as_deref()?);
        let url = self.model_url.as_deref().unwrap_or_default();
        let key = self.model_key.as_deref().unwrap_or_default();
        Some(ModelChoice::new(provider, model, url, key))
    }
}

pub(super) async fn run(args: SetupArgs, machine: &Machine) -> anyhow::Result<u8> {
    machine.log("error");
    let (settled, said) = settle(&args, machine)?;
    let by_flags = said.existing.is_some() && said.choice().is_some();
    let report = match args.no_browser || by_flags {
        true => setup_ask::run(&settled, &said, machine).await?,
        false => serve(&args, &settled, said, machine).await?,
    };
    let Some(report) = report else {
        out::error("not finished; `mend setup` goes on from here");
        return Ok(NO);
    };
    out::line(&format!("\nStart it: {}", command(&settled.file)));
    Ok(match report.state() {
        State::Failed => NO,
        _ => DONE,
    })
}

fn settle(args: &SetupArgs, machine: &Machine) -> anyhow::Result<(Settled, Said)> {
    let root = rustix::process::geteuid().is_root();
    let home = machine.environment.home();
    let beneath = |variable: &str, usual: &str| -> anyhow::Result<PathBuf> {
        let named = machine.environment.get(variable).map(PathBuf::from);
        let folder = named.or_else(|| home.as_ref().map(|h| h.join(usual)));
        let folder =
            folder.ok_or_else(|| WrongUse::of("name a file with --config: HOME is not set"))?;
        Ok(folder.join("mend"))
    };
    let file = match (&args.config, root) {
        (Some(file), _) => std::path::absolute(file)?,
        (None, true) => DEFAULT_FILE.into(),
        (None, false) => beneath("XDG_CONFIG_HOME", ".config")?.join("config.toml"),
    };
    let state_dir = match (&args.state_dir, root) {
        (Some(folder), _) => std::path::absolute(folder)?,
        (None, true) => "/var/lib/mend".into(),
        (None, false) => beneath("XDG_STATE_HOME", ".local/state")?,
    };
    let deliveries = match (&args.public_url, args.poll) {
        (Some(url), _) => Some(Deliveries::public(url).map_err(WrongUse::of)?),
        (None, Some(seconds)) => Some(Deliveries::Poll(seconds)),
        (None, None) => None,
    };
    let secret = |file: &Option<PathBuf>, variable: &str| -> anyhow::Result<Option<String>> {
        match file {
            Some(file) => Ok(Some(read(file)?.trim().to_string())),
            None => Ok(machine.environment.get(variable).map(String::from)),
        }
    };
    let existing = match (args.app_id, &args.private_key) {
        (Some(id), Some(key)) => Some(Existing {
            id,
            pem: read(key)?.into(),
            webhook_secret: secret(&args.webhook_secret_file, "MEND_GITHUB_WEBHOOK_SECRET")?
                .ok_or_else(|| {
                    WrongUse::of("the webhook secret is missing: --webhook-secret-file, or MEND_GITHUB_WEBHOOK_SECRET")
                })?
                .into(),
        }),
        _ => None,
    };
    let settled = Settled {
        file,
        state_dir,
        listen: args.listen,
        github_url: args.github_url.trim_end_matches('/').to_string(),
        ca_file: args.ca_file.as_ref().map(std::path::absolute).transpose()?,
        proxy: args.proxy.clone().map(SecretString::from),
        replace: args.replace,
    };
    let said = Said {
        name: args.name.clone(),
        org: args.org.clone(),
        deliveries,
        existing,
        provider: args.provider,
        model: args.model.clone(),
        model_url: args.model_url.clone(),
        model_key: secret(&args.model_key_file, "MEND_MODEL_API_KEY")?,
    };
    Ok((settled, said))
}

fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file)
        .map_err(|e| WrongUse::of(format!("cannot read {}: {e}", file.display())))
}

fn command(file: &Path) -> String {
    match file == Path::new(DEFAULT_FILE) {
        true => "mend serve".into(),
        false => format!("mend serve --config {}", file.display()),
    }
}

async fn serve(
    args: &SetupArgs,
    settled: &Settled,
    said: Said,
    machine: &Machine,
) -> anyhow::Result<Option<Report>> {
    let stop = machine.stop_signal()?;
    let (environment, secrets) = (machine.environment.clone(), machine.secrets.clone());
    let public_url = match &said.deliveries {
        Some(Deliveries::Public(url)) => url.clone(),
        _ => String::new(),
    };
    let wizard = Wizard {
        settled: settled.clone(),
        name: said.name.clone().unwrap_or_else(|| "mend".into()),
        org: said.org.clone(),
        public_url,
        examine: Arc::new(move |file| {
            let machine = Machine {
                environment: environment.clone(),
                secrets: secrets.clone(),
            };
            Box::pin(async move { examine(&file, &machine).await })
        }),
        installed: Arc::new(|file| {
            Box::pin(async move {
                let settings = Settings::inspect(Some(&file), &Default::default());
                installed_on(&settings, SystemClock::shared()).await
            })
        }),
        command: command(&settled.file),
    };
    let served = wizard.serve(args.port).await?;
    out::line("Open this address in a browser on this machine; it works once:\n");
    out::line(&format!("    {}\n", served.url));
    out::line(&format!(
        "From elsewhere: ssh -L {0}:127.0.0.1:{0} THIS-MACHINE first, or `mend setup --no-browser`.",
        port_of(&served.url)
    ));
    Ok(served.finished(&stop).await)
}

fn port_of(url: &str) -> &str {
    let rest = url.strip_prefix("http://127.0.0.1:").unwrap_or_default();
    rest.split('/').next().unwrap_or_default()
}

/// The doctor's report on settings that were just written.
pub(super) async fn examine(file: &Path, machine: &Machine) -> Report {
    let settings = Settings::inspect(Some(file), &machine.environment);
    doctor::of(settings, None, machine).await
}

/// Whether settings stand in the way.
pub(super) fn is_taken(settled: &Settled) -> bool {
    settled.stands() == Stands::Whole && !settled.replace
}
