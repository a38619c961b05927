//! The App: reachable, with this key, with the permissions and events of the manifest, installed.

use super::Doctor;
use crate::github::{AppInfo, Github, GithubError, Installation, needed_permissions};
use crate::onboard::manifest::AppManifest;
use crate::onboard::report::{Finding, State};
use std::collections::BTreeMap;

/// Seconds by which clocks may differ without a word.
const SKEW_S: i64 = 30;
/// Seconds from which on other parts (certificates, a model's signatures) may fail too.
const FAR_OFF_S: i64 = 300;

/// What the App is, and an installation to try.
pub(super) async fn look(doctor: &Doctor, github: &Github) -> (Vec<Finding>, Option<Installation>) {
    let mut findings = Vec::new();
    let app = match github.app().await {
        Ok(app) => app,
        Err(error) => {
            findings.push(unreached(doctor, &error));
            findings.extend(clock(github, &error));
            return (findings, None);
        }
    };
    let owner = app.owner.as_ref().map_or("?", |o| o.login.as_str());
    findings.push(Finding::ok(
        "app",
        format!("{} (id {}, of {owner}) takes the key", app.slug, app.id),
    ));
    findings.push(skew(github.skew_s()));
    findings.extend(permissions(app));
    findings.push(events(app));
    let (finding, install) = installed(app, github).await;
    findings.push(finding);
    if let Some(install) = &install {
        findings.extend(accepted(app, install));
    }
    (findings, install)
}

/// Whether GitHub knew the App.
pub(super) fn is_reached(findings: &[Finding]) -> bool {
    findings
        .iter()
        .any(|f| f.name == "app" && f.state == State::Ok)
}

/// Why the App cannot be had, and what to do.
fn unreached(doctor: &Doctor, error: &GithubError) -> Finding {
    let s = &doctor.settings.parts.github;
    let id = s.app_id.unwrap_or_default();
    let remedy = match error {
        GithubError::NotFound(_) => format!(
            "check `github.app_id` ({id}): the number stands on the App's page, and the key must be of the same App"
        ),
        GithubError::Unauthorized(_) => format!(
            "the key is not one of App {id}, or was deleted: make a new one on the App's page (Private keys), and check `github.app_id`"
        ),
        GithubError::RateLimited { .. } => "wait until the limit ends".into(),
        GithubError::Transient(_) => unreachable_remedy(doctor),
        _ => format!(
            "check that `github.base_url` is GitHub's API ({})",
            s.base_url
        ),
    };
    Finding::failed("app", error.to_string(), remedy)
}

fn unreachable_remedy(doctor: &Doctor) -> String {
    let s = &doctor.settings.parts.github;
    let host = &s.base_url;
    match (&s.proxy, &s.ca_file) {
        (Some(_), _) => format!("check that `github.proxy` runs and lets {host} through"),
        (None, None) => format!(
            "check that this machine reaches {host}; behind a proxy set `github.proxy`, and `github.ca_file` where the certificate is of your own authority"
        ),
        (None, Some(_)) => format!(
            "check that this machine reaches {host}, and that `github.ca_file` holds the authority of its certificate"
        ),
    }
}

/// A clock that is off is worth a word where it may be the reason.
fn clock(github: &Github, error: &GithubError) -> Option<Finding> {
    let told = error.detail().is_some_and(|d| d.status.is_some());
    let finding = skew(github.skew_s());
    (told && finding.state != State::Ok).then_some(finding)
}

fn skew(seconds: i64) -> Finding {
    let name = "clock";
    let way = if seconds > 0 { "behind" } else { "ahead of" };
    let what = format!("this clock is {} s {way} GitHub's", seconds.abs());
    let remedy = "set the time: `timedatectl set-ntp true`, or whatever keeps it here";
    match seconds.abs() {
        s if s <= SKEW_S => Finding::ok(name, "this clock agrees with GitHub's"),
        s if s < FAR_OFF_S => Finding::warning(name, what, remedy),
        _ => Finding::failed(name, what, remedy),
    }
}

fn level(of: &BTreeMap<String, String>, name: &str) -> u8 {
    match of.get(name).map(String::as_str) {
        Some("read") => 1,
        Some("write") => 2,
        Some("admin") => 3,
        _ => 0,
    }
}

