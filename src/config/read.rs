//! The sections, read one by one; a mistake in one does not hide those of another.

use super::inspect::{GithubDraft, Parts};
use super::network;
use super::reader::Reader;
use super::sections::{
    DatabaseSettings, MetricsSettings, Permission, ReposSettings, SandboxSettings, ServerSettings,
};
use super::values::{absolute, absolute_list, is_branch_prefix, proxy, unix, url, web_of};
use super::{Engine, Settings, budget, models, prompts, publish, queue, secret_file};
use crate::domain::{Limits, RepoName};
use secrecy::SecretString;
use std::path::Path;
use toml::value::Datetime;

/// GitHub sends at most 25 MB.
const MOST_BODY: u64 = 25 * 1024 * 1024;
const BODY: u64 = 5 * 1024 * 1024;
/// A shorter secret can be guessed from one signed delivery.
const LEAST_SECRET: usize = 16;

/// Everything, and the parts that can be had by themselves; the first is `None` where GitHub's is
/// unusable.
pub(super) fn read(r: &mut Reader<'_>) -> (Option<Settings>, Parts) {
    let server = server(r);
    let github = github(r);
    let database = database(r, &server.state_dir);
    let engine = Engine {
        database: database.clone(),
        model: models::worker(r),
        roles: models::roles(r),
        agent: prompts::agent(r),
        limits: limits(r),
        sandbox: SandboxSettings {
            backend: r
                .parsed("sandbox.backend", "bwrap, docker or podman")
                .unwrap_or_default(),
            image: r.text("sandbox.image"),
            bwrap: absolute(r, "sandbox.bwrap"),
            read_only: absolute_list(r, "sandbox.read_only"),
            user: r.text("sandbox.user"),
        },
        network: network::network(r),
        setup: network::setup(r),
        git: super::git::git(r),
    };
    let repos = repos(r);
    let publish = publish::publish(r);
    let queue = queue::queue(r);
    let budget = budget::budget(r);
    let web = super::web::web(r);
    let metrics = MetricsSettings {
        listen: r.parsed(
            "metrics.listen",
            "an address and a port, such as 127.0.0.1:9464",
        ),
    };
    let parts = Parts {
        server: server.clone(),
        github: github.clone(),
        engine: engine.clone(),
        repos: repos.clone(),
    };
    let settings = github.whole().map(|github| Settings {
        server,
        github,
        model: engine.model.clone(),
        roles: engine.roles.clone(),
        agent: engine.agent.clone(),
        database,
        limits: engine.limits.clone(),
        sandbox: engine.sandbox.clone(),
        network: engine.network.clone(),
        setup: engine.setup.clone(),
        git: engine.git.clone(),
        repos,
        publish,
        queue,
        budget,
        web,
        metrics,
    });
    (settings, parts)
}

fn server(r: &mut Reader<'_>) -> ServerSettings {
    ServerSettings {
        listen: r
            .parsed(
                "server.listen",
                "an address and a port, such as 127.0.0.1:8080",
            )
            .unwrap_or_else(|| ([127, 0, 0, 1], 8080).into()),
        body_limit_bytes: r
            .number("server.body_limit_bytes", 1024, MOST_BODY)
            .unwrap_or(BODY) as usize,
        state_dir: absolute(r, "server.state_dir").unwrap_or_else(|| "/var/lib/mend".into()),
        workers: r.number("server.workers", 1, 256).unwrap_or(2) as usize,
        lease_s: r.number("server.lease_s", 2, 3600).unwrap_or(60),
        trace_days: r.number("server.trace_days", 1, 3650).unwrap_or(30),
        trace_mb: r.number("server.trace_mb", 1, 1 << 20).unwrap_or(1024),
    }
}

fn github(r: &mut Reader<'_>) -> GithubDraft {
    let app_id = r.number("github.app_id", 1, u64::MAX);
    required(
        r,
        "github.app_id",
        "the number of the GitHub App, on its settings page",
    );
    let private_key = private_key(r);
    let webhook_secret = shared_secret(r, "github.webhook_secret");
    required(
        r,
        "github.webhook_secret",
        "the secret that GitHub signs webhooks with",
    );
    let webhook_secret_old = shared_secret(r, "github.webhook_secret_old");
    let until: Option<Datetime> = r.parsed(
        "github.webhook_secret_old_until",
        "a time, such as 2027-01-31T12:00:00Z",
    );
    let until = until.and_then(|at| {
        let seconds = unix(&at);
        if seconds.is_none() {
            r.wrong(
                "github.webhook_secret_old_until",
                format!("is {at}: it must be a date and a time, such as 2027-01-31T12:00:00Z"),
            );
        }
        seconds
    });
    let base_url = url(r, "github.base_url").unwrap_or_else(|| "https://api.github.com".into());
    let web_url = url(r, "github.web_url").unwrap_or_else(|| web_of(&base_url));
    let label = r.text("github.label").unwrap_or_else(|| "mend".into());
    if label.trim().is_empty() || label.chars().count() > 50 {
        r.wrong("github.label", "must have 1 to 50 characters");
    }
    let branch_prefix = r
        .text("github.branch_prefix")
        .unwrap_or_else(|| "mend/".into());
    if !is_branch_prefix(&branch_prefix) {
        r.wrong(
            "github.branch_prefix",
            "must be the beginning of a branch's name and end in a slash, such as mend/",
        );
    }
    let permission = r
        .parsed("github.permission", "triage, write, maintain or admin")
        .unwrap_or(Permission::Write);
    let poll_s = r.number("github.poll_s", 5, 24 * 3600);
    let reconcile_s = r.number("github.reconcile_s", 60, 30 * 24 * 3600);
    let ca_file = absolute(r, "github.ca_file");
    let proxy = proxy(r, "github.proxy");
    GithubDraft {
        app_id,
        private_key,
        webhook_secret,
        webhook_secret_old,
        webhook_secret_old_until: until,
        base_url,
        web_url,
        label: label.trim().to_string(),
        branch_prefix,
        permission,
        poll_s,
        reconcile_s: reconcile_s.unwrap_or(6 * 3600),
        ca_file,
        proxy,
    }
}

