//! Whether GitHub's deliveries arrive: a ping is asked for again, and followed to this machine.

use super::Doctor;
use super::ear::{Ear, Heard};
use crate::github::{Delivery, Github, GithubError, HookConfig};
use crate::onboard::report::Finding;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const NAME: &str = "webhook";
/// GitHub gives a receiver ten seconds, and its list lags a little.
const WAIT: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(400);
/// Of what listens on this machine.
const LOCAL: Duration = Duration::from_secs(3);

pub(super) async fn look(doctor: &Doctor, github: &Github) -> Vec<Finding> {
    let hook = match github.hook_config().await {
        Ok(hook) => hook,
        Err(e) => return vec![unasked(&e)],
    };
    let list = match github.deliveries(None).await {
        Ok((list, _)) => list,
        Err(e) => return vec![unasked(&e)],
    };
    if let Some(seconds) = doctor.settings.parts.github.poll_s {
        let what = format!(
            "polling: GitHub's list of deliveries is readable ({} on its first page) and read every {seconds} s",
            list.len()
        );
        return vec![Finding::ok(NAME, what)];
    }
    let (listen, here) = local(doctor).await;
    let mut findings = vec![listen];
    if hook.url.is_empty() {
        let what = "the App has no webhook address";
        findings.push(Finding::failed(NAME, what, address_remedy(doctor)));
        return findings;
    }
    if hook.content_type != "json" && !hook.content_type.is_empty() {
        let what = format!("the App's webhook sends {}", hook.content_type);
        let remedy = "choose the content type application/json on the App's page";
        findings.push(Finding::failed(NAME, what, remedy));
    }
    findings.push(round(doctor, github, &hook, &list, here).await);
    if hook.is_insecure() && hook.url.starts_with("https://") {
        let what = "GitHub does not check the certificate of the webhook's address";
        let remedy = "enable SSL verification on the App's page";
        findings.push(Finding::warning(NAME, what, remedy));
    }
    findings
}

fn unasked(error: &GithubError) -> Finding {
    Finding::failed(
        NAME,
        error.to_string(),
        "activate the App's webhook on its page, then try again",
    )
}

fn address_remedy(doctor: &Doctor) -> String {
    let listen = doctor.settings.parts.server.listen;
    format!(
        "set the webhook's URL on the App's page to https://YOUR-HOST/webhook, passed on to {listen}; or set `github.poll_s`"
    )
}

/// What listens where the server would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Here {
    Mend,
    Nobody,
    Stranger,
}

async fn local(doctor: &Doctor) -> (Finding, Here) {
    let listen = doctor.settings.parts.server.listen;
    let name = "listen";
    match tokio::time::timeout(LOCAL, health(listen)).await {
        Ok(Ok(answer)) if answer.contains(" 200 ") && answer.ends_with("ok\n") => (
            Finding::ok(name, format!("mend serves on {listen}")),
            Here::Mend,
        ),
        Ok(Err(e)) if e.kind() == ErrorKind::ConnectionRefused => {
            let what = format!("{listen} is free; `mend serve` does not run here now");
            (Finding::ok(name, what), Here::Nobody)
        }
        Ok(Err(e)) if e.kind() == ErrorKind::AddrNotAvailable => {
            let what = format!("{listen} is no address of this machine");
            let remedy = "set `server.listen` to 127.0.0.1:8080, or to an address of this machine";
            (Finding::failed(name, what, remedy), Here::Nobody)
        }
        _ => {
            let what = format!("something that is not mend listens on {listen}");
            let remedy = "end it, or set `server.listen` to another port";
            (Finding::failed(name, what, remedy), Here::Stranger)
        }
    }
}

