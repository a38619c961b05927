//! `[web]`: where people look at runs, and how they log in.

use super::reader::Reader;
use super::secret_file;
use super::values::{absolute, url};
use secrecy::SecretString;
use std::net::SocketAddr;

/// Where the operator's pages are without a setting.
const LISTEN: ([u8; 4], u16) = ([127, 0, 0, 1], 8081);

/// `[web]`, with the App's credentials for logins from `[github]`.
#[derive(Debug, Clone, Default)]
pub struct WebSettings {
    /// The operator's pages, on loopback alone; `None` for none.
    pub operator: Option<SocketAddr>,
    /// Where people reach mend: scheme and host, without a slash at its end. With a login, pages
    /// are served there.
    pub public_url: Option<String>,
    /// People log in at GitHub; `None` where nobody but the operator does.
    pub login: Option<LoginSettings>,
}

/// The App as GitHub's OAuth knows it.
#[derive(Debug, Clone)]
pub struct LoginSettings {
    pub client_id: String,
    pub client_secret: SecretString,
}

pub(super) fn web(r: &mut Reader<'_>) -> WebSettings {
    let public_url = public_url(r);
    let login = login(r);
    if login.is_some() && public_url.is_none() && !r.is_set("web.public_url") {
        r.missing(
            "web.public_url",
            "where people reach mend, such as https://mend.example.com; a login leads back there",
        );
    }
    WebSettings {
        operator: operator(r),
        public_url,
        login,
    }
}

fn operator(r: &mut Reader<'_>) -> Option<SocketAddr> {
    let key = "web.operator";
    let Some(text) = r.text(key) else {
        return Some(LISTEN.into());
    };
    if text.trim() == "off" {
        return None;
    }
    match text.trim().parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Some(address),
        Ok(_) => {
            r.wrong(
                key,
                "must be an address of this machine alone, such as 127.0.0.1:8081: who opens these \
                 pages sees every run. For others set `web.public_url`, `github.client_id` and \
                 `github.client_secret`",
            );
            None
        }
        Err(_) => {
            r.wrong(
                key,
                "must be an address and a port, such as 127.0.0.1:8081, or \"off\"",
            );
            None
        }
    }
}

/// Scheme and host alone: cookies are for the whole host, and links begin at its root.
fn public_url(r: &mut Reader<'_>) -> Option<String> {
    let key = "web.public_url";
    let text = url(r, key)?;
    let parsed = reqwest::Url::parse(&text).ok()?;
    let host = parsed.host_str().unwrap_or_default();
    let here = matches!(host, "127.0.0.1" | "localhost" | "[::1]");
    if parsed.path() != "/" || parsed.query().is_some() {
        r.wrong(
            key,
            "must be scheme and host alone, such as https://mend.example.com",
        );
        return None;
    }
    if parsed.scheme() != "https" && !here {
        r.wrong(
            key,
            "must begin with https://: whoever listens could take a login over",
        );
        return None;
    }
    Some(text)
}

fn login(r: &mut Reader<'_>) -> Option<LoginSettings> {
    let (inline, file) = ("github.client_secret", "github.client_secret_path");
    let id = r.text("github.client_id");
    let secret = match (r.secret(inline), absolute(r, file)) {
        (Some(_), Some(_)) => {
            r.wrong(inline, format!("and `{file}` are both set: keep one"));
            None
        }
        (Some(secret), None) => Some(secret),
        (None, Some(path)) => match secret_file::read(&path) {
            Ok(secret) => Some(secret),
            Err(why) => {
                r.wrong(file, format!("is {}, which {why}", path.display()));
                None
            }
        },
        (None, None) => None,
    };
    match (id, secret) {
        (Some(id), Some(secret)) => Some(LoginSettings {
            client_id: id.trim().to_string(),
            client_secret: secret.trim().to_string().into(),
        }),
        // A client id alone is what `mend setup` writes of every App.
        (None, Some(_)) => {
            r.missing(
                "github.client_id",
                "the App's client id, on its settings page",
            );
            None
        }
        (_, None) => None,
    }
}