pub(super) fn required(r: &mut Reader<'_>, key: &str, what: &str) {
    if !r.is_set(key) {
        r.missing(key, what);
    }
}

/// The App's key, in the settings or in a file of its own.
fn private_key(r: &mut Reader<'_>) -> Option<SecretString> {
    let (inline, file) = ("github.private_key", "github.private_key_path");
    let (key, pem) = match (r.secret(inline), absolute(r, file)) {
        (Some(_), Some(_)) => {
            r.wrong(inline, format!("and `{file}` are both set: keep one"));
            return None;
        }
        // Compose files and unit files write a key on one line.
        (Some(pem), None) => (inline, pem.replace("\\n", "\n")),
        (None, Some(path)) => match secret_file::read(&path) {
            Ok(pem) => (file, pem),
            Err(why) => {
                r.wrong(file, format!("is {}, which {why}", path.display()));
                return None;
            }
        },
        (None, None) => {
            if !r.is_set(inline) && !r.is_set(file) {
                r.missing(
                    file,
                    "the file of the App's private key (or `github.private_key`, the key itself)",
                );
            }
            return None;
        }
    };
    let pem = pem.trim();
    if !pem.starts_with("-----BEGIN ") || !pem.contains("PRIVATE KEY-----\n") {
        r.wrong(
            key,
            "is no PEM private key: it begins with -----BEGIN RSA PRIVATE KEY-----",
        );
        return None;
    }
    Some(format!("{pem}\n").into())
}

fn shared_secret(r: &mut Reader<'_>, key: &str) -> Option<SecretString> {
    let secret = r.secret(key)?;
    if secret.trim().len() < LEAST_SECRET {
        r.wrong(
            key,
            format!(
                "is too short: use at least {LEAST_SECRET} random characters, \
                 such as `openssl rand -hex 32` prints"
            ),
        );
        return None;
    }
    Some(secret.into())
}

fn database(r: &mut Reader<'_>, state_dir: &Path) -> DatabaseSettings {
    let key = "database.url";
    let url = r.secret(key).unwrap_or_else(|| default_database(state_dir));
    let schemes = ["sqlite:", "postgres://", "postgresql://"];
    if !schemes.iter().any(|s| url.starts_with(s)) {
        r.wrong(key, "must begin with `sqlite:` or `postgres://`");
    }
    DatabaseSettings { url: url.into() }
}

/// `sqlite:` and the path, with what means something in a URL escaped.
fn default_database(state_dir: &Path) -> String {
    let path = state_dir.join("mend.db").display().to_string();
    let path = path.replace('%', "%25").replace('?', "%3F");
    format!("sqlite:{}", path.replace('#', "%23"))
}

fn limits(r: &mut Reader<'_>) -> Limits {
    let plain = Limits::default();
    let small = u64::from(u32::MAX);
    let day = 86_400;
    Limits {
        turns: r
            .number("limits.turns", 1, small)
            .map_or(plain.turns, |n| n as u32),
        wall_s: r.number("limits.wall_s", 1, day).unwrap_or(plain.wall_s),
        check_s: r.number("limits.check_s", 1, day).unwrap_or(plain.check_s),
        input_tokens: r
            .number("limits.input_tokens", 1, u64::MAX)
            .unwrap_or(plain.input_tokens),
        dollars: r.amount("limits.dollars"),
        tool_result_bytes: r
            .number("limits.tool_result_bytes", 1024, 16 * 1024 * 1024)
            .map_or(plain.tool_result_bytes, |n| n as usize),
        reruns: r
            .number("limits.reruns", 0, 10)
            .map_or(plain.reruns, |n| n as u32),
    }
}

fn repos(r: &mut Reader<'_>) -> ReposSettings {
    let mut allow = Vec::new();
    for entry in r.list("repos.allow") {
        let probe = entry
            .strip_suffix("/*")
            .map_or_else(|| entry.clone(), |owner| format!("{owner}/x"));
        match probe.parse::<RepoName>() {
            Ok(_) => allow.push(entry.to_lowercase()),
            Err(_) => r.wrong(
                "repos.allow",
                format!(
                    "has `{}`: each entry must be owner/name or owner/*",
                    entry.escape_debug()
                ),
            ),
        }
    }
    let mut count = |key: &str, plain: u32| {
        let most = u64::from(u32::MAX);
        r.number(key, 0, most).map_or(plain, |n| n as u32)
    };
    ReposSettings {
        running: count("repos.running", 1),
        person_per_hour: count("repos.person_per_hour", 20),
        repo_per_hour: count("repos.repo_per_hour", 60),
        installation_per_hour: count("repos.installation_per_hour", 200),
        allow,
    }
}