/// What of `wanted` is not in `given`, as `name: level`.
fn lacking(wanted: &BTreeMap<String, String>, given: &BTreeMap<String, String>) -> Vec<String> {
    let all = wanted.iter();
    let missing = all.filter(|(name, _)| level(given, name) < level(wanted, name));
    missing.map(|(name, l)| format!("{name}: {l}")).collect()
}

fn page(app: &AppInfo) -> String {
    format!("the App's page ({})", app.html_url)
}

/// Too few keep it from working; too many are a danger without use.
fn permissions(app: &AppInfo) -> Vec<Finding> {
    let name = "permissions";
    let needed = needed_permissions();
    let missing = lacking(&needed, &app.permissions);
    let mut findings = Vec::new();
    if missing.is_empty() {
        findings.push(Finding::ok(name, "the App has every permission it needs"));
    } else {
        findings.push(Finding::failed(
            name,
            format!("the App lacks {}", missing.join(", ")),
            format!(
                "add them on {} under Permissions, then accept them where it is installed",
                page(app)
            ),
        ));
    }
    let Ok(manifest) = AppManifest::shipped() else {
        return findings;
    };
    let many = lacking(&app.permissions, &manifest.default_permissions);
    if !many.is_empty() {
        findings.push(Finding::warning(
            name,
            format!("the App has more than it needs: {}", many.join(", ")),
            format!("take them away on {} under Permissions", page(app)),
        ));
    }
    findings
}

fn events(app: &AppInfo) -> Finding {
    let name = "events";
    let Ok(manifest) = AppManifest::shipped() else {
        return Finding::failed(name, "this mend's manifest does not read", "report a bug");
    };
    let missing: Vec<_> = manifest
        .default_events
        .iter()
        .filter(|e| !app.events.contains(e))
        .map(String::as_str)
        .collect();
    match missing.is_empty() {
        true => Finding::ok(name, "the App is subscribed to every event it reads"),
        false => Finding::failed(
            name,
            format!("the App is not subscribed to {}", missing.join(", ")),
            format!("tick them on {} under Subscribe to events", page(app)),
        ),
    }
}

async fn installed(app: &AppInfo, github: &Github) -> (Finding, Option<Installation>) {
    let name = "installed";
    let all = match github.installations().await {
        Ok(all) => all,
        Err(e) => return (Finding::failed(name, e.to_string(), "try again"), None),
    };
    let account = |i: &Installation| i.account.as_ref().map_or("?".into(), |a| a.login.clone());
    let (suspended, live): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|i| i.suspended_at.is_some());
    let install = format!("install it: {}/installations/new", app.html_url);
    if live.is_empty() {
        return match suspended.first() {
            None => (
                Finding::failed(name, "the App is installed nowhere", install),
                None,
            ),
            Some(one) => (
                Finding::failed(
                    name,
                    format!("the installation of {} is suspended", account(one)),
                    "lift the suspension in the settings of that account (GitHub Apps)",
                ),
                None,
            ),
        };
    }
    let shown: Vec<String> = live
        .iter()
        .take(5)
        .map(|i| match i.repository_selection.as_str() {
            "selected" => format!("{} (some repositories)", account(i)),
            _ => format!("{} (all repositories)", account(i)),
        })
        .collect();
    let more = match live.len() {
        n if n > 5 => format!(" and {} more", n - 5),
        _ => String::new(),
    };
    let what = format!("installed on {}{more}", shown.join(", "));
    (Finding::ok(name, what), live.into_iter().next())
}

/// What the installation's owner has not accepted yet counts for nothing.
fn accepted(app: &AppInfo, install: &Installation) -> Option<Finding> {
    let needed = needed_permissions();
    let missing = lacking(&needed, &install.permissions);
    // What the App itself lacks is told already.
    if missing.is_empty() || !lacking(&needed, &app.permissions).is_empty() {
        return None;
    }
    Some(Finding::failed(
        "permissions",
        format!(
            "the installation has not accepted {} yet",
            missing.join(", ")
        ),
        format!("accept the new permissions: {}", install.html_url),
    ))
}