/// The whole answer of `/healthz`.
async fn health(listen: SocketAddr) -> std::io::Result<String> {
    let mut at = listen;
    if at.ip().is_unspecified() {
        let loopback = match at {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        };
        at.set_ip(loopback);
    }
    let mut stream = TcpStream::connect(at).await?;
    let request = format!("GET /healthz HTTP/1.1\r\nhost: {at}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(64 * 1024).read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// A delivery there and back.
async fn round(
    doctor: &Doctor,
    github: &Github,
    hook: &HookConfig,
    list: &[Delivery],
    here: Here,
) -> Finding {
    let Some(ping) = list.iter().find(|d| d.event == "ping") else {
        return last(doctor, github, hook, list, here).await;
    };
    let parts = &doctor.settings.parts;
    let secrets: Vec<_> = [
        &parts.github.webhook_secret,
        &parts.github.webhook_secret_old,
    ]
    .into_iter()
    .flatten()
    .cloned()
    .collect();
    let ear = match here {
        Here::Nobody => Ear::open(parts.server.listen, secrets, &ping.guid)
            .await
            .ok(),
        _ => None,
    };
    let known: BTreeSet<u64> = list.iter().map(|d| d.id).collect();
    if let Err(e) = github.redeliver(ping.id).await {
        return unasked(&e);
    }
    let start = Instant::now();
    while start.elapsed() < WAIT {
        tokio::time::sleep(LOOK).await;
        let Ok((now, _)) = github.deliveries(None).await else {
            continue;
        };
        let again = now.iter().find(|d| {
            d.guid == ping.guid && !known.contains(&d.id) && d.status_code.is_some_and(|c| c != 0)
        });
        if let Some(again) = again {
            let heard = ear.as_ref().and_then(Ear::heard);
            return judge(doctor, github, hook, again, heard, here).await;
        }
    }
    let what = "GitHub was asked for a ping, and its list shows no result yet";
    Finding::warning(NAME, what, "run `mend doctor` again in a minute")
}

/// Without a ping in GitHub's list: what came of the newest delivery.
async fn last(
    doctor: &Doctor,
    github: &Github,
    hook: &HookConfig,
    list: &[Delivery],
    here: Here,
) -> Finding {
    match list.iter().find(|d| d.status_code.is_some_and(|c| c != 0)) {
        Some(newest) => judge(doctor, github, hook, newest, None, here).await,
        None => Finding::warning(
            NAME,
            format!("GitHub has sent nothing to {} yet", hook.url),
            "label an issue, then run `mend doctor` again",
        ),
    }
}

async fn judge(
    doctor: &Doctor,
    github: &Github,
    hook: &HookConfig,
    delivery: &Delivery,
    heard: Option<Heard>,
    here: Here,
) -> Finding {
    let (url, listen) = (&hook.url, doctor.settings.parts.server.listen);
    let event = &delivery.event;
    let code = delivery.status_code.unwrap_or_default();
    let wrong_secret = || {
        Finding::failed(
            NAME,
            format!("GitHub's {event} arrives through {url}, signed with another secret"),
            "set the webhook secret on the App's page and `github.webhook_secret` to the same value",
        )
    };
    match (heard, code) {
        (Some(Heard::Right), _) => {
            return Finding::ok(
                NAME,
                format!("GitHub's {event} came through {url} to {listen}, rightly signed"),
            );
        }
        (Some(Heard::Wrong), _) | (None, 401) => return wrong_secret(),
        _ => {}
    }
    let pass_on = format!("have {url} passed on to {listen}");
    let status = &delivery.status;
    match code {
        200..=299 if says_mend(github, delivery).await && here != Here::Stranger => match here {
            Here::Mend => Finding::ok(
                NAME,
                format!("GitHub's {event} came through {url} to a mend that took its signature"),
            ),
            _ => Finding::ok(
                NAME,
                format!(
                    "a mend behind {url} took GitHub's {event}; it does not run on this machine"
                ),
            ),
        },
        200..=299 => Finding::failed(
            NAME,
            format!("something that is not mend answers GitHub's {event} at {url}"),
            pass_on,
        ),
        404 | 405 => Finding::failed(
            NAME,
            format!("{url} answers GitHub with {code}"),
            format!("{pass_on}; its path is /webhook"),
        ),
        502..=504 => Finding::failed(
            NAME,
            format!("GitHub gets no answer from {url}: {code} {status}"),
            format!(
                "{pass_on}, reachable from GitHub (DNS, firewall, tunnel, certificate); or set `github.poll_s`"
            ),
        ),
        _ => Finding::failed(
            NAME,
            format!("{url} answers GitHub's {event} with {code} {status}"),
            format!("see what answers there, and {pass_on}"),
        ),
    }
}

/// Whether the answer is one that mend's receiver gives.
async fn says_mend(github: &Github, delivery: &Delivery) -> bool {
    let answer = github.answer_to(delivery.id).await.unwrap_or_default();
    let json: serde_json::Value = serde_json::from_str(&answer).unwrap_or_default();
    json["delivery"] == delivery.guid.as_str()
}
